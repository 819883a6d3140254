"""What the tests of the GPU back end share."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire.ops.gpudevice import why_no_gpu

on_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "a GPU is there")
TOLERANCE = {np.float32: 2e-4, np.float64: 1e-10}
SIDES = [("W", "H"), ("H", "W")]
types = pytest.mark.parametrize("dtype", [np.float32, np.float64])
widths = pytest.mark.parametrize("k", [1, 2, 3, 16, 33, 64, 100, 257, 512])


def sparse(n=1500, d=70, dtype=np.float64, seed=0):
    """Rows and columns without entries, and one column that nearly every row has."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.15, rng=rng, dtype=np.float64).toarray()
    X[:, 5] = rng.random(n) + 0.1
    X[[0, 7, n - 1]] = 0
    X[:, [2, d - 1]] = 0
    return sp.csr_array(X.astype(dtype))


def problem(k, dtype, n=None, d=70):
    """X and factors with a row of zeros each; one column has more entries than a piece of a long row."""
    n = n or (1500 if k <= 100 else 600)  # the reference is slow
    X = sparse(n, d, dtype, seed=k)
    rng = np.random.default_rng(k + 1)
    factors = {"W": rng.random((n, k)).astype(dtype), "H": rng.random((d, k)).astype(dtype)}
    factors["W"][3], factors["H"][4] = 0, 0
    return X, factors


def close(found, wanted, tolerance):
    """Compare beside the largest number."""
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)


def steady(G):
    """Make G well conditioned, lest a rounding error grow from topic to topic."""
    return G + 0.3 * np.trace(G) / len(G) * np.eye(len(G))
