"""OpenSpiel (Lanctot et al. 2019) on games that it and the package share: regrets, best responses, random games.

``support.peers`` has walked both trees in step, so NashConv of any profile can be measured by both.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.tabular_qlearner import QLearner

from support.core.flat import FlatGame, unfold
from support.core.policy import probabilities_of, uniform
from support.exact.nash_conv_fast import Scorer, normalise
from support.exact.simulate_fast import lay_out
from support.games.cups.liars_dice import LiarsDice
from support.learners import mccfr_fast
from support.learners.cfr import METHODS, Method
from support.learners.mccfr import EXPLORATION
from support.learners.public_tree_fast import nash_convs, public_tree, run
from support.learners.tabular import QLearning
from support.peers import CLOCK, TURNS, Shared, kuhn, liars_dice
from support.sweep.timing import Pace, rate, timed

SEED = 7
CLOSE = 1e-9
LEAST = 0.02
"""Seconds for which runs that are shorter are run again; the fastest counts."""
Curve = list[tuple[float, float]]
"""Seconds, and the NashConv of the average strategy by then."""


def paced(work: Callable[[], Any], units: int, least: float) -> tuple[float, Any]:
    """Units in a second of one core, and what came out last."""
    return rate(work, units, goes=1, least=least, clock=CLOCK)


def rows(faces: int = 6, least: float = 1.0) -> Iterator[Pace]:
    """Everything on one core.

    Args:
        faces: of the dice.
        least: seconds that each of ours is measured for at least; and OpenSpiel's.
    """
    for game in (kuhn(), liars_dice(faces)):
        yield _nash_conv(game, least)
        yield _iterations(game, "CFR", TURNS, pyspiel.CFRSolver, least)
        yield _iterations(game, "CFR+", METHODS["cfr+"], pyspiel.CFRPlusSolver, least)
        yield _sampled(game, least)
        yield _random_games(game, least)
    yield _q_learning(kuhn(), least)


def _nash_conv(game: Shared, least: float) -> Pace:
    flat = game.flat
    profile = normalise(flat, np.random.default_rng(SEED).integers(1, 9, (1, flat.slots[-1])))
    policy = game.policy(profile[0])
    nash_convs(flat, profile)  # compile, or load from the cache
    fast, ours = paced(lambda: nash_convs(flat, np.repeat(profile, 100, axis=0)), 100, least)
    slow, theirs = paced(lambda: pyspiel.nash_conv(game.theirs, policy), 1, least)
    off = abs(ours[0] - theirs)
    return Pace(f"NashConv on {game.name}", "profiles", fast, slow, bool(off < 1e-12), "equal to twelve decimals")


def _iterations(game: Shared, name: str, method: Method, solver: Callable[[Any], Any], least: float) -> Pace:
    flat, few, many = game.flat, 10, max(10, 10_000_000 // game.flat.num_nodes)
    one = solver(game.theirs)
    for _ in range(few):
        one.evaluate_and_update_policy()
    off = float(np.abs(game.profile(one.average_policy()) - run(flat, method, [few]).strategies).max())
    fast, _ = paced(lambda: run(flat, method, [many]), many, least)
    slow, _ = paced(one.evaluate_and_update_policy, 1, least)
    how = f"average strategies after {few} iterations equal to nine decimals"
    return Pace(f"{name} on {game.name}", "iterations", fast, slow, off < CLOSE, how)


def _sampled(game: Shared, least: float) -> Pace:
    flat, games = game.flat, 20_000
    one = pyspiel.OutcomeSamplingMCCFRSolver(game.theirs, EXPLORATION, SEED)
    mccfr_fast.run(flat, [1], SEED)  # compile, or load from the cache
    fast, ours = paced(lambda: mccfr_fast.run(flat, [games], SEED), games, least)

    def play() -> None:
        for _ in range(games // 20):
            one.run_iteration()  # a game for each player

    slow, _ = paced(play, games // 10, least)
    bar = nash_convs(flat, probabilities_of(flat, uniform(flat))[None])[0]
    left = nash_convs(flat, np.concatenate([ours.strategies, game.profile(one.average_policy())]))
    how = f"NashConv {left[0]:.3f} and {left[1]:.3f} after {games:,} games or more, from {bar:.3f}"
    return Pace(f"outcome sampling on {game.name}", "games", fast, slow, bool((left < bar).all()), how)


def _random_games(game: Shared, least: float) -> Pace:
    flat, games, few = game.flat, 1_000_000, 5_000
    chain = lay_out(flat, uniform(flat).edge_probabilities(flat))
    bots = [pyspiel.make_uniform_random_bot(player, SEED + player) for player in (0, 1)]
    root, total = game.theirs.new_initial_state(), []

    def play() -> None:
        total.extend(pyspiel.evaluate_bots(root.clone(), bots, SEED + len(total) + n)[0] for n in range(few))

    chain.play(1, SEED)
    fast, ours = paced(lambda: chain.play(games, SEED), games, least)
    slow, _ = paced(play, few, least)
    exact = float(Scorer(flat).returns(probabilities_of(flat, uniform(flat))[None])[0, 0])
    off = max(abs(np.mean(one) - exact) * len(one) ** 0.5 / np.std(one) for one in (ours, np.array(total)))
    how = f"mean returns at most {off:.1f} standard errors from the exact one"
    return Pace(f"random games of {game.name}", "games", fast, slow, bool(off < 4.5), how)


def _q_learning(game: Shared, least: float) -> Pace:
    """In both all players learn at once, in plain Python."""
    flat, games = game.flat, 3_000
    np.random.seed(SEED)  # noqa: NPY002  # OpenSpiel's learner draws from the global generator
    environment = rl_environment.Environment(
        game.theirs, chance_event_sampler=rl_environment.ChanceEventSampler(seed=SEED)
    )
    agents = [QLearner(player, environment.action_spec()["num_actions"]) for player in (0, 1)]

    def play() -> None:
        for _ in range(games):
            now = environment.reset()
            while not now.last():
                now = environment.step([agents[now.observations["current_player"]].step(now).action])
            for agent in agents:
                agent.step(now)

    fast, ours = paced(lambda: QLearning().train(flat.game, games, SEED), games, least)
    slow, _ = paced(play, games, least)
    learned = (probabilities_of(flat, ours), np.concatenate([_greedy(agents, state) for state in game.states]))
    slot = dict(zip(flat.information_states, flat.slots.tolist(), strict=False))
    bets = [(player, card, text) for player, text in ((0, "cr"), (1, "r")) for card in "KJ"]
    same = all(one[slot[player, card + text] + (card == "K")] == 1 for one in learned for player, card, text in bets)
    how = "against a bet both have learned to call with the king and to fold the jack"
    return Pace(f"tabular Q-learning on {game.name}", "games", fast, slow, same, how)


def _greedy(agents: list[Any], state: Any) -> list[float]:
    """What OpenSpiel's learners do in a state of theirs, action by action."""
    player, legal = state.current_player(), state.legal_actions()
    seen = {"info_state": [state.information_state_tensor(p) for p in (0, 1)], "legal_actions": [legal, legal]}
    now = rl_environment.TimeStep(seen, None, None, rl_environment.StepType.MID)
    chances = agents[player].step(now, is_evaluation=True).probs
    return [float(chances[action]) for action in legal]


def head_to_head(faces: int, seconds: float) -> Pace:
    """CFR+ on Liar's Dice for as many iterations as OpenSpiel makes in so many seconds."""
    game = liars_dice(faces)
    theirs = _watched(game, pyspiel.CFRPlusSolver(game.theirs), "evaluate_and_update_policy", seconds)
    last = len(theirs) - 1
    (fast, ours), (slow, bar) = _doubled(game.flat, _cfr_plus(game.flat), 0, last)[-1], theirs[-1]
    what = f"CFR+ to a NashConv of {bar:.1e} on {game.name}"
    how = f"NashConv after {2**last:,} iterations {abs(ours - bar):.0e} apart"
    return Pace(what, "runs", 1 / fast, 1 / slow, abs(ours - bar) < CLOSE, how)


def curves(faces: int, seconds: float) -> dict[str, Curve]:
    """NashConv on Liar's Dice against seconds of one core, after the preparation; each goes on for so long at least."""
    game = liars_dice(faces)
    flat, theirs = game.flat, game.theirs
    outcomes = pyspiel.OutcomeSamplingMCCFRSolver(theirs, EXPLORATION, SEED)
    externals = pyspiel.ExternalSamplingMCCFRSolver(theirs, SEED)
    mccfr_fast.run_external(flat, [1], SEED)  # compile, or load from the cache
    return {
        "CFR+, ours": _doubled(flat, _cfr_plus(flat), seconds),
        "CFR+, OpenSpiel": _watched(game, pyspiel.CFRPlusSolver(theirs), "evaluate_and_update_policy", seconds),
        "outcomes, ours": _doubled(flat, lambda n: mccfr_fast.run(flat, [200 * n], SEED).strategies, seconds),
        "outcomes, OpenSpiel": _watched(game, outcomes, "run_iteration", seconds, 100),
        "external, ours": _doubled(flat, lambda n: mccfr_fast.run_external(flat, [200 * n], SEED).strategies, seconds),
        "external, OpenSpiel": _watched(game, externals, "run_iteration", seconds, 100),
    }


def _cfr_plus(flat: FlatGame) -> Callable[[int], np.ndarray]:
    run(flat, "cfr+", [1])  # compile, or load from the cache
    return lambda iterations: run(flat, "cfr+", [iterations]).strategies


def _doubled(flat: FlatGame, strategies: Callable[[int], np.ndarray], seconds: float, least: int = 0) -> Curve:
    """Runs of 1, 2, 4, ... iterations, each from the beginning, until one takes so long, and ``least`` doublings."""
    found: Curve = []
    while len(found) <= least or found[-1][0] < seconds:
        pace, profile = paced(partial(strategies, 2 ** len(found)), 1, LEAST)
        found.append((1 / pace, float(nash_convs(flat, profile)[0])))
    return found


def _watched(game: Shared, solver: Any, step: str, seconds: float, portion: int = 1) -> Curve:
    """One run, looked at after 1, 2, 4, ... portions of iterations; looking does not count."""
    found: Curve = []
    spent, iterate = 0.0, getattr(solver, step)
    while spent < seconds:
        began = CLOCK()
        for _ in range(portion * (2 ** len(found) - 2 ** len(found) // 2)):
            iterate()
        spent += CLOCK() - began
        found.append((spent, float(nash_convs(game.flat, game.profile(solver.average_policy()))[0])))
    return found


def preparation(faces: int) -> tuple[float, float]:
    """Seconds that it takes before the first iteration on Liar's Dice: ours, which unfold the game, and OpenSpiel's."""
    ours, _ = timed(lambda: public_tree(unfold(LiarsDice(faces))), CLOCK)
    theirs, _ = timed(lambda: pyspiel.CFRPlusSolver(pyspiel.load_game(f"liars_dice(dice_sides={faces})")), CLOCK)
    return ours, theirs
