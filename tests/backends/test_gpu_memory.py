"""A GPU that is too small: X goes through it in blocks, or a sentence says what to do."""

import numpy as np
import pytest
from problems import on_gpu, problem

from quire.backends.backend import StreamedMatrix, as_matrix
from quire.backends.gpu.device import rows_that_fit
from quire.backends.gpu.matrix import GpuMatrix
from quire.engine.loop import can_batch, factorize
from quire.engine.rules.hals import Hals
from quire.engine.trace import Stopping
from quire.methods.nmf import NMF
from quire.methods.posterior import PPC
from quire.methods.simplex import SimplexNMF


@pytest.fixture
def small(monkeypatch):
    """Allow so little of the device's memory that a test's X needs several blocks."""
    monkeypatch.setenv("QUIRE_GPU_MEMORY", "4e5")


@on_gpu
def test_a_large_x_goes_through_in_blocks(small):
    X, factors = problem(5, np.float64)
    assert 1 < rows_that_fit(X) < len(factors["W"])
    ends = []
    for held in (as_matrix(X, device="cuda"), GpuMatrix(X)):
        with held as matrix:
            assert isinstance(matrix, StreamedMatrix) == (not can_batch(matrix, Hals()))
            start = factors["W"], factors["H"].T
            ends.append(factorize(matrix, start, Hals(), Stopping(max_iter=20, tol=0)))
    streamed, whole = ends
    assert isinstance(streamed.W, np.ndarray)
    assert streamed.objective == pytest.approx(whole.objective, rel=1e-8)
    np.testing.assert_allclose(streamed.H, whole.H, atol=1e-6)


@on_gpu
@pytest.mark.parametrize("size", [1.0, 1e-16, 1e12])
def test_a_block_is_held_in_the_unit_of_x(size, monkeypatch):
    X, factors = problem(5, np.float64, n=200)
    X = X * size
    root = np.sqrt(size)
    start = factors["W"] * root, factors["H"].T * root
    monkeypatch.setenv("QUIRE_GPU_MEMORY", "4e4")
    with as_matrix(X, device="cuda") as matrix:
        assert isinstance(matrix, StreamedMatrix)
        streamed = factorize(matrix, start, Hals(), Stopping(max_iter=5, tol=0))
    with GpuMatrix(X) as matrix:
        whole = factorize(matrix, start, Hals(), Stopping(max_iter=5, tol=0))
    np.testing.assert_allclose(streamed.H, whole.H, atol=1e-6 * root)
    assert streamed.objective == pytest.approx(whole.objective, rel=1e-6)


@on_gpu
@pytest.mark.parametrize("make", [NMF, PPC, SimplexNMF])
def test_estimators_do_not_notice(make, small, monkeypatch):
    X, _ = problem(5, np.float64)
    streamed = make(5, random_state=0, init="random", device="cuda", max_iter=20).fit(X)
    monkeypatch.delenv("QUIRE_GPU_MEMORY")
    whole = make(5, random_state=0, init="random", device="cuda", max_iter=20).fit(X)
    assert streamed.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert np.mean(streamed.labels_ == whole.labels_) >= 0.99


@on_gpu
def test_auto_takes_the_cpu_where_x_does_not_fit(small):
    X, _ = problem(5, np.float64)
    with as_matrix(X, device="auto") as matrix:
        assert type(matrix).__name__ == "CpuMatrix"


@on_gpu
@pytest.mark.parametrize("what", ["X", "a factor", "a product"])
def test_a_full_device_is_told_in_a_sentence(what):
    import cupy

    X, factors = problem(64, np.float64, n=6000)
    pool = cupy.get_default_memory_pool()
    with GpuMatrix(X) as matrix:
        H = matrix.factor(factors["H"])
        matrix.product("W", H)
        pool.free_all_blocks()
        pool.set_limit(size=pool.used_bytes() + 100_000)
        calls = {
            "X": lambda: GpuMatrix(X),
            "a factor": lambda: matrix.factor(factors["W"]),
            "a product": lambda: matrix.product("W", H),
        }
        try:
            with pytest.raises(ValueError, match=r"the GPU's memory: .* device='cpu'\.$") as told:
                calls[what]()
        finally:
            pool.set_limit(size=0)
    assert str(told.value).count(".") == 1
