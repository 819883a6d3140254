"""Several starts at once end where they do one after the other."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import on_gpu

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.gpu.matrix import GpuMatrix
from quire.engine.loop import can_batch, factorize, factorize_many
from quire.engine.rules.hals import Anls, Hals
from quire.engine.rules.mu import Mu
from quire.engine.rules.rule import Penalty
from quire.engine.rules.simplex import Rri
from quire.engine.trace import Stopping

RULES = [Hals(), Mu(), Anls(Penalty(square=0.1), Penalty(l2=0.1)), Hals(Penalty(l1=0.2), Penalty(l2=0.1)), Rri()]


def _problem(n, d, k=3, n_starts=4):
    """Documents of k topics; one term that all have, so that its row of Xᵀ is long."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(d, 0.1), size=k)
    X = rng.poisson(60 * topics[rng.integers(k, size=n)]).astype(np.float64)
    X[:, 1] += 1 + rng.random(n)
    return sp.csr_array(X), [(rng.random((n, k)), rng.random((k, d))) for _ in range(n_starts)]


def _compare(matrix, starts, rule, stopping):
    many = factorize_many(matrix, starts, rule, stopping)
    one = [factorize(matrix, start, rule, stopping) for start in starts]
    assert len(many) == len(starts)
    for together, alone in zip(many, one, strict=True):
        assert together.stopped == alone.stopped
        assert len(together.trace) == len(alone.trace)
        assert all(np.diff([step.objective for step in together.trace]) <= 0)
        assert together.objective == pytest.approx(alone.objective, rel=1e-8)
        assert together.error == pytest.approx(alone.error, rel=1e-6)
        np.testing.assert_allclose(together.H, alone.H, atol=1e-5)
        np.testing.assert_allclose(together.W, alone.W, atol=1e-5)


@on_gpu
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "d"), [(120, 50), (40, 700), (700, 30)])
def test_each_start_ends_where_it_does_alone(rule, n, d):
    X, starts = _problem(n, d)
    with GpuMatrix(X) as matrix:
        assert can_batch(matrix, rule) == (type(rule) is not Rri)
        _compare(matrix, starts, rule, Stopping(max_iter=40, tol=1e-4))


@on_gpu
def test_groups_where_not_all_fit(monkeypatch):
    X, starts = _problem(60, 40, n_starts=5)
    with GpuMatrix(X) as matrix:
        monkeypatch.setattr(matrix, "starts_at_once", lambda k: 2)
        _compare(matrix, starts, Hals(), Stopping(max_iter=15, tol=0))


@on_gpu
def test_starts_that_stop_at_different_times():
    X, starts = _problem(80, 40, n_starts=6)
    with GpuMatrix(X) as matrix:
        found = factorize_many(matrix, starts, Hals(), Stopping(max_iter=200, tol=1e-3))
        assert len({len(one.trace) for one in found}) > 1
        _compare(matrix, starts, Hals(), Stopping(max_iter=200, tol=1e-3))


@pytest.mark.parametrize("rule", RULES[:2])
def test_other_back_ends_take_one_after_the_other(rule):
    X, starts = _problem(50, 30)
    with CpuMatrix(X, 1) as matrix:
        assert not can_batch(matrix, rule)
        _compare(matrix, starts, rule, Stopping(max_iter=10, tol=0))
