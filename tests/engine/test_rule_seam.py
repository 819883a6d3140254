"""A new update rule is a file and a line: here it is the class, and the line of the registry."""

from dataclasses import dataclass

import numpy as np
import pytest
from problems import objective, random_sparse

from quire import NMF
from quire.engine.rules.hals import Penalised
from quire.engine.rules.registry import SOLVERS
from quire.places.memory import in_memory


@dataclass(frozen=True)
class Gradient(Penalised):
    """Projected gradient steps of length 1 / L; nothing else is said about it anywhere."""

    def update(self, X, side, factor, other, gram):
        G, P = self.on(side).added_to(gram), X.product(side, other)
        return X.by_rows(factor, P, len(G), Step(G, self.on(side).l1))


@dataclass(frozen=True)
class Step:
    G: np.ndarray
    l1: float

    def __call__(self, F, P):
        G = self.G.astype(F.dtype)
        before = F.copy()
        F[:] = np.maximum(F - (F @ G - P + self.l1) / np.linalg.eigvalsh(self.G)[-1], 0)
        moved = F - before
        return float(np.sum(F * P)), float(np.sum(moved @ G * moved))


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(SOLVERS, "gradient", Gradient)


@pytest.mark.parametrize("penalty", [{}, {"alpha_W": 1e-3, "l1_ratio": 0.5}])
def test_an_estimator_takes_a_rule_that_it_never_heard_of(penalty):
    X = random_sparse(60, 40, 0.3)
    model = NMF(4, solver="gradient", random_state=0, max_iter=400, tol=1e-6, **penalty)
    W = model.fit_transform(X)
    assert (np.diff(model.trace_["objective"]) <= 0).all()
    assert model.objective_ == pytest.approx(objective(model._rule(X.shape), X, W, model.components_))
    known = NMF(4, random_state=0, max_iter=400, tol=1e-6, **penalty).fit(X)
    assert model.objective_ < 1.02 * known.objective_
    np.testing.assert_array_equal(model.transform(X), W)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_works_in_blocks_too():
    X = random_sparse(60, 40, 0.3)
    here, there = (NMF(4, solver="gradient", random_state=0, max_iter=20) for _ in range(2))
    W, W_there = here.fit_transform(X), there.fit_transform(in_memory(X, 25))
    np.testing.assert_allclose(np.asarray(W_there), W, rtol=1e-6, atol=1e-9)


def test_its_name_is_among_those_that_are_offered():
    with pytest.raises(ValueError, match="gradient"):
        NMF(4, solver="descent").fit(np.eye(5))
