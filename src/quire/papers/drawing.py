"""Figures as SVG texts: the same numbers give the same text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = {"svg.hashsalt": "quire", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
          "axes.spines.right": False}  # fmt: skip


def new_figure(
    n_rows: int = 1, n_columns: int = 1, width: float = 6.4, height: float = 4.0
) -> tuple[Any, Any]:
    """Return a matplotlib figure and its axes, as a list of rows of them."""
    matplotlib = _library()
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def svg_of(figure: Figure) -> str:
    """Return a matplotlib figure as an SVG text, which depends on nothing but the figure."""
    matplotlib = _library()
    text = io.StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def _library() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise ValueError("Figures need matplotlib: pip install 'quire-topics[plots]'.") from None
    return matplotlib
