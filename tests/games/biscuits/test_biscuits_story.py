"""The program on the page is the program that is checked."""

import ast
import json
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"


def functions(name):
    """The functions that a notebook defines, by name, without what is said of them in comments."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return {
        node.name: ast.unparse(node)
        for source in code
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    }


def test_the_evidence_checks_the_functions_that_the_story_prints():
    story, evidence = functions("01-biscuits"), functions("01-biscuits-evidence")
    shared = {"moves", "cold_squares", "favourite", "choose", "play_game", "learn_from", "hope"}
    assert story.keys() & evidence.keys() == shared
    assert {name: story[name] for name in shared} == {name: evidence[name] for name in shared}
