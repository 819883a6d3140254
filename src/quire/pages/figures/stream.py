"""The figure of topics over time: a band each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator

from quire.messages import counted
from quire.pages.figures.colours import GREY, INK, SOFT, drawn, topic_colours
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
    heights: NDArray[np.float64]

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
    figure, [[axis]] = new_figure(1, 1, 9.0, 4.6)
    along, smooth = _smooth(days, np.asarray(counts, np.float64))
    bands = _bands(run, smooth, topics)
    colours = [band.colour for band in bands]
    drawn_bands = axis.stackplot(along, *(band.heights for band in bands), colors=colours, baseline="sym")
    for one in drawn_bands:
        one.set(linewidth=0.4, edgecolor="white")
    _axes(axis, along, np.sum([band.heights for band in bands], axis=0), bin)
    _name(axis, along, bands, drawn_bands)
    return figure


def _dates() -> Any:
    import matplotlib.dates

    return matplotlib.dates


def _smooth(days: list[str], counts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return days as Matplotlib counts them, and curves that never leave the range of two counts."""
    starts = np.asarray(_dates().date2num([date.fromisoformat(day) for day in days]), np.float64)
    along = np.union1d(np.linspace(starts[0], starts[-1], _PLACES), starts)
    return along, PchipInterpolator(starts, counts, axis=1)(along)


def _axes(axis: Any, along: NDArray[np.float64], total: NDArray[np.float64], bin: str) -> None:
    """Write days below, and beside the stream how high some documents are."""
    dates = _dates()
    axis.set_xlim(along[0], along[-1])
    axis.xaxis.set_major_locator(locator := dates.AutoDateLocator(maxticks=12))
    axis.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)
    axis.set_title(f"Documents by {bin}", fontsize=9, loc="left")
    ten = 10.0 ** np.floor(np.log10(max(total.max() / 3, 1)))
    some = int(max(n * ten for n in (1, 2, 5) if n == 1 or n * ten <= total.max() / 3))
    beside = {"transform": axis.get_yaxis_transform(), "clip_on": False, "color": SOFT}
    axis.plot([-0.012, -0.012], [-some / 2, some / 2], linewidth=0.8, **beside)
    axis.set_ylabel(counted(some, "document"), fontsize=8, color=SOFT, labelpad=8)


def _bands(run: Run, counts: NDArray[np.float64], topics: int) -> list[Band]:
    """Return the largest topics, those that touch unlike in colour, and all others as one."""
    chosen = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:topics])
    share = run.topics["share"].to_numpy()
    colours = topic_colours(topic_discs(np.maximum(run.H, 0), share)[0], share)
    chosen = chosen[_apart(colours[chosen])]
    bands = [Band(drawn(run.topics["name"][int(t)], 40), tuple(colours[t]), counts[t]) for t in chosen]
    rest = np.delete(counts, chosen, axis=0)
    return [*bands, Band(f"{counted(len(rest), 'other')}", GREY, rest.sum(axis=0))] if rest.any() else bands


def _apart(colours: NDArray[np.float64]) -> list[int]:
    """Return an order in which each colour is far from the next: the best of those that go on to the farthest left."""
    far = np.linalg.norm(colours[:, None] - colours, axis=2)

    def from_(first: int) -> tuple[float, list[int]]:
        order, nearest = [first], np.inf
        while left := [i for i in range(len(far)) if i not in order]:
            order.append(max(left, key=lambda i: far[order[-1], i]))
            nearest = min(nearest, far[order[-2], order[-1]])
        return nearest, order

    return max(map(from_, range(len(far))), key=lambda found: found[0])[1]


def _name(axis: Any, along: NDArray[np.float64], bands: list[Band], patches: Any) -> None:
    """Name bands where they lie, and beside them those that have no room there."""
    _legend(axis, patches, bands)  # all of them, which takes as much of the width as can be taken
    axis.figure.draw_without_rendering()
    named = _name_bands(axis, along, bands)
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


def _name_bands(axis: Any, along: NDArray[np.float64], bands: list[Band]) -> set[int]:
    """Write names into bands where they fit; return which have one."""
    fine = np.linspace(along[0], along[-1], _PLACES)
    heights = np.array([np.interp(fine, along, band.heights) for band in bands])
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
