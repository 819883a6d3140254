"""A run as HTML for a cell of a notebook: everything escaped, and readable on light and on dark paper.

Styles are attributes, since a notebook that is not trusted drops style sheets; text has the colour that the notebook
gives it, and what is drawn has one that shows on both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from quire.messages import counted

_RULE = "border-bottom:1px solid rgba(128,128,128,.35)"
_CELL = f"padding:.25em .7em;text-align:left;vertical-align:middle;{_RULE}"
_NUMBER = f"padding:.25em .7em;text-align:right;vertical-align:middle;{_RULE}"
_TRACK = "display:inline-block;width:7em;height:.7em;background:rgba(128,128,128,.22);border-radius:2px;overflow:hidden"
_FILL = "display:block;height:100%;background:#4a86c5"
_SHOWN, _WORDS, _LONGEST = 60, 8, 120  # topics and words that are listed; letters of one


class Markup(str):
    """What is HTML already."""


def text_of(value: Any) -> Markup:
    """Return anything as HTML that says the same and does nothing."""
    return value if isinstance(value, Markup) else Markup(escape(str(value)))


def bar(share: float, full: float = 1.0) -> Markup:
    """Return a bar that is as long as its share of the longest one."""
    percent = 100 * min(max(share / full, 0.0), 1.0) if full > 0 else 0.0
    return Markup(f'<span style="{_TRACK}"><span style="{_FILL};width:{percent:.1f}%"></span></span>')


def heading(text: str) -> Markup:
    """Return a heading."""
    return Markup(f'<div style="font-weight:600;font-size:1.05em;margin:.2em 0">{text_of(text)}</div>')


def line(text: str, quoted: bool = False) -> Markup:
    """Return a line of text."""
    style = "margin:.3em 0;font-style:italic" if quoted else "margin:.2em 0;opacity:.8"
    return Markup(f'<div style="{style}">{text_of(text)}</div>')


def words_of(words: Sequence[str]) -> str:
    """Return keywords in a line."""
    return ", ".join(word[:_LONGEST] for word in words) or "–"


def rows_of(headings: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Iterable[int] = ()) -> Markup:
    """Return a table; the columns of these numbers stand to the right."""
    right = set(numbers)

    def cells(row: Sequence[Any], tag: str) -> str:
        styled = ((_NUMBER if i in right else _CELL, value) for i, value in enumerate(row))
        return "".join(f'<{tag} style="{style}">{text_of(value)}</{tag}>' for style, value in styled)

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    table = f'<table style="border-collapse:collapse;margin:.5em 0"><thead><tr>{cells(headings, "th")}</tr></thead>'
    return Markup(f"{table}<tbody>{body}</tbody></table>")


def run_html(run: Any) -> str:
    """Return the topics of a run: number, name, size as a bar, how stable, and keywords."""
    topics, n = run.topics.head(_SHOWN), len(run.documents)
    largest = max(run.topics["size"].to_list(), default=0)
    stable = run.stability is not None
    headings = ["", "Topic", "Documents", "", "Share", *["Stable"] * stable, "Keywords"]
    rows = [_row(row, largest, stable) for row in topics.iter_rows(named=True)]
    left = int((run.labels < 0).sum())
    parts = [f"{counted(n, 'document')}, {counted(len(run.topics), 'topic')}, recipe {run.recipe.name}"]
    parts += [f"{left:,} in no topic"] * bool(left)
    more = len(run.topics) - len(topics)
    last = line(f"and {counted(more, 'topic')} more: run.topics") if more else ""
    return f"<div>{heading(', '.join(parts))}{rows_of(headings, rows, [0, 2, 4, *[5] * stable])}{last}</div>"


def _row(row: dict[str, Any], largest: int, stable: bool) -> list[Any]:
    sure = ["–" if row["stability"] is None else f"{row['stability']:.0%}"] * stable
    name = Markup(f"<b>{text_of(row['name'][:_LONGEST])}</b>")
    size = [f"{row['size']:,}", bar(row["size"], largest), f"{row['share']:.1%}"]
    return [row["topic"], name, *size, *sure, words_of(row["keywords"][:_WORDS])]
