"""What pictures show, for the tests of those who draw them."""

import re
import xml.etree.ElementTree as ET


def tags(picture, name):
    """The elements of a kind, once the picture is known to be well-formed, themed and without missing coordinates."""
    root = ET.fromstring(picture.svg)
    assert "prefers-color-scheme:dark" in picture.svg
    assert not re.search(r"\b(nan|inf)\b", picture.svg, re.IGNORECASE)
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def words(picture):
    """The texts of a picture."""
    return ["".join(element.itertext()).strip() for element in tags(picture, "text")]


def key(figure):
    """The names in the key of a figure of matplotlib."""
    return [text.get_text() for text in figure.legends[0].get_texts()]
