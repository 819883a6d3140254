"""The kernel of the mixture comes to what its plain twin does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quire.backends.kernels.layout import WIDTH
from quire.methods.ensemble.expectation import MStep, Posteriors


def rows(n: int, k: int, dtype: Any, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Return memberships and products with a length beside them, padded; every seventh document is empty."""
    rng = np.random.default_rng(k)
    width = -(-(k + 1) // WIDTH) * WIDTH
    F, P = np.zeros((n, width), dtype), np.zeros((n, width), dtype)
    F[:, :k], F[:, k] = rng.dirichlet(np.ones(k), n), 1
    P[:, :k], P[:, k] = -spread * rng.random((n, k)), 30 * rng.random(n)
    P[::7] = 0
    return F, P


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7, 8, 50])
@pytest.mark.parametrize(("sharpness", "times_length"), [(1.0, False), (1.7, True)])
def test_posteriors_agree(dtype: Any, k: int, sharpness: float, times_length: bool) -> None:
    """Whatever the shape and the type, and for scores so low that they are as good as nothing."""
    for spread in (5.0, 3000.0):
        F, P = rows(60, k, dtype, spread)
        sizes = np.log(np.random.default_rng(0).dirichlet(np.ones(k)))
        step = Posteriors(sizes, 2.5, 0.75, 2.0, 0.5, 1.0, sharpness, times_length)
        plain, compiled = F.copy(), F.copy()
        told = step(plain[:, : k + 1], P[:, : k + 1]), step.compiled(compiled, P, len(P))[0]
        np.testing.assert_allclose(compiled, plain, rtol=1e-13 if dtype == np.float64 else 1e-6, atol=1e-37)
        np.testing.assert_allclose(*told, rtol=1e-12)
        assert not compiled[:, k + 1 :].any()
        assert not compiled[::7].any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7, 8, 50])
@pytest.mark.parametrize("n", [1, 5000])
def test_logs_of_shares_agree(dtype: Any, k: int, n: int) -> None:
    """The kernels of the M step come to what NumPy does, which also a guide's words and a device go through."""
    rng = np.random.default_rng(k)
    given = np.zeros((n, -(-(k + 1) // WIDTH) * WIDTH), dtype)
    given[:, :k] = rng.gamma(0.1, 100, (n, k)) * (rng.random((n, k)) < 0.5)
    by, unit, documents = rng.gamma(2, 1, n), rng.gamma(2, 1, n), rng.random(k)
    made, plain = MStep(given, by, 1e-3, documents), MStep(given, by, np.full((n, k), 1e-3), documents)
    assert made._by_kernels
    assert not plain._by_kernels
    np.testing.assert_allclose(made.totals, plain.totals, rtol=1e-12)
    ours, theirs = made.logs(unit, dtype), plain.logs(unit, dtype)
    assert ours.dtype == theirs.dtype == dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-12 if dtype == np.float64 else 1e-6, atol=1e-12)
    assert not ours.base[:, k + 1 :].any()
    np.testing.assert_allclose(made.whole().terms, plain.whole().terms, rtol=1e-12)
    np.testing.assert_allclose(made.whole().terms.sum(axis=1), 1)
