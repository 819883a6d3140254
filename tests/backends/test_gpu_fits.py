"""Fits on the GPU end as on the CPU; every test but those of the messages needs a GPU."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from problems import on_gpu, problem

from quire.backends import backend
from quire.backends.backend import as_matrix
from quire.backends.gpu.matrix import GpuMatrix, why_no_gpu
from quire.engine.loop import factorize
from quire.engine.rules.hals import Hals
from quire.engine.rules.mu import Mu
from quire.engine.rules.rule import Penalty
from quire.engine.trace import Stopping
from quire.methods.assignment import assign
from quire.methods.lsi import LSI
from quire.methods.means import KMeans, SoftKMeans
from quire.methods.nmf import NMF
from quire.methods.plsi import PLSI
from quire.methods.posterior import PPC, SPPC
from quire.methods.simplex import SimplexNMF
from quire.methods.sparse import SparseNMF
from quire.methods.spectral import AA, NC


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
    X, factors = problem(64, np.float32, n=5000)
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
    X, factors = problem(5, np.float32)
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
    X, _ = problem(5, np.float32)
    model = NMF(5, solver=solver, device="cuda", random_state=0, coarse=False).fit(X)
    again = NMF(5, solver=solver, device="auto", random_state=0, coarse=False).fit(X)
    assert np.array_equal(model.components_, again.components_)
    np.testing.assert_allclose(model.transform(X[:50]), model.transform(X)[:50], rtol=1e-5, atol=1e-6)


def test_a_device_that_is_not_known():
    with pytest.raises(ValueError, match="device='gpu' is not known"):
        NMF(2, device="gpu").fit(np.eye(3))


@pytest.mark.skipif(not why_no_gpu(), reason="a GPU is there")
def test_without_a_gpu_only_auto_falls_back():
    with pytest.raises(ValueError, match=r"pip install 'quire-topics\[gpu\]|GPU"):
        NMF(2, device="cuda").fit(np.eye(3))
    assert NMF(2, device="auto").fit(np.eye(3)).components_.shape == (2, 3)


def test_auto_takes_a_gpu_only_where_it_is_worth_it(monkeypatch):
    monkeypatch.setattr(backend, "why_no_gpu", lambda: "")
    few, many = backend.WORTH_A_GPU - 1, backend.WORTH_A_GPU
    assert [backend.device_there("auto", n) for n in (few, many)] == ["cpu", "cuda"]
    assert backend.device_there("auto") == "cuda"
    assert backend.device_there("cuda", few) == "cuda"
    monkeypatch.setattr(backend, "why_no_gpu", lambda: "No NVIDIA GPU was found.")
    assert backend.device_there("auto", many) == "cpu"


@pytest.mark.parametrize("method", [LSI, AA, NC])
def test_what_runs_on_the_cpu_only_says_so(method):
    with pytest.raises(ValueError, match="runs on the CPU only"):
        method(2, device="cuda").fit(np.eye(6) + 1)


@pytest.mark.parametrize("method", [LSI, AA, NC])
def test_what_runs_on_the_cpu_only_asks_for_no_gpu(method, monkeypatch):
    def asked(*X):
        raise AssertionError("a GPU was asked for")

    monkeypatch.setattr("quire.backends.gpu.matrix.GpuMatrix", asked)
    monkeypatch.setattr("quire.methods.parameters.device_there", lambda device: "cuda")
    X = np.kron(np.eye(2), np.ones((6, 4))) + 0.01
    assert len(method(2, device="auto", random_state=0).fit(X).transform(X)) == 12
    with pytest.raises(AssertionError, match="a GPU was asked for"):
        NMF(2, device="auto", random_state=0).fit(X)
