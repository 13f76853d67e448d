"""Wild ones against fixed opponents, exactly: what a policy is worth, and the best that anybody can do.

The opponents follow tables (``support.agents.wild_ones.table``): what each of them does depends on its own dice and the
last bid only. Whoever knows the tables and hears the bids of a round therefore knows exactly which hands each opponent
may still hold, and every one of these hands has been rolled as likely as before. So the posterior is a product of sets
of hands, one an opponent. What is public in a round is the last bid, whose turn it is, and these sets: a node. A bid
splits the set of its maker, and bids rise, so that a round is a graph without cycles; at the published size it has some
hundred nodes. A policy of the best kind follows by backward induction over them, for each hand of its own.

Hands are rolled anew for every round, so that a round leaves nothing behind but the dice, the order of the players and
who opens. These are the states of a chain that has cycles, for a right *exact* wins a die back. It is solved by policy
iteration (Howard 1960): in floats, until nothing improves, and then in whole numbers, until no action at any node is
better for any hand by however little.

*Kinds* number the policies: the first player, whose policy is judged or sought, is of kind 0 and nobody else is;
opponents with equal tables are of one kind, for it makes no difference which of them sits where.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, permutations, product
from math import factorial, lcm, prod
from typing import NamedTuple, cast

import numpy as np
from flint import fmpq, fmpq_mat

from support.agents.wild_ones import DRAWS, Views, kinds_of
from support.games.rolls import FACES, Roll
from support.games.wild_ones import WILD, Bid, WildOnes, WildOnesState, allowed, bid_of, counted

__all__ = ["Ceiling", "Decision", "Places", "QuietRound", "Round", "Start", "places"]

LOSES, WINS = 0, 1
"""What a challenge does to somebody: it costs a die, or it wins one back."""
NOISE = 1e-13
"""Gains in the probability of winning that floats cannot tell from none."""
FACE_NUMBERS = range(1, FACES + 1)
Number = Fraction | float
Node = tuple[int, int, tuple[int, ...]]
"""Whose turn it is, the number of the last bid, and the sets of hands, as bits."""
Move = tuple[int, Number, Node]
"""An action, its probability where it is drawn, and the node after it; after a challenge, where it was made."""
Leaf = tuple[int, int, Bid, tuple[int, ...]]
"""Whose turn it is, the challenge, the bid, and the sets of hands."""
Ring = tuple[tuple[int, ...], tuple[int, ...]]
"""Kinds and dice of the players."""
Column = Mapping[int, Number]
"""The right side of a linear system, row by row."""


class Start(NamedTuple):
    """The beginning of a round. Players without dice do not appear.

    Attributes:
        kinds: of the players, in the order of their turns; kind 0 first, if it still has dice.
        counts: their dice.
        opener: the place in this order of who opens.
    """

    kinds: tuple[int, ...]
    counts: tuple[int, ...]
    opener: int


Chain = Mapping[Start, Mapping[tuple[int, int], Number]]
"""For each beginning of a round the probabilities of its ends: who (a place in the order), and LOSES or WINS."""


def start_of(kinds: Sequence[int], counts: Sequence[int], opener: int) -> Start:
    """The beginning of a round, from anybody's place in the ring of players.

    Args:
        kinds: of all players in the order of their turns, beginning anywhere.
        counts: their dice, which may be none.
        opener: the place of who opens; must have dice.
    """
    alive = [place for place, count in enumerate(counts) if count]
    turns = [alive[turn:] + alive[:turn] for turn in range(len(alive))]
    return min(
        Start(tuple(kinds[place] for place in ring), tuple(counts[place] for place in ring), ring.index(opener))
        for ring in turns
    )


def after(start: Start, turn: int, change: int, dice: int) -> Start:
    """The beginning of the next round; of one player alone, if the game is over.

    Args:
        start: the round before; who opened it does not matter.
        turn: the place of who lost or won a die.
        change: ``LOSES`` or ``WINS``.
        dice: that nobody can have more of.
    """
    counts = list(start.counts)
    counts[turn] = min(counts[turn] + 1, dice) if change == WINS else counts[turn] - 1
    opener = turn if counts[turn] else (turn + 1) % len(counts)
    return start_of(start.kinds, counts, opener)


@dataclass(frozen=True)
class _Hands:
    """All hands of so many dice.

    Attributes:
        rolls: the hands.
        ways: int64[hands], in how many ways each is rolled.
        held: int64[faces, hands], how many dice of each count towards each face.
    """

    rolls: tuple[Roll, ...]
    ways: np.ndarray
    held: np.ndarray

    @classmethod
    def of(cls, dice: int) -> "_Hands":
        """No dice make one hand, which holds nothing."""
        rolls = tuple(combinations_with_replacement(FACE_NUMBERS, dice))
        ways = [factorial(dice) // prod(factorial(roll.count(face)) for face in FACE_NUMBERS) for roll in rolls]
        held = [[counted(roll, face) for roll in rolls] for face in FACE_NUMBERS]
        return cls(rolls, np.array(ways), np.array(held))


def rank(bid: Bid | None) -> tuple[int, int]:
    """A number pair that rises with every bid of a round."""
    if bid is None:
        return 0, 0
    quantity, face = bid
    return (2 * quantity, FACES + 1) if face == WILD else (quantity, face)


class Round:
    """A round, unfolded into nodes, edges and leaves; who opens is left open.

    A node is public: whose turn it is, the last bid, and for each player whose policy is a table the set of hands that
    it may hold. If the first player decides for itself, its own hand is an axis of all values instead. Values are not
    divided by the probability of a node: they are sums over all rolls of the others that lead there.

    Args:
        game: the rules.
        start: kinds and dice of the players.
        tables: for each kind its policy; None for one who decides for itself, which must be kind 0.

    Attributes:
        hands: those of the player that decides, or the one hand without dice if nobody does.
        nodes: for each node the turn, the number of the last bid (0 is none) and the sets, as bits.
        first: int64[nodes + 1], where the edges of a node begin.
        action: int64[edges], the number of the action.
        child: int64[edges], the node that it leads to; or, if negative, ``-1 - leaf``.
        roots: the node at which each turn opens.

    Raises:
        ValueError: a table with an action that is not legal.
    """

    def __init__(self, game: WildOnes, start: Start, tables: Sequence[np.ndarray | None]):
        self.game, self.start = game, start
        self.total, self.players = sum(start.counts), len(start.kinds)
        self.decides = tables[start.kinds[0]] is None
        self._hands = [_Hands.of(count) for count in start.counts]
        self.hands = self._hands[0] if self.decides else _Hands.of(0)
        self._known: dict[tuple[int, int, int], np.ndarray] = {}
        self._unfold([tables[kind] for kind in start.kinds])

    def _unfold(self, tables: Sequence[np.ndarray | None]) -> None:
        bids = [None, *(bid_of(self.game.action(number)) for number in range(2, self.game.num_actions))]
        legal = [
            [self.game.number(action) for action in allowed(self.total, bid)] if not bid or bid[0] <= self.total else []
            for bid in bids
        ]
        known: dict[tuple[int, int], dict[int, int]] = {}

        def replies(turn: int, bid: int) -> dict[int, int]:
            if (turn, bid) not in known:
                table = tables[turn]
                assert table is not None
                known[turn, bid] = self._replies(table, turn, bid, legal[bid])
            return known[turn, bid]

        roots = [(turn, 0, self._everything(tables)) for turn in range(self.players)]
        out: dict[Node, list[Move]] = {}
        todo = list(roots)
        while todo:
            node = todo.pop()
            if node not in out:
                if self._own(node[0]):
                    out[node] = self._moves(node, replies, legal)
                else:
                    out[node] = [
                        (action, 1, (1, action - 1, node[2]) if action > 1 else node) for action in legal[node[1]]
                    ]
                todo += [after for action, _, after in out[node] if action > 1]
        # A level is one last bid; in it, those who decide come first.
        self.nodes = sorted(out, key=lambda node: (rank(bids[node[1]]), self._own(node[0]), node[0]))
        index = {node: number for number, node in enumerate(self.nodes)}
        self.roots = [index[node] for node in roots]
        first, actions, children, weights = [0], [], [], []
        leaves: list[Leaf] = []
        for node in self.nodes:
            for action, weight, after in out[node]:
                actions.append(action)
                weights.append(weight)
                if action > 1:
                    children.append(index[after])
                else:
                    children.append(-1 - len(leaves))
                    bid = bids[after[1]]
                    assert bid is not None
                    leaves.append((after[0], action, bid, after[2]))
            first.append(len(actions))
        self.first, self.action, self.child = (np.array(list_, np.int64) for list_ in (first, actions, children))
        self._source = np.repeat(np.arange(len(self.nodes)), np.diff(self.first))
        drawn = any(weight != 1 for weight in weights)
        self._weights = np.array([float(weight) for weight in weights])[:, None] if drawn else None
        self._exact_weights = np.array(weights, object)[:, None] if drawn else None
        ranks = [(node[1], self._own(node[0])) for node in self.nodes]
        cuts = [place for place in range(1, len(ranks)) if ranks[place] != ranks[place - 1]]
        spans = zip([0, *cuts], [*cuts, len(ranks)], strict=True)
        self._levels = [(a, b, self._own(self.nodes[a][0]) == 0) for a, b in spans]
        self._write_leaves(leaves)

    def _own(self, turn: int) -> int:
        return 0 if self.decides and turn == 0 else 1

    def _everything(self, tables: Sequence[np.ndarray | None]) -> tuple[int, ...]:
        """The sets before anything is bid."""
        return tuple(
            0 if table is None else (1 << len(hands.rolls)) - 1
            for table, hands in zip(tables, self._hands, strict=True)
        )

    def _moves(
        self, node: Node, replies: Callable[[int, int], Mapping[int, int]], legal: Sequence[Sequence[int]]
    ) -> list[Move]:
        """What can follow a node at which a table decides."""
        turn, bid, sets = node
        found: list[Move] = []
        if self.decides and DRAWS in replies(turn, bid) and len(replies(turn, bid)) > 1:
            raise ValueError("an opponent draws with some hands only; what its bids tell is not worked out here")
        for action, hands in replies(turn, bid).items():
            left = hands & sets[turn]
            told = (*sets[:turn], left, *sets[turn + 1 :])
            drawn = legal[bid] if action == DRAWS else [action]
            for taken in drawn if left else ():
                after = ((turn + 1) % self.players, taken - 1, told) if taken > 1 else (turn, bid, told)
                found.append((taken, Fraction(1, len(drawn)) if len(drawn) > 1 else 1, after))
        return found

    def _replies(self, table: np.ndarray, turn: int, bid: int, legal: Sequence[int]) -> dict[int, int]:
        """For each action that a policy takes after a bid, the hands that it takes it with, as bits."""
        views, counts = Views(self.game, table.shape[1] > 1), self.start.counts
        side = counts[turn - 1] * (self.game.dice + 1) + counts[(turn + 1) % self.players] if views.neighbours else 0
        first = sum(len(hand) < counts[turn] for hand in views.hands)
        row = table[self.total, side, first : first + len(self._hands[turn].rolls), bid].tolist()
        hands: dict[int, int] = {}
        for number, action in enumerate(row):
            if action != DRAWS and action not in legal:
                shown = self.game.action(action) if 0 <= action < self.game.num_actions else action
                last = "nothing was bid" if not bid else self.game.action(bid + 1)
                roll = "".join(map(str, self._hands[turn].rolls[number]))
                raise ValueError(f"a table plays {shown} with {roll} when {last} and {self.total} dice are in play")
            hands[action] = hands.get(action, 0) | 1 << number
        return hands

    def _write_leaves(self, leaves: Sequence[Leaf]) -> None:
        """For each leaf, by how many dice of the one who decides count: in how many rolls the bid is as was said."""
        own = self.start.counts[0] if self.decides else 0
        self._ends = np.zeros((len(leaves), 2), np.int64)
        self._said = np.zeros((len(leaves), own + 1), np.int64)
        self._rolls = np.zeros((len(leaves), 1), np.int64)
        self._faces = np.zeros(len(leaves), np.int64)
        for number, (turn, action, (quantity, face), sets) in enumerate(leaves):
            there = self._there(sets, face)
            tail = np.concatenate([np.cumsum(there[::-1])[::-1], [0]])
            for held in range(own + 1):
                need = quantity - held
                if action:
                    self._said[number, held] = there[need] if 0 <= need < len(there) else 0
                else:
                    self._said[number, held] = tail[min(max(need, 0), len(there))]
            # As was said: who said exact wins a die, who said liar loses one.
            self._ends[number] = (
                (2 * turn + WINS, 2 * turn + LOSES)
                if action
                else (2 * turn + LOSES, 2 * ((turn - 1) % self.players) + LOSES)
            )
            self._rolls[number], self._faces[number] = tail[0], face - 1

    def _there(self, sets: tuple[int, ...], face: int) -> np.ndarray:
        """In how many ways the others roll what they may hold so that 0, 1, ... of their dice count towards a face."""
        there = np.ones(1, np.int64)
        for player in range(1 if self.decides else 0, self.players):
            key = player, sets[player], face
            if key not in self._known:
                inside = [number for number in range(len(self._hands[player].rolls)) if sets[player] >> number & 1]
                ways, held = self._hands[player].ways[inside], self._hands[player].held[face - 1, inside]
                counts = range(self.start.counts[player] + 1)
                self._known[key] = np.array([ways[held == count].sum() for count in counts])
            there = np.convolve(there, self._known[key])
        return there

    def rolls(self, node: int) -> int:
        """In how many ways the others roll what they may hold at a node."""
        return int(self._there(self.nodes[node][2], WILD).sum())

    def possible(self, node: int, turn: int) -> dict[Roll, Fraction]:
        """The hands that a player whose policy is a table may hold at a node, each with its probability."""
        hands, known = self._hands[turn], self.nodes[node][2][turn]
        ways = {roll: int(hands.ways[number]) for number, roll in enumerate(hands.rolls) if known >> number & 1}
        return {roll: Fraction(count, sum(ways.values())) for roll, count in ways.items()}

    def _heard(self, opener: int, actions: Sequence[int]) -> list[int]:
        """The bids that are told apart, of all bids of a round."""
        return list(actions)

    def edges(self, node: int) -> range:
        """The edges that leave a node."""
        return range(int(self.first[node]), int(self.first[node + 1]))

    def values(self, worth: np.ndarray, chosen: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """What nodes and edges are worth, summed over all rolls of the others.

        Args:
            worth: [turns, 2], what the ends of the round are worth; floats, or objects for exact numbers.
            chosen: as :meth:`best` gives it; None to take what is best.

        Returns:
            [nodes, hands] and [edges, hands], of the same type.
        """
        exact = worth.dtype == object
        weights = self._exact_weights if exact else self._weights
        flat = worth.reshape(-1)
        said, rolls = (part.astype(worth.dtype) for part in (self._said, self._rolls))
        by_count = said * flat[self._ends[:, :1]] + (rolls - said) * flat[self._ends[:, 1:]]
        on_edges = np.empty((len(self.child), len(self.hands.rolls)), worth.dtype)
        on_nodes = np.empty((len(self.nodes), len(self.hands.rolls)), worth.dtype)
        ends = np.flatnonzero(self.child < 0)
        leaf = -1 - self.child[ends]
        on_edges[ends] = np.take_along_axis(by_count[leaf], self.hands.held[self._faces[leaf]], 1)
        for a, b, decides in reversed(self._levels):
            low, high = int(self.first[a]), int(self.first[b])
            inner = low + np.flatnonzero(self.child[low:high] >= 0)
            on_edges[inner] = on_nodes[self.child[inner]]
            where = self.first[a:b] - low
            if decides and chosen is not None:
                on_nodes[a:b] = np.take_along_axis(on_edges, self.first[a:b, None] + chosen[a:b], 0)
            elif decides:
                on_nodes[a:b] = np.maximum.reduceat(on_edges[low:high], where)
            else:
                parts = on_edges[low:high] if weights is None else on_edges[low:high] * weights[low:high]
                on_nodes[a:b] = np.add.reduceat(parts, where)
        return on_nodes, on_edges

    def best(self, on_edges: np.ndarray, chosen: np.ndarray | None = None) -> tuple[np.ndarray, bool]:
        """The best action at each node, for each hand: what was chosen if nothing is better, or the first of equals.

        Args:
            on_edges: as :meth:`values` gives them.
            chosen: what was chosen before; None if nothing was.

        Returns:
            int64[nodes, hands], the place of the action among the edges of the node, 0 where others are to move; and
            whether it differs from ``chosen``.
        """
        picked = np.zeros((len(self.nodes), len(self.hands.rolls)), np.int64) if chosen is None else chosen.copy()
        slack = 0 if on_edges.dtype == object else NOISE * 6**self.total
        for a, b, decides in self._levels:
            for node in range(a, b) if decides else ():
                row = on_edges[self.first[node] : self.first[node + 1]]
                top = row.max(0)
                if chosen is None:
                    picked[node] = np.argmax(row >= top - slack, 0)
                else:
                    now = np.take_along_axis(row, chosen[node][None], 0)[0]
                    better = (top > now + slack).astype(bool)
                    picked[node, better] = np.argmax(row[:, better] >= top[better], 0)
        return picked, chosen is None or not np.array_equal(picked, chosen)

    def value(self, on_nodes: np.ndarray, opener: int) -> Number:
        """The mean over all rolls of what a round is worth; exact if the values are."""
        everything = (self.hands.ways * on_nodes[self.roots[opener]]).sum()
        mean: Number = (Fraction(everything) if on_nodes.dtype == object else everything) / FACES**self.total
        return mean

    def ends(self, opener: int, chosen: np.ndarray | None = None, exact: bool = True) -> dict[tuple[int, int], Number]:
        """The probabilities with which the round ends in each way.

        Args:
            opener: whose turn is first.
            chosen: what the player that decides does; None if nobody decides.
            exact: fractions also where a policy draws, which then takes long; else floats.
        """
        drawn, weights = self._weights is not None, self._exact_weights if exact else self._weights
        kind = (object if exact else float) if drawn else np.int64
        reached = np.zeros((len(self.nodes), len(self.hands.rolls)), kind)
        flow = np.zeros((len(self.child), len(self.hands.rolls)), kind)
        reached[self.roots[opener]] = self.hands.ways
        for a, b, decides in self._levels:
            low, high = int(self.first[a]), int(self.first[b])
            source = self._source[low:high]
            flow[low:high] = reached[source]
            if decides:
                assert chosen is not None
                flow[low:high] *= chosen[source] == (np.arange(low, high) - self.first[source])[:, None]
            elif weights is not None:
                flow[low:high] *= weights[low:high]
            inner = low + np.flatnonzero(self.child[low:high] >= 0)
            np.add.at(reached, self.child[inner], flow[inner])
        last = np.flatnonzero(self.child < 0)
        leaf, flow = -1 - self.child[last], flow[last]
        said = np.take_along_axis(self._said[leaf], self.hands.held[self._faces[leaf]], 1)
        found = np.zeros(2 * self.players, kind)
        np.add.at(found, self._ends[leaf, 0], (flow * said).sum(1))
        np.add.at(found, self._ends[leaf, 1], (flow * (self._rolls[leaf] - said)).sum(1))
        rolls = FACES**self.total
        return {
            divmod(end, 2): Fraction(ways) / rolls if exact else ways / rolls
            for end, ways in enumerate(found.tolist())
            if ways
        }

    def node_after(self, opener: int, actions: Sequence[int]) -> int:
        """The node that these bids of a round lead to.

        Raises:
            ValueError: a bid that is not allowed, or that a table never makes there.
        """
        node = self.roots[opener]
        for action in self._heard(opener, actions):
            edges = [edge for edge in self.edges(node) if self.action[edge] == action]
            if not edges:
                raise ValueError(f"nobody bids {self.game.action(action)} there who plays like these opponents")
            node = int(self.child[edges[0]])
        return node


class QuietRound(Round):
    """A round in which the player that decides hears only the last bid when its turn comes, and remembers that.

    What it knows of the hands of the others is one set of joint hands then. The bids between its turns are no nodes.

    Args:
        game, start, tables: as for :class:`Round`; the first table is None, and the others draw nothing.

    Raises:
        ValueError: a table that draws, or with an action that is not legal.
    """

    def _everything(self, tables: Sequence[np.ndarray | None]) -> tuple[int, ...]:
        sizes = [len(hands.rolls) for hands in self._hands[1:]]
        self._joint = np.indices(sizes).reshape(len(sizes), -1)
        self._lifted: dict[tuple[int, int], int] = {}
        ways = [hands.ways[own] for hands, own in zip(self._hands[1:], self._joint, strict=True)]
        held = [hands.held[:, own] for hands, own in zip(self._hands[1:], self._joint, strict=True)]
        self._ways, self._held = np.prod(ways, 0), np.sum(held, 0)
        return ((1 << self._joint.shape[1]) - 1,)

    def _lift(self, turn: int, hands: int) -> int:
        """The joint hands in which one player has a hand of a set."""
        if (turn, hands) not in self._lifted:
            inside = np.array([hands >> number & 1 for number in range(len(self._hands[turn].rolls))], bool)
            bits = np.packbits(inside[self._joint[turn - 1]], bitorder="little").tobytes()
            self._lifted[turn, hands] = int.from_bytes(bits, "little")
        return self._lifted[turn, hands]

    def _moves(
        self, node: Node, replies: Callable[[int, int], Mapping[int, int]], legal: Sequence[Sequence[int]]
    ) -> list[Move]:
        found: list[Move] = []
        heard: dict[int, int] = {}
        todo = [node]
        while todo:
            turn, bid, (joint,) = todo.pop()
            if turn == 0:
                heard[bid] = heard.get(bid, 0) | joint
                continue
            for action, hands in replies(turn, bid).items():
                if action == DRAWS:
                    raise ValueError("an opponent draws among actions; what it tells is not worked out here")
                left = joint & self._lift(turn, hands)
                if left and action > 1:
                    todo.append(((turn + 1) % self.players, action - 1, (left,)))
                elif left:
                    found.append((action, 1, (turn, bid, (left,))))
        return found + [(bid + 1, 1, (0, bid, (joint,))) for bid, joint in heard.items()]

    def _there(self, sets: tuple[int, ...], face: int) -> np.ndarray:
        key = 0, sets[0], face
        if key not in self._known:
            size = self._joint.shape[1]
            bits = np.frombuffer(sets[0].to_bytes((size + 7) // 8, "little"), np.uint8)
            inside = np.unpackbits(bits, count=size, bitorder="little").astype(bool)
            counts = np.bincount(
                self._held[face - 1, inside], self._ways[inside], self.total - self.start.counts[0] + 1
            )
            self._known[key] = counts.astype(np.int64)
        return self._known[key]

    def _heard(self, opener: int, actions: Sequence[int]) -> list[int]:
        turns = [(opener + number) % self.players for number in range(len(actions))]
        return [action for turn, action in zip(turns, actions, strict=True) if turn in (0, self.players - 1)]


@dataclass(frozen=True)
class Places:
    """How often each player comes in first, second, ...

    Attributes:
        shares: for each player the probability of each place, the first place first.
        win: for each seating of the players, seat by seat, the probability that player 0 comes in first. The first
            seat opens.
        rounds: the mean number of rounds.
    """

    shares: tuple[tuple[Fraction, ...], ...]
    win: Mapping[tuple[int, ...], Fraction]
    rounds: Fraction


def places(game: WildOnes, tables: Sequence[np.ndarray]) -> Places:
    """How often players with fixed policies come in first, second, ..., seated at random, exactly.

    Args:
        game: the rules.
        tables: one policy a player, as ``support.agents.wild_ones.table`` writes it, with or without neighbours.

    Raises:
        ValueError: not one table a player, a table of another shape, or an action that is not legal.
    """
    _require(game, tables, game.num_players)
    kinds, distinct = _kinds(tables[1:])
    by_kind = [tables[0], *distinct]
    return _shares(game, kinds, _fixed(game, by_kind, _starts(game, kinds)))


class Decision(NamedTuple):
    """What a player that knows everything it may know can do.

    Attributes:
        values: for each legal action, in their order, the probability of winning the game if it is taken and all that
            follows is decided as well as can be.
        best: the first listed of the best.
        value: what that is worth.
    """

    values: dict[str, Number]
    best: str
    value: Number


class Ceiling:
    """The best probability of winning against fixed opponents.

    The player knows which opponent sits where, what each of them does in any view, and all bids of the round. What went
    before tells it nothing more, except how many dice are left. One that hears less knows of the bids between its
    turns only the last, but remembers what it heard and bid itself: what it can do bounds what can be done by anybody
    who goes by a :class:`~support.agents.wild_ones.View`, and is bounded by the ceiling.

    Args:
        game: the rules.
        opponents: a table for each opponent, as ``support.agents.wild_ones.table`` writes it. One that draws must do so
            with all hands or with none, and takes long.
        exact: whether to go on in whole numbers after floats have settled. Then all values are fractions, and the
            policy is best without any error.
        hears: whether it hears all bids.

    Attributes:
        values: for each beginning of a round at which the player has dice the probability of winning.
        kinds: of the players: 0 is the one that decides.
        tables: of kinds 1, 2, ...
        rounds: for each ring of kinds and dice the round, unfolded.
        chosen: for each ring what is best, as :meth:`Round.best` gives it.

    Raises:
        ValueError: not one table an opponent, a table of another shape, an action that is not legal, or a table that
            draws with some hands only.
    """

    def __init__(self, game: WildOnes, opponents: Sequence[np.ndarray], exact: bool = True, hears: bool = True):
        self.game, self.exact, self.hears = game, exact, hears
        _require(game, opponents, game.num_players - 1)
        self.kinds, distinct = _kinds(opponents)
        self.tables = distinct
        self._starts = [start for start in _starts(game, self.kinds) if start.kinds[0] == 0]
        unfold = Round if hears else QuietRound
        self.rounds = {start[:2]: unfold(game, start, [None, *distinct]) for start in self._starts if start.opener == 0}
        self.values: dict[Start, Number] = {start: 1 / len(start.kinds) for start in self._starts}
        self.chosen: dict[Ring, np.ndarray] = {}
        self._iterate()

    def _iterate(self) -> None:
        """Policy iteration: floats until nothing improves; then, if asked for, whole numbers."""
        for exact in (False, True) if self.exact else (False,):
            changed = True
            while changed:
                if exact or self.chosen:
                    self.values = self._evaluate(exact)
                changed, scale = False, self._scale() if exact else 0
                for key, unfolded in self.rounds.items():
                    _, on_edges = unfolded.values(self._worth(unfolded, scale))
                    self.chosen[key], new = unfolded.best(on_edges, self.chosen.get(key))
                    changed |= new
        if self.exact:  # of equals the first listed, whatever the iteration went through
            scale = self._scale()
            for key, unfolded in self.rounds.items():
                self.chosen[key], _ = unfolded.best(unfolded.values(self._worth(unfolded, scale))[1])
            if self._evaluate(True) != self.values:
                # No table is known that leads here.
                raise ArithmeticError("the first listed of equal actions are not worth the same")  # pragma: no cover

    def _evaluate(self, exact: bool) -> dict[Start, Number]:
        """What the chosen actions are worth."""

        def gain(start: Start, turn: int, later: Start) -> dict[Hashable, int]:
            return {"won": int(later.kinds == (0,))}

        found = _solve(self._chain(exact), self.game.dice, gain, exact)
        return {start: row["won"] for start, row in found.items()}

    def _chain(self, exact: bool = True) -> dict[Start, Mapping[tuple[int, int], Number]]:
        """How the rounds end that the player takes part in."""
        return {
            start: self.rounds[start[:2]].ends(start.opener, self.chosen[start[:2]], exact) for start in self._starts
        }

    def _scale(self) -> int:
        """A common denominator of all values."""
        return lcm(*(cast(Fraction, value).denominator for value in self.values.values()))

    def _worth(self, unfolded: Round, scale: int) -> np.ndarray:
        """What the ends of a round are worth: times a common denominator, or as floats if that is 0."""
        worth = np.empty((unfolded.players, 2), object if scale else float)
        for turn, change in product(range(unfolded.players), (LOSES, WINS)):
            value = self.value_of(after(unfolded.start, turn, change, self.game.dice))
            worth[turn, change] = int(value * scale) if scale else float(value)
        return worth

    def value_of(self, start: Start) -> Number:
        """The probability of winning at any beginning of a round, also one without the player or without others."""
        if len(start.kinds) > 1 and start.kinds[0] == 0:
            return self.values[start]
        return Fraction(start.kinds[0] == 0)

    @cached_property
    def by_seating(self) -> dict[tuple[int, ...], Number]:
        """The probability of winning for each seating of the players, seat by seat; player 0 decides, seat 1 opens."""
        return {seats: self.values[start] for seats, start in _seatings(self.game, self.kinds).items()}

    @cached_property
    def win_probability(self) -> Number:
        """Of a game whose players are seated at random."""
        return sum(self.by_seating.values()) / len(self.by_seating)

    @cached_property
    def places(self) -> Places:
        """How often each player comes in first, second, ..., seated at random; player 0 decides."""
        others = [start for start in _starts(self.game, self.kinds) if start.kinds[0] != 0]
        return _shares(self.game, self.kinds, {**_fixed(self.game, [None, *self.tables], others), **self._chain()})

    def decision(self, state: WildOnesState, seats: Sequence[int]) -> Decision:
        """What the player to move, which must be player 0, can do in a state of the game.

        Args:
            state: of the game; what the others hold is not looked at.
            seats: the player who sits in each seat.

        Raises:
            ValueError: somebody else is to move, or bids that these opponents do not make.
        """
        start, node = self._heard(state, seats)
        unfolded = self.rounds[start[:2]]
        hand = unfolded.hands.rolls.index(state.rolls[state.current_player])
        scale = self._scale() if self.exact else 0
        _, on_edges = unfolded.values(self._worth(unfolded, scale))
        rolls, values = unfolded.rolls(node), {}
        for edge in unfolded.edges(node):
            worth, action = on_edges[edge, hand], self.game.action(int(unfolded.action[edge]))
            values[action] = Fraction(worth) / (rolls * scale) if scale else worth / rolls
        best = list(values)[self.chosen[start[:2]][node, hand]]
        return Decision(values, best, values[best])

    def possible(self, state: WildOnesState, seats: Sequence[int]) -> dict[int, dict[Roll, Fraction]]:
        """What each opponent that still has dice can hold, with its probability, as player 0 knows when it is to move.

        Args and errors as of :meth:`decision`; only a ceiling that hears all bids can tell.
        """
        if not self.hears:
            raise ValueError("what each opponent can hold is known to those who hear all bids")
        start, node = self._heard(state, seats)
        unfolded = self.rounds[start[:2]]
        ring = [(state.current_player + step) % len(seats) for step in range(len(seats))]
        others = [seats[seat] for seat in ring if state.counts[seat]][1:]
        return {player: unfolded.possible(node, turn) for turn, player in enumerate(others, 1)}

    def _heard(self, state: WildOnesState, seats: Sequence[int]) -> tuple[Start, int]:
        """The beginning of the round, and the node that its bids lead to; player 0 must be to move."""
        mover = state.current_player
        if sorted(seats) != list(range(self.game.num_players)) or mover < 0 or seats[mover] != 0:
            raise ValueError(f"player 0, seated as {tuple(seats)}, is not to move after '{state}'")
        assert state.opener is not None
        start = start_of([self.kinds[player] for player in seats], state.counts, state.opener)
        bids = [self.game.number(f"{quantity}x{face}") for quantity, face in state.bids]
        return start, self.rounds[start[:2]].node_after(start.opener, bids)


def _require(game: WildOnes, tables: Sequence[np.ndarray], number: int) -> None:
    if len(tables) != number:
        raise ValueError(f"{game.num_players} players need {number} tables, not {len(tables)}")
    shapes = [Views(game, neighbours).shape for neighbours in (False, True)]
    for table in tables:
        if table.shape not in shapes:
            known = " or ".join(str(list(shape)) for shape in shapes)
            raise ValueError(f"a table must have the shape {known}, not {list(table.shape)}")


def _kinds(opponents: Sequence[np.ndarray]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """The kinds of all players, the first being 0, and the tables of kinds 1, 2, ..."""
    kinds = kinds_of(opponents, np.array_equal)
    distinct = [opponents[kinds.index(kind)] for kind in range(max(kinds, default=-1) + 1)]
    return (0, *(1 + kind for kind in kinds)), distinct


def _starts(game: WildOnes, kinds: Sequence[int]) -> list[Start]:
    """All beginnings of rounds, those with fewer players first."""
    rings = {tuple(order) for size in range(2, len(kinds) + 1) for order in permutations(kinds, size)}
    starts = {
        start_of(ring, counts, opener)
        for ring in rings
        for counts in product(range(1, game.dice + 1), repeat=len(ring))
        for opener in range(len(ring))
    }
    return sorted(starts, key=lambda start: (len(start.kinds), start))


def _seatings(game: WildOnes, kinds: Sequence[int]) -> dict[tuple[int, ...], Start]:
    """The beginning of the game for each seating of the players."""
    counts = (game.dice,) * game.num_players
    return {
        seats: start_of([kinds[player] for player in seats], counts, 0) for seats in permutations(range(len(kinds)))
    }


def _shares(game: WildOnes, kinds: Sequence[int], chain: Chain) -> Places:
    """Places of all players, from how all rounds end."""
    players, names = len(kinds), set(kinds)

    def gain(start: Start, turn: int, after: Start) -> dict[Hashable, int]:
        found: dict[Hashable, int] = {"rounds": 1}
        if len(after.kinds) < len(start.kinds):
            found[start.kinds[turn], len(start.kinds)] = 1
        if len(after.kinds) == 1:
            found[after.kinds[0], 1] = 1
        return found

    found = cast(dict[Start, dict[Hashable, Fraction]], _solve(chain, game.dice, gain))
    seatings = _seatings(game, kinds)
    mean = {
        what: sum((found[start].get(what, Fraction(0)) for start in seatings.values()), Fraction(0)) / len(seatings)
        for what in ["rounds", *product(names, range(1, players + 1))]
    }
    shares = tuple(tuple(mean[kind, place] / kinds.count(kind) for place in range(1, players + 1)) for kind in kinds)
    win = {seats: found[start].get((0, 1), Fraction(0)) for seats, start in seatings.items()}
    return Places(shares, win, mean["rounds"])


def _fixed(game: WildOnes, tables: Sequence[np.ndarray | None], starts: Sequence[Start]) -> Chain:
    """How rounds end in which nobody decides."""
    known: dict[Ring, Round] = {}
    for start in starts:
        if start[:2] not in known:
            known[start[:2]] = Round(game, start, tables)
    return {start: known[start[:2]].ends(start.opener) for start in starts}


def _solve(
    chain: Chain, dice: int, gain: Callable[[Start, int, Start], Mapping[Hashable, int]], exact: bool = True
) -> dict[Start, dict[Hashable, Number]]:
    """What is gained on average from each beginning of a round to the end of the game.

    Args:
        chain: how each round ends. What is not in it gains nothing more.
        dice: that nobody can have more of.
        gain: what is gained in a round, by its beginning, the turn of who lost or won a die, and the next beginning.
        exact: fractions, not floats.
    """
    blocks: dict[tuple[int, ...], list[Start]] = {}
    for start in chain:
        blocks.setdefault(start.kinds, []).append(start)
    found: dict[Start, dict[Hashable, Number]] = {}
    for kinds in sorted(blocks, key=len):
        place = {start: row for row, start in enumerate(blocks[kinds])}
        matrix: dict[tuple[int, int], Number] = {(row, row): Fraction(1) for row in place.values()}
        right: dict[tuple[int, Hashable], Number] = {}
        for start, row in place.items():
            for (turn, change), chance in chain[start].items():
                later = after(start, turn, change, dice)
                if later in place:
                    matrix[row, place[later]] = matrix.get((row, place[later]), Fraction(0)) - chance
                for part in (gain(start, turn, later), found.get(later, {})):
                    for what, amount in part.items():
                        right[row, what] = right.get((row, what), 0) + (chance if exact else float(chance)) * amount
        columns = list(dict.fromkeys(what for _, what in right))
        solve = _solve_exactly if exact else _solve_floats
        rows = solve(
            len(place), matrix, [{row: right.get((row, what), 0) for row in place.values()} for what in columns]
        )
        found |= {start: dict(zip(columns, rows[row], strict=True)) for start, row in place.items()}
    return found


def _solve_exactly(
    size: int, matrix: Mapping[tuple[int, int], Number], columns: Sequence[Column]
) -> list[list[Number]]:
    """The solutions of a linear system of fractions, row by row."""
    left, right = fmpq_mat(size, size), fmpq_mat(size, len(columns))
    for (row, column), value in matrix.items():
        left[row, column] = fmpq(*value.as_integer_ratio())
    for number, given in enumerate(columns):
        for row, value in given.items():
            right[row, number] = fmpq(*value.as_integer_ratio())
    answer = left.solve(right)
    return [[Fraction(int(answer[r, c].p), int(answer[r, c].q)) for c in range(len(columns))] for r in range(size)]


def _solve_floats(size: int, matrix: Mapping[tuple[int, int], Number], columns: Sequence[Column]) -> list[list[Number]]:
    """The same in floats."""
    left = np.zeros((size, size))
    for where, value in matrix.items():
        left[where] = float(value)
    right = np.array([[float(column[row]) for column in columns] for row in range(size)])
    rows: list[list[Number]] = np.linalg.solve(left, right).tolist()
    return rows
