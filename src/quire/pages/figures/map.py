"""The figure of the map: every document a point, and names that cover neither each other nor nothing."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from quire.pages.figures.colours import GREY, INK, SOFT, drawn, topic_colours
from quire.pages.layout import positions_of
from quire.runs.ranks import typicality_ranks
from quire.runs.run import Run
from quire.studies.figures import new_figure

_AREA = 26_000.0  # of all points together, in square points
_SHIFTS = (0.0, 0.6, -0.6, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0)  # of a name, in heights of its own, until it has room

_APART = 2.0  # pixels between names, at least


def map_figure(run: Run, layout: str = "topics", names: int = 30) -> Any:
    """Return the map of a run."""
    places = positions_of(run, typicality_ranks(run), layout)
    colours, labels = topic_colours(places.topics, run.topics["share"].to_numpy()), run.labels
    figure, [[axis]] = new_figure(1, 1, 7.0, 7.0)
    shown = np.where((labels >= 0)[:, None], colours[np.maximum(labels, 0)], GREY)
    size = float(np.clip(_AREA / max(len(labels), 1), 0.4, 30))
    order = np.argsort(labels >= 0, kind="stable")  # documents without a topic lie below the others
    x, y = places.documents[order].T
    axis.scatter(x, y, s=size, c=shown[order], alpha=0.75, linewidths=0, rasterized=True)
    axis.set(xlim=(0, 1), ylim=(1, 0), aspect="equal")  # as on the page, where y goes down
    axis.set_axis_off()
    figure.draw_without_rendering()
    _name_topics(axis, run, places, names)
    return figure


def _name_topics(axis: Any, run: Run, places: Any, names: int) -> None:
    """Name topics, the largest first, each where its documents are; leave a name out that has no room."""
    from matplotlib.patheffects import withStroke

    taken: list[Any] = []
    share = run.topics["share"].to_numpy()
    for topic in np.argsort(-share, kind="stable")[:names]:
        own = places.documents[run.labels == topic]
        if not len(own):
            continue
        name = textwrap.fill(drawn(run.topics["name"][int(topic)]), 18)
        text = axis.text(
            *(middle := np.median(own, axis=0)), name, ha="center", va="center", color=INK, parse_math=False,
            fontsize=7.0 + 4.0 * float(np.sqrt(share[topic] / max(share.max(), 1e-9))), linespacing=1.0,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip
        box = _room(axis, text, taken)
        if box is None:
            text.remove()
        else:
            taken.append(box.padded(_APART))
            _point(axis, box, middle)


def _point(axis: Any, box: Any, middle: Any) -> None:
    """Draw a line from a name to its documents, where it stands beside them."""
    x, y = axis.transData.transform(middle)
    if not box.padded(_APART).contains(x, y):
        edge = float(np.clip(x, box.x0, box.x1)), float(np.clip(y, box.y0, box.y1))
        (x0, y0), (x1, y1) = axis.transData.inverted().transform([edge, (x, y)])
        axis.plot([x0, x1], [y0, y1], color=SOFT, linewidth=0.6, solid_capstyle="round")


def _room(axis: Any, text: Any, taken: list[Any]) -> Any:
    """Move a name up or down until it covers no other and is on the map; None where that is in vain."""
    frame, (x, y) = axis.get_window_extent(), text.get_position()
    first = text.get_window_extent().transformed(axis.transData.inverted())
    for shift in _SHIFTS:
        text.set_position((x, float(np.clip(y + shift * abs(first.height), 0, 1))))
        box = text.get_window_extent()
        if box.x0 < frame.x0:
            text.set_position((x + (frame.x0 - box.x0) / frame.width, text.get_position()[1]))
        elif box.x1 > frame.x1:
            text.set_position((x - (box.x1 - frame.x1) / frame.width, text.get_position()[1]))
        box = text.get_window_extent()
        if not any(box.overlaps(other) for other in taken):
            return box
    return None
