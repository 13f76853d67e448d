"""Wild ones for algorithms written elsewhere: all seats through PettingZoo, or one seat through Gymnasium.

Importing this registers ``WildOnes-v0`` with Gymnasium (Towers et al. 2024); without another import,
``gymnasium.make("support.games.wild_ones.environment:WildOnes-v0")`` does. It needs the dependency group
``environments``: Gymnasium and PettingZoo (Terry et al. 2021).

Both wrap the immutable states of ``support.games.wild_ones.rules``. Actions are its action numbers; observations are
the 15 inputs of the network of *Learning Liar's dice with deep Q-learning* (Alexandre Forestier Foray, 2026), with an
action mask. Chance and fixed opponents draw from one NumPy generator, which ``reset(seed=...)`` sets. Seats count from
0 in code and from 1 in notation, so ``player_2`` opens after ``"2 opens"``.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import index
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.wrappers import TransformObservation
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from support.core.checks import require_one_of
from support.core.interface import CHANCE, IllegalActionError
from support.games.cups.rolls import FACES
from support.games.wild_ones.dqn import Rewards
from support.games.wild_ones.environment_fast import KINDS, Seat
from support.games.wild_ones.policies import POLICIES, UNSEEN, Policy, View, Views, Written
from support.games.wild_ones.rules import EXACT, LIAR, Bid, WildOnes, WildOnesState, allowed

WILD_ONES = "WildOnes-v0"
WORTH = ("win", "place")
"""The reward of a finished game: 1 for the winner only, or by place, from 1 for the winner to 0 for the last."""
EPISODES = ("game", "round")
"""What ends an episode: the end of the game or of the learner's part in it, or of any round in which it has moved."""
ILLEGAL = ("error", "random")
"""What an illegal action does: raise an error, or be replaced by a random legal one."""
PUBLISHED = "published"
"""The name of the document's table of rewards, which are paid at the end of each round."""
REWARDS = Rewards()

Seen = dict[str, np.ndarray]
"""``observation``, float32[15], and ``action_mask``, int8[actions], 1 for every legal action."""


def worth(place: int, num_players: int, by: str) -> float:
    """The reward for a place in a finished game, from 0 to 1.

    Args:
        place: 1 for the winner.
        num_players: the number of players.
        by: one of ``WORTH``.
    """
    return float(place == 1) if by == "win" else (num_players - place) / (num_players - 1)


def _observation_space(game: WildOnes) -> spaces.Dict:
    high = np.array([game.dice] * 2 + [game.most] * (1 + FACES) + [game.dice] * FACES, np.float32)
    numbers = spaces.Box(np.zeros_like(high), high, dtype=np.float32)
    return spaces.Dict({"observation": numbers, "action_mask": spaces.MultiBinary(game.num_actions)})


def _seen(state: WildOnesState, player: int) -> Seen:
    """A player's observation and action mask, which is all zeros unless the player is to move."""
    numbers = np.array(state.observation(player), np.float32)
    return {"observation": numbers, "action_mask": _mask(state, player)}


def _mask(state: WildOnesState, player: int) -> np.ndarray:
    """int8[actions], 1 for every action that is legal for a player."""
    if state.current_player != player:
        return np.zeros(state.game.num_actions, np.int8)
    return _legal(state.game, state.total, state.last).copy()


@lru_cache(maxsize=1 << 12)
def _legal(game: WildOnes, total: int, last: Bid | None) -> np.ndarray:
    mask = np.zeros(game.num_actions, np.int8)
    mask[[game.number(action) for action in allowed(total, last)]] = 1
    return mask


def _dealt(state: WildOnesState, numbers: np.random.Generator) -> WildOnesState:
    """The state after all chance moves that are due."""
    while state.current_player == CHANCE:
        if state.opener is None:
            state = state.child(int(numbers.integers(state.game.num_players)))
        else:
            dice = numbers.integers(1, FACES + 1, state.counts[len(state.rolls)])
            state = state.child(tuple(sorted(dice.tolist())))
    return state


def _named(state: WildOnesState, action: int | None, who: str) -> str:
    """The action with a number, if it is legal.

    Raises:
        IllegalActionError: it is illegal; the message says who took it, why it is illegal, and what is legal.
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


def env(**settings: Any) -> AECEnv:
    """:class:`WildOnesAEC` in PettingZoo's wrapper that notices calls in the wrong order.

    An illegal action raises an error. To have it end the game instead, wrap this in PettingZoo's
    ``TerminateIllegalWrapper``.

    Args:
        settings: the arguments of :class:`WildOnesAEC`.
    """
    return wrappers.OrderEnforcingWrapper(WildOnesAEC(**settings))


class WildOnesAEC(AECEnv):
    """All seats of a game, one agent in each, moving in turn (PettingZoo's agent-environment cycle).

    Agents are ``player_1``, ``player_2``, ... in the order of their seats; chance draws the opener. An agent that loses
    its last die is terminated, gets its reward and leaves, while the others play on. The winner's reward comes at the
    end. Nothing is ever truncated: every game ends with probability one, after an unlimited number of moves.

    Args:
        num_players: the number of players, from 2 to 6.
        dice: the number of dice that each starts with, from 1 to 6.
        reward: one of ``WORTH``.
        render_mode: ``"ansi"`` to get the game so far in its notation, ``"human"`` to print every move, or None.

    Attributes:
        current: the full state, all dice included.

    Raises:
        ValueError: a setting is out of range.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "wild_ones_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, num_players: int = 3, dice: int = 2, reward: str = "win", render_mode: str | None = None):
        super().__init__()
        self.game, self.reward = WildOnes(num_players, dice), require_one_of("reward", reward, WORTH)
        self.render_mode = render_mode and require_one_of("render_mode", render_mode, self.metadata["render_modes"])
        self.possible_agents = [f"player_{seat + 1}" for seat in range(num_players)]
        self.observation_spaces = {agent: _observation_space(self.game) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents}
        self.current = self.game.initial_state()
        self._numbers: np.random.Generator | None = None
        self._printed = 0

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observation and action mask."""
        return self.observation_spaces[self.possible_agents[self._seat(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of an agent's actions: the numbers of the game's actions."""
        return self.action_spaces[self.possible_agents[self._seat(agent)]]

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(require_one_of("agent", agent, self.possible_agents))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: the seed of all dice to come; without one, the generator goes on.
            options: not used.
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
        """An agent's current observation; its mask is all zeros unless it is to move."""
        return _seen(self.current, self._seat(agent))

    def step(self, action: int | None) -> None:
        """Make the selected agent's move, which is None if it is out.

        Raises:
            IllegalActionError: the action is illegal; the message names what is legal, and nothing has changed.
            ValueError: there is no such action, or the agent is out and can take none.
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
        """Do nothing, because nothing is open."""

    def _show(self) -> None:
        if self.render_mode == "human":
            print(*self.current.past[self._printed :], sep=" > ")
            self._printed = len(self.current.past)


raw_env = WildOnesAEC
"""The environment without any wrapper, under PettingZoo's usual name."""


class WildOnesEnv(gymnasium.Env):
    """The learner's seat in a game against fixed opponents; seats are drawn anew for every game.

    With ``episode="game"`` an episode ends when the learner is out or has won. With ``"round"`` it ends with the round,
    as in the document, and the next ``reset()`` goes on with the same game as long as the learner is in it; rounds that
    end before the learner's turn are skipped. A ``reset`` with a seed, or in the middle of a round, begins a new game.

    The policies in ``policies.POLICIES``, and aggressive ones with any threshold, are compiled together with the rules;
    any other policy is called state by state, which is much slower: ``make bench`` measures by how much.

    ``info`` holds ``action_mask``; ``place``, 1 if the learner has won, 0 as long as its place is open; and
    ``illegal``, whether a legal action was drawn for it. Nothing is ever truncated.

    Args:
        opponents: one to five: names from ``policies.POLICIES`` joined by +, or a sequence of names and policies.
        dice: the number of dice that each player starts with, from 1 to 6.
        episode: one of ``EPISODES``.
        reward: one of ``WORTH``, when the game is over for the learner; or ``"published"``, the document's table of
            rewards, at the end of every round.
        illegal: one of ``ILLEGAL``. Algorithms that ignore the mask need ``"random"``; so does Gymnasium's checker.
        render_mode: ``"ansi"`` to get the game so far in its notation, or None.

    Attributes:
        seat: the learner's seat, from 0.

    Raises:
        ValueError: a setting is out of range.
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
        self.episode = require_one_of("episode", episode, EPISODES)
        self.illegal = require_one_of("illegal", illegal, ILLEGAL)
        self.reward = require_one_of("reward", reward, (*WORTH, PUBLISHED))
        self.render_mode = render_mode  # gymnasium.make warns of others; SB3 tries rgb_array on every environment
        self.observation_space = _observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.num_actions)
        rewards, known = (
            REWARDS if self.reward == PUBLISHED else None,
            all(type(one) in KINDS for one in self.opponents),
        )
        self._table = Seat(self.game, rewards) if known else None
        self._compiled: Seat | None = None  # the same game compiled, if it began there
        self._known = 0  # moves of the compiled game that the state has made too
        self._state, self.seat = self.game.initial_state(), 0
        self._policies: list[Policy | None] = []
        self._running = self._goes_on = False

    @property
    def current(self) -> WildOnesState:
        """The full state, all dice included; assign one to go on from there."""
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
            seed: the seed of all seats and dice to come; without one, the generator goes on.
            options: not used.

        Returns:
            The learner's observation, and the info.
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
        """Make the learner's move, then the others' until it is to move again or the episode ends.

        Returns:
            The learner's observation, its reward, whether the episode has ended, False, and the info.

        Raises:
            IllegalActionError: the action is illegal; the message names what is legal, and nothing has changed.
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
        """Play to the learner's next turn: its observation, its reward, if a round ended, if its move was replaced."""
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
        """The number of the action to take, and whether it replaces an illegal one."""
        if action is not None and 0 <= (number := index(action)) < compiled.mask.size and compiled.mask[number]:
            return number, False
        if self.illegal == "random":
            self.game.action(index(action))  # raises an error if there is no action with this number
            return compiled.legal[self.np_random.integers(len(compiled.legal))], True
        return self.game.number(_named(self.current, action, "the learner")), False

    def _seen(self, observation: np.ndarray) -> Seen:
        return {"observation": observation, "action_mask": self._mask()}

    def _mask(self) -> np.ndarray:
        return self._compiled.mask.copy() if self._compiled else _mask(self.current, self.seat)

    def _place(self) -> int:
        return self._compiled.place if self._compiled else self.current.places()[self.seat]

    def _waits(self) -> bool:
        """Let chance move; returns whether the learner is to move, is out, or has won."""
        if not self.current.places()[self.seat]:
            self.current = _dealt(self.current, self.np_random)
        return self.current.current_player == self.seat or bool(self.current.places()[self.seat])

    def _move(self, action: str) -> tuple[float, bool]:
        """Make a move; returns the learner's reward by the document's table, and whether the round is over."""
        before, self.current = self.current, self.current.child(action)
        over = action in (LIAR, EXACT)
        return REWARDS.earned(before, action, self.seat) if over and self.reward == PUBLISHED else 0.0, over

    def _answer(self) -> str:
        """The action of the opponent to move."""
        policy = self._policies[self.current.current_player]
        assert policy is not None
        taken = policy.choices(View.of(self.current))
        return taken[self.np_random.integers(len(taken))] if len(taken) > 1 else taken[0]

    def _info(self, replaced: bool = False) -> dict[str, Any]:
        return {"action_mask": self._mask(), "place": self._place(), "illegal": replaced}

    def action_masks(self) -> np.ndarray:
        """bool[actions], the learner's legal actions, under the name that sb3-contrib's MaskablePPO calls."""
        return self._mask().astype(bool)

    def render(self) -> str | None:
        """The game so far in its notation, all dice shown; None unless the mode is ``"ansi"``."""
        return _rendered(self.current, self.render_mode)


def renamed(one: gymnasium.Env[Any, Any], observation: str, mask: str) -> gymnasium.Env[Any, Any]:
    """One seat whose observation and mask have the names that a library looks for.

    Tianshou looks for ``obs`` and ``mask``, RLlib's example of masks for ``observations`` and ``action_mask``.

    Args:
        one: the seat, a :class:`WildOnesEnv`.
        observation: the name for ``observation``.
        mask: the name for ``action_mask``.

    Raises:
        ValueError: both names are the same, or the seat does not show an ``observation`` and an ``action_mask``.
    """
    names, known = {"observation": observation, "action_mask": mask}, one.observation_space
    if observation == mask:
        raise ValueError(f"the observation and the mask need two different names, not '{mask}' twice")
    if not isinstance(known, spaces.Dict) or set(known) != set(names):
        raise ValueError(f"what a seat shows must be a dictionary of 'observation' and 'action_mask', not {known}")
    space = spaces.Dict({names[name]: part for name, part in known.items()})
    return TransformObservation(one, lambda seen: {names[name]: part for name, part in seen.items()}, space)


def written(game: WildOnes, choose: Callable[[Seen], np.ndarray]) -> Written:
    """An algorithm's decisions as a table policy, which can then play millions of games compiled.

    Args:
        game: the rules.
        choose: the algorithm, which must never mix: from n observations, as stacked arrays, to the numbers of its
            actions, int[n]. It is called once with all possible observations, 4,320 at the published size and many
            more with more dice.

    Raises:
        IllegalActionError: the algorithm takes an illegal action; the message says where.
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
    """A fixed opponent as a function of the observation, for PettingZoo's agent-environment cycle.

    Args:
        game: the rules, at the size of the environment.
        opponent: a name from ``POLICIES``, or a policy.
        seed: the seed of its draws among several actions.

    Returns:
        A function from an observation, as ``env.last()`` returns it, to the number of an action.

    Raises:
        ValueError: there is no such opponent.
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
    return opponent if isinstance(opponent, Policy) else POLICIES[require_one_of("an opponent", opponent, POLICIES)]


if WILD_ONES not in gymnasium.registry:
    gymnasium.register(WILD_ONES, entry_point=f"{__name__}:WildOnesEnv")
