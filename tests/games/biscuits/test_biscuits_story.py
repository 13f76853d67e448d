"""The program on the page is the program that is checked."""

import ast

from programs import code_cells


def functions(name):
    """The functions that a notebook defines, by name, without what is said of them in comments."""
    return {
        node.name: ast.unparse(node)
        for cell in code_cells(name)
        for node in ast.parse("".join(cell["source"])).body
        if isinstance(node, ast.FunctionDef)
    }


def test_the_evidence_checks_the_functions_that_the_story_prints():
    story, evidence = functions("01-biscuits"), functions("01-biscuits-evidence")
    shared = {"moves", "cold_squares", "favourite", "choose", "play_game", "learn_from", "hope"}
    assert story.keys() & evidence.keys() == shared
    assert {name: story[name] for name in shared} == {name: evidence[name] for name in shared}
