"""Speed is measured only of code that agrees."""

from support.games.speed import Config, measured


def test_compiled_and_plain_code_agree_in_every_game():
    paces = measured(Config.small())
    assert len(paces) == 5
    assert all(pace.same for pace in paces)
    assert all(pace.ratio > 0 for pace in paces)
