"""The GPU's kernels agree with the plain back end; every test but that of the layout needs a GPU."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from problems import SIDES, TOLERANCE, close, on_gpu, problem, steady, types, widths

from quire.backends.gpu import kernels
from quire.backends.gpu.kernels import FAMILIES, MOST_WARM, layout
from quire.backends.gpu.matrix import GpuMatrix
from quire.backends.reference.matrix import ReferenceMatrix


@on_gpu
@types
@widths
@pytest.mark.parametrize("dense", [False, True])
def test_products_grams_and_sums(k, dtype, dense):
    X, factors = problem(k, dtype)
    slow, tolerance = ReferenceMatrix(X), TOLERANCE[dtype]
    with GpuMatrix(X.toarray() if dense else X) as fast:
        assert fast.squared_norm == pytest.approx(slow.squared_norm, rel=1e-6)
        close(fast.squared_rows(), slow.squared_rows(), 1e-6)
        for side, other in SIDES:
            held = fast.factor(factors[other])
            close(fast.array(fast.product(side, held), k), slow.product(side, factors[other]), tolerance)
            gram = fast.gram(held)
            close(gram[:k, :k], slow.gram(factors[other]), tolerance)
            assert not gram[k:].any()
            close(fast.column_sums(held)[:k], slow.column_sums(factors[other]), 1e-6)


@on_gpu
@types
@widths
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_descend(k, dtype, dense, l1):
    X, factors = problem(k, dtype)
    slow, tolerance = ReferenceMatrix(X), 10 * TOLERANCE[dtype]
    with GpuMatrix(X.toarray() if dense else X) as fast:
        for side, other in SIDES:
            G = steady(slow.gram(factors[other]))
            if k > 2:
                G[1], G[:, 1] = 0, 0  # a topic that is not there
            F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
            # a row may stop a sweep earlier or later where its gain is at the threshold: no patience then
            sweeps, patience = (5, 0.1) if dtype == np.float64 else (3, 0.0)
            said = fast.descend(side, F_fast, fast.factor(factors[other]), G, l1, sweeps, patience)
            told = slow.descend(side, F_slow, factors[other], G, l1, sweeps, patience)
            close(fast.array(F_fast, k), F_slow, tolerance)
            assert said.inner == pytest.approx(told.inner, rel=tolerance)
            assert said.residual == pytest.approx(told.residual, rel=tolerance)
            assert not F_fast[:, k:].any()


@on_gpu
@types
@widths
@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_multiply(k, dtype, l1):
    X, factors = problem(k, dtype)
    slow, tolerance = ReferenceMatrix(X), TOLERANCE[dtype]
    with GpuMatrix(X) as fast:
        for side, other in SIDES:
            G = slow.gram(factors[other])
            F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
            said = fast.multiply(side, F_fast, fast.factor(factors[other]), G, l1)
            told = slow.multiply(side, F_slow, factors[other], G, l1)
            close(fast.array(F_fast, k), F_slow, tolerance)
            assert said.inner == pytest.approx(told.inner, rel=tolerance)
            assert said.residual == pytest.approx(told.residual, rel=10 * tolerance)


@on_gpu
@types
def test_copies_scales_and_extrapolation(dtype):
    X, factors = problem(33, dtype)
    slow = ReferenceMatrix(X)
    with GpuMatrix(X) as fast:
        F, old = factors["W"], factors["W"][::-1].copy()
        fast_F, fast_old = fast.factor(F), fast.factor(old)
        copy = fast.duplicate(fast_F)
        fast.scale_topics(copy, np.arange(33.0))
        close(fast.array(copy, 33), F * np.arange(33), 1e-6)
        fast.copy(fast_F, copy)
        assert np.array_equal(fast.array(copy, 33), F)
        fast.extrapolate(fast_F, fast_old, 0.7)
        slow.extrapolate(F, old, 0.7)
        close(fast.array(fast_old, 33), old, 1e-6)


@on_gpu
@types
@widths
@pytest.mark.parametrize("beta", [1, 0])
@pytest.mark.parametrize("penalties", [(0.0, 0.0), (0.3, 0.2)])
@pytest.mark.parametrize("sweeps", [1, 3])  # a long row is cut up for a single one
def test_other_losses(k, dtype, beta, penalties, sweeps):
    X, factors = problem(k, dtype, n=900)
    X = X if beta == 1 else X.toarray() + dtype(0.1)
    slow, tolerance = ReferenceMatrix(X), 10 * TOLERANCE[dtype]
    with GpuMatrix(X) as fast:
        found = fast.divergence(fast.factor(factors["W"]), fast.factor(factors["H"]), beta)
        if beta == 1:  # zero rows of W would make the other one a matter of the floor alone
            assert found == pytest.approx(slow.divergence(factors["W"], factors["H"], 1), rel=1e-4)
        factors["W"][3], factors["H"][4] = 0.5, 0.5
        for side, other in SIDES:
            F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
            said = fast.rescale(side, F_fast, fast.factor(factors[other]), beta, *penalties, sweeps, 0.0)
            told = slow.rescale(side, F_slow, factors[other], beta, *penalties, sweeps, 0.0)
            close(fast.array(F_fast, k), F_slow, tolerance)
            assert said.residual == pytest.approx(told.residual, rel=tolerance)
        found = fast.divergence(fast.factor(factors["W"]), fast.factor(factors["H"]), beta)
        assert found == pytest.approx(slow.divergence(factors["W"], factors["H"], beta), rel=1e-4)


@on_gpu
@pytest.mark.parametrize("n", [1, 4])
def test_an_x_of_zeros(n):
    with GpuMatrix(sp.csr_array((n, 6), dtype=np.float64)) as fast:
        W, H = fast.factor(np.ones((n, 3))), fast.factor(np.ones((6, 3)))
        assert fast.squared_norm == 0
        assert not fast.product("W", H).any()
        assert not fast.product("H", W).any()
        fast.descend("W", W, H, 4 * np.eye(3), 0.0, 2, 0.0)
        fast.descend("H", H, W, np.eye(3), 0.0, 2, 0.0)
        assert not W.any()
        assert not H.any()
        assert not fast.gram(W).any()


@pytest.mark.parametrize("itemsize", [4, 8])
def test_a_layout_holds_every_topic(itemsize):
    for k in range(1, 513):
        shape = layout(k, itemsize)
        assert k <= shape.width < k + 4
        assert shape.width <= 4 * shape.lanes * shape.quads
        assert shape.threads % 32 == 0 == 32 % shape.lanes


def test_warming_up_compiles_every_family_for_every_number_of_topics(monkeypatch):
    runtime = SimpleNamespace(getDevice=lambda: 0)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=runtime)))
    asked, steps = set(), []
    monkeypatch.setattr(kernels, "kernel", lambda name, shape, real, device: asked.add((name, shape)))
    kernels.warm(lambda done, total: steps.append((done, total)))
    assert steps == [(done, len(asked)) for done in range(1, len(asked) + 1)]
    shapes = {family: {shape for name, shape in asked if name in family} for family in FAMILIES}
    wide = {family for family, there in shapes.items() if there == {layout(k, 4) for k in range(1, MOST_WARM + 1)}}
    assert all(shapes.values())
    assert set(FAMILIES) - wide == {("solve_rows",), ("onto_simplex",)}  # whose code is the same for all
