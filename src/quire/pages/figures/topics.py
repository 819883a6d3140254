"""The figure of topics: names, sizes and words, as a table with bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from quire.pages.figures.colours import INK, SOFT, drawn
from quire.runs.run import Run
from quire.studies.figures import new_figure

_BAR, _ROW, _AROUND = "#4a86c5", 0.27, 0.7  # colour; inches


def topics_figure(run: Run, topics: int = 20, words: int = 6) -> Any:
    """Return a bar for each of the largest topics, with its name before and its words behind it."""
    if topics < 1:
        raise ValueError(f"topics={topics} must be at least 1.")
    table = run.topics.sort("size", descending=True, maintain_order=True).head(topics)
    figure, [[axis]] = new_figure(1, 1, 10.0, _AROUND + _ROW * len(table))
    places, sizes = np.arange(len(table)), table["size"].to_numpy()
    axis.barh(places, sizes, height=0.72, color=_BAR)
    axis.set_yticks(places, table["topic"].to_list(), color=SOFT)
    axis.set_ylim(len(table) - 0.4, -0.6)
    axis.tick_params("y", length=0)
    axis.spines[["left", "bottom"]].set_visible(False)
    axis.set_xticks([])
    axis.set_xlim(0, max(int(sizes.max(initial=0)), 1) * 1.3)
    _beside(axis, run, table, words)
    if len(table) < len(run.topics):
        largest = f"The {len(table)} largest of {len(run.topics)} topics"
        figure.suptitle(largest, x=0.01, ha="left", fontsize=9, color=SOFT)
    return figure


def _beside(axis: Any, run: Run, table: Any, words: int) -> None:
    """Write names before bars and sizes at their ends; shares, stability and words in columns of their own."""
    columns: list[tuple[int, str, Any]] = [(34, "share", ".1%")]
    columns += [(72, "stability", ".0%")] if run.stability is not None else []
    last = columns[-1][0] + 12

    def write(x: float, y: float, text: str, points: float, **how: Any) -> None:
        across = axis.get_yaxis_transform()
        axis.annotate(
            text, (x, y), (points, 0), xycoords=across, textcoords="offset points",
            **{"va": "center", "fontsize": 8, "color": SOFT, "parse_math": False} | how,
        )  # fmt: skip

    for place, row in enumerate(table.iter_rows(named=True)):
        write(0, place, drawn(row["name"], 40), -22, ha="right", color=INK, fontsize=9)
        write(row["size"] / axis.get_xlim()[1], place, f"{row['size']:,}", 3, color=INK)
        for points, name, form in columns:
            write(1, place, "–" if row[name] is None else format(row[name], form), points, ha="right")
        write(1, place, _whole(row["keywords"][:words], 58), last, color=INK)
    for points, name, _ in columns:
        write(1, -0.75, "stable" if name == "stability" else name, points, ha="right", va="bottom", style="italic")


def _whole(words: list[str], most: int) -> str:
    """Return as many words as a line holds, none of them cut but the first."""
    line = drawn(words[0], most) if words else ""
    for word in words[1:]:
        longer = drawn(f"{line}, {word}", most)
        if longer.endswith("…"):
            break
        line = longer
    return line
