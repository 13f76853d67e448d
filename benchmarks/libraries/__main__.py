"""Train by a recipe, judge what was learned, and record it for the page that shows the recipe."""

import argparse
import hashlib
import json
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.libraries import measured
from support.games.wild_ones.ceiling.places import places
from support.games.wild_ones.environment import Seen, written
from support.games.wild_ones.policies import Aggressive, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes
from support.learners.steady import one_thread
from support.sweep.timing import timed

RECIPES = {"tianshou": ("tianshou_dqn", "tianshou"), "rllib": ("rllib_ppo", "ray")}
"""The module of each recipe, and the package whose version counts."""


def digest(name: str) -> str:
    """A hash over a recipe, by which a record of an earlier form of it is noticed."""
    return hashlib.sha256((Path(__file__).parent / f"{RECIPES[name][0]}.py").read_bytes()).hexdigest()[:16]


def first(choose: Callable[[Seen], np.ndarray]) -> float:
    """The probability that an algorithm comes in first against the survivalist and the aggressive player.

    Args:
        choose: returns the action for each of many observations.
    """
    game = WildOnes(num_players=3, dice=2)
    others = [table(Views(game), policy) for policy in (Survivalist(), Aggressive())]
    return float(places(game, [written(game, choose).entries, *others]).shares[0][0])


def main(arguments: list[str] | None = None, file: Path = Path(measured.__file__)) -> None:
    """Train by one recipe with each seed, and write the results into the record.

    Args:
        arguments: the words of the command line.
        file: the module that keeps the record.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.libraries", description=__doc__)
    parser.add_argument("name", choices=RECIPES, help="the library")
    parser.add_argument(
        "--decisions", type=int, default=60_000, help="decisions of the learner in each run (default 60000)"
    )
    parser.add_argument("--seeds", type=int, default=3, help="the number of runs (default 3)")
    given = parser.parse_args(arguments)
    module, package = RECIPES[given.name]
    learn = import_module(f"benchmarks.libraries.{module}").learn
    runs = []
    with one_thread():
        for seed in range(1, given.seeds + 1):
            seconds, choose = timed(lambda seed=seed: learn(given.decisions, seed), time.process_time)
            runs.append({"seed": seed, "seconds": round(seconds, 1), "first": first(choose)})
            print(
                f"seed {seed}: first with probability {runs[-1]['first']:.4f}, after {seconds:.0f} seconds", flush=True
            )
    record = {
        "recipe": digest(given.name),
        "version": version(package),
        "torch": version("torch").partition("+")[0],
        "python": platform.python_version(),
        "day": datetime.now(UTC).date().isoformat(),
        "command": f"python -m benchmarks.libraries {given.name} --decisions {given.decisions} --seeds {given.seeds}",
        "decisions": given.decisions,
        "runs": runs,
    }
    file.write_text(module_of(measured.MEASURED | {given.name: record}), encoding="utf-8")


def module_of(records: dict[str, dict[str, object]]) -> str:
    """The module ``measured.py`` with these records."""
    return f'''"""What was learned by the recipes; written by ``python -m benchmarks.libraries``, not by hand."""

import json
from typing import Any

MEASURED: dict[str, dict[str, Any]] = json.loads("""
{json.dumps(records, indent=1)}
""")
'''


if __name__ == "__main__":
    main()
