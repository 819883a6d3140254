"""Whole documents of a run whose passages were gathered, as the page shows them."""

from __future__ import annotations

from typing import Any

from quire.messages import counted, short
from quire.pages.sections.section import Asked, TableSection
from quire.runs.run import Run

_MOST = 5000  # documents in the table
_TOPICS = 3  # of a document that are named


def wholes_section(run: Run, asked: Asked) -> TableSection:
    """Return the topics of whole documents; a table without columns where documents are whole anyway."""
    if "document" not in run.documents.columns:
        return TableSection("", [], [], [])
    wholes, names = run.whole_documents(), run.topics["name"].to_list()
    known = [name for name in ("title", "date", "label") if name in wholes.columns]
    columns = ["Document", *(name.capitalize() for name in known), "Passages"]
    columns += [
        heading for place in ("First", "Second", "Third")[:_TOPICS] for heading in (f"{place} topic", f"{place} share")
    ]
    rows = [
        [short(row["id"]), *(None if row[name] is None else short(str(row[name])) for name in known), row["passages"],
         *_largest(row["memberships"], names)]
        for row in wholes.head(_MOST).iter_rows(named=True)
    ]  # fmt: skip
    text = [
        f"{counted(len(wholes), 'document')} in {counted(len(run.documents), 'passage')}: topics are of passages, and "
        "a document has the mean of the memberships of its passages, weighted by their length."
    ]
    if len(wholes) > _MOST:
        text.append(f"The table has the first {_MOST:,}; run.whole_documents() has all.")
    return TableSection("Whole documents", text, columns, rows)


def _largest(shares: list[float], names: list[str]) -> list[Any]:
    """Return names and shares of the largest topics, none where a share is 0."""
    order = sorted(range(len(shares)), key=lambda topic: -shares[topic])[:_TOPICS]
    cells: list[Any] = [cell for topic in order for cell in (short(names[topic]), round(shares[topic], 4))]
    cells += [None] * (2 * _TOPICS - len(cells))
    return [cell if cells[i // 2 * 2 + 1] else None for i, cell in enumerate(cells)]
