"""docs/quality.md, from the results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.quality import (
    page_certainty,
    page_embedded,
    page_novelty,
    page_scores,
    page_seeds,
    page_tree,
    page_update,
    papers,
)
from benchmarks.quality.results import read

PARTS = ("clusters", "ablation", "sure", "auto", "readable", "embedded", "novelty", "tree", "update", "seeds", "papers")
HEAD = """# How good the topics are

Quire's topics beside the known classes of labelled corpora: means over seeds ± standard deviation. Made by
`make quality`, which measures what is not in `docs/quality` yet and writes this page.
"""


def page(folder: Path) -> str:
    """Return the page that the results of a folder give."""
    data = {part: read(folder, part) for part in PARTS}
    sections = [section for section in _sections(data, folder) if section]
    if not sections:
        sections = ["Nothing has been measured yet.\n"]
    return "\n".join([_head(data), *sections])


def write_page(folder: Path) -> Path:
    """Write the page beside the folder, its figure into the folder; return where the page is."""
    figure = page_certainty.figure(read(folder, "sure"))
    if figure:
        (folder / page_certainty.FIGURE).write_text(figure, "utf-8")
    path = folder.parent / f"{folder.name}.md"
    path.write_text(page(folder), "utf-8")
    return path


def _head(data: dict[str, Any]) -> str:
    machine = next((part["machine"] for part in data.values() if part["rows"]), None)
    return HEAD + (f"\nMeasured on {machine}.\n" if machine else "")


def _sections(data: dict[str, Any], folder: Path) -> list[str]:
    return [
        page_scores.verdict(data["clusters"]),
        page_scores.recipes(data["clusters"]),
        page_scores.short_texts(data["clusters"]),
        papers.papers(data["papers"]),
        page_embedded.embedded(data["embedded"]),
        page_scores.ablation(data["ablation"]),
        page_certainty.auto(data["auto"]),
        page_certainty.agreement(data["sure"]),
        page_certainty.calibration(data["sure"]),
        page_certainty.abstaining(data["sure"], folder.name),
        page_novelty.novelty(data["novelty"]),
        page_tree.tree(data["tree"]),
        page_update.update(data["update"]),
        page_seeds.seeds(data["seeds"]),
        page_certainty.readable(data["readable"]),
    ]
