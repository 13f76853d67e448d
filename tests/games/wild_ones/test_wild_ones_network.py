"""The widths of the published network, read off a saved one and the rules, and how it is trained."""

from dataclasses import replace

import pytest

from support.games.wild_ones.dqn import NOTEBOOK, PUBLISHED
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.experiments.judged import actions_of, layers_in, training_rows, widths
from support.games.wild_ones.policies import View
from support.games.wild_ones.rules import WildOnes
from support.learners.network import Network

GAME = WildOnes(3, 2)
STATE = View(hand=(1, 4), total=5, last=(2, 3), before=2, after=1)


def saved(tmp_path, settings=PUBLISHED, game=GAME):
    network = Network.fresh(settings.sizes(game), 1)
    return layers_in(DQNPlayer(game, settings, network).save(tmp_path / "network.safetensors"))


def test_actions_are_gathered_from_the_rules():
    assert len(actions_of(GAME)) == 38
    assert actions_of(GAME) == {GAME.action(number) for number in range(38)}
    assert [len(actions_of(WildOnes(*size))) for size in ((2, 2), (4, 2), (5, 2), (3, 5))] == [26, 50, 62, 92]


def test_the_published_widths(tmp_path):
    layers = saved(tmp_path)
    assert layers == [(15, 64), (64, 64), (64, 38)]
    assert widths(GAME, STATE.observation(), layers) == "15 inputs, 38 outputs, 3 layers, 64 units"


@pytest.mark.parametrize(
    ("settings", "game", "found"),
    [
        (PUBLISHED, WildOnes(4, 2), "15 inputs, 50 outputs, 3 layers, 64 units"),
        (PUBLISHED, WildOnes(3, 3), "15 inputs, 56 outputs, 3 layers, 64 units"),
        (replace(PUBLISHED, width=32), GAME, "15 inputs, 38 outputs, 3 layers, 32 units"),
        (replace(PUBLISHED, layers=4), GAME, "15 inputs, 38 outputs, 4 layers, 64 units"),
    ],
)
def test_other_games_and_networks_have_other_widths(tmp_path, settings, game, found):
    assert widths(game, STATE.observation(), saved(tmp_path, settings, game)) == found


def test_what_does_not_fit_is_refused(tmp_path):
    layers = saved(tmp_path)
    before, after, _, *rest = STATE.observation()
    with pytest.raises(ValueError, match="14 inputs and 38 actions do not fit layers of"):
        widths(GAME, (before, after, *rest), layers)  # the state as it is printed, without the total
    with pytest.raises(ValueError, match="15 inputs and 50 actions"):
        widths(WildOnes(4, 2), STATE.observation(), layers)
    with pytest.raises(ValueError, match="15 inputs and 38 actions do not fit layers of \\[\\(7, 64\\)"):
        widths(GAME, STATE.observation(), saved(tmp_path, replace(PUBLISHED, encoding="raw")))
    with pytest.raises(ValueError, match="do not fit"):
        widths(GAME, STATE.observation(), [(15, 64), (32, 38)])


def test_settings_say_where_they_are_from():
    written, noted = ({row[0]: row[1:] for row in training_rows(one, 3048.2)} for one in (PUBLISHED, NOTEBOOK))
    assert written["learning rate"] == ("0.003", "document")
    assert written["steps in them, on average"][0] == "3,048"
    assert written["its distance to the end falls by e in"] == ("145 games", "document")
    assert noted["its distance to the end falls by e in"] == ("1,448 decisions", "author's notebook")
    assert written["games of training"] == ("5,000", "document (notebook: 4,000)")
    assert {source.partition(" (")[0] for _, source in written.values()} == {
        "document",
        "author's notebook",
        "our choice",
        "follows",
    }
