"""What the chapter offers for other programs: all courses as one Parquet file, and as JSON with its schema."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from support.comparison.everyone import LEARNERS, Comparison, title

PARQUET, JSON, SCHEMA = "courses.parquet", "courses.json", "courses.schema.json"


def offer(comparison: Comparison, where: Callable[[str], Path]) -> list[Path]:
    """Write the files; ``where`` gives the path for a file's name."""
    paths = [where(name) for name in (PARQUET, JSON, SCHEMA)]
    pq.write_table(comparison.records.table, paths[0])
    for path, content in zip(paths[1:], (courses(comparison), schema()), strict=True):
        path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return paths


def courses(comparison: Comparison) -> dict[str, Any]:
    """The courses as the schema describes them, in the order of the configurations and of the seeds."""
    rows = [
        {
            "learner": setting.learner,
            "title": LEARNERS[setting.learner],
            "game": setting.game,
            "game_title": title((setting.game, setting.small)),
            "sizes": dict(setting.sizes),
            "seed": str(row["seed"]),
            "games": [int(one) for one in row["steps"]],
            "nodes": [_number(one) for one in row["visited"]],
            "distance": [_number(one) for one in row["distance"]],
            "uniform": _number(row["uniform"]),
            "refused": row["refused"],
        }
        for number, setting in enumerate(comparison.settings)
        for row in comparison.records.rows(number)
    ]
    return {"$schema": SCHEMA, "version": 1, "courses": rows}


def _number(one: float) -> float | None:
    return float(one) if one == one and abs(one) != float("inf") else None


def schema() -> dict[str, Any]:
    """What the JSON file holds (JSON Schema, draft 2020-12)."""

    def text(meaning: str) -> dict[str, Any]:
        return {"type": "string", "description": meaning}

    def numbers(meaning: str, kinds: list[str]) -> dict[str, Any]:
        return {"type": "array", "items": {"type": kinds, "minimum": 0}, "description": meaning}

    fields = {
        "learner": text("the learner, as the command line names it"),
        "title": text("its name in the chapter"),
        "game": text("the game, as the command line names it"),
        "game_title": text("its name in the chapter"),
        "sizes": {"type": "object", "description": "arguments of the rules; the others keep their defaults"},
        "seed": text("the 64-bit seed, as text because many readers of JSON round such numbers"),
        "games": numbers("games, iterations or simulations for each decision up to each mark", ["integer"]),
        "nodes": numbers("states visited up to each mark; null for a method that plans", ["number", "null"]),
        "distance": numbers(
            "NashConv, or for one player the return that is lost, at each mark; null if play might never end",
            ["number", "null"],
        ),
        "uniform": {"type": ["number", "null"], "description": "the distance of uniform play"},
        "refused": text("why the learner could not take the game; empty if it could"),
    }
    row = {"type": "object", "required": list(fields), "additionalProperties": False, "properties": fields}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Every learner at every table",
        "type": "object",
        "required": ["$schema", "version", "courses"],
        "additionalProperties": False,
        "properties": {
            "$schema": {"const": SCHEMA},
            "version": {"const": 1},
            "courses": {"type": "array", "items": row},
        },
    }
