"""Which modules some code depends on: what it imports, and what that imports, found without importing any of it."""

import ast
import hashlib
import importlib.util
import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

MODULE = re.compile(r"(\w+(?:\.\w+)+)(?::\w+)?")
"""A text that names a module, or something in it, as a registry does: ``support.games.cards.kuhn:Kuhn``."""


def sources(code: str | bytes, packages: Collection[str], without: str = "") -> dict[str, str]:
    """A hash of every module of some packages that a piece of code depends on, by name.

    Imports count wherever they stand, those inside functions too. So does a text that is no more than the name of a
    module, or ``module:name``, since a registry loads what it names. A package from which nothing is taken but
    modules counts without the values in which it names modules: nobody asks its registry (as
    ``import package.module`` could, and then ``package.registry``: nobody here writes so).

    Args:
        code: Python, such as that of a notebook's cells.
        packages: names of packages at the top whose modules count.
        without: a module that does not count, nor does anything below it.

    Raises:
        SyntaxError: the code is not Python.
    """
    found: dict[str, str] = {}
    seen = set()
    todo = list(_wanted(code, "", True))
    while todo:
        module, asked = todo.pop()
        left_out = module.partition(".")[0] not in packages or f"{module}.".startswith(f"{without}.")
        if left_out or (module, asked) in seen:
            continue
        seen.add((module, asked))
        spec = _spec(module)
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            continue
        source = Path(spec.origin).read_bytes()
        if asked or module not in found:
            found[module] = hashlib.sha256(source if asked else _without_registries(source)).hexdigest()[:16]
        todo += _wanted(source, module if spec.submodule_search_locations else module.rpartition(".")[0], asked)
    return dict(sorted(found.items()))


def _wanted(source: str | bytes, package: str, asked: bool) -> Iterator[tuple[str, bool]]:
    """Modules that code in a package imports, and whether something of theirs may be called; with those it names."""
    statements, texts = _read(source)
    for level, start, names in statements:
        above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
        module = ".".join([*above, start] if start else above)
        modules = [f"{module}.{name}" for name in names if _spec(f"{module}.{name}")]
        yield from _with_parents(module, not names or len(modules) < len(names))
        yield from ((name, True) for name in modules)
    for text in texts if asked else ():
        yield from _with_parents(text, True)


@cache
def _read(source: str | bytes) -> tuple[list[tuple[int, str, list[str]]], list[str]]:
    """The imports of some code, as levels up, module and names, and the modules that its texts name."""
    statements: list[tuple[int, str, list[str]]] = []
    texts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            statements.append((node.level, node.module or "", [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                statements.append((0, alias.name, []))
                if not alias.asname:  # what lies on the way to it can be called too
                    statements += [(0, parent, []) for parent, _ in _with_parents(alias.name, True)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (name := MODULE.fullmatch(node.value)):
            texts.append(name[1])
    return statements, texts


@cache
def _without_registries(source: bytes) -> bytes:
    """The lines of some code, but for assignments at its top in which it names modules."""
    lines = source.splitlines(keepends=True)
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and any(map(_spec, _read(ast.unparse(node))[1])):
            del lines[node.lineno - 1 : node.end_lineno]
    return b"".join(lines)


def _with_parents(module: str, asked: bool) -> Iterator[tuple[str, bool]]:
    parts = module.split(".")
    yield from ((".".join(parts[:end]), False) for end in range(1, len(parts)))
    yield module, asked


def _spec(name: str) -> ModuleSpec | None:
    """Where a module is found; None where it is not, such as one that is imported only if it is there."""
    package, _, _ = name.rpartition(".")
    if not package:
        try:
            return importlib.util.find_spec(name)
        except ValueError:  # a module that is there and came from nowhere
            return None
    parent = _spec(package)
    places = parent.submodule_search_locations if parent else None
    return PathFinder.find_spec(name, places) if places else None


def loaded(where: str) -> Any:
    """What a text such as ``"support.games.cards.kuhn:Kuhn"`` names: a module, a colon and a name in it."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
