"""What updates did to the topics of a run, as the page shows it."""

from __future__ import annotations

from quire.messages import counted, short
from quire.pages.sections.section import Asked, TableSection
from quire.runs.history import SAME
from quire.runs.run import Run

_COLUMNS = ["Update", "Date", "Topic", "Name", "Change", "Documents", "Came", "Share", "Share of what came",
            "Words came", "Words went"]  # fmt: skip
_LATEST = 40  # updates in the table


def history_section(run: Run, asked: Asked) -> TableSection:
    """Return a row for every topic that an update changed, the latest first; no columns where there was none."""
    history = run.updates
    if not history:
        return TableSection("", [], [], [])
    text = [
        f"{counted(len(history), 'update')}: topics keep their numbers and names, and new ones come behind them. "
        "Topics whose share among the documents that came is the same, and whose words are, are left out."
    ]
    text += [short(sentence) for sentence in history[-1]["sentences"]]
    rows: list[list[str | float | None]] = [
        [
            number + 1, entry["created"][:10], row["topic"], short(row["name"]), row["change"], row["documents"],
            row["added"], round(row["share"], 4), round(row["share_added"], 4), short(", ".join(row["came"])),
            short(", ".join(row["went"])),
        ]
        for number, entry in reversed(list(enumerate(history))[-_LATEST:])
        for row in entry["topics"]
        if row["change"] != SAME or row["went"]
    ]  # fmt: skip
    return TableSection("Updates", text, _COLUMNS, rows)
