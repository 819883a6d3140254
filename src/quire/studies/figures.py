"""Figures of Matplotlib, which is asked for when one is drawn."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = {"svg.hashsalt": "quire", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
         "axes.spines.right": False}  # fmt: skip


class NoMatplotlibError(ImportError, ValueError):
    """Matplotlib is missing: who can do without goes on, whoever asked for a figure is told."""

    def __init__(self) -> None:
        super().__init__("Figures need matplotlib, which is not installed: pip install 'quire-topics[plots]'.")


def library() -> Any:
    """Return the package; a sentence where it is not installed."""
    try:
        import matplotlib.figure
    except ImportError:
        raise NoMatplotlibError from None
    return matplotlib


def figure_class() -> type[Figure]:
    """Return figures that a notebook shows as a picture, whether pyplot is there or not."""
    library()
    return _shown()


@cache
def _shown() -> type[Figure]:
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            raw = io.BytesIO()
            self.savefig(raw, format="png", dpi=self.dpi)
            return raw.getvalue()

    return ShownFigure


def new_figure(n_rows: int = 1, n_columns: int = 1, width: float = 6.4, height: float = 4.0) -> tuple[Any, Any]:
    """Return a figure and its axes, as a list of rows of them."""
    with library().rc_context(STYLE):
        figure = figure_class()(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def svg_of(figure: Figure) -> str:
    """Return a figure as an SVG text, which depends on nothing but the figure."""
    text = io.StringIO()
    with library().rc_context(STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()
