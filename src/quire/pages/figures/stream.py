"""The figure of topics over time: a band each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.messages import counted
from quire.pages.figures.colours import GREY, INK, drawn, topic_colours
from quire.pages.layout import topic_discs
from quire.pages.periods import sparks
from quire.runs.run import Run
from quire.studies.figures import new_figure

_LETTER, _LINE = 0.06, 0.15  # inches that a letter and a line of a name take
_DARK = 0.5  # of the lightness of a colour, below which what is written on it is white
_PLACES = 400  # along the stream, at which a name is tried


class Band(NamedTuple):
    """A topic in a stream."""

    name: str
    colour: Any
    counts: NDArray[np.float64]

    @property
    def is_dark(self) -> bool:
        """Whether a name in it is better white."""
        return float(np.dot(self.colour, (0.299, 0.587, 0.114))) < _DARK


def stream_figure(run: Run, topics: int = 12) -> Any:
    """Return a stream: bands of the largest topics, as wide as there are documents, and one of all others."""
    if topics < 1:
        raise ValueError(f"topics={topics} must be at least 1.")
    found = sparks(run)
    if found is None:
        raise ValueError("A stream needs dates, and no document has one: name their column with date=.")
    bin, days, counts = found
    if len(days) < 2:
        raise ValueError(f"A stream needs more than one {bin}, and all documents are of the one that begins {days[0]}.")
    bands = _bands(run, np.asarray(counts, np.float64), topics)
    figure, [[axis]] = new_figure(1, 1, 9.0, 4.6)
    starts = [date.fromisoformat(day) for day in days]
    colours = [band.colour for band in bands]
    drawn_bands = axis.stackplot(starts, *(band.counts for band in bands), colors=colours, baseline="sym")
    for one in drawn_bands:
        one.set(linewidth=0.4, edgecolor="white")
    axis.set_xlim(starts[0], starts[-1])
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    axis.set_title(f"Documents by {bin}", fontsize=9, loc="left")
    _name(axis, np.asarray(axis.convert_xunits(starts), np.float64), bands, drawn_bands)
    return figure


def _bands(run: Run, counts: NDArray[np.float64], topics: int) -> list[Band]:
    """Return the largest topics in their order, and all others as one."""
    chosen = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:topics])
    colours = topic_colours(topic_discs(np.maximum(run.H, 0), run.topics["share"].to_numpy())[0])
    bands = [Band(drawn(run.topics["name"][int(t)], 40), tuple(colours[t]), counts[t]) for t in chosen]
    rest = np.delete(counts, chosen, axis=0)
    return [*bands, Band(f"{counted(len(rest), 'other')}", GREY, rest.sum(axis=0))] if rest.any() else bands


def _name(axis: Any, starts: NDArray[np.float64], bands: list[Band], patches: Any) -> None:
    """Name bands where they lie, and beside them those that have no room there."""
    _legend(axis, patches, bands)  # all of them, which takes as much of the width as can be taken
    axis.figure.draw_without_rendering()
    named = _name_bands(axis, starts, bands)
    axis.get_legend().remove()
    left = [i for i in range(len(bands)) if i not in named]
    if left:
        _legend(axis, [patches[i] for i in left], [bands[i] for i in left])


def _legend(axis: Any, patches: Any, bands: list[Band]) -> None:
    names = [band.name for band in bands[::-1]]  # top to bottom, as they lie
    legend = axis.legend(
        patches[::-1], names, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _name_bands(axis: Any, starts: NDArray[np.float64], bands: list[Band]) -> set[int]:
    """Write names into bands where they fit; return which have one."""
    fine = np.linspace(starts[0], starts[-1], _PLACES)
    heights = np.array([np.interp(fine, starts, band.counts) for band in bands])
    tops = np.cumsum(heights, axis=0) - heights.sum(axis=0) / 2
    box = axis.get_window_extent().transformed(axis.figure.dpi_scale_trans.inverted())
    line, named = _LINE * np.ptp(axis.get_ylim()) / box.height, set()
    for i, band in enumerate(bands):
        reach = int(np.ceil(len(band.name) * _LETTER / 2 / box.width * _PLACES))
        best, middle, at = max(_rooms(tops[i] - heights[i], tops[i], reach), default=(0.0, 0.0, 0))
        if best >= line:
            how = {"ha": "center", "va": "center", "fontsize": 8, "color": "white" if band.is_dark else INK}
            axis.text(fine[at], middle, band.name, parse_math=False, **how)
            named.add(i)
    return named


def _rooms(low: NDArray[np.float64], high: NDArray[np.float64], reach: int) -> Iterator[tuple[float, float, int]]:
    """Yield how high the room for a name is at each place along a band, and its middle."""
    for at in range(reach, len(low) - reach):
        part = slice(at - reach, at + reach + 1)
        floor, ceiling = float(low[part].max()), float(high[part].min())
        yield ceiling - floor, (floor + ceiling) / 2, at
