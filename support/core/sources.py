"""Find the modules that a piece of code depends on, directly or indirectly, without importing any of them."""

import ast
import hashlib
import importlib.util
import re
from collections.abc import Collection, Iterable, Iterator
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
    modules = _Modules()
    todo = list(_wanted(code, "", True, modules))
    while todo:
        module, asked = todo.pop()
        left_out = module.partition(".")[0] not in packages or f"{module}.".startswith(f"{without}.")
        if left_out or (module, asked) in seen:
            continue
        seen.add((module, asked))
        spec = modules[module]
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            continue
        source = Path(spec.origin).read_bytes()
        if asked or module not in found:
            found[module] = hashlib.sha256(source if asked else _without_registries(source)).hexdigest()[:16]
        package = module if spec.submodule_search_locations else module.rpartition(".")[0]
        todo += _wanted(source, package, asked, modules)
    return dict(sorted(found.items()))


class _Modules(dict[str, ModuleSpec | None]):
    """The import system's records of modules; None if one is not installed, as an optional import may not be.

    Each is looked up once a search, because files may change between searches.
    """

    def __missing__(self, name: str) -> ModuleSpec | None:
        package, _, _ = name.rpartition(".")
        if package:
            parent = self[package]
            places = parent.submodule_search_locations if parent else None
            self[name] = PathFinder.find_spec(name, places) if places else None
        else:
            try:
                self[name] = importlib.util.find_spec(name)
            except ValueError:  # a loaded module without such a record
                self[name] = None
        return self[name]


def _wanted(source: str | bytes, package: str, asked: bool, modules: _Modules) -> Iterator[tuple[str, bool]]:
    """The modules that code in a package imports or names, and whether it may use what is in them."""
    statements, texts = _read(source)
    for level, start, names in statements:
        above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
        module = ".".join([*above, start] if start else above)
        below = [f"{module}.{name}" for name in names if modules[f"{module}.{name}"]]
        yield from _with_parents(module, not names or len(below) < len(names))
        yield from ((name, True) for name in below)
    for text in texts if asked else ():
        yield from _with_parents(text, True)


@cache
def _read(source: str | bytes) -> tuple[list[tuple[int, str, list[str]]], list[str]]:
    """The imports of some code, as (levels up, module, names), and the modules that its strings name."""
    statements: list[tuple[int, str, list[str]]] = []
    nodes = [*ast.walk(ast.parse(source))]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            statements.append((node.level, node.module or "", [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                statements.append((0, alias.name, []))
                if not alias.asname:  # the packages above it can be used too
                    statements += [(0, parent, []) for parent, _ in _with_parents(alias.name, True)]
    return statements, _named(nodes)


def _named(nodes: Iterable[ast.AST]) -> list[str]:
    """The modules that strings in some code name."""
    texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [name[1] for text in texts if (name := MODULE.fullmatch(text))]


@cache
def _without_registries(source: bytes) -> bytes:
    """The lines of some code, without the top-level assignments in which it names modules."""
    lines, modules = source.splitlines(keepends=True), _Modules()
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and any(modules[name] for name in _named(ast.walk(node))):
            del lines[node.lineno - 1 : node.end_lineno]
    return b"".join(lines)


def _with_parents(module: str, asked: bool) -> Iterator[tuple[str, bool]]:
    parts = module.split(".")
    yield from ((".".join(parts[:end]), False) for end in range(1, len(parts)))
    yield module, asked


def loaded(where: str) -> Any:
    """Import what a string such as ``"support.games.cards.kuhn:Kuhn"`` names: a module, a colon and a name in it."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
