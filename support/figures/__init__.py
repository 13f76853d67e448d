"""The book's pictures, one look for all of them: vector graphics that follow the page into dark mode."""

from support.figures.style import BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, Picture, axes, drawn

__all__ = ["BLUE", "GREEN", "GREY", "ORANGE", "PINK", "RED", "SKY", "Picture", "axes", "drawn"]
