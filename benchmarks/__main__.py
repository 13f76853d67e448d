"""Run all benchmarks, print them as a table and write them to ``_build/results/bench.json``."""

import json
import platform
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from support.games import GAMES

OTHERS = ("open_spiel", "gambit", "environments")
"""Programs of other people."""
PARTS = [f"benchmarks.{name.replace('-', '_')}" for name in (*GAMES, "sweep", *OTHERS)]
PARTS = [part for part in PARTS if find_spec(part)]
"""A module for each game that has one, one for sweeps, and those that compare with others."""


def main() -> int:
    """Run every row of every part; exits with 1 where the results of a pair disagree."""
    rows = [row for part in PARTS for row in import_module(part).rows()]
    width = max(len(row.what) for row in rows)
    for row in rows:
        print(f"{row.what:<{width}}  {row}")
    path = Path("_build/results/bench.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.platform()}
    path.write_text(json.dumps({"machine": machine, "rows": [vars(row) for row in rows]}, indent=1) + "\n")
    print(f"written to {path}")
    return 0 if all(row.same for row in rows) else 1


if __name__ == "__main__":  # the workers of a sweep import this module too
    sys.exit(main())
