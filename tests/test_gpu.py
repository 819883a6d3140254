"""The GPU back end agrees with the plain one; every test but those of the messages needs a GPU."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from quire.factorization import factorize
from quire.methods.ensemble import Ensemble
from quire.methods.lsi import LSI
from quire.methods.means import KMeans, SoftKMeans
from quire.methods.nmf import NMF
from quire.methods.plsi import PLSI
from quire.methods.posterior import PPC, SPPC
from quire.methods.simplex import SimplexNMF
from quire.methods.sparse import SparseNMF
from quire.methods.spectral import AA, NC
from quire.ops.backend import as_matrix
from quire.ops.gpu import GpuMatrix, why_no_gpu
from quire.ops.gpukernels import layout
from quire.ops.reference import ReferenceMatrix
from quire.rules.hals import Hals
from quire.rules.mu import Mu
from quire.rules.penalty import Penalty
from quire.topics import assign
from quire.trace import Stopping

on_gpu = pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "a GPU is there")
WIDTHS = [1, 2, 3, 16, 33, 64, 100, 257, 512]
TOLERANCE = {np.float32: 2e-4, np.float64: 1e-10}
SIDES = [("W", "H"), ("H", "W")]
types = pytest.mark.parametrize("dtype", [np.float32, np.float64])
widths = pytest.mark.parametrize("k", WIDTHS)


def _sparse(n=1500, d=70, dtype=np.float64, seed=0):
    """Rows and columns without entries, and one column that nearly every row has."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.15, rng=rng, dtype=np.float64).toarray()
    X[:, 5] = rng.random(n) + 0.1
    X[[0, 7, n - 1]] = 0
    X[:, [2, d - 1]] = 0
    return sp.csr_array(X.astype(dtype))


def _problem(k, dtype, n=1500, d=70):
    X = _sparse(n, d, dtype, seed=k)
    rng = np.random.default_rng(k + 1)
    factors = {"W": rng.random((n, k)).astype(dtype), "H": rng.random((d, k)).astype(dtype)}
    factors["W"][3], factors["H"][4] = 0, 0
    return X, factors


def _close(found, wanted, tolerance):
    scale = max(1.0, float(np.abs(wanted).max(initial=0)))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)


def _steady(G):
    """Well conditioned, lest a rounding error grow from topic to topic."""
    return G + 0.3 * np.trace(G) / len(G) * np.eye(len(G))


@on_gpu
@types
@widths
@pytest.mark.parametrize("dense", [False, True])
def test_products_grams_and_sums(k, dtype, dense):
    X, factors = _problem(k, dtype)
    slow, tolerance = ReferenceMatrix(X), TOLERANCE[dtype]
    with GpuMatrix(X.toarray() if dense else X) as fast:
        assert fast.squared_norm == pytest.approx(slow.squared_norm, rel=1e-6)
        _close(fast.squared_rows(), slow.squared_rows(), 1e-6)
        for side, other in SIDES:
            held = fast.factor(factors[other])
            _close(fast.array(fast.product(side, held), k), slow.product(side, factors[other]), tolerance)
            gram = fast.gram(held)
            _close(gram[:k, :k], slow.gram(factors[other]), tolerance)
            assert not gram[k:].any()
            _close(fast.column_sums(held)[:k], slow.column_sums(factors[other]), 1e-6)


@on_gpu
@types
@widths
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_descend(k, dtype, dense, l1):
    X, factors = _problem(k, dtype)
    slow, tolerance = ReferenceMatrix(X), 10 * TOLERANCE[dtype]
    with GpuMatrix(X.toarray() if dense else X) as fast:
        for side, other in SIDES:
            G = _steady(slow.gram(factors[other]))
            if k > 2:
                G[1], G[:, 1] = 0, 0  # a topic that is not there
            F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
            # a row may stop a sweep earlier or later where its gain is at the threshold: no patience then
            sweeps, patience = (5, 0.1) if dtype == np.float64 else (3, 0.0)
            said = fast.descend(side, F_fast, fast.factor(factors[other]), G, l1, sweeps, patience)
            told = slow.descend(side, F_slow, factors[other], G, l1, sweeps, patience)
            _close(fast.array(F_fast, k), F_slow, tolerance)
            assert said.inner == pytest.approx(told.inner, rel=tolerance)
            assert said.residual == pytest.approx(told.residual, rel=tolerance)
            assert not F_fast[:, k:].any()


@on_gpu
@types
@widths
@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_multiply(k, dtype, l1):
    X, factors = _problem(k, dtype)
    slow, tolerance = ReferenceMatrix(X), TOLERANCE[dtype]
    with GpuMatrix(X) as fast:
        for side, other in SIDES:
            G = slow.gram(factors[other])
            F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
            said = fast.multiply(side, F_fast, fast.factor(factors[other]), G, l1)
            told = slow.multiply(side, F_slow, factors[other], G, l1)
            _close(fast.array(F_fast, k), F_slow, tolerance)
            assert said.inner == pytest.approx(told.inner, rel=tolerance)
            assert said.residual == pytest.approx(told.residual, rel=10 * tolerance)


@on_gpu
@types
def test_copies_scales_and_extrapolation(dtype):
    X, factors = _problem(33, dtype)
    slow = ReferenceMatrix(X)
    with GpuMatrix(X) as fast:
        F, old = factors["W"], factors["W"][::-1].copy()
        fast_F, fast_old = fast.factor(F), fast.factor(old)
        copy = fast.duplicate(fast_F)
        fast.scale_topics(copy, np.arange(33.0))
        _close(fast.array(copy, 33), F * np.arange(33), 1e-6)
        fast.copy(fast_F, copy)
        assert np.array_equal(fast.array(copy, 33), F)
        fast.extrapolate(fast_F, fast_old, 0.7)
        slow.extrapolate(F, old, 0.7)
        _close(fast.array(fast_old, 33), old, 1e-6)


@on_gpu
@types
def test_steps_on_the_host(dtype):
    X, factors = _problem(7, dtype, n=60, d=40)
    slow, tolerance = ReferenceMatrix(X), 10 * TOLERANCE[dtype]
    G, P = _steady(slow.gram(factors["H"])), slow.product("W", factors["H"])

    def halve(F, P):
        F *= 0.5
        return float(F.sum()), 1.0

    steps = (
        lambda M, F, P: M.solve_rows(F, P, G, 0.1, 0.0),
        lambda M, F, P: M.solve_rows(F, P, G, 0.0, 1.0),
        lambda M, F, P: M.by_rows(F, P, 7, halve),
        lambda M, F, P: M.by_topics(F, P, G, lambda q: np.maximum(q, 0)),
    )
    with GpuMatrix(X) as fast:
        for step in steps:
            F_fast, F_slow = fast.factor(factors["W"]), slow.factor(factors["W"])
            said = step(fast, F_fast, fast.product("W", fast.factor(factors["H"])))
            told = step(slow, F_slow, P)
            _close(fast.array(F_fast, 7), F_slow, tolerance)
            assert said == pytest.approx(told, rel=tolerance, abs=tolerance)


@on_gpu
@types
@widths
@pytest.mark.parametrize("beta", [1, 0])
@pytest.mark.parametrize("penalties", [(0.0, 0.0), (0.3, 0.2)])
def test_other_losses(k, dtype, beta, penalties):
    X, factors = _problem(k, dtype, n=900)
    X = X if beta == 1 else X.toarray() + dtype(0.1)
    slow, tolerance = ReferenceMatrix(X), 10 * TOLERANCE[dtype]
    with GpuMatrix(X) as fast:
        found = fast.divergence(fast.factor(factors["W"]), fast.factor(factors["H"]), beta)
        if beta == 1:  # zero rows of W would make the other one a matter of the floor alone
            assert found == pytest.approx(slow.divergence(factors["W"], factors["H"], 1), rel=1e-4)
        factors["W"][3], factors["H"][4] = 0.5, 0.5
        for side, other in SIDES:
            F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
            said = fast.rescale(side, F_fast, fast.factor(factors[other]), beta, *penalties, 3, 0.0)
            told = slow.rescale(side, F_slow, factors[other], beta, *penalties, 3, 0.0)
            _close(fast.array(F_fast, k), F_slow, tolerance)
            assert said.residual == pytest.approx(told.residual, rel=tolerance)
        found = fast.divergence(fast.factor(factors["W"]), fast.factor(factors["H"]), beta)
        assert found == pytest.approx(slow.divergence(factors["W"], factors["H"], beta), rel=1e-4)


@on_gpu
@pytest.mark.parametrize("rule", [Hals(), Mu(), Hals(Penalty(l1=0.2), Penalty(l2=0.1))])
@pytest.mark.parametrize("k", [3, 20])
def test_same_start_same_end(rule, k):
    """From the same start the objective never rises, and ends where the CPU's does."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(300, 0.05), size=k)
    X = sp.csr_array(rng.poisson(60 * topics[rng.integers(k, size=2000)]).astype(np.float32))
    start = rng.random((2000, k)).astype(np.float32), rng.random((k, 300)).astype(np.float32)
    ends = []
    for matrix in (as_matrix(X), GpuMatrix(X)):
        with matrix as held:
            found = factorize(held, start, rule, Stopping(max_iter=100, tol=1e-5))
        objectives = [step.objective for step in found.trace]
        assert all(np.diff(objectives) <= 0)
        ends.append(found)
    slow, fast = ends
    assert fast.objective == pytest.approx(slow.objective, rel=1e-4)
    assert np.mean(assign(slow.W, slow.H)[0] == assign(fast.W, fast.H)[0]) >= 0.99


@on_gpu
@pytest.mark.parametrize(
    "make",
    [
        SparseNMF, SimplexNMF, PPC, SPPC, PLSI, KMeans, SoftKMeans,
        partial(NMF, solver="anls"), partial(NMF, beta_loss="kullback-leibler"), partial(NMF, solver="mu"),
    ],
)  # fmt: skip
def test_every_method_runs_there(make):
    """As on the CPU, from the same start, for documents that fall into three groups."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(60, 0.1), size=3)
    X = sp.csr_array(rng.poisson(50 * topics[np.arange(300) % 3]).astype(np.float64))
    slow, fast = (make(n_components=3, random_state=0, device=device).fit(X) for device in ("cpu", "cuda"))
    assert fast.objective_ == pytest.approx(slow.objective_, rel=1e-4)
    assert np.mean(fast.labels_ == slow.labels_) >= 0.99


@on_gpu
def test_same_bits_twice():
    X, factors = _problem(64, np.float32, n=5000)
    runs = []
    for _ in range(2):
        with GpuMatrix(X) as fast:
            runs.append(factorize(fast, (factors["W"], factors["H"].T), Hals(), Stopping(max_iter=20)))
    assert np.array_equal(runs[0].W, runs[1].W)
    assert np.array_equal(runs[0].H, runs[1].H)


@on_gpu
@pytest.mark.parametrize("size", [1e-20, 1e15])
def test_any_unit(size):
    """X far from 1 is held in a unit of its own, and the factors come back in X's."""
    X, factors = _problem(5, np.float32)
    near = NMF(5, init="custom", device="cuda", max_iter=30)
    W = near.fit_transform(X, W=factors["W"], H=factors["H"].T)
    far = NMF(5, init="custom", device="cuda", max_iter=30)
    root = np.float32(np.sqrt(size))
    W_far = far.fit_transform(X * np.float32(size), W=factors["W"] * root, H=factors["H"].T * root)
    assert far.reconstruction_err_ / size == pytest.approx(near.reconstruction_err_, rel=1e-3)
    assert W_far.shape == W.shape


@on_gpu
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_the_estimator(solver):
    X, _ = _problem(5, np.float32)
    model = NMF(5, solver=solver, device="cuda", random_state=0, coarse=False).fit(X)
    again = NMF(5, solver=solver, device="auto", random_state=0, coarse=False).fit(X)
    assert np.array_equal(model.components_, again.components_)
    np.testing.assert_allclose(model.transform(X[:50]), model.transform(X)[:50], rtol=1e-5, atol=1e-6)


def test_a_device_that_is_not_known():
    with pytest.raises(ValueError, match="device='gpu' is not known"):
        NMF(2, device="gpu").fit(np.eye(3))


@pytest.mark.skipif(not why_no_gpu(), reason="a GPU is there")
def test_without_a_gpu_only_auto_falls_back():
    with pytest.raises(ValueError, match=r"pip install quire\[gpu\]|GPU"):
        NMF(2, device="cuda").fit(np.eye(3))
    assert NMF(2, device="auto").fit(np.eye(3)).components_.shape == (2, 3)


@pytest.mark.parametrize("itemsize", [4, 8])
def test_a_layout_holds_every_topic(itemsize):
    for k in range(1, 513):
        shape = layout(k, itemsize)
        assert k <= shape.width < k + 4
        assert shape.width <= 4 * shape.lanes * shape.quads
        assert shape.threads % 32 == 0 == 32 % shape.lanes


@pytest.mark.parametrize("method", [Ensemble, LSI, AA, NC])
def test_what_runs_on_the_cpu_only_says_so(method):
    with pytest.raises(ValueError, match="runs on the CPU only"):
        method(2, device="cuda").fit(np.eye(6) + 1)


@pytest.mark.parametrize("method", [Ensemble, LSI, AA, NC])
def test_what_runs_on_the_cpu_only_asks_for_no_gpu(method, monkeypatch):
    def asked(X):
        raise AssertionError("a GPU was asked for")

    monkeypatch.setattr("quire.ops.gpu.GpuMatrix", asked)
    X = np.kron(np.eye(2), np.ones((6, 4))) + 0.01
    assert len(method(2, device="auto", random_state=0).fit(X).transform(X)) == 12
    with pytest.raises(AssertionError, match="a GPU was asked for"):
        NMF(2, device="auto", random_state=0).fit(X)
