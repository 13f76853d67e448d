"""How readers see the records of judged claims: as a line in the terminal, or a box or a table on a page."""

import html
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

SIGNS = {
    "reproduced": "✓",
    "confirmed": "✓",
    "differs": "≠",
    "refuted": "✗",
    "undecided": "?",
    "not comparable": "∥",
    "answered": "●",
}
"""A sign for each verdict, because colour alone must not distinguish them."""
PARTS = {True: SIGNS["confirmed"], False: SIGNS["refuted"], None: SIGNS["undecided"]}
"""A sign for each part of a statement: it holds, it does not, it is open."""
INTERVALS = {
    "rate": "95% interval of the rate {} to {}",
    "ratio": "95% interval of the ratio {} to {}",
    "mean": "95% interval of the mean over seeds {} to {}",
    "runs": "95% of single runs lie between {} and {}",
}
"""What an interval is about: a proportion of games, a ratio of two, a mean over seeds, or single runs."""
DETAILS = {
    "quote": "In the author's words",
    "criterion": "Criterion",
    "would_pass": "Published values that would have passed",
    "would_decide": "What would decide it",
    "deviation": "How our run differs from the author's",
    "limitations": "What the verdict does not say",
}
"""The questions that a referee asks about a verdict, by their names in the records."""


def anchor_of(name: str) -> str:
    """The place on its chapter's page where a claim's measurement is shown, by the claim's id."""
    return "claim-" + name.replace("/", "-")


def show_value(row: Mapping[str, Any]) -> str:
    """The measured value as readers see it, with its interval and numbers."""
    measured = row["measured"]
    if isinstance(measured, float):
        measured = f"{measured:.4g}"
    if row["value"] is not None:
        decimals = min(len(row["published"].partition(".")[2]), 15) if row["kind"] == "digits" else 4
        short = f"{row['value']:.{decimals}f}"
        measured = short if Fraction(short) == Fraction(measured) else f"{short} ({measured})"
    parts = [str(measured)]
    if row["interval"]:
        unit = "%" if re.match(r"\D*[\d.]+%", str(measured)) else ""
        ends = (f"{end:,.0f}" if abs(end) >= 1000 else f"{end:.3g}{unit}" for end in row["interval"])
        parts.append(INTERVALS[row["interval_kind"]].format(*ends))
    parts += [f"{row[name]:,} {name[:-1] if row[name] == 1 else name}" for name in ("games", "seeds") if row[name]]
    parts += ["computed for each seed"] if row["games"] == 0 else []
    return ", ".join(parts)


def as_text(row: Mapping[str, Any]) -> str:
    """One record as one line for the terminal."""
    published = f"published {row['published']}; " if row["published"] else ""
    return f"{SIGNS[row['verdict']]} {row['verdict']:<10} {row['id']}: {published}ours {show_value(row)}"


def true_minus(text: str) -> str:
    """Text with a true minus before numbers."""
    return re.sub(r"(?<![\w.)])-(?=\d)", "−", text)


def typeset(text: str) -> str:
    """Text as HTML, with a true minus before numbers."""
    return true_minus(html.escape(text))


def badge(verdict: str) -> str:
    """A verdict as a small coloured mark, readable without the colour."""
    return f'<span class="verdict verdict-{verdict.replace(" ", "-")}">{SIGNS[verdict]} {verdict}</span>'


def p_value(probability: float | None) -> str:
    """A p-value as readers see it; nothing if there is none."""
    if probability is None:
        return ""
    return f"{probability:.3f}" if probability >= 0.001 else "less than 0.001"


def details(row: Mapping[str, Any]) -> str:
    """A referee's questions about a verdict, folded away: one line for each question that the record answers."""
    lines = [(name, [f"“{row[key]}”" if key == "quote" else row[key]]) for key, name in DETAILS.items() if row[key]]
    if row["surprise"] is not None:
        named = (("surprise", "what was published"), ("control", "the control, which must fail"))
        lines.append(("p-values", [f"{p_value(row[key])}: {words}" for key, words in named]))
    if parts := row["parts"]:
        lines.append(("Its parts", [f"{PARTS[holds]} {words}" for words, holds in parts.items()]))
    if not lines:
        return ""
    body = "".join(
        f"<dt>{typeset(name)}</dt>" + "".join(f"<dd>{typeset(one)}</dd>" for one in said) for name, said in lines
    )
    return f'<details class="claim-more"><summary>How it was judged</summary><dl>{body}</dl></details>'


def as_html(row: Mapping[str, Any]) -> str:
    """One record as the line that a chapter shows where it was measured."""
    note = f'<span class="claim-note">{typeset(row["note"])}</span>' if row["note"] else ""
    published = f"Published: {typeset(row['published'])}. " if row["published"] else ""
    values = f"{published}Ours: {typeset(show_value(row))}."
    return (
        f'<div class="claim" id="{anchor_of(row["id"])}">{badge(row["verdict"])} '
        f'<span class="claim-text">{typeset(row["claim"])}</span>'
        f'<span class="claim-values">{values}</span>{note}{details(row)}</div>'
    )


def as_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Records as the rows of one HTML table."""
    body = "".join(
        f'<tr id="{anchor_of(row["id"])}"><td>{badge(row["verdict"])}</td>'
        f"<td>{typeset(row['claim'])}</td><td>{typeset(row['published']) or '–'}</td>"
        f"<td>{typeset(show_value(row))}{details(row)}</td></tr>"
        for row in rows
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Verdict", "Claim", "Published", "Ours"))
    return (
        '<div class="wide-table" tabindex="0" role="group" aria-label="Verdicts">'
        f'<table class="verdicts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )
