import numpy as np
import pytest
from drawn import key, words

from support.figures.training import training

GAMES = np.array([1, 10, 100, 500])


def test_training_shows_medians_bands_and_levels():
    shares = {"as run": np.random.default_rng(0).random((25, 4)) / 2, "as meant": np.full((3, 4), 0.25)}
    levels = {"published: 46%": 0.46}
    texts = words(training(GAMES, shares, levels))
    assert {*shares, *levels, "games", "share of games won so far"} <= set(texts)
    figure = training.__wrapped__(GAMES, shares, levels)
    assert key(figure) == [*shares, *levels]
    panel = figure.axes[0]
    assert panel.get_xscale() == "log"
    for line, band, part in zip(panel.lines, panel.collections, shares.values(), strict=False):
        assert line.get_xdata() == pytest.approx(GAMES)
        assert line.get_ydata() == pytest.approx(np.median(part, axis=0))
        heights = band.get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == pytest.approx(
            (np.percentile(part, 5, axis=0).min(), np.percentile(part, 95, axis=0).max())
        )
    assert list(panel.lines[2].get_ydata()) == [0.46, 0.46]
    assert training.__wrapped__(GAMES[1:3], {"a": np.ones((1, 2))}).axes[0].get_xscale() == "linear"


def test_versions_may_have_games_of_their_own():
    games, shares = (
        {"a": np.array([5, 50]), "b": np.array([20, 200, 2000])},
        {"a": np.ones((1, 2)), "b": np.ones((2, 3))},
    )
    panel = training.__wrapped__(games, shares).axes[0]
    assert [line.get_xdata().tolist() for line in panel.lines] == [[5, 50], [20, 200, 2000]]
    assert panel.get_xlim() == (5, 2000)
    with pytest.raises(ValueError, match="expected numbers of games for a, b, not for a"):
        training({"a": games["a"]}, shares)
    with pytest.raises(ValueError, match="b: expected runs of 3 shares"):
        training(games, {**shares, "b": np.ones((2, 2))})


@pytest.mark.parametrize(
    ("games", "shares", "levels", "message"),
    [
        (GAMES, {}, None, "versions, not 0"),
        ([], {"a": np.zeros((3, 0))}, None, "increasing"),
        (GAMES[::-1], {"a": np.zeros((3, 4))}, None, "increasing"),
        (GAMES - 1, {"a": np.zeros((3, 4))}, None, "positive"),
        (GAMES, {"a": np.zeros((3, 5))}, None, "a: expected runs of 4 shares"),
        (GAMES, {"a": np.zeros(4)}, None, "a: expected runs of 4 shares"),
        (GAMES, {"a": np.full((3, 4), np.nan)}, None, "a: a share is not within"),
        (GAMES, {"a": np.zeros((3, 4))}, dict.fromkeys("abcde", 0.5), "at most 4 levels"),
        (GAMES, {"a": np.zeros((3, 4))}, {"end": 46}, "end: a share is not within"),
    ],
)
def test_training_refuses_what_are_no_shares(games, shares, levels, message):
    with pytest.raises(ValueError, match=message):
        training(games, shares, levels)


def test_a_long_run_counts_its_games_in_words_and_few_of_them():
    games = np.logspace(3, 8, 11)
    texts = words(training(games, {"long": np.linspace(0.3, 0.97, 22).reshape(2, 11)}, ylabel="share of first places"))
    assert {text for text in texts if text.endswith(("million", "000"))} == {"10,000", "1 million", "100 million"}
    assert "share of first places" in texts


def test_levels_below_and_above_the_curves_are_inside():
    low, high = training.__wrapped__(GAMES, {"a": np.full((2, 4), 0.5)}, {"low": 0.2, "high": 0.9}).axes[0].get_ylim()
    assert low < 0.2
    assert high > 0.9


def test_the_same_shares_give_the_same_bytes():
    assert len({training(GAMES, {"a": np.zeros((2, 4))}).svg for _ in range(2)}) == 1
