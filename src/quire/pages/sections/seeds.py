"""What some topics were to be about, and what came of it, as the page shows it."""

from __future__ import annotations

from quire.messages import counted, short
from quire.pages.sections.section import Asked, TableSection
from quire.runs.run import Run


def seeds_section(run: Run, asked: Asked) -> TableSection:
    """Return the seeds of a run and the topics they found; no columns where there are none."""
    seeds = run.info.get("seeds") or []
    if not seeds:
        return TableSection("", [], [], [])
    found = sum(row["topic"] is not None for row in seeds)
    text = [
        f"{found} of {counted(len(seeds), 'seed')} found a topic. Seeds steer and do not force: documents go where "
        "their words are. The share of a topic's documents that hold a word of its seed tells how far it is about that."
    ]
    rows: list[list[str | float | None]] = [
        [
            short(row["name"]), row["topic"], short(", ".join(row["words"])), len(row["documents"]),
            round(row["share"], 4), short(", ".join(row["unknown"])),
        ]
        for row in seeds
    ]  # fmt: skip
    columns = ["Seed", "Topic", "Words", "Examples", "Share that holds a word", "Not in the documents"]
    return TableSection("Seeds", text, columns, rows)
