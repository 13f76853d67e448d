"""Wild ones for algorithms written elsewhere: all seats through PettingZoo, or one seat through Gymnasium.

Importing this registers ``WildOnes-v0`` with Gymnasium (Towers et al. 2024); without another import,
``gymnasium.make("support.games.wild_ones.environment:WildOnes-v0")`` does. It needs the dependency group
``environments``: Gymnasium and PettingZoo (Terry et al. 2021).

Both are thin over the immutable states of ``support.games.wild_ones.rules``. Actions are its numbers, observations the
15 numbers that the network of *Learning Liar's dice with deep Q-learning* (Alexandre Forestier Foray, 2026) sees,
beside a mask of what is legal. Chance and fixed opponents draw from one NumPy generator, which ``reset(seed=...)``
sets. Seats count from 0 in code and from 1 in notation, so that ``player_2`` opens after ``"2 opens"``.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import index
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from support.core.interface import CHANCE, IllegalActionError
from support.games.cups.rolls import FACES
from support.games.wild_ones.dqn import Rewards
from support.games.wild_ones.environment_fast import KINDS, Seat
from support.games.wild_ones.policies import POLICIES, UNSEEN, Policy, View, Views, Written
from support.games.wild_ones.rules import EXACT, LIAR, Bid, WildOnes, WildOnesState, allowed

WILD_ONES = "WildOnes-v0"
WORTH = ("win", "place")
"""What a finished game is worth: one for the winner only, or by place, from one for the winner to zero for the last."""
EPISODES = ("game", "round")
"""What ends an episode: the game, or the learner's part in it; or any round in which the learner has moved."""
ILLEGAL = ("error", "random")
"""What an illegal action does: it is an error, or a legal one is drawn in its place."""
PUBLISHED = "published"
"""A name for the document's table of rewards, which come at the end of each round."""
REWARDS = Rewards()

Seen = dict[str, np.ndarray]
"""``observation``, float32[15], and ``action_mask``, int8[actions]: 1 where an action is legal."""


def worth(place: int, num_players: int, by: str) -> float:
    """What a place in a finished game is worth.

    Args:
        place: 1 for the winner.
        num_players: at the table.
        by: one of ``WORTH``.
    """
    return float(place == 1) if by == "win" else (num_players - place) / (num_players - 1)


def _observation_space(game: WildOnes) -> spaces.Dict:
    high = np.array([game.dice] * 2 + [game.most] * (1 + FACES) + [game.dice] * FACES, np.float32)
    numbers = spaces.Box(np.zeros_like(high), high, dtype=np.float32)
    return spaces.Dict({"observation": numbers, "action_mask": spaces.MultiBinary(game.num_actions)})


def _seen(state: WildOnesState, player: int) -> Seen:
    """What a player sees, and what it may do: nothing unless it is to move."""
    numbers = np.array(state.observation(player), np.float32)
    return {"observation": numbers, "action_mask": _mask(state, player)}


def _mask(state: WildOnesState, player: int) -> np.ndarray:
    """int8[actions]: 1 where an action is legal for a player."""
    if state.current_player != player:
        return np.zeros(state.game.num_actions, np.int8)
    return _legal(state.game, state.total, state.last).copy()


@lru_cache(maxsize=1 << 12)
def _legal(game: WildOnes, total: int, last: Bid | None) -> np.ndarray:
    mask = np.zeros(game.num_actions, np.int8)
    mask[[game.number(action) for action in allowed(total, last)]] = 1
    return mask


def _dealt(state: WildOnesState, numbers: np.random.Generator) -> WildOnesState:
    """The state after chance has moved, as long as it is to move."""
    while state.current_player == CHANCE:
        if state.opener is None:
            state = state.child(int(numbers.integers(state.game.num_players)))
        else:
            dice = numbers.integers(1, FACES + 1, state.counts[len(state.rolls)])
            state = state.child(tuple(sorted(dice.tolist())))
    return state


def _named(state: WildOnesState, action: int | None, who: str) -> str:
    """The action of a number, if it is legal.

    Raises:
        IllegalActionError: it is not; the message says who took it, why not, and what is.
        ValueError: there is no such number.
    """
    if action is None:
        raise ValueError(f"{who} is to move, and needs an action from 0 to {state.game.num_actions - 1}, not None")
    name = state.game.action(index(action))
    try:
        state.require(name)
    except IllegalActionError as error:
        raise IllegalActionError(f"{who} took action {action}: {error} (the action mask has their numbers)") from None
    return name


def _rendered(state: WildOnesState, mode: str | None) -> str | None:
    if mode not in ("ansi", "human"):
        gymnasium.logger.warn(f'nothing is rendered in the mode {mode}; make the environment with render_mode="ansi"')
    return str(state) if mode == "ansi" else None


def _known(what: str, value: Any, known: Sequence[str]) -> Any:
    if value not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, not {value!r}")
    return value


def env(**settings: Any) -> AECEnv:
    """The environment as PettingZoo hands it out: :class:`WildOnesAEC`, which notices calls in the wrong order.

    An illegal action is an error. If it shall end the game instead, wrap this in PettingZoo's
    ``TerminateIllegalWrapper``.

    Args:
        settings: of :class:`WildOnesAEC`.
    """
    return wrappers.OrderEnforcingWrapper(WildOnesAEC(**settings))


class WildOnesAEC(AECEnv):
    """All seats of a game, one agent a seat, moving in turn (PettingZoo's agent-environment cycle).

    Agents are ``player_1``, ``player_2``, ... in the order of their seats; chance draws who opens. Who has lost its
    last die is terminated and leaves, the others play on. Its reward comes with that; the winner's comes at the end.
    Nothing is ever truncated: every game ends with probability one, but no number of moves is sure to be enough.

    Args:
        num_players: at the table, from 2 to 6.
        dice: that each starts with, from 1 to 6.
        reward: one of ``WORTH``.
        render_mode: ``"ansi"`` to get the game so far in its notation, ``"human"`` to have every move printed, or None.

    Attributes:
        current: the state, all dice open to whoever looks.

    Raises:
        ValueError: a setting outside its range.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "wild_ones_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, num_players: int = 3, dice: int = 2, reward: str = "win", render_mode: str | None = None):
        super().__init__()
        self.game, self.reward = WildOnes(num_players, dice), _known("reward", reward, WORTH)
        self.render_mode = render_mode and _known("render_mode", render_mode, self.metadata["render_modes"])
        self.possible_agents = [f"player_{seat + 1}" for seat in range(num_players)]
        self.observation_spaces = {agent: _observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents}
        self.current = self.game.initial_state()
        self._numbers: np.random.Generator | None = None
        self._printed = 0

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent can see."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """What an agent can do: the numbers of the game's actions."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(_known("agent", agent, self.possible_agents))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: of all dice to come; without one, the generator goes on.
            options: none are known.
        """
        if seed is not None or self._numbers is None:
            self._numbers, _ = seeding.np_random(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection, self._printed = None, 0
        self.current = _dealt(self.game.initial_state(), self._numbers)
        self.agent_selection = self.possible_agents[self.current.current_player]
        self._show()

    def observe(self, agent: str) -> Seen:
        """What an agent sees now; its mask is all zeros unless it is to move."""
        return _seen(self.current, self._seat(agent))

    def step(self, action: int | None) -> None:
        """Let the selected agent move; None if it is out.

        Raises:
            IllegalActionError: the action is not allowed; the message names what is, and nothing has changed.
            ValueError: there is no such action; or one for an agent that is out.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        after = self.current.child(_named(self.current, action, agent))
        assert self._numbers is not None
        self.current = _dealt(after, self._numbers)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        for name, place in zip(self.possible_agents, after.places(), strict=True):
            if place and name in self.agents:
                self.terminations[name], self.infos[name] = True, {"place": place}
                self.rewards[name] = worth(place, self.game.num_players, self.reward)
        if not after.is_terminal():
            self.agent_selection = self.possible_agents[self.current.current_player]
        self._accumulate_rewards()
        self._deads_step_first()
        self._show()

    def render(self) -> str | None:
        """The game so far in its notation, all dice shown; None unless the mode is ``"ansi"``."""
        return _rendered(self.current, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""

    def _show(self) -> None:
        if self.render_mode == "human":
            print(*self.current.past[self._printed :], sep=" > ")
            self._printed = len(self.current.past)


raw_env = WildOnesAEC
"""The environment without any wrapper, by the name that PettingZoo uses."""


class WildOnesEnv(gymnasium.Env):
    """One seat of a game, the learner's, against fixed opponents; seats are drawn anew for every game.

    With ``episode="game"`` an episode ends when the learner is out or has won. With ``"round"`` it ends with the round,
    as in the document, and the next ``reset()`` goes on with the same game as long as the learner is in it; rounds that
    end before the learner's turn are passed over. A ``reset`` with a seed, or in the middle of a round, begins a new
    game.

    Opponents that ``policies.POLICIES`` names, and aggressive ones of any threshold, are compiled together with the
    rules; any other policy is asked state by state, which takes some thirty times as long.

    ``info`` holds ``action_mask``; ``place``, 1 if the learner has won, 0 as long as its place is open; and
    ``illegal``, whether a legal action was drawn for it. Nothing is ever truncated.

    Args:
        opponents: names of ``policies.POLICIES`` with a plus between them, or a sequence of names and policies; one to
            five.
        dice: that each starts with, from 1 to 6.
        episode: one of ``EPISODES``.
        reward: one of ``WORTH``, when the game is over for the learner; or ``"published"``, the document's table of
            rewards, at the end of every round.
        illegal: one of ``ILLEGAL``. An algorithm that looks at no mask needs ``"random"``; so does Gymnasium's checker.
        render_mode: ``"ansi"`` to get the game so far in its notation, or None.

    Attributes:
        seat: the learner's, from 0.

    Raises:
        ValueError: a setting outside its range.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]  # of the class there too

    def __init__(
        self,
        opponents: str | Sequence[str | Policy] = "survivalist+aggressive",
        dice: int = 2,
        episode: str = "game",
        reward: str = "win",
        illegal: str = "error",
        render_mode: str | None = None,
    ):
        named = opponents.split("+") if isinstance(opponents, str) else opponents
        self.opponents = tuple(map(_opponent, named))
        self.game = WildOnes(len(self.opponents) + 1, dice)
        self.episode, self.illegal = _known("episode", episode, EPISODES), _known("illegal", illegal, ILLEGAL)
        self.reward = _known("reward", reward, (*WORTH, PUBLISHED))
        self.render_mode = render_mode  # of another one gymnasium.make warns; SB3 tries rgb_array on every environment
        self.observation_space = _observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)
        rewards, known = (
            REWARDS if self.reward == PUBLISHED else None,
            all(type(one) in KINDS for one in self.opponents),
        )
        self._table = Seat(self.game, rewards) if known else None
        self._compiled: Seat | None = None  # the same, where the game under way has begun there
        self._known = 0  # moves of the compiled game that the state has made too
        self._state, self.seat = self.game.initial_state(), 0
        self._policies: list[Policy | None] = []
        self._running = self._goes_on = False

    @property
    def current(self) -> WildOnesState:
        """The state, all dice open to whoever looks; a game that is given one goes on from there."""
        if self._compiled:
            for move in self._compiled.moves(self._known):
                self._state = self._state.child(move)
                self._known += 1
        return self._state

    @current.setter
    def current(self, state: WildOnesState) -> None:
        self._state = state
        self._compiled = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode: play until the learner is to move.

        Args:
            seed: of all seats and dice to come; without one, the generator goes on.
            options: none are known.

        Returns:
            What the learner sees, and the info.
        """
        super().reset(seed=seed)
        if seed is not None or not self._goes_on:
            order = self.np_random.permutation(self.game.num_players).tolist()
            self._policies = [self.opponents[player - 1] if player else None for player in order]
            self.current, self.seat = self.game.initial_state(), order.index(0)
            if self._table:
                self._compiled, self._known = self._table, 0
                self._table.begin(self._policies)
        self._running, self._goes_on = True, False
        if self._compiled:
            return self._seen(self._compiled.go_on(self.np_random)[0]), self._info()
        while not self._waits():
            self._move(self._answer())
        return _seen(self.current, self.seat), self._info()

    def step(self, action: int) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Let the learner move, then the others until it is to move again or the episode ends.

        Returns:
            What the learner sees, its reward, whether the episode has ended, False, and the info.

        Raises:
            IllegalActionError: the action is not allowed; the message names what is, and nothing has changed.
            ValueError: there is no such action.
            gymnasium.error.ResetNeeded: no episode is under way.
        """
        if not self._running:
            raise gymnasium.error.ResetNeeded("no episode is under way: call reset()")
        seen, reward, over, replaced = self._stepped(action)
        place = self._place()
        if place and self.reward in WORTH:
            reward += worth(place, self.game.num_players, self.reward)
        self._running = not (place or (over and self.episode == "round"))
        self._goes_on = not (place or self._running)
        return seen, reward, not self._running, False, self._info(replaced)

    def _stepped(self, action: int) -> tuple[Seen, float, bool, bool]:
        """Until the learner's next turn: what it sees and earned, whether a round ended, whether its move was drawn."""
        if self._compiled:
            number, replaced = self._checked(self._compiled, action)
            seen, reward, over = self._compiled.go_on(self.np_random, number, self.episode == "game")
            return self._seen(seen), reward, over, replaced
        legal = self.current.legal_actions()
        replaced = self.illegal == "random" and self.game.action(index(action)) not in legal
        move = legal[self.np_random.integers(len(legal))] if replaced else _named(self.current, action, "the learner")
        reward, over = self._move(move)
        while not (over and self.episode == "round") and not self._waits():
            more, over = self._move(self._answer())
            reward += more
        return _seen(self.current, self.seat), reward, over, replaced

    def _checked(self, compiled: Seat, action: int) -> tuple[int, bool]:
        """The number of the action that is made, and whether it was drawn in place of an illegal one."""
        if action is not None and 0 <= (number := index(action)) < compiled.mask.size and compiled.mask[number]:
            return number, False
        if self.illegal == "random":
            self.game.action(index(action))  # there is one of this number, or this says which there are
            return compiled.legal[self.np_random.integers(len(compiled.legal))], True
        return self.game.number(_named(self.current, action, "the learner")), False

    def _seen(self, observation: np.ndarray) -> Seen:
        return {"observation": observation, "action_mask": self._mask()}

    def _mask(self) -> np.ndarray:
        return self._compiled.mask.copy() if self._compiled else _mask(self.current, self.seat)

    def _place(self) -> int:
        return self._compiled.place if self._compiled else self.current.places()[self.seat]

    def _waits(self) -> bool:
        """Let chance move; whether the others must wait: for the learner, or because it is out or has won."""
        if not self.current.places()[self.seat]:
            self.current = _dealt(self.current, self.np_random)
        return self.current.current_player == self.seat or bool(self.current.places()[self.seat])

    def _move(self, action: str) -> tuple[float, bool]:
        """Make a move; returns what the document's table gives the learner, and whether the round is over."""
        before, self.current = self.current, self.current.child(action)
        over = action in (LIAR, EXACT)
        return REWARDS.earned(before, action, self.seat) if over and self.reward == PUBLISHED else 0.0, over

    def _answer(self) -> str:
        """What the opponent who is to move does."""
        policy = self._policies[self.current.current_player]
        assert policy is not None
        taken = policy.choices(View.of(self.current))
        return taken[self.np_random.integers(len(taken))] if len(taken) > 1 else taken[0]

    def _info(self, replaced: bool = False) -> dict[str, Any]:
        return {"action_mask": self._mask(), "place": self._place(), "illegal": replaced}

    def action_masks(self) -> np.ndarray:
        """bool[actions]: what the learner may do now, under the name by which sb3-contrib's MaskablePPO asks."""
        return self._mask().astype(bool)

    def render(self) -> str | None:
        """The game so far in its notation, all dice shown; None unless the mode is ``"ansi"``."""
        return _rendered(self.current, self.render_mode)


def written(game: WildOnes, choose: Callable[[Seen], np.ndarray]) -> Written:
    """What an algorithm does, written out as a policy of the book, which then plays millions of games.

    Args:
        game: the rules.
        choose: the number of the action that the algorithm takes, int[n], for n observations at once: the arrays of an
            observation, stacked. It must never mix. It is asked once, about all that a player can see: 4,320
            observations at the published size, many more with more dice.

    Raises:
        IllegalActionError: the algorithm takes an action that is not legal; the message names where.
    """
    views = Views(game, neighbours=True)
    seen = list(views)
    numbers = np.array([view.observation() for view in seen], np.float32)
    legal = np.array([_legal(game, view.total, view.last) for view in seen])
    taken = np.asarray(choose({"observation": numbers, "action_mask": legal.copy()}))
    wrong = np.flatnonzero(~legal[np.arange(len(seen)), taken].astype(bool))
    if wrong.size:
        view, action = seen[wrong[0]], game.action(int(taken[wrong[0]]))
        raise IllegalActionError(f"the algorithm plays {action} at {view}; legal are {', '.join(view.legal())}")
    entries = np.full(views.shape, UNSEEN, np.int16)
    entries[views.reached] = taken  # views come in the order of their places
    return Written(views, entries)


def fixed(game: WildOnes, opponent: str | Policy, seed: int | None = None) -> Callable[[Seen], int]:
    """A fixed opponent as a function of what a player sees: what PettingZoo's cycle asks of each agent.

    Args:
        game: the rules, at the size of the environment.
        opponent: a name out of ``POLICIES``, or a policy.
        seed: of what it draws where several actions are alike to it.

    Returns:
        A function that takes an observation, as ``env.last()`` has it, and gives the number of an action.

    Raises:
        ValueError: no such opponent.
    """
    choices, numbers = lru_cache(maxsize=1 << 16)(_opponent(opponent).choices), np.random.default_rng(seed)

    def act(seen: Seen) -> int:
        before, after, total, *rest = map(int, seen["observation"])
        last = next(((quantity, face) for face, quantity in enumerate(rest[:FACES], 1) if quantity), None)
        hand = tuple(face for face, count in enumerate(rest[FACES:], 1) for _ in range(count))
        taken = choices(View(hand, total, last, before, after))
        return game.number(taken[int(numbers.integers(len(taken)))])

    return act


def _opponent(opponent: str | Policy) -> Policy:
    return opponent if isinstance(opponent, Policy) else POLICIES[_known("an opponent", opponent, tuple(POLICIES))]


if WILD_ONES not in gymnasium.registry:
    gymnasium.register(WILD_ONES, entry_point=f"{__name__}:WildOnesEnv")
