"""Nodes, cubics and intervals of the search for λ (tsikhanovich2011 §4.2 and appendix B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike, NDArray

_CONFIDENCE = 0.95


class Cubic(NamedTuple):
    """A cubic in λ: its coefficients, lowest power first; its R² over all runs; the end of its interval."""

    coefficients: tuple[float, float, float, float]
    r2: float
    end: float

    def __call__(self, lam: float) -> float:
        """Return the value at λ."""
        return float(Polynomial(self.coefficients)(lam))

    def critical_points(self) -> list[float]:
        """Return where the derivative is 0 inside (0, end), in order."""
        constant, slope, curve = Polynomial(self.coefficients).deriv().coef[:3]
        size = max(abs(constant), abs(slope) * self.end, abs(curve) * self.end**2)
        if size == 0:
            return []
        scaled = np.array([constant, slope * self.end, curve * self.end**2]) / size
        scaled[np.abs(scaled) < 1e-12] = 0  # a rounding error in the leading place would send a root far off
        roots = Polynomial(np.trim_zeros(scaled, "b")).roots()
        real = np.sort(roots[np.abs(roots.imag) < 1e-12].real)
        return [float(x * self.end) for x in np.unique(real[(real > 0) & (real < 1)])]


def chebyshev_nodes(end: float) -> list[float]:
    """Return the four Chebyshev nodes of [0, end], smallest first (eq. 20 with n = 3)."""
    return [float(end / 2 * (1 + np.cos((2 * i + 1) * np.pi / 8))) for i in range(3, -1, -1)]


def fitted_cubic(lams: ArrayLike, values: ArrayLike, end: float, runs: ArrayLike | None = None) -> Cubic:
    """Fit a cubic by least squares: exactly through the points where there are four."""
    fit = Polynomial.fit(np.asarray(lams, float), np.asarray(values, float), 3, domain=[0, end]).convert()
    a, b, c, d = (float(x) for x in np.pad(fit.coef, (0, 4 - len(fit.coef))))
    table = np.column_stack([lams, values]) if runs is None else np.asarray(runs, float)
    return Cubic((a, b, c, d), _r_squared(table[:, 1], fit(table[:, 0])), end)


def _r_squared(seen: NDArray[np.float64], fitted: NDArray[np.float64]) -> float:
    total, left = float(((seen - seen.mean()) ** 2).sum()), float(((seen - fitted) ** 2).sum())
    return 1 - left / total if total > 0 else float(left == 0)


class Interval(NamedTuple):
    """From low to high."""

    low: float
    high: float


def interval_of_maximum(values: Sequence[float]) -> Interval:
    """Return Student's 95 % interval around the largest value, from the spread to it.

    Its half width is t(0.975, n − 1)·s/√n with s² = Σ(max − x)²/(n − 1). The listing calls s
    ``sdev_to_max`` and does not print it; n − 1 is what Matlab's own ``std`` divides by.
    """
    # One value alone gives an interval without end.
    from scipy.stats import t

    x = np.asarray(values, float)
    n, top = len(x), float(x.max())
    if n < 2:
        return Interval(-np.inf, np.inf)
    spread = np.sqrt(((top - x) ** 2).sum() / (n - 1))
    half = float(t.ppf((1 + _CONFIDENCE) / 2, n - 1) * spread / np.sqrt(n))
    return Interval(top - half, top + half)


def overlap(best: Interval, other: Interval) -> float:
    """Return which share of the best one's interval the other one covers.

    The two cases of the listing (the other maximum below or inside the interval) are both the length of what
    the intervals share.
    """
    if np.isinf(best.high):
        return 1.0
    shared, width = min(best.high, other.high) - max(best.low, other.low), best.high - best.low
    if width == 0:
        return float(other.low <= best.high <= other.high)
    return round(max(0.0, shared) / width, 12)
