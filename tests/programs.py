"""The programs that a story shows, cell by cell, for tests that run them."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[1]
HIDDEN = {"remove-input", "remove-cell"}


def code_cells(name):
    """The code cells of a notebook, by its name without the ending."""
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def programs(name, folded=False):
    """The sources of the cells that a reader sees as programs: no picture, no table, nothing hidden.

    Args:
        name: of the notebook, without the ending.
        folded: whether with the solutions of the exercises, which a reader unfolds; they change the programs.
    """
    found = []
    for cell in code_cells(name):
        tags, drawn = set(cell["metadata"].get("tags", [])), "figure" in cell["metadata"].get("mystnb", {})
        if not drawn and not tags & HIDDEN and (folded or not tags):
            found.append("".join(cell["source"]))
    return found
