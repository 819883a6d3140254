"""What a back end offers: the only operations through which anything touches X.

The rules and the outer loop see a matrix X (n × d), two factors and small dense things. A factor belongs to
its back end (padded, on a device, in blocks): W has a row per document and H, stored transposed, a row per
term, so that both half steps are the same operation on the two *sides* of X.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Side = Literal["W", "H"]
Factor = Any  # a back end's own array type
Small = NDArray[np.float64]


RowStep = Callable[[Any, Any], tuple[float, float]]
"""Changes rows F in place, given their products P; returns ⟨F, P⟩ and the residual."""
TopicProjection = Callable[[NDArray[Any]], NDArray[Any]]
"""Returns the nearest point that a topic (one column of a factor) may be at."""


class Progress(NamedTuple):
    """What one half step says about itself, at no extra cost."""

    inner: float
    """⟨F, P⟩ of the new factor F and the product P it was computed from."""
    residual: float
    """Σ G_tt δ_t² of the first sweep: zero exactly where F met the KKT conditions."""


class Matrix(Protocol):
    """X as a back end holds it, divided by ``scale²`` so that its numbers are near 1."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    scale: float

    @property
    def squared_norm(self) -> float:
        """‖X‖² of the X held."""

    def factor(self, array: NDArray[Any]) -> Factor:
        """Copy a rows × k array into the back end's form, divided by ``scale``."""

    def array(self, factor: Factor, k: int) -> NDArray[Any]:
        """Copy a factor out as a rows × k array, times ``scale``."""

    def duplicate(self, factor: Factor) -> Factor:
        """Return a copy in the back end's form."""

    def copy(self, factor: Factor, into: Factor) -> None:
        """Overwrite ``into``."""

    def product(self, side: Side, other: Factor) -> Factor:
        """X Hᵀ for side ``"W"``, Xᵀ W for side ``"H"``; ``other`` is the factor of the other side."""

    def gram(self, factor: Factor, other: Factor | None = None) -> Small:
        """FᵀF, or Fᵀ times another factor of the same side (k × k, perhaps padded with zeros)."""

    def squared_rows(self) -> NDArray[np.float64]:
        """Σ over the columns of X², a number per document."""

    def column_sums(self, factor: Factor) -> NDArray[np.float64]:
        """Σ over the rows of F."""

    def descend(
        self, side: Side, factor: Factor, other: Factor, G: Small, l1: float, sweeps: int, patience: float
    ) -> Progress:
        """Coordinate descent on every row of ``factor``, in place (see ``reference.descend``)."""

    def multiply(self, side: Side, factor: Factor, other: Factor, G: Small, l1: float) -> Progress:
        """Multiplicative update of every row of ``factor``, in place (see ``reference.multiply``)."""

    def solve_rows(self, factor: Factor, product: Factor, G: Small, l1: float, total: float) -> Progress:
        """Solve every row of ``factor`` exactly, in place (see ``ops.referencerows``)."""

    def rescale(
        self, side: Side, factor: Factor, other: Factor, beta: float, l1: float, l2: float, sweeps: int,
        patience: float,
    ) -> Progress:  # fmt: skip
        """Multiplicative updates for another loss on every row, in place (see ``ops.referencelosses``)."""

    def divergence(self, W: Factor, H: Factor, beta: float) -> float:
        """Return the beta-divergence of X and WH (see ``ops.referencelosses``)."""

    def by_rows(self, factor: Factor, product: Factor, k: int, step: RowStep) -> Progress:
        """Apply ``step`` to blocks of rows of both, without padding, and add up what it says."""

    def by_topics(self, factor: Factor, product: Factor, G: Small, project: TopicProjection) -> Progress:
        """Set one topic after the other to the projection of its best column (see ``ops.topicwise``)."""

    def scale_topics(self, factor: Factor, by: NDArray[np.float64]) -> None:
        """Multiply the columns of ``factor``."""

    def extrapolate(self, factor: Factor, old: Factor, beta: float) -> None:
        """Overwrite ``old`` with [F + beta (F − old)]₊."""

    def close(self) -> None:
        """Give threads, device memory or files back."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
