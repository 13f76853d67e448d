"""A round of wild ones between two equals."""

from support.games.wild_ones.equals import WORTH, one_round


def test_a_right_exact_brings_a_round_of_wild_ones_back():
    state = one_round().initial_state()
    assert sum(chance for _, chance in state.chance_outcomes()) == 1
    rolled = next(deal for deal, _ in state.chance_outcomes() if deal == ((3,), (5,)))
    over = state.child(rolled).child("1x3").child("exact")
    assert over.is_terminal()
    assert over.returns()[1] in (WORTH, -WORTH)
    wrong = state.child(rolled).child("1x4").child("exact")
    assert wrong.returns() == (1, -1)
