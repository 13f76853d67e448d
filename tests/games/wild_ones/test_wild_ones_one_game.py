"""A game told round by round is the game that is played."""

from functools import cache
from math import comb

import pytest

from support.core.play import Stream
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.experiments.one_game import one_game
from support.games.wild_ones.play import play
from support.games.wild_ones.policies import POLICIES, Survivalist, View, tables
from support.games.wild_ones.rules import WildOnes

GAME, OPPONENTS = WildOnes(), ("survivalist", "aggressive")


@cache
def ceiling():
    return Ceiling(GAME, tables(GAME, OPPONENTS), exact=False)


def cautious(state, kinds):
    """Values of an agent that does as a survivalist."""
    assert sorted([*kinds, state.current_player]) == [0, 1, 2]
    assert {kinds[seat] for seat in kinds} == set(OPPONENTS)
    taken = Survivalist().choices(View.of(state))
    return {action: float(action in taken) for action in state.legal_actions()}


def test_it_is_the_game_that_is_played():
    ends = set()
    for number in range(30):
        rounds = one_game(cautious, ceiling(), OPPONENTS, 11, number)
        whole = play(GAME, [*(POLICIES[name] for name in OPPONENTS), Survivalist()], Stream(11, number))
        moves = [text for text in whole.final.past if not text.endswith("opens") and not text.isdigit()]
        said = [action for panel in rounds for _, action in panel.moves]
        assert said == moves[: len(said)]
        if whole.places[2] == 1:
            assert said == moves
        else:
            assert rounds[-1].outcome == ("agent", -1)
        ends.add(whole.places[2])
    assert ends == {1, 2, 3}


def test_thoughts_stand_where_the_agent_moves():
    for panel in one_game(cautious, ceiling(), OPPONENTS, 11, 3):
        moves = panel.moves
        assert list(panel.thoughts) == [place for place, (name, _) in enumerate(moves) if name == "agent"]
        for place, thought in panel.thoughts.items():
            assert thought.chosen == moves[place][1]
            assert thought.exact[thought.best] == max(thought.exact.values())
            assert thought.values.keys() == thought.exact.keys()
            as_good = thought.exact[thought.chosen] == thought.exact[thought.best]
            assert as_good == (thought.chosen == thought.best)
            for name, (count, everything) in thought.possible.items():
                dice = len(panel.hands[name])
                assert 1 <= count <= everything == comb(dice + 5, 5)
                assert len(thought.likely[name]) == min(3, count)
                shares = [chance for _, chance in thought.likely[name]]
                assert shares == sorted(shares, reverse=True)
                assert sum(shares) <= 1 + 1e-12
                if count <= 3:
                    assert panel.hands[name] in [hand for hand, _ in thought.likely[name]]


def test_opponents_must_be_told_apart():
    with pytest.raises(ValueError, match="expected 2 different opponents, not survivalist, survivalist"):
        one_game(cautious, ceiling(), ("survivalist", "survivalist"), 1)
    with pytest.raises(ValueError, match="expected 2 different opponents, not survivalist"):
        one_game(cautious, ceiling(), ("survivalist",), 1)
