"""What kind of game it is; and whatever a solver refuses, the solver that its message names takes."""

from functools import cache
from importlib import import_module

import pytest
from table_games import (
    F,
    TableGame,
    coins,
    common_interest,
    die_nim,
    die_race,
    dithering,
    forgetful,
    guess,
    odd_one_out,
    pennies,
    two_ends_in_one,
    uneven_stakes,
)

from support.core.flat import unfold
from support.core.interface import CHANCE, DoesNotFitError
from support.core.policy import uniform
from support.exact import retrograde, sequence_form
from support.exact.best_response import best_response
from support.exact.kinds import (
    Kind,
    kind_of,
    last_choices,
    order_of_play,
    solver_of,
    taken_by,
    total_return,
    why_unsolved,
)
from support.exact.minimax import minimax
from support.exact.optimal import optimal_policy
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame
from support.learners.cfr import Solver
from support.learners.value_iteration import value_iteration

SOLVERS = {
    "best response": lambda flat: best_response(flat, uniform(flat), 0),
    "cfr": lambda flat: Solver(flat, "cfr"),
    "minimax": minimax,
    "optimal": optimal_policy,
    "retrograde": retrograde.solve,
    "sequence form": sequence_form.solve,
}
GAMES = {
    "biscuits": Biscuits(3, 2),
    "call or raise": CallOrRaise(2, 1, bounded=True),
    "coins": coins(4),
    "common interest": common_interest(),
    "die nim": die_nim(3),
    "die race": die_race(2),
    "dithering": dithering(),
    "forgetful": forgetful(),
    "guess": guess(),
    "kuhn": Kuhn(),
    "one end": two_ends_in_one(),
    "pennies": pennies(),
    "pennies of three": pennies((1, -1, 0), (-1, 1, 0)),
    "odd one out": odd_one_out(),
    "pennies for a prize": pennies((1, 0), (0, 1)),
    "three dice": DiceGame(1, 2),
    "uneven": uneven_stakes(),
}
NOBODY = {"common interest", "dithering", "forgetful", "odd one out", "pennies of three"}
unfolded = cache(lambda name: unfold(GAMES[name]))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("biscuits", Kind(2, False, False, False, 0, True, False)),
        ("call or raise", Kind(2, True, False, False, 1, False, True)),
        ("coins", Kind(2, False, False, False, 0, False, False)),
        ("common interest", Kind(2, False, False, False, None, False, True)),
        ("die nim", Kind(2, True, False, False, 0, True, False)),
        ("dithering", Kind(2, False, False, True, 0, True, False)),
        ("forgetful", Kind(1, False, True, False, None, False, False)),
        ("guess", Kind(1, True, True, False, None, False, True)),
        ("kuhn", Kind(2, True, True, False, 0, False, True)),
        ("one end", Kind(2, False, False, False, 0, False, True)),
        ("pennies of three", Kind(3, False, True, False, 0, False, True)),
        ("pennies for a prize", Kind(2, False, True, False, 1, False, True)),
        ("three dice", Kind(1, True, False, True, None, False, False)),
        ("uneven", Kind(2, False, False, False, 0, False, True)),
    ],
)
def test_kinds(name, kind):
    assert kind_of(unfolded(name)) == kind
    assert (kind.total == 0) == (total_return(unfolded(name)) == 0)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_what_refuses_names_what_takes(solver, name):
    """Each solver on each game: it either solves it, or names the one that does, or says that there is none."""
    flat = unfolded(name)
    try:
        SOLVERS[solver](flat)
    except ValueError as error:
        message = str(error)
    else:
        return
    assert message.endswith(taken_by(flat))
    assert ("no solver here takes it, as " in message) == (name in NOBODY) == bool(why_unsolved(kind_of(flat)))
    if name in NOBODY:
        assert solver_of(kind_of(flat)) is None
        return
    module, _, function = solver_of(kind_of(flat)).rpartition(".")
    take = getattr(import_module(module), function)
    if function == "best_response":
        take(flat, uniform(flat), 0)
    else:
        take(flat)


def test_why_there_is_no_solver():
    assert why_unsolved(kind_of(unfolded("pennies of three"))) == (
        "it has 3 players and all solvers are for one or two"
    )
    assert why_unsolved(kind_of(unfolded("forgetful"))) == "a player forgets in it what it knew or did"
    blind_and_endless = Kind(1, False, True, True, None, False, False)
    assert why_unsolved(blind_and_endless).startswith("a position can come back in it")


def test_value_iteration_points_to_what_takes_the_game():
    with pytest.raises(DoesNotFitError, match=r"one player; kuhn-poker has 2: support\.exact\.sequence_form\."):
        value_iteration(unfolded("kuhn"))
    with pytest.raises(DoesNotFitError, match=r"value iteration needs perfect information; in .* something is hidden"):
        value_iteration(unfolded("guess"))


def test_order_and_choices():
    flat = unfolded("forgetful")
    assert order_of_play(flat) == tuple(range(flat.num_nodes))
    assert order_of_play(unfolded("dithering")) == ()
    assert last_choices(flat, 0) == {0: {None}, 1: {(0, 0), (0, 1)}}


def test_chance_that_comes_back_before_a_decision_is_refused_by_value_iteration():
    again = {"again": ("rolling", (0,), F(1, 2)), "six": ("won", (1,), F(1, 2))}
    rows = {"start": (0, "start", {"roll": ("rolling", (0,))}), "rolling": (CHANCE, "", again)}
    flat = unfold(TableGame("again", 1, rows))
    with pytest.raises(DoesNotFitError, match=r"before chance is back where it was; .*optimal_policy"):
        value_iteration(flat)
    assert optimal_policy(flat).value == 1


def test_value_iteration_averages_over_chance_after_chance():
    second = {"both": ("won", (4,), F(1, 4)), "one": ("choose", (1,), F(3, 4))}
    first = {"heads": ("second", (2,), F(1, 2)), "tails": ("choose", (0,), F(1, 2))}
    rows = {
        "start": (0, "start", {"toss": ("first", (0,)), "stop": ("over", (1,))}),
        "first": (CHANCE, "", first),
        "second": (CHANCE, "", second),
        "choose": (0, "choose", {"low": ("over", (1,)), "high": ("over", (3,))}),
    }
    found = value_iteration(unfold(TableGame("tosses", 1, rows)), discount=1.0)
    # 2 for heads, then 4 or 1 more; and 3 at the second decision, which comes with a chance of 7/8.
    assert found.values.tolist() == [1 / 2 * 2 + 1 / 8 * 4 + 3 / 8 * 1 + 7 / 8 * 3, 3]


def test_a_lone_player_may_forget_how_it_came_to_where_it_sees_all():
    covered = {"heads": ("H", (0,), F(1, 2)), "tails": ("T", (0,), F(1, 2))}
    rows = {
        "start": (0, "start", {"left": ("hall", (0,)), "right": ("hall", (0,))}),
        "hall": (0, "hall", {"in": ("toss", (0,)), "out": ("over", (0,))}),
        "toss": (CHANCE, "", covered),
        "H": (0, "covered", {"heads": ("right", (1,)), "tails": ("wrong", (0,))}),
        "T": (0, "covered", {"heads": ("no", (0,)), "tails": ("yes", (1,))}),
    }
    flat = unfold(TableGame("two doors", 1, rows))
    assert kind_of(flat).perfect_recall
    assert solver_of(kind_of(flat)) == "support.exact.best_response.best_response"
    assert best_response(flat, uniform(flat), 0).value == F(1, 2)
