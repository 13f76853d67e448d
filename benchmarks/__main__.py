"""Run the benchmarks and print them as a table; all together are written to ``_build/results/bench.json``."""

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from support.games import GAMES

OTHERS = ("open-spiel", "gambit", "environments")
"""Programs of other people."""
PARTS = {name: f"benchmarks.{name.replace('-', '_')}" for name in (*GAMES, "sweep", *OTHERS)}
PARTS = {name: module for name, module in PARTS.items() if find_spec(module)}
"""The module of each part: one for each game that has one, one for sweeps, and those that compare with others."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every row of the parts asked for; exits with 1 where the results of a pair disagree."""
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description="Measure speed, fast beside plain, in one run."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which: {', '.join(PARTS)}; all by default")
    asked = parser.parse_args(arguments).parts or list(PARTS)
    if unknown := [part for part in asked if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    rows = [row for part in asked for row in import_module(PARTS[part]).rows()]
    width = max(len(row.what) for row in rows)
    for row in rows:
        print(f"{row.what:<{width}}  {row}")
    if set(asked) == set(PARTS):
        path = Path("_build/results/bench.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        machine = {"python": platform.python_version(), "system": platform.platform()}
        path.write_text(json.dumps({"machine": machine, "rows": [vars(row) for row in rows]}, indent=1) + "\n")
        print(f"written to {path}")
    return 0 if all(row.same for row in rows) else 1


if __name__ == "__main__":  # the workers of a sweep import this module too
    sys.exit(main())
