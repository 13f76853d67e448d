"""The methods that both have, and variants in which one side does what the other does: :data:`METHODS`."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python import rl_environment, rl_tools
from open_spiel.python.algorithms import cfr as their_cfr
from open_spiel.python.algorithms import mccfr as their_mccfr
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from open_spiel.python.algorithms.fictitious_play import XFPSolver
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver
from open_spiel.python.algorithms.tabular_qlearner import QLearner

from support.core.flat import FlatGame, unfold
from support.core.screen import unknown
from support.exact.nash_conv_fast import counterfactual_reach, normalise, respond, tables_of
from support.learners import cfr_fast, mccfr_fast, tabular_fast
from support.learners.cfr import Method, choices
from support.learners.mccfr import EXPLORATION
from support.learners.tabular import QLearning
from support.peers.games import Shared

TURNS = Method("cfr in turns", passes=((0,), (1,)))
"""What OpenSpiel calls CFR: the players take turns."""


class Learning(NamedTuple):
    """A run of OpenSpiel's that can be taken further.

    Attributes:
        step: make one iteration.
        policy: what was learned so far, a policy of OpenSpiel's.
        games: the number of games in an iteration, or 1 where marks are iterations.
    """

    step: Callable[[], Any]
    policy: Callable[[], Any]
    games: int = 1


class Both(NamedTuple):
    """A method that both have.

    Attributes:
        ours: from a game, a mark and a seed to a profile, float64[slots].
        theirs: from a game and a seed to a run.
        sampled: whether the seed matters; then marks are games, and otherwise iterations.
    """

    ours: Callable[[FlatGame, int, int], np.ndarray]
    theirs: Callable[[Shared, int], Learning]
    sampled: bool


def _iterated(solver: Any) -> Learning:
    return Learning(solver.evaluate_and_update_policy, solver.average_policy)


def _sampled(solver: Any) -> Learning:
    """OpenSpiel's iteration is a game for each player; its solvers in C++ and in Python name it differently."""
    return Learning(getattr(solver, "run_iteration", None) or solver.iteration, solver.average_policy, 2)


def _played(solver: Any) -> Learning:
    return Learning(solver.iteration, solver.average_policy)


def _regrets(method: str | Method, flat: FlatGame, mark: int, seed: int) -> np.ndarray:
    return np.asarray(cfr_fast.run(flat, method, [mark]).strategies[0])


def _outcomes(flat: FlatGame, mark: int, seed: int) -> np.ndarray:
    return np.asarray(mccfr_fast.run(flat, [mark], seed).strategies[0])


def _external(flat: FlatGame, mark: int, seed: int) -> np.ndarray:
    return np.asarray(mccfr_fast.run_external(flat, [mark], seed).strategies[0])


def _greedy(flat: FlatGame, mark: int, seed: int) -> np.ndarray:
    return np.asarray(normalise(flat, tabular_fast.run(flat, "q-learning", [mark], seed).weights)[0])


def _greedy_at_the_end(flat: FlatGame, mark: int, seed: int) -> np.ndarray:
    return _greedy(_paid_at_the_end(flat), mark, seed)


@lru_cache(maxsize=4)
def _paid_at_the_end(flat: FlatGame) -> FlatGame:
    game: Any = _PaidAtTheEnd(flat.game)
    return unfold(game)


@dataclass(frozen=True)
class _PaidAtTheEnd:
    """A game of ours, or a state of one, that pays nothing before the end, as OpenSpiel's do."""

    inside: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def initial_state(self) -> "_PaidAtTheEnd":
        return _PaidAtTheEnd(self.inside.initial_state())

    def child(self, action: Any) -> "_PaidAtTheEnd":
        return _PaidAtTheEnd(self.inside.child(action))

    def returns(self) -> tuple[Any, ...]:
        paid = tuple(self.inside.returns())
        return paid if self.inside.is_terminal() else (0,) * len(paid)

    def rewards(self) -> tuple[Any, ...]:
        return self.returns()


def _from_uniform(flat: FlatGame, mark: int, seed: int) -> np.ndarray:
    """Our fictitious play with uniform play as the first of the strategies that are averaged, as in OpenSpiel's."""
    tables, states = tables_of(flat), choices(flat)
    tie = cfr_fast.TIE * float(np.abs(tables.rewards).max())
    reach, values = np.zeros(flat.num_nodes), np.zeros(flat.num_nodes)
    weights = np.zeros((1, flat.slots[-1]))
    played = normalise(flat, weights)[0]
    for _ in range(mark + 1):
        realised = played.copy()
        for state in states:  # each after the choice that leads to it
            if state.before is not None:
                realised[state.slots.start : state.slots.stop] *= realised[state.before]
        weights += realised
        play = np.concatenate([normalise(flat, weights)[0], tables.chances])
        for player in (0, 1):
            counterfactual_reach(tables, player, play, reach)
            respond(tables, player, play, reach, tie, values, played)
    return np.asarray(normalise(flat, weights)[0])


class _TiesToTheFirst(BestResponsePolicy):
    """OpenSpiel's best response, except that differences which rounding may make are ties, and go to the first."""

    def __init__(self, game: Any, player: int, policy: Any):
        super().__init__(game, player, policy)
        self._found: dict[str, int] = {}
        self._tie = cfr_fast.TIE * max(game.max_utility(), -game.min_utility())

    def best_response_action(self, infostate: str) -> int:
        if infostate not in self._found:
            states, best, highest = self.infosets[infostate], -1, -inf
            for action in states[0][0].legal_actions():
                value = sum(reach * self.q_value(state, action) for state, reach in states)
                if value > highest + self._tie:
                    best, highest = action, value
            self._found[infostate] = best
        return self._found[infostate]


class _SameTies(XFPSolver):
    """OpenSpiel's fictitious play, with our rule for ties."""

    def compute_best_responses(self) -> None:
        average = self.average_policy().to_tabular()
        for player in range(self._num_players):
            response = _TiesToTheFirst(self._game, player, average)
            self._best_responses[player] = partial(self._certain, response)

    @staticmethod
    def _certain(response: BestResponsePolicy, state: Any) -> list[tuple[int, float]]:
        best = response.best_response_action(state.information_state_string())
        return [(action, float(action == best)) for action in state.legal_actions()]


class _SameAverage(OutcomeSamplingSolver):
    """OpenSpiel's outcome sampling, with strategies averaged at the choices of the player who is not the traverser.

    There the player's own probability of getting there cancels, so only the traverser's sampling and chance divide.
    """

    _chance: float  # the probability of what chance has dealt so far
    _at_chance: bool  # whether chance moved last,
    _before: float  # and the probability that the others get to there

    def _episode(self, state: Any, update_player: int, my_reach: float, opp_reach: float, sample_reach: float) -> float:
        if not state.history():
            self._chance = 1.0
        elif self._at_chance:
            self._chance *= opp_reach / self._before
        self._at_chance, self._before = state.is_chance_node(), opp_reach
        if state.current_player() == 1 - update_player:
            row = self._lookup_infostate_info(state.information_state_string(), len(state.legal_actions()))
            strategy = self._regret_matching(row[their_mccfr.REGRET_INDEX], len(state.legal_actions()))
            row[their_mccfr.AVG_POLICY_INDEX] += strategy * opp_reach / (sample_reach * self._chance)
        return float(super()._episode(state, update_player, my_reach, opp_reach, sample_reach))

    def _add_avstrat(self, info_state_key: str, action_idx: int, amount: float) -> None:
        """Nothing is averaged at the traverser's own choices."""


class _SameSteps(QLearner):
    """OpenSpiel's Q-learning with our steps: 1/n at the n-th visit, but no less than the least."""

    def __init__(self, player: int, actions: int):
        self._visits: Counter[tuple[str | None, int | None]] = Counter()
        super().__init__(player, actions, epsilon_schedule=rl_tools.ConstantSchedule(QLearning.exploration))

    @property
    def _step_size(self) -> float:
        """Read once for each update, after which the visit counts."""
        visit = self._prev_info_state, self._prev_action
        self._visits[visit] += 1
        return max(1 / self._visits[visit], QLearning.least_step)

    @_step_size.setter
    def _step_size(self, constant: float) -> None:
        """The constant step that OpenSpiel's has is not used."""


class _FirstOfEquals(_SameSteps):
    """The same, except that of actions with equal values the first is played, and not a random one."""

    def _epsilon_greedy(self, info_state: str, legal_actions: list[int], epsilon: float) -> tuple[int, np.ndarray]:
        chances = np.zeros(self._num_actions)
        chances[legal_actions] = epsilon / len(legal_actions)
        chances[max(legal_actions, key=self._q_values[info_state].__getitem__)] += 1 - epsilon
        return int(np.random.choice(self._num_actions, p=chances)), chances  # noqa: NPY002


class _AfterTheGame(_FirstOfEquals):
    """The same, except that it learns when the game is over, from its last decision to its first."""

    def __init__(self, player: int, actions: int):
        super().__init__(player, actions)
        self._decided: list[tuple[rl_environment.TimeStep, int]] = []

    def step(self, time_step: rl_environment.TimeStep, is_evaluation: bool = False) -> Any:
        if is_evaluation:
            return super().step(time_step, is_evaluation)
        self._prev_info_state = None  # so that nothing is learned yet
        if not time_step.last():
            output = super().step(time_step)
            self._decided.append((time_step, output.action))
            return output
        for before, action in reversed(self._decided):
            self._prev_info_state, self._prev_action = before.observations["info_state"][self._player_id], action
            super().step(time_step)  # what it would do there does not matter
            time_step = before
        self._decided, self._prev_info_state = [], None
        return None


def _q_learning(learner: Callable[[int, int], Any], game: Shared, seed: int) -> Learning:
    """Two of OpenSpiel's learners, one for each player, who learn at once; nothing is paid before the end."""
    agents = [learner(player, game.theirs.num_distinct_actions()) for player in (0, 1)]
    met = set()

    def seen(state: Any) -> rl_environment.TimeStep:
        texts, legal = [state.information_state_string(player) for player in (0, 1)], state.legal_actions()
        kind = rl_environment.StepType.LAST if state.is_terminal() else rl_environment.StepType.MID
        observed = {"info_state": texts, "legal_actions": [legal, legal]}
        return rl_environment.TimeStep(observed, state.rewards(), [1.0, 1.0], kind)

    def play() -> None:
        state = game.theirs.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(np.random.choice(outcomes, p=chances))  # noqa: NPY002
            else:
                met.add(state.information_state_string())
                state.apply_action(agents[state.current_player()].step(seen(state)).action)
        for agent in agents:
            agent.step(seen(state))

    def greedy() -> Any:
        table = {}
        for state in game.states:
            text, legal = state.information_state_string(), state.legal_actions()
            chances = agents[state.current_player()].step(seen(state), is_evaluation=True).probs
            table[text] = [(action, float(chances[action]) if text in met else 1 / len(legal)) for action in legal]
        return pyspiel.TabularPolicy(table)

    return Learning(play, greedy)


METHODS = {
    "cfr": Both(partial(_regrets, "cfr"), lambda game, _: _iterated(pyspiel.CFRSolver(game.theirs)), False),
    "cfr, in turns": Both(partial(_regrets, TURNS), lambda game, _: _iterated(pyspiel.CFRSolver(game.theirs)), False),
    "cfr, at once": Both(
        partial(_regrets, "cfr"),
        lambda game, _: _iterated(
            their_cfr._CFRSolver(
                game.theirs, alternating_updates=False, linear_averaging=False, regret_matching_plus=False
            )
        ),
        False,
    ),
    "cfr+": Both(partial(_regrets, "cfr+"), lambda game, _: _iterated(pyspiel.CFRPlusSolver(game.theirs)), False),
    "fictitious play": Both(
        partial(_regrets, "fictitious play"), lambda game, _: _played(XFPSolver(game.theirs)), False
    ),
    "fictitious play, from uniform": Both(_from_uniform, lambda game, _: _played(XFPSolver(game.theirs)), False),
    "fictitious play, from uniform, same ties": Both(
        _from_uniform, lambda game, _: _played(_SameTies(game.theirs)), False
    ),
    "outcome sampling": Both(
        _outcomes,
        lambda game, seed: _sampled(pyspiel.OutcomeSamplingMCCFRSolver(game.theirs, EXPLORATION, seed)),
        True,
    ),
    "outcome sampling, in Python": Both(_outcomes, lambda game, _: _sampled(OutcomeSamplingSolver(game.theirs)), True),
    "outcome sampling, same average": Both(_outcomes, lambda game, _: _sampled(_SameAverage(game.theirs)), True),
    "external sampling": Both(
        _external, lambda game, seed: _sampled(pyspiel.ExternalSamplingMCCFRSolver(game.theirs, seed)), True
    ),
    "q-learning": Both(_greedy, partial(_q_learning, _SameSteps), True),
    "q-learning, paid at the end": Both(_greedy_at_the_end, partial(_q_learning, _SameSteps), True),
    "q-learning, paid at the end, same ties": Both(_greedy_at_the_end, partial(_q_learning, _FirstOfEquals), True),
    "q-learning, paid at the end, same ties, after the game": Both(
        _greedy_at_the_end, partial(_q_learning, _AfterTheGame), True
    ),
}
"""The methods, by name. What follows a comma is a variant in which one side does what the other does:

* ``cfr``: ours moves both players at once, OpenSpiel's in turns. *In turns*, ours does as theirs; *at once*, theirs
  does as ours.
* ``fictitious play``: OpenSpiel's averages the responses and the uniform play that it starts from, ours the responses
  alone; and ours treats differences that rounding may make as ties. *From uniform*, ours does as theirs; *same ties*,
  theirs does as ours.
* ``outcome sampling``: OpenSpiel's averages at the traverser's choices, where it must also divide by the other's
  probability of getting there, and ours at the other player's. *In Python* is OpenSpiel's own second form. *Same
  average*: theirs does as ours.
* ``q-learning``: both take the same steps and explore alike, and start from values of zero. Our pokers pay chips when
  they are bet, OpenSpiel's at the end, so what has yet to be tried looks better or worse in comparison. OpenSpiel's
  plays a random one of equally good actions and learns in play; ours the first, and after the game from the last
  decision to the first. *Paid at the end*, ours does as theirs; *same ties* and *after the game*, theirs does as ours.
"""


def method_named(name: str) -> Both:
    """A method, or an error that names all."""
    if name not in METHODS:
        raise ValueError(unknown("method", name, METHODS))
    return METHODS[name]
