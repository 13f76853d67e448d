"""The program that the story of call or raise prints plays and learns as the compiled one, game by game."""

import ast

import pytest
from programs import programs

from support.games.call_or_raise.q_learning_fast import advance, new_table
from support.games.call_or_raise.settings import AS_READ, AS_RUN, QTableSettings

KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef)


@pytest.fixture(scope="module")
def story():
    """The functions that its programs define, and the names of the columns; not what they are made to do."""
    space = {}
    for source in programs("04-call-or-raise"):
        for node in ast.parse(source).body:
            if isinstance(node, KEPT) or (isinstance(node, ast.Assign) and "COLUMNS" in ast.unparse(node.targets)):
                exec(compile(ast.Module([node], []), "04-call-or-raise", "exec"), space)
    return space


@pytest.mark.parametrize(("columns", "slips"), [("by_name", AS_READ), ("by_factor", AS_RUN)])
@pytest.mark.parametrize("seed", [1, 2018])
def test_the_same_games_are_won(story, columns, slips, seed):
    settings, games = QTableSettings(slips=slips), 300
    _, winners = story["train"](story[columns], games=games, seed=seed)
    compiled = advance(settings, new_table(settings), games, seed)  # which counts players from 1
    assert [winner + 1 for winner in winners] == compiled.tolist()
