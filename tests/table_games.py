"""Tiny games written out as tables: two with dice, and one of each kind that a solver may have to refuse."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from support.core.interface import CHANCE, TERMINAL, Game, NotationError, State

F = Fraction


@dataclass(frozen=True, eq=False)
class TableGame(Game):
    """A game by its positions: ``rows[position]`` is who moves, what it knows, and where each action leads.

    An action leads to a position, a reward for each player, and has a probability where chance moves. A position that
    has no row is an end.
    """

    name: str
    num_players: int
    rows: dict[str, tuple[int, str, dict[str, tuple]]]
    start: str = "start"

    def __str__(self):
        return f"{self.name} from {self.start}"

    def initial_state(self):
        return TableState(self, ())

    def move_from_string(self, state, text):
        if text not in state.possible():
            raise NotationError(f"no such move: {text}")
        return text


@dataclass(frozen=True)
class TableState(State):
    game: TableGame
    moves: tuple[str, ...]

    def walk(self):
        """The position, and the rewards of each move."""
        position, paid = self.game.start, [(F(0),) * self.game.num_players]
        for move in self.moves:
            position, rewards = self.game.rows[position][2][move][:2]
            paid.append(rewards)
        return position, paid

    @property
    def position(self):
        return self.walk()[0]

    @property
    def row(self):
        return self.game.rows.get(self.position, (TERMINAL, "", {}))

    @property
    def current_player(self):
        return self.row[0]

    def legal_actions(self, player: int | None = None):
        mover = self.current_player
        return tuple(self.row[2]) if mover >= 0 and player in (None, mover) else ()

    def chance_outcomes(self):
        return tuple((move, to[2]) for move, to in self.row[2].items()) if self.current_player == CHANCE else ()

    def child(self, action: Any):
        self.require(action)
        return type(self)(self.game, (*self.moves, action))

    def information_state(self, player):
        return self.row[1] if player == self.current_player else "not to move"

    def rewards(self):
        return self.walk()[1][-1]

    def returns(self):
        return tuple(map(sum, zip(*self.walk()[1], strict=True)))

    def action_to_string(self, action):
        return action

    def __str__(self):
        return " > ".join(self.moves)


def die_nim(heap, sides=3):
    """Nim with one heap: a die says how many may be taken at most; who takes the last one wins."""
    rows = {}
    for left in range(1, heap + 1):
        for player in (0, 1):
            here, won = f"{left} for {player}", (1, -1) if player == 0 else (-1, 1)
            rows[here] = (CHANCE, "", {f"roll {n}": (f"{here}, {n}", (0, 0), F(1, sides)) for n in range(1, sides + 1)})
            for n in range(1, sides + 1):
                takes = {}
                for taken in range(1, min(n, left) + 1):
                    after = f"{left - taken} for {1 - player}" if taken < left else f"won by {player}"
                    takes[f"take {taken}"] = (after, (0, 0) if taken < left else won)
                rows[f"{here}, {n}"] = (player, f"{here}, {n}", takes)
    return TableGame("die-nim", 2, rows, f"{heap} for 0")


def die_race(goal):
    """A race for points: walk one step, or pay 1/4 to roll a die of one to three steps; the winner gets the margin."""
    rows = {}
    for mine in range(goal):
        for other in range(goal):
            for player in (0, 1):
                here = f"{mine} and {other}, {player} to move"
                sign = 1 - 2 * player

                def after(steps, mine=mine, other=other, player=player, sign=sign):
                    if mine + steps < goal:
                        return f"{other} and {mine + steps}, {1 - player} to move", (0, 0)
                    return f"{player} wins by {goal - other}", (sign * (goal - other), sign * (other - goal))

                fee = (-F(sign, 4), F(sign, 4))
                rows[here] = (player, here, {"walk": after(1), "roll": (f"{here}, rolling", fee)})
                chances = {1: F(1, 2), 2: F(1, 6), 3: F(1, 3)}
                steps = {f"{n} steps": (*after(n), p) for n, p in chances.items()}
                rows[f"{here}, rolling"] = (CHANCE, "", steps)
    start = "0 and 0, 0 to move"
    keep, todo = set(), [start]
    while todo:
        here = todo.pop()
        if here in rows and here not in keep:
            keep.add(here)
            todo += [to[0] for to in rows[here][2].values()]
    return TableGame("die-race", 2, {here: rows[here] for here in keep}, start)


def coins(heap):
    """No chance, but scores: take one or two coins from the other's purse; who takes the last pays three back."""
    rows = {}
    for left in range(1, heap + 1):
        for player in (0, 1):
            sign, takes = 1 - 2 * player, {}
            for taken in range(1, min(2, left) + 1):
                gain = sign * (taken - 3 * (taken == left))
                takes[str(taken)] = (f"{left - taken} for {1 - player}", (gain, -gain))
            rows[f"{left} for {player}"] = (player, f"{left} for {player}", takes)
    return TableGame("coins", 2, rows, f"{heap} for 0")


def pennies(wins=(1, -1), loses=(-1, 1), stake=1):
    """Matching pennies: player 1 does not see the coin; heads on heads is worth ``stake`` times as much."""
    doubled = tuple(stake * number for number in wins)
    seen = "a covered coin"
    rows = {
        "start": (0, "start", {"heads": ("H", (0,) * len(wins)), "tails": ("T", (0,) * len(wins))}),
        "H": (1, seen, {"heads": ("HH", doubled), "tails": ("HT", loses)}),
        "T": (1, seen, {"heads": ("TH", loses), "tails": ("TT", wins)}),
    }
    return TableGame("pennies", len(wins), rows)


def odd_one_out():
    """Three players choose left or right unseen; who stands alone wins."""
    rows, nobody = {}, (0, 0, 0)
    sides = ("left", "right")
    for player in range(3):
        for chosen in product(sides, repeat=player):
            after = {}
            for side in sides:
                stand = (*chosen, side)
                alone = tuple(int(stand.count(one) == 1) for one in stand) if player == 2 else nobody
                after[side] = (" ".join(stand), alone)
            rows[" ".join(chosen)] = (player, "nothing", after)
    return TableGame("odd-one-out", 3, rows, "")


def common_interest():
    """Both get one if player 0 is kind."""
    return TableGame("kindness", 2, {"start": (0, "start", {"kind": ("end", (1, 1)), "mean": ("over", (0, 0))})})


def dithering():
    """Two players may pass the move to and fro for ever."""
    rows = {
        "start": (0, "first", {"pass": ("other", (0, 0)), "end": ("end", (1, -1))}),
        "other": (1, "second", {"pass": ("start", (0, 0)), "end": ("over", (-1, 1))}),
    }
    return TableGame("dithering", 2, rows)


def guess():
    """One player guesses a loaded coin that it does not see."""
    rows = {
        "start": (CHANCE, "", {"heads": ("H", (0,), F(2, 3)), "tails": ("T", (0,), F(1, 3))}),
        "H": (0, "covered", {"heads": ("right", (1,)), "tails": ("wrong", (0,))}),
        "T": (0, "covered", {"heads": ("no", (0,)), "tails": ("yes", (1,))}),
    }
    return TableGame("guess", 1, rows)


def forgetful():
    """One player who does not know which way it went."""
    rows = {
        "start": (0, "start", {"left": ("L", (0,)), "right": ("R", (0,))}),
        "L": (0, "somewhere", {"stay": ("home", (1,)), "go": ("lost", (0,))}),
        "R": (0, "somewhere", {"stay": ("gone", (0,)), "go": ("there", (2,))}),
    }
    return TableGame("forgetful", 1, rows)


def trap():
    """One player; whoever steps into the trap stays there for ever."""
    rows = {
        "start": (0, "start", {"stop": ("end", (1,)), "step": ("trap", (0,))}),
        "trap": (0, "trapped", {"wait": ("trap", (0,))}),
    }
    return TableGame("trap", 1, rows)


def two_ends_in_one():
    """Whoever moves last wins, but both ends are one position."""
    rows = {
        "start": (0, "start", {"win": ("end", (1, -1)), "wait": ("other", (0, 0))}),
        "other": (1, "other", {"win": ("end", (-1, 1))}),
    }
    return TableGame("one-end", 2, rows)


def uneven_stakes():
    """Player 0 may win one or two."""
    rows = {"start": (0, "start", {"one": ("end", (1, -1)), "two": ("over", (2, -2))})}
    return TableGame("uneven", 2, rows)


def three_coins():
    """One player, who cannot see how two coins fell, takes one of three bets on them."""
    pays = {"hh": (1, 1, 0), "ht": (1, -1, 1), "th": (-1, 0, 1), "tt": (-1, 0, -2)}
    rows = {
        fell: (0, "unseen", {bet: (f"{fell}, {bet}", (pay,)) for bet, pay in zip("abc", paid, strict=True)})
        for fell, paid in pays.items()
    }
    return TableGame("three-coins", 1, {"start": (CHANCE, "", {fell: (fell, (0,), F(1, 4)) for fell in pays})} | rows)


def after_a_deal(seed):
    """A game drawn at random: chance deals once, then up to three players make up to five choices that they remember.

    Anything may happen that the interface allows: uneven chances, deals that end the game, one choice only, rewards on
    the way, and several positions of a deal between which the player cannot tell.
    """
    draw = Random(seed)
    players = draw.choice([1, 2, 2, 3])
    known = [(draw.randrange(players), f"state {k}", draw.choice([1, 2, 2, 3, 4])) for k in range(draw.randint(1, 9))]
    rows = {}

    def rewards():
        return tuple(draw.randint(-2, 2) for _ in range(players))

    def grow(here, left, met):
        unmet = [state for state in known if state not in met]
        if left and unmet and (len(rows) < 2 or draw.random() < 0.8):
            player, text, choices = state = draw.choice(unmet)
            rows[here] = (player, text, {f"{k}": (f"{here}.{k}", rewards()) for k in range(choices)})
            for k in range(choices):
                grow(f"{here}.{k}", left - 1, [*met, state])

    weights = draw.choice([[1], [1, 1], [2, 1, 3], [1] * 6])
    deals = {f"deal {k}": (f"{k}", rewards(), F(weight, sum(weights))) for k, weight in enumerate(weights)}
    rows["start"] = (CHANCE, "", deals)
    for to, *_ in deals.values():
        grow(to, 5, [])
    return TableGame("after-a-deal", players, rows)
