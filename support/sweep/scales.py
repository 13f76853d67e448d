"""The sizes at which the book can be computed."""

SCALES = ("published", "small")
"""``published`` is the documents' own scale and the default; ``small`` is for tests and for trying things out."""
