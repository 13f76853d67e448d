"""Find the modules that a piece of code depends on, directly or indirectly, without importing any of them."""

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

MODULE = re.compile(r"(\w+(?:\.\w+)+|\w+(?=:))(?::\w+)?(?:\([^()]*\))?")
"""A string that names a module or something in it, as registries do: ``support.games.cards.kuhn:Kuhn``, ``mine:Own``.

Settings may follow: ``mine:Own(step=1/2)``.
"""


def sources(code: str | bytes, packages: Collection[str], without: str = "") -> dict[str, str]:
    """Hashes, by module name, of all modules of some packages that a piece of code depends on.

    Imports count wherever they stand, even inside functions. A string that is just a module's name, or
    ``module:name``, counts too, because a registry loads what it names. If code imports nothing but modules from a
    package, the package is hashed without the top-level assignments in which it names modules, because the code does
    not use its registry. (Code could: ``import package.module``, then ``package.registry``. None here does.)

    Args:
        code: Python, such as that of a notebook's cells.
        packages: names of the top-level packages whose modules count.
        without: a module that does not count, together with everything below it.

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
    """The modules that code in a package imports or names, and whether it may use what is in them."""
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
    """The imports of some code, as (levels up, module, names), and the modules that its strings name."""
    statements: list[tuple[int, str, list[str]]] = []
    texts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            statements.append((node.level, node.module or "", [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                statements.append((0, alias.name, []))
                if not alias.asname:  # the packages above it can be used too
                    statements += [(0, parent, []) for parent, _ in _with_parents(alias.name, True)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (name := MODULE.fullmatch(node.value)):
            texts.append(name[1])
    return statements, texts


@cache
def _without_registries(source: bytes) -> bytes:
    """The lines of some code, without the top-level assignments in which it names modules."""
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
    """The import system's record of a module; None if it is not installed, as an optional import may not be."""
    package, _, _ = name.rpartition(".")
    if not package:
        try:
            return importlib.util.find_spec(name)
        except ValueError:  # a loaded module without such a record
            return None
    parent = _spec(package)
    places = parent.submodule_search_locations if parent else None
    return PathFinder.find_spec(name, places) if places else None


def loaded(where: str) -> Any:
    """Import what a string such as ``"support.games.cards.kuhn:Kuhn"`` names: a module, a colon and a name in it."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
