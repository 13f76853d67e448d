"""Equations become MathML, and the site brings a font with their letters along."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from support.book.equations import FONT, _font, italic, mathml, write_font
from support.book.layout import BookError

PAGE = r"""# Toy

The discount is $\gamma$, and $Q_\theta(s, h)$ a value, as {eq}`toy-sum` says.

```{math}
:label: toy-sum
\sum_{k = 1}^{n} \left(\frac{1}{6}\right)^k \leftarrow \max_h Q(s, h).
```

$$
\begin{aligned}
a &= b, \\
b &= c.
\end{aligned}
$$
"""


def built(root, page):
    (root / "conf.py").write_text(
        "extensions = ['myst_parser', 'support.book.equations']\nproject = 'Toy'\nhtml_math_renderer = 'mathml'\n"
        "myst_enable_extensions = ['dollarmath']\nmath_number_all = False\nnumfig = True\n"
    )
    (root / "index.md").write_text(page)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(root), str(root / "html")]
    return subprocess.run(command, capture_output=True, text=True, check=False), root / "html"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    done, site = built(tmp_path_factory.mktemp("toy"), PAGE)
    assert done.returncode == 0, done.stderr
    return site


def letters(path):
    return set(TTFont(path).getBestCmap())


def test_an_equation_is_sound_mathml():
    inline, display = (ElementTree.fromstring(mathml(r"\frac{a}{2} \le x", display)) for display in (False, True))
    assert inline.get("display") is None
    assert display.get("display") == "block"
    assert [one.text for one in display.iter("{http://www.w3.org/1998/Math/MathML}mi")] == ["a", "x"]


def test_a_fraction_of_two_digits_needs_no_braces():
    short, whole = (
        ElementTree.fromstring(mathml(tex)) for tex in (r"\frac12 + \tfrac16", r"\frac{1}{2} + \tfrac{1}{6}")
    )
    assert [one.text for one in short.iter()] == [one.text for one in whole.iter()]
    assert len(list(short.iter("{http://www.w3.org/1998/Math/MathML}mfrac"))) == 2


def test_what_has_no_mathml_is_named():
    with pytest.raises(BookError, match=r"no MathML for the equation .*nonsense"):
        mathml(r"a + \nonsense{b}")


@pytest.mark.parametrize("tex", [r"\operatorname{arg\,max} x", r"\nonsense{b}"])
def test_no_tex_is_left_over(tex):
    with pytest.raises(BookError, match="no MathML for the equation") as error:
        mathml(tex)
    assert repr(tex) in str(error.value)


def test_primes_are_raised():
    (raised,) = ElementTree.fromstring(mathml("s'"))
    assert raised.tag.endswith("msup")
    assert [part.text for part in raised] == ["s", "′"]
    twice = mathml("s'' + t")
    assert twice.count("′") == 2
    assert "'" not in twice


def test_a_page_with_equations_loads_no_script_for_them(site):
    page = BeautifulSoup((site / "index.html").read_text(), "html.parser")
    assert len(page.select("p .math > math")) == 2
    numbered, several = page.select("div.math")
    assert numbered.select_one(".eqno").get_text().startswith("(1)")
    assert page.select_one("p a[href='#equation-toy-sum']").get_text() == "(1)"
    assert numbered["id"] == "equation-toy-sum"
    assert several.select_one(".eqno") is None
    assert len(several.select("mtr")) == 2
    assert numbered.select_one(".equation")["aria-label"] == "Equation (1)"
    # What is too wide scrolls inside itself, by keyboard too.
    assert all(one.select_one(".equation")["tabindex"] == "0" for one in (numbered, several))
    assert [one["src"] for one in page.select("script[src]") if "math" in one["src"].lower()] == []


def test_an_equation_without_mathml_stops_the_build(tmp_path):
    done, _ = built(tmp_path, "# Toy\n\n$\\nonsense$\n")
    assert done.returncode != 0
    assert "index.md" in done.stderr
    assert "nonsense" in done.stderr


def test_the_font_has_what_the_equations_use(site):
    font = site / "_static" / FONT
    # Written: gamma, theta, Q; set: their italics; h has an italic of its own.
    assert letters(font) >= {ord(one) for one in "𝛾𝜃𝑄ℎ∑←()√−"}
    assert ord("𝑧") not in letters(font)
    assert "MATH" in TTFont(font)
    assert font.stat().st_size < 0.1 * _font().stat().st_size
    assert "Open Font License" in str(TTFont(font)["name"].getName(13, 3, 1))


def test_the_font_has_italics_of_all_letters(tmp_path):
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγδεζηθικλμνξοπρςστυφχψωΓΔΘΛΞΠΣΦΨΩϵϑϕϰϱϖıȷ∂∇"
    write_font(tmp_path / FONT, [f"<math><mi>{one}</mi></math>" for one in alphabet])
    italics = "𝑎𝑏𝑐𝑑𝑒𝑓𝑔ℎ𝑖𝑗𝑘𝑙𝑚𝑛𝑜𝑝𝑞𝑟𝑠𝑡𝑢𝑣𝑤𝑥𝑦𝑧𝐴𝐵𝐶𝐷𝐸𝐹𝐺𝐻𝐼𝐽𝐾𝐿𝑀𝑁𝑂𝑃𝑄𝑅𝑆𝑇𝑈𝑉𝑊𝑋𝑌𝑍𝛼𝛽𝛾𝛿𝜀𝜁𝜂𝜃𝜄𝜅𝜆𝜇𝜈𝜉𝜊𝜋𝜌𝜍𝜎𝜏𝜐𝜑𝜒𝜓𝜔𝛤𝛥𝛩𝛬𝛯𝛱𝛴𝛷𝛹𝛺𝜖𝜗𝜙𝜘𝜚𝜛𝚤𝚥𝜕𝛻"
    assert "".join(map(italic, alphabet)) == italics
    assert "".join(map(italic, "1(∑→")) == "1(∑→"
    assert {ord(one) for one in italics} <= letters(tmp_path / FONT)
    assert ord("𝝰") not in letters(tmp_path / FONT)


def test_text_outside_of_equations_asks_for_no_letters(tmp_path):
    write_font(tmp_path / FONT, ["<p>⊕</p><math><mo>⊗</mo></math>"])
    assert ord("⊗") in letters(tmp_path / FONT)
    assert ord("⊕") not in letters(tmp_path / FONT)
