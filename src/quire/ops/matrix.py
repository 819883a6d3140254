"""What a back end offers: the only operations through which anything touches X.

The rules and the outer loop see a matrix X (n × d), two factors and small dense things. A factor belongs to
its back end (padded, on a device, in blocks): W has a row per document and H, stored transposed, a row per
term, so that both half steps are the same operation on the two *sides* of X.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

Side = Literal["W", "H"]
Factor = Any  # a back end's own array type
Small = NDArray[np.float64]


class Progress(NamedTuple):
    """What one half step says about itself, at no extra cost.

    Examples
    --------
    >>> from quire.ops.matrix import Progress
    >>> Progress(inner=2.0, residual=0.0).residual
    0.0
    """

    inner: float
    """⟨F, P⟩ of the new factor F and the product P it was computed from."""
    residual: float
    """Σ G_tt δ_t² of the first sweep: zero exactly where F met the KKT conditions."""


class Matrix(Protocol):
    """X as a back end holds it, divided by ``scale²`` so that its numbers are near 1.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.ops.matrix import Matrix
    >>> from quire.ops.reference import ReferenceMatrix
    >>> X: Matrix = ReferenceMatrix(np.eye(3))
    >>> X.shape
    (3, 3)
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    squared_norm: float
    scale: float

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

    def gram(self, factor: Factor) -> Small:
        """FᵀF (k × k, perhaps padded with zeros)."""

    def column_sums(self, factor: Factor) -> NDArray[np.float64]:
        """Σ over the rows of F."""

    def descend(
        self, side: Side, factor: Factor, other: Factor, G: Small, l1: float, sweeps: int, patience: float
    ) -> Progress:
        """Coordinate descent on every row of ``factor``, in place (see ``reference.descend``)."""

    def extrapolate(self, factor: Factor, old: Factor, beta: float) -> None:
        """Overwrite ``old`` with [F + beta (F − old)]₊."""

    def close(self) -> None:
        """Give threads, device memory or files back."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
