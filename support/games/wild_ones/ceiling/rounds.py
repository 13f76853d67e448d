"""A round of wild ones against fixed opponents, unfolded: what can be bid in it, and what the bids reveal.

The opponents follow tables (``support.games.wild_ones.policies.table``): what each of them does depends only on its own
dice and the last bid. So a player who knows the tables and the bids of a round knows exactly which hands each opponent
may still hold, and the ratios of their probabilities are those of the roll. The posterior is a product of sets of
hands, one for each opponent. The last bid, whose turn it is, and these sets make a node. A bid splits its maker's set,
and bids rise, so a round is a graph without cycles, with some hundred nodes at the published size. A best response
follows by backward induction over them, for each hand of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.games.cups.rolls import FACES, Roll, all_rolls
from support.games.wild_ones.ceiling.chain import LOSES, WINS, Number, Start
from support.games.wild_ones.ceiling.rounds_fast import spread
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules import WILD, Bid, WildOnes, counted, rank
from support.games.wild_ones.rules_fast import rules_of

NOISE = 1e-13
"""Gains in the probability of winning that floats cannot distinguish from zero."""
MOST_DICE = 24
"""The most dice whose rolls a whole number of 64 bits can count."""
Node = tuple[int, int, tuple[int, ...]]
"""Whose turn it is, the number of the last bid, and the sets of hands, as bits."""
Move = tuple[int, Number, Node]
"""An action, its probability if drawn, and the next node; for a challenge, the node at which it is made."""
Leaf = tuple[int, int, Bid, tuple[int, ...]]
"""Whose turn it is, the challenge, the bid, and the sets of hands."""


@dataclass(frozen=True)
class _Hands:
    """All hands of a number of dice.

    Attributes:
        rolls: the hands.
        ways: int64[hands], in how many ways each is rolled.
        held: int64[faces, hands], how many of its dice count towards each face.
    """

    rolls: tuple[Roll, ...]
    ways: np.ndarray
    held: np.ndarray

    @classmethod
    def of(cls, dice: int) -> "_Hands":
        """The hands of ``dice`` dice; without dice there is one, empty hand."""
        rolls, chances = zip(*all_rolls(dice), strict=True)
        ways = [int(chance * FACES**dice) for chance in chances]
        held = [[counted(roll, face) for roll in rolls] for face in range(1, FACES + 1)]
        return cls(rolls, np.array(ways), np.array(held))


class Round:
    """A round, unfolded into nodes, edges and leaves, with any of the players as its opener.

    A node is public: whose turn it is, the last bid, and the set of hands that each player with a table may hold. If
    the first player decides for itself, its own hand is an axis of all values instead. Values are not divided by the
    probability of a node: they are sums over all rolls of the others that lead there.

    Args:
        game: the rules.
        start: the kinds of the players and their numbers of dice.
        tables: the policy of each kind; None for kind 0 if it decides for itself.

    Attributes:
        hands: the hands of the player that decides, or the one hand without dice if nobody does.
        nodes: for each node, the turn, the number of the last bid (0 is none) and the sets, as bits.
        first: int64[nodes + 1], where the edges of each node begin.
        action: int64[edges], the number of the action.
        child: int64[edges], the node that it leads to; or, if negative, ``-1 - leaf``.
        roots: the node at which each turn opens.

    Raises:
        ValueError: there are too many dice, or a table plays an illegal action.
    """

    def __init__(self, game: WildOnes, start: Start, tables: Sequence[np.ndarray | None]):
        self.game, self.start = game, start
        self.total, self.players = sum(start.counts), len(start.kinds)
        if self.total > MOST_DICE:
            raise ValueError(f"a round of {self.total} dice has too many rolls to count; the most are {MOST_DICE} dice")
        self.decides = tables[start.kinds[0]] is None
        self._hands = [_Hands.of(count) for count in start.counts]
        self.hands = self._hands[0] if self.decides else _Hands.of(0)
        self._single: dict[tuple[int, int, int], list[int]] = {}
        self._unfold([tables[kind] for kind in start.kinds])

    def _unfold(self, tables: Sequence[np.ndarray | None]) -> None:
        bids, rules = self.game.bids, rules_of(self.game)
        counted_out = zip(rules.legal[self.total], rules.choices[self.total], strict=True)
        legal = [numbers[:count].tolist() for numbers, count in counted_out]
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
        ranks, own = [rank(bid) for bid in bids], [self._own(turn) for turn in range(self.players)]
        self.nodes = sorted(out, key=lambda node: (ranks[node[1]], own[node[0]], node[0]))
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
        level = np.array([(bid, own[turn]) for turn, bid, _ in self.nodes])
        cuts = (1 + np.flatnonzero(np.diff(level, axis=0).any(1))).tolist()
        self._decides = level[:, 1] == 0
        spans = zip([0, *cuts], [*cuts, len(self.nodes)], strict=True)
        self._levels = [(a, b, bool(self._decides[a])) for a, b in spans]
        self._write_leaves(leaves)

    def _own(self, turn: int) -> int:
        return 0 if self.decides and turn == 0 else 1

    def _everything(self, tables: Sequence[np.ndarray | None]) -> tuple[int, ...]:
        """The sets of hands before the first bid."""
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
        answers = replies(turn, bid)
        if self.decides and DRAWS in answers and len(answers) > 1:
            raise ValueError("an opponent draws with some hands only; it must draw with all hands or with none")
        for action, hands in answers.items():
            left = hands & sets[turn]
            if not left:
                continue
            told = (*sets[:turn], left, *sets[turn + 1 :])
            drawn = legal[bid] if action == DRAWS else [action]
            chance = Fraction(1, len(drawn)) if len(drawn) > 1 else 1
            for taken in drawn:
                after = ((turn + 1) % self.players, taken - 1, told) if taken > 1 else (turn, bid, told)
                found.append((taken, chance, after))
        return found

    def _replies(self, table: np.ndarray, turn: int, bid: int, legal: Sequence[int]) -> dict[int, int]:
        """For each action that a policy takes after a bid, the hands with which it does so, as bits."""
        views, counts = Views(self.game, table.shape[1] > 1), self.start.counts
        side = counts[turn - 1] * (self.game.dice + 1) + counts[(turn + 1) % self.players] if views.neighbours else 0
        first = views.first_hand[counts[turn]]
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
        """Count for each leaf, by how many dice of the deciding player count, the rolls that lead to its first end."""
        rows: dict[tuple[tuple[int, ...], int], int] = {}
        row = np.array([rows.setdefault((sets, face), len(rows)) for _, _, (_, face), sets in leaves])
        turn, exact, quantity, face = np.array([(turn, action, *bid) for turn, action, bid, _ in leaves]).T
        there = np.pad(self._there(*zip(*rows, strict=True)), ((0, 0), (0, 1)))
        at_least = there[:, ::-1].cumsum(1)[:, ::-1]
        own = self.start.counts[0] if self.decides else 0
        needs = quantity[:, None] - np.arange(own + 1)
        count = row[:, None], np.clip(needs, 0, there.shape[1] - 1)
        self._said = np.where(exact[:, None], there[count] * (needs >= 0), at_least[count])
        self._rolls = at_least[row, :1]
        # The first end is that of a bid that is exact, or holds against a liar.
        first, second = np.where(exact, WINS, LOSES), np.where(exact, turn, (turn - 1) % self.players)
        self._ends = np.stack([2 * turn + first, 2 * second + LOSES], 1)
        self._faces = face - 1

    def _there(self, sets: Sequence[tuple[int, ...]], faces: Sequence[int]) -> np.ndarray:
        """int64[k, counts], for each of k sets and faces, in how many rolls 0, 1, ... of the others' dice count."""
        there = np.ones((len(faces), 1), np.int64)
        for turn in range(1 if self.decides else 0, self.players):
            own = np.array([self._counts(turn, hands[turn], face) for hands, face in zip(sets, faces, strict=True)])
            before, there = there, np.zeros((len(faces), there.shape[1] + own.shape[1] - 1), np.int64)
            for held in range(own.shape[1]):
                there[:, held : held + before.shape[1]] += before * own[:, held, None]
        return there

    def _counts(self, turn: int, hands: int, face: int) -> list[int]:
        """In how many rolls of one player's possible hands 0, 1, ... of its dice count towards a face."""
        if (turn, hands, face) not in self._single:
            known = self._hands[turn]
            inside = [number for number in range(len(known.rolls)) if hands >> number & 1]
            counts = np.bincount(known.held[face - 1, inside], known.ways[inside], self.start.counts[turn] + 1)
            self._single[turn, hands, face] = counts.astype(np.int64).tolist()
        return self._single[turn, hands, face]

    def rolls(self, node: int) -> int:
        """The number of rolls of the hands that the others may hold at a node."""
        return int(self._there([self.nodes[node][2]], [WILD]).sum())

    def possible(self, node: int, turn: int) -> dict[Roll, Fraction]:
        """The hands that a player whose policy is a table may hold at a node, each with its probability."""
        hands, known = self._hands[turn], self.nodes[node][2][turn]
        ways = {roll: int(hands.ways[number]) for number, roll in enumerate(hands.rolls) if known >> number & 1}
        return {roll: Fraction(count, sum(ways.values())) for roll, count in ways.items()}

    def _known_bids(self, opener: int, actions: Sequence[int]) -> list[int]:
        """The bids of a round that the deciding player learns."""
        return list(actions)

    def edges(self, node: int) -> range:
        """The edges that leave a node."""
        return range(int(self.first[node]), int(self.first[node + 1]))

    def values(self, worth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values of nodes and edges under best choices, summed over all rolls of the others.

        Args:
            worth: [turns, 2], the values of the ends of the round; floats, or objects for exact numbers.

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
            if decides:
                on_nodes[a:b] = np.maximum.reduceat(on_edges[low:high], where)
            else:
                parts = on_edges[low:high] if weights is None else on_edges[low:high] * weights[low:high]
                on_nodes[a:b] = np.add.reduceat(parts, where)
        return on_nodes, on_edges

    def best(self, on_edges: np.ndarray, chosen: np.ndarray | None = None) -> tuple[np.ndarray, bool]:
        """The best action at each node for each hand: the old choice unless another is better, or the first if tied.

        Args:
            on_edges: the values of edges, from :meth:`values`.
            chosen: the old choices; None if there are none.

        Returns:
            int64[nodes, hands], the index of the action among the edges of the node, 0 where others are to move; and
            whether it differs from ``chosen``.
        """
        picked = np.zeros((len(self.nodes), len(self.hands.rolls)), np.int64) if chosen is None else chosen.copy()
        slack = 0 if on_edges.dtype == object else NOISE * 6**self.total
        for a, b, decides in self._levels:
            if not decides:
                continue
            low, high = int(self.first[a]), int(self.first[b])
            rows, where = on_edges[low:high], self.first[a:b] - low
            top, node = np.maximum.reduceat(rows, where), self._source[low:high] - a
            good = (rows >= (top if chosen is not None else top - slack)[node]).astype(bool)
            places = np.where(good, np.arange(high - low)[:, None] - where[node, None], high)
            first = np.minimum.reduceat(places, where)
            if chosen is not None:
                now = np.take_along_axis(rows, where[:, None] + chosen[a:b], 0)
                first = np.where((top > now + slack).astype(bool), first, chosen[a:b])
            picked[a:b] = first
        return picked, chosen is None or not np.array_equal(picked, chosen)

    def ends(self, opener: int, chosen: np.ndarray | None = None, exact: bool = True) -> dict[tuple[int, int], Number]:
        """The probability of each end of the round.

        Args:
            opener: the turn of the opener.
            chosen: the choices of the player that decides; None if nobody decides.
            exact: whether to compute in fractions, which takes long if a policy draws, instead of floats.
        """
        drawn = self._weights is not None
        kind = (object if exact else float) if drawn else np.int64
        reached = np.zeros((len(self.nodes), len(self.hands.rolls)), kind)
        flow = np.zeros((len(self.child), len(self.hands.rolls)), kind)
        reached[self.roots[opener]] = self.hands.ways
        if kind is object:
            self.spread(reached, flow, chosen)
        else:
            weights = np.zeros(0) if self._weights is None else self._weights[:, 0]
            choices = np.zeros((0, 0), np.int64) if chosen is None else chosen
            spread(self.first, self.child, self._decides, choices, weights, reached, flow)
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

    def spread(self, reached: np.ndarray, flow: np.ndarray, chosen: np.ndarray | None) -> None:
        """Let the hands at the root go down the round: in how many ways nodes and edges are reached with each hand.

        Args:
            reached: [nodes, hands], with the number of ways at the root and zeros elsewhere; filled in place.
            flow: [edges, hands], filled in place.
            chosen: the choices of the player that decides; None if nobody decides.
        """
        weights = self._exact_weights if reached.dtype == object else self._weights
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

    def node_after(self, opener: int, actions: Sequence[int]) -> int:
        """The node that these bids of a round lead to.

        Raises:
            ValueError: a bid is illegal, or no table makes it there.
        """
        node = self.roots[opener]
        for action in self._known_bids(opener, actions):
            edges = [edge for edge in self.edges(node) if self.action[edge] == action]
            if not edges:
                raise ValueError(f"the opponents' tables never bid {self.game.action(action)} there")
            node = int(self.child[edges[0]])
        return node


class LastBidRound(Round):
    """A round in which the player that decides learns only the last bid at each of its turns, and remembers it.

    Then what it knows of the others is a single set of joint hands, and the bids between its turns are not nodes.

    Args:
        game, start, tables: as for :class:`Round`; the first table is None, and no other table draws.

    Raises:
        ValueError: a table draws, or plays an illegal action.
    """

    def _everything(self, tables: Sequence[np.ndarray | None]) -> tuple[int, ...]:
        sizes = [len(hands.rolls) for hands in self._hands[1:]]
        self._joint = np.indices(sizes).reshape(len(sizes), -1)
        self._joint_sets: dict[tuple[int, int], int] = {}
        ways = [hands.ways[own] for hands, own in zip(self._hands[1:], self._joint, strict=True)]
        held = [hands.held[:, own] for hands, own in zip(self._hands[1:], self._joint, strict=True)]
        self._ways, self._held = np.prod(ways, 0), np.sum(held, 0)
        return ((1 << self._joint.shape[1]) - 1,)

    def _joint_set(self, turn: int, hands: int) -> int:
        """The joint hands in which one player has a hand from a set."""
        if (turn, hands) not in self._joint_sets:
            inside = np.array([hands >> number & 1 for number in range(len(self._hands[turn].rolls))], bool)
            bits = np.packbits(inside[self._joint[turn - 1]], bitorder="little").tobytes()
            self._joint_sets[turn, hands] = int.from_bytes(bits, "little")
        return self._joint_sets[turn, hands]

    def _moves(
        self, node: Node, replies: Callable[[int, int], Mapping[int, int]], legal: Sequence[Sequence[int]]
    ) -> list[Move]:
        found: list[Move] = []
        own_turns: dict[int, int] = {}
        todo = [node]
        while todo:
            turn, bid, (joint,) = todo.pop()
            if turn == 0:
                own_turns[bid] = own_turns.get(bid, 0) | joint
                continue
            for action, hands in replies(turn, bid).items():
                if action == DRAWS:
                    raise ValueError("an opponent draws from several actions; without all_bids none may")
                left = joint & self._joint_set(turn, hands)
                if left and action > 1:
                    todo.append(((turn + 1) % self.players, action - 1, (left,)))
                elif left:
                    found.append((action, 1, (turn, bid, (left,))))
        return found + [(bid + 1, 1, (0, bid, (joint,))) for bid, joint in own_turns.items()]

    def _there(self, sets: Sequence[tuple[int, ...]], faces: Sequence[int]) -> np.ndarray:
        size, most = self._joint.shape[1], self.total - self.start.counts[0]
        there = np.zeros((len(faces), most + 1), np.int64)
        for row, ((joint,), face) in enumerate(zip(sets, faces, strict=True)):
            bits = np.frombuffer(joint.to_bytes((size + 7) // 8, "little"), np.uint8)
            inside = np.unpackbits(bits, count=size, bitorder="little").astype(bool)
            there[row] = np.bincount(self._held[face - 1, inside], self._ways[inside], most + 1)
        return there

    def _known_bids(self, opener: int, actions: Sequence[int]) -> list[int]:
        turns = [(opener + number) % self.players for number in range(len(actions))]
        return [action for turn, action in zip(turns, actions, strict=True) if turn in (0, self.players - 1)]
