"""Several starts at once on a back end that can stack their factors: here the reference, as a GPU does it."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire import NMF
from quire.backends.matrix import Progress
from quire.backends.reference.matrix import ReferenceMatrix
from quire.engine.loop import can_batch, factorize, factorize_many
from quire.engine.rules.hals import Anls, Hals
from quire.engine.rules.mu import Mu
from quire.engine.rules.rule import Penalty
from quire.engine.rules.simplex import Rri
from quire.engine.trace import Stopping

RULES = [Hals(), Mu(), Anls(Penalty(square=0.1), Penalty(l2=0.1)), Hals(Penalty(l1=0.2), Penalty(l2=0.1)), Rri()]


class Stacking(ReferenceMatrix):
    """The reference with factors of one start, or of several in an array of starts × rows × k."""

    stacks = True

    def __init__(self, X, most=100):
        super().__init__(X)
        self.most, self.together = most, []

    def array(self, factor, k):
        return np.array(factor[..., :k])

    def gram(self, factor, other=None):
        if factor.ndim == 2:
            return super().gram(factor, other)
        return np.array([super(Stacking, self).gram(one) for one in factor])

    def column_sums(self, factor):
        return factor.sum(axis=-2, dtype=np.float64)

    def product(self, side, other):
        return (self._X if side == "W" else self._X.T) @ other

    def descend(self, side, factor, other, G, *rest):
        return self._each("descend", side, factor, other, G, rest)

    def multiply(self, side, factor, other, G, *rest):
        return self._each("multiply", side, factor, other, G, rest)

    def _each(self, name, side, factor, other, G, rest):
        step = getattr(super(), name)
        if factor.ndim == 2:
            return step(side, factor, other, G, *rest)
        self.together.append(len(factor))
        said = [step(side, *own, *rest) for own in zip(factor, other, G, strict=True)]
        return Progress(*np.array(said).T)

    def solve_rows(self, factor, product, G, l1, total):
        if factor.ndim == 2:
            return super().solve_rows(factor, product, G, l1, total)
        self.together.append(len(factor))
        pairs = zip(factor, product, G, strict=True)
        said = [super(Stacking, self).solve_rows(F, P, small, l1, total) for F, P, small in pairs]
        return Progress(*np.array(said).T)

    def carry_on(self, kept, trial, betas):
        for one, other, beta in zip(kept, trial, betas, strict=True):
            if beta < 0:
                other[:] = one
            else:
                new = np.maximum(other + beta * (other - one), 0)
                one[:], other[:] = other, new

    def chosen(self, factor, starts):
        return factor[starts]

    def joined(self, factors):
        return np.concatenate([one if one.ndim == 3 else one[None] for one in factors])

    def starts_at_once(self, k):
        return self.most


def problem(n, d, k=3, n_starts=4):
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(d, 0.1), size=k)
    X = rng.poisson(60 * topics[rng.integers(k, size=n)]).astype(np.float64)
    X[:, 1] += 1 + rng.random(n)
    return X, [(rng.random((n, k)), rng.random((k, d))) for _ in range(n_starts)]


def compare(matrix, starts, rule, stopping, accelerate=True):
    many = factorize_many(matrix, starts, rule, stopping, accelerate=accelerate)
    one = [factorize(matrix, start, rule, stopping, accelerate=accelerate) for start in starts]
    assert len(many) == len(starts)
    for together, alone in zip(many, one, strict=True):
        assert together.stopped == alone.stopped
        assert len(together.trace) == len(alone.trace)
        for name in ("objective", "residual", "iteration"):
            steps = [[getattr(step, name) for step in found.trace] for found in (together, alone)]
            np.testing.assert_allclose(*steps, rtol=1e-9)
        assert all(np.diff([step.objective for step in together.trace]) <= 0)
        assert together.objective == pytest.approx(alone.objective, rel=1e-9)
        assert together.error == pytest.approx(alone.error, rel=1e-9)
        np.testing.assert_allclose(together.H, alone.H, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(together.W, alone.W, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("accelerate", [True, False])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("n", "d"), [(60, 30), (20, 70)])
def test_each_start_ends_where_it_does_alone(rule, n, d, accelerate):
    X, starts = problem(n, d)
    matrix = Stacking(X)
    assert can_batch(matrix, rule) == (type(rule) is not Rri)
    compare(matrix, starts, rule, Stopping(max_iter=30, tol=1e-4), accelerate)
    assert bool(matrix.together) == (type(rule) is not Rri)


def test_groups_where_not_all_fit():
    X, starts = problem(40, 25, n_starts=5)
    matrix = Stacking(X, most=2)
    compare(matrix, starts, Hals(), Stopping(max_iter=15, tol=0))
    assert set(matrix.together) == {2}  # and the fifth alone


def test_those_that_stop_are_let_go_and_the_order_of_the_starts_is_kept():
    X, starts = problem(60, 30, n_starts=6)
    matrix, stopping = Stacking(X), Stopping(max_iter=200, tol=1e-3)
    found = factorize_many(matrix, starts, Hals(), stopping)
    assert len({len(one.trace) for one in found}) > 1
    assert matrix.together == sorted(matrix.together, reverse=True)
    assert max(matrix.together) == 6 > min(matrix.together)
    compare(matrix, starts, Hals(), stopping)


def test_an_estimator_makes_its_starts_together(monkeypatch):
    X = sp.csr_array(problem(60, 30)[0])
    held = []
    monkeypatch.setattr("quire.methods.fitting.as_matrix", lambda X, *_, **__: held.append(Stacking(X)) or held[-1])
    together = NMF(3, init="random", n_init=4, random_state=0, max_iter=20).fit(X)
    assert max(held[0].together) == 4
    monkeypatch.setattr(Stacking, "stacks", False)
    alone = NMF(3, init="random", n_init=4, random_state=0, max_iter=20).fit(X)
    np.testing.assert_allclose(together.components_, alone.components_, rtol=1e-9, atol=1e-12)


def test_a_start_that_no_float_holds_is_refused_among_others():
    X, starts = problem(40, 25)
    X, starts = X.astype(np.float32), [(W.astype(np.float32), H.astype(np.float32)) for W, H in starts]
    starts[2] = starts[2][0] * np.float32(1e30), starts[2][1] * np.float32(1e30)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="rescale"):
        factorize_many(Stacking(X), starts, Mu())
