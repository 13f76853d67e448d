"""Which modules some code depends on."""

import sys
from types import ModuleType

import pytest

from support.core.sources import sources

FILES = {
    "__init__.py": "from . import always\n",
    "always.py": "",
    "registry/__init__.py": 'TABLE = {{"late": "{name}.registry.late:Late", "plain": "{name}.plain"}}\n',
    "registry/late.py": "def late():\n    from ..deep.deepest import bottom\n",
    "registry/early.py": "",
    "deep/__init__.py": "",
    "deep/deepest.py": "from . import bottom\n",
    "deep/bottom.py": "import {name}.registry.early as early\n",
    "plain.py": "import json\nimport {name}.not_there\nimport homeless.module\n",
    "unused.py": "",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes a package, which nothing imports, and returns its name."""
    name = f"sources_{tmp_path.name}"
    for path, text in FILES.items():
        (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / path).write_text(text.format(name=name))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "homeless", ModuleType("homeless"))  # as __main__ often is
    return name


def found(name, code):
    return {module.removeprefix(name).lstrip(".") for module in sources(code.format(name=name), {name})}


HOME = {"", "always"}
DEEP = {"deep", "deep.deepest", "deep.bottom", "registry", "registry.early"}
ALL = HOME | DEEP | {"registry.late", "plain"}


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("x = 1", set()),
        ("import json, not_there", set()),
        ("from homeless import anything", set()),
        ("import {name}", HOME),
        ("from {name} import plain", HOME | {"plain"}),
        ("from {name}.plain import anything", HOME | {"plain"}),
        ("def f():\n    if False:\n        import {name}.plain", HOME | {"plain"}),
        ("from {name}.registry import early", HOME | {"registry", "registry.early"}),
        ("import {name}.registry.early as early", HOME | {"registry", "registry.early"}),
        ("from {name}.registry import late", HOME | DEEP | {"registry.late"}),
        # Whoever takes something from the registry may ask for all that it names.
        ("from {name}.registry import TABLE", ALL),
        ("from {name}.registry import early, TABLE", ALL),
        ("from {name}.registry import early\nfrom {name}.registry import *", ALL),
        ("import {name}.registry.early", ALL),
        ("load('{name}.plain')", HOME | {"plain"}),
        ("load('{name}.registry.late:late')", HOME | DEEP | {"registry.late"}),
        ("load('{name}.registry.late:late(step=1/2 more=3)', '{name}:X')", HOME | DEEP | {"registry.late"}),
        ("load('{name}:X')", HOME),
        ("load('see {name}.plain', '{name}.plain and more', '{name}', '{name}.nowhere.at.all:X')", HOME),
    ],
)
def test_what_is_imported_or_named_is_followed_and_nothing_else(package, code, modules):
    assert found(package, code) == modules
    assert not any(module.startswith(package) for module in sys.modules)


def test_a_module_and_what_lies_below_it_can_be_left_out(package):
    code = f"from {package}.registry import TABLE"
    assert not any("registry" in module for module in sources(code, {package}, without=f"{package}.registry"))
    assert sources(code, {package}, without=f"{package}.reg") == sources(code, {package})


def test_a_change_shows_in_the_hash_of_its_module_alone(package, tmp_path):
    code = f"from {package}.registry import late"
    before = sources(code, {package})
    for file, changed in (("unused.py", set()), ("deep/bottom.py", {f"{package}.deep.bottom"})):
        with (tmp_path / package / file).open("a") as text:
            text.write("# changed\n")
        after = sources(code, {package})
        assert {module for module in before if before[module] != after[module]} == changed
        assert set(after) == set(before)


def test_a_new_line_in_a_registry_shows_only_where_the_registry_is_asked(package, tmp_path):
    codes = f"from {package}.registry import late", f"from {package}.registry import TABLE"
    before = [sources(code, {package})[f"{package}.registry"] for code in codes]
    file = tmp_path / package / "registry/__init__.py"
    file.write_text(file.read_text().replace("}", f', "more": "{package}.deep.bottom"}}'))
    after = [sources(code, {package})[f"{package}.registry"] for code in codes]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]
    file.write_text("import json\n" + file.read_text())
    assert sources(codes[0], {package})[f"{package}.registry"] != before[0]


def test_a_value_that_only_looks_like_a_module_shows(package, tmp_path):
    code, file = f"from {package}.registry import late", tmp_path / package / "registry/__init__.py"
    before = sources(code, {package})[f"{package}.registry"]
    file.write_text('STEP = "0.5"\n' + file.read_text())
    one = sources(code, {package})[f"{package}.registry"]
    file.write_text(file.read_text().replace("0.5", "0.7"))
    assert len({before, one, sources(code, {package})[f"{package}.registry"]}) == 3


def test_code_that_is_not_python_is_refused():
    with pytest.raises(SyntaxError):
        sources("%matplotlib inline", {"support"})
