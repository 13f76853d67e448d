"""A built site loses what no page uses, and nothing else."""

import importlib.util
import os
import re
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.book.layout import BookError
from support.book.lighten import FEW, FIRST_SCRIPT, STORAGE, TOGGLE, _minify_all, _page, lighten, minified, sized
from support.book.lighten import FIGURE as FIGURE_TAG

THEME = Path(importlib.util.find_spec("pydata_sphinx_theme").origin).parent / "theme" / "pydata_sphinx_theme" / "static"
HEAD = """<html><head>
<script src="_static/bootstrap.js"></script>
<script>var thebe_selector = ".thebe"</script>
<script async="async" src="_static/sphinx-thebe.js"></script>
<link rel="stylesheet" href="_static/sphinx-thebe.css">
<script src="_static/searchtools.js"></script>
<script src="searchindex.js"></script>
</head><body>"""
BODY = """<div id="jb-print-docs-body"><h1>Again</h1></div>
<div id="searchbox"></div><h1>Once</h1><i class="fa-solid fa-magnifying-glass"></i>
<dl>
<dd><em class="sig-param">games</em>, </dd>
<dd><em class="sig-param">seed</em></dd>
</dl><dl>
<dd>A definition.</dd>
</dl><img alt="Nine lines" src="_images/figure.svg" style="width: 480px;" /><img src="_static/logo.svg" alt=""/>
</body></html>"""
SHAPES = "".join(
    f'<path d="M {i}.123456789 0.5 L 3 4" style="fill: none; stroke: #000000; stroke-width: 0.8"/>' for i in range(9)
)
FIGURE = f"""<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="18pt" height="9pt" viewBox="0 0 20 10">
 <metadata>made by hand</metadata><defs><circle id="mark" r="1"/></defs>
 <g id="figure">{SHAPES}<use xlink:href="#mark" x="2"/><text x="1" y="2">9.87654321 games</text></g></svg>"""


@pytest.fixture
def site(tmp_path):
    static = tmp_path / "_static"
    (static / "scripts").mkdir(parents=True)
    (static / "styles").mkdir()
    for name in ("scripts/fontawesome.js", "styles/pydata-sphinx-theme.css"):
        (static / name).write_bytes((THEME / name).read_bytes())
    (static / "sphinx-thebe.js").write_text("// a service that the book does not use")
    (static / "play").mkdir()
    (static / "play" / "page.js").write_text('button.classList.add("fa-dice")')
    (static / "scripts" / "fontawesome.js.map").write_text("{}")
    (static / "theme.js").write_text('button.classList.add("fa-moon")')
    (static / "documentation_options.js").write_text("const DOCUMENTATION_OPTIONS = {SHOW_SEARCH_SUMMARY: true};")
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "figure.svg").write_text(FIGURE)
    for name in ("index.html", "search.html"):
        (tmp_path / name).write_text(HEAD + BODY)
    lighten(tmp_path)
    return tmp_path


def icons(script):
    return set(re.findall(r'(?:"([\w-]+)"|\b(\w+)):\[\d+,\d+,\[', script))


def test_only_icons_that_are_named_stay(site):
    script = (site / "_static/scripts/fontawesome.js").read_text()
    kept = {one or other for one, other in icons(script)}
    assert kept == {"magnifying-glass", "moon", "dice"}  # one named by a page, two by scripts
    before = (THEME / "scripts/fontawesome.js").read_text()
    assert len(icons(before)) > 1000
    assert len(script) < 0.1 * len(before)
    # What is left is balanced as before: whole entries went, with their commas.
    assert [script.count(one) - script.count(other) for one, other in ("{}", "[]", "()")] == [
        before.count(one) - before.count(other) for one, other in ("{}", "[]", "()")
    ]


def test_rules_for_icons_go_and_others_stay(site):
    rules = (site / "_static/styles/pydata-sphinx-theme.css").read_text()
    before = (THEME / "styles/pydata-sphinx-theme.css").read_text()
    assert "content:" in rules
    assert ".fa-moon:before" in before
    assert ".fa-moon:before" not in rules
    assert rules.count(".bd-article") == before.count(".bd-article")


def test_pages_lose_scripts_that_they_do_not_use(site):
    page, search = ((site / name).read_text() for name in ("index.html", "search.html"))
    assert "thebe" not in page + search
    assert "_static/bootstrap.js" in page
    assert "searchtools" not in page
    assert "searchindex" not in page
    assert search.count("searchtools") == search.count("searchindex") == 1


def test_a_storage_that_is_refused_is_replaced_before_the_theme_asks_for_it(site, tmp_path):
    assert STORAGE not in (site / "index.html").read_text()
    page = tmp_path / "again.html"
    page.write_text(HEAD.replace("<head>", f"<head>{FIRST_SCRIPT}theme(localStorage)</script>") + BODY)
    text = _page(page)
    assert text.index(STORAGE) < text.index("theme(localStorage)")


def test_a_page_has_one_heading_and_sound_lists(site):
    page = (site / "index.html").read_text()
    assert re.findall("<h1>(.*?)</h1>", page) == ["Once"]
    assert page.count("<dl>") == 1
    assert "<dd>A definition.</dd>" in page
    assert re.findall(r'<span class="sig-line"><em class="sig-param">(\w+)', page) == ["games", "seed"]


def test_search_reads_pages_only_where_it_may(site):
    assert (
        'SHOW_SEARCH_SUMMARY: location.protocol !== "file:"' in (site / "_static/documentation_options.js").read_text()
    )


def test_a_figure_has_its_place_and_no_text_waits_for_it(site):
    page = (site / "index.html").read_text()
    figure, logo = re.findall("<img [^>]*>", page)
    assert 'decoding="async"' in figure
    assert 'width="24" height="12" alt="Nine lines"' in figure  # pixels, of 3/4 point
    assert figure.endswith('style="width: 480px;" />')
    assert logo == '<img src="_static/logo.svg" alt=""/>'


def test_maps_of_scripts_go_and_what_no_page_loads(site):
    assert list(site.rglob("*.map")) == []
    assert list(site.rglob("*thebe*")) == []


def test_many_figures_are_made_smaller_by_several_processes(tmp_path):
    figures = [tmp_path / f"{number}.svg" for number in range(FEW)]
    for path in figures:
        path.write_text(FIGURE)
    _minify_all(figures)
    assert {path.read_text() for path in figures} == {minified(FIGURE)}


def kill(path):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("support.book.lighten._minify", kill)
    with pytest.raises(BookError, match="a process that makes figures smaller was killed, as the system does where"):
        _minify_all([tmp_path / f"{number}.svg" for number in range(FEW)])


@pytest.mark.parametrize(
    ("name", "content"), [("scripts/fontawesome.js", "void 0"), ("styles/pydata-sphinx-theme.css", None)]
)
def test_a_theme_that_has_changed_is_refused(site, name, content):
    if content is None:
        (site / "_static" / name).unlink()
    else:
        (site / "_static" / name).write_text(content)
    with pytest.raises(BookError, match=r"nothing to make lighter; has the theme changed\?"):
        lighten(site)


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("</head>", '<script src="_static/documentation_options.js"></script></head>', FIRST_SCRIPT),
        ("</body>", '<li class="toctree-l1 has-children"><summary></summary></li></body>', TOGGLE),
    ],
)
def test_a_page_without_what_is_replaced_is_refused(tmp_path, before, after, wanted):
    page = tmp_path / "page.html"
    page.write_text((HEAD + BODY.replace("<img", "<i")).replace(before, after))
    with pytest.raises(BookError, match=r"page\.html: no <.* to replace; has the theme changed\?"):
        _page(page)
    page.write_text(page.read_text() + wanted)
    _page(page)


@pytest.mark.parametrize(
    ("size", "pixels"), [('width="400" height="300"', (400, 300)), ('width="6pt" height="3pt"', (8, 4))]
)
def test_a_figure_has_its_size_in_pixels(tmp_path, size, pixels):
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "figure.svg").write_text(FIGURE.replace('width="18pt" height="9pt"', size))
    found = FIGURE_TAG.sub(lambda tag: sized(tag, tmp_path), '<img src="_images/figure.svg">')
    assert found == '<img decoding="async" width="{}" height="{}" src="_images/figure.svg">'.format(*pixels)


def test_a_figure_without_a_size_is_named(tmp_path):
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "figure.svg").write_text("<svg></svg>")
    with pytest.raises(BookError, match=r"_images/figure\.svg: a figure without a width and a height"):
        FIGURE_TAG.sub(lambda tag: sized(tag, tmp_path), '<img src="_images/figure.svg">')


def test_a_smaller_figure_shows_the_same(site):
    svg = (site / "_images/figure.svg").read_text()
    assert svg == minified(FIGURE)
    assert len(svg) < len(FIGURE)
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(svg)
    assert len(list(root.iter(f"{space}path"))) == 9
    assert next(root.iter(f"{space}text")).text == "9.87654321 games"
    mark = next(root.iter(f"{space}use")).get("{http://www.w3.org/1999/xlink}href")
    assert f"#{next(root.iter(f'{space}circle')).get('id')}" == mark
    assert "by hand" not in svg
