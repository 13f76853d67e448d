"""Liar's Dice with one die each: CFR+ and NashConv on the public tree, beside the whole tree and OpenSpiel."""

from collections.abc import Iterator

import numpy as np

from benchmarks.open_spiel import CLOCK, head_to_head, paced
from support.core.flat import unfold
from support.exact.nash_conv_fast import Scorer
from support.games.cups.liars_dice import LiarsDice
from support.learners import cfr_fast
from support.learners.public_tree_fast import nash_convs, run
from support.sweep.timing import Pace, timed

FEW, MANY, SECONDS = 30, 3_000, 20.0


def rows() -> Iterator[Pace]:
    """The rows of the game, which chapter 3 learns. Everything runs on one core."""
    flat = unfold(LiarsDice())
    run(flat, "cfr+", [1])  # compile, or load from the cache
    cfr_fast.run(flat, "cfr+", [1])
    slow, plain = paced(lambda: cfr_fast.run(flat, "cfr+", [FEW]), FEW, 1.0)
    fast, same = paced(lambda: run(flat, "cfr+", [FEW]), FEW, 1.0)
    off = float(np.abs(same.strategies - plain.strategies).max())
    seconds, learned = timed(lambda: run(flat, "cfr+", [MANY]).strategies, CLOCK)
    left = nash_convs(flat, learned)[0]
    how = f"average strategies after {FEW} at most {off:.0e} apart; {MANY:,} take {seconds:.1f} s and leave {left:.1e}"
    yield Pace("liars-dice: CFR+ on the public tree", "iterations", fast, slow, off < 1e-9, how)

    scorer, ten = Scorer(flat), np.repeat(learned, 10, axis=0)
    slow, plainly = paced(lambda: scorer.nash_convs(ten), 10, 1.0)
    fast, found = paced(lambda: nash_convs(flat, ten), 10, 1.0)
    off = float(np.abs(plainly - found).max())
    yield Pace("liars-dice: NashConv on the public tree", "profiles", fast, slow, off < 1e-12, f"{off:.0e} apart")
    yield head_to_head(flat.game.faces, SECONDS)
