"""The objective never rises, is what it says it is, and ends where the KKT conditions hold."""

from itertools import pairwise

import numpy as np
import pytest
import sklearn.decomposition
from hypothesis import given
from hypothesis import strategies as st
from problems import problems, random_sparse, squared_error, well_posed
from sklearn.datasets import load_digits
from sklearn.decomposition._nmf import _beta_divergence

from quire import NMF
from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.reference.matrix import ReferenceMatrix
from quire.engine.loop import factorize
from quire.engine.rules.hals import Hals
from quire.engine.rules.rule import Penalty
from quire.engine.trace import Stopping

penalties = st.sampled_from([Penalty(), Penalty(l1=0.3), Penalty(l2=0.5), Penalty(0.2, 0.2)])


def _objective(X, W, H, rule):
    value = squared_error(X, W, H) / 2
    for penalty, F in ((rule.W, W), (rule.H, H)):
        value += penalty.l1 * F.sum(dtype=float) + penalty.l2 * np.sum(F.astype(float) ** 2) / 2
    return value


@given(problems(), penalties, penalties, st.booleans(), st.sampled_from([1, 6]))
def test_objective_never_rises(problem, on_W, on_H, accelerate, sweeps):
    X, W, H = problem
    rule = Hals(on_W, on_H, sweeps=sweeps)
    matrix = CpuMatrix(X, 1)
    found = factorize(matrix, (W, H), rule, Stopping(tol=0, max_iter=30), accelerate=accelerate)
    objective = [step.objective for step in found.trace]
    assert all(after <= before for before, after in pairwise(objective))
    # Solving for W at the end can only lower it, up to rounding: of ‖X‖², and where the problem is so badly
    # conditioned (more topics than terms; a penalty on one factor alone lets the other grow) that it crawls.
    slack = 1e-4 if X.dtype == np.float32 else 2e-5
    assert found.objective <= objective[-1] + slack * matrix.squared_norm
    assert found.W.min() >= 0
    assert found.H.min() >= 0


@given(problems(), penalties, penalties)
def test_objective_is_the_objective(problem, on_W, on_H):
    X, W, H = problem
    rule = Hals(on_W, on_H)
    matrix = CpuMatrix(X, 1)
    found = factorize(matrix, (W, H), rule, Stopping(tol=0, max_iter=3))
    slack = 1e-5 if X.dtype == np.float32 else 1e-9
    truth = _objective(X, found.W, found.H, rule)
    assert found.objective == pytest.approx(truth, rel=slack, abs=slack * matrix.squared_norm)
    assert found.error**2 == pytest.approx(squared_error(X, found.W, found.H), abs=2 * slack * matrix.squared_norm)


@pytest.mark.parametrize("accelerate", [True, False])
@pytest.mark.parametrize("penalty", [Penalty(), Penalty(l1=0.05), Penalty(l2=0.1)])
def test_kkt_conditions_hold_at_convergence(accelerate, penalty):
    X = random_sparse(60, 40, 0.3)
    rng = np.random.default_rng(0)
    found = factorize(
        CpuMatrix(X, 1), (rng.random((60, 5)), rng.random((5, 40))), Hals(penalty, penalty),
        Stopping(tol=1e-9, max_iter=20_000), accelerate=accelerate,
    )  # fmt: skip
    assert found.stopped == "tol"
    A = X.toarray()
    for F, other, target in ((found.W, found.H.T, A), (found.H.T, found.W, A.T)):
        gradient = F @ (other.T @ other) - target @ other + penalty.l1 + penalty.l2 * F
        size = np.abs(target @ other).max()
        assert np.abs(np.minimum(F, gradient / size)).max() < 1e-4  # F ≥ 0, gradient ≥ 0, one of them 0


@given(well_posed)
def test_fast_and_reference_take_the_same_way(problem):
    X, W, H = problem
    X, W, H = X.astype(np.float64), W.astype(np.float64), H.astype(np.float64)
    stopping = Stopping(tol=0, max_iter=4)
    fast = factorize(CpuMatrix(X, 2), (W, H), Hals(patience=0.0), stopping)
    slow = factorize(ReferenceMatrix(X), (W, H), Hals(patience=0.0), stopping)
    size = np.sum(X.data**2)
    for a, b in zip(fast.trace, slow.trace):
        assert a.objective == pytest.approx(b.objective, rel=1e-6, abs=1e-6 * size)


@pytest.mark.parametrize("alpha", [0.0, 0.002])
def test_agrees_with_scikit_learn_from_the_same_start(alpha):
    X = random_sparse(150, 90, 0.2)
    rng = np.random.default_rng(1)
    W, H = rng.random((150, 6)), rng.random((6, 90))
    options = {"n_components": 6, "init": "custom", "alpha_W": alpha, "l1_ratio": 0.5, "max_iter": 5000}
    ours = NMF(tol=1e-7, **options)
    theirs = sklearn.decomposition.NMF(tol=1e-8, **options)
    W_ours, W_theirs = ours.fit_transform(X, W=W, H=H), theirs.fit_transform(X, W=W.copy(), H=H.copy())

    def objective(model, W):
        penalties = ((X.shape[1], W), (X.shape[0], model.components_))
        extra = sum(c * alpha * 0.5 * (F.sum() + np.sum(F**2) / 2) for c, F in penalties)
        return squared_error(X, W, model.components_) / 2 + extra

    assert objective(ours, W_ours) <= 1.001 * objective(theirs, W_theirs)
    assert ours.objective_ == pytest.approx(objective(ours, W_ours))


def test_one_iteration_is_scikit_learns():
    """Without acceleration, one sweep and documents first, both do the same arithmetic."""
    X = random_sparse(90, 60, 0.3)
    rng = np.random.default_rng(2)
    W, H = rng.random((90, 4)), rng.random((4, 60))
    found = factorize(CpuMatrix(X, 1), (W, H), Hals(sweeps=1), Stopping(0, 7), accelerate=False)
    theirs = sklearn.decomposition.NMF(4, init="custom", tol=0, max_iter=7, shuffle=False)
    W_theirs = theirs.fit_transform(X, W=W.copy(), H=H.copy())
    np.testing.assert_allclose(found.H, theirs.components_, rtol=1e-6, atol=1e-9)
    error = squared_error(X, W_theirs, theirs.components_) / 2
    assert found.trace[-1].objective == pytest.approx(error, rel=1e-9)


def _ratio_to_scikit_learns(X, alpha, l1_ratio, **options):
    """Our objective over scikit-learn's, measured by one function, and our model."""
    values = []
    for make in (sklearn.decomposition.NMF, NMF):
        model = make(8, random_state=0, alpha_W=alpha, l1_ratio=l1_ratio, **options)
        W, H = model.fit_transform(X), model.components_
        value = _beta_divergence(X, W, H, options.get("beta_loss", 2))
        for F, weight in ((W, X.shape[1] * alpha), (H, X.shape[0] * alpha)):
            value += weight * (l1_ratio * F.sum() + (1 - l1_ratio) / 2 * np.sum(F**2))
        values.append(value)
    return values[1] / values[0], model


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("init", ["random", "nndsvda"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_large_steps_from_a_far_start_let_no_topic_die(init, l1_ratio):
    X = load_digits().data
    ratio, _ = _ratio_to_scikit_learns(X, 0.01 * X.mean(), l1_ratio, init=init)
    assert ratio <= 1.001


@pytest.mark.parametrize("loss", ["kullback-leibler", "itakura-saito"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_losses_end_before_max_iter_and_below_scikit_learns(loss):
    X = load_digits().data + (loss == "itakura-saito")
    ratio, model = _ratio_to_scikit_learns(X, 0.0, 0.0, init="nndsvda", solver="mu", beta_loss=loss)
    assert ratio <= 1.001
    assert model.stopped_ == "tol"
    assert model.n_iter_ < 200


def test_stop_reasons():
    X = random_sparse(50, 40, 0.3)
    common = {"n_components": 4, "init": "random", "random_state": 0}
    assert NMF(tol=1e-3, **common).fit(X).stopped_ == "tol"
    assert NMF(tol=0, max_iter=3, **common).fit(X).stopped_ == "max_iter"
    assert NMF(tol=0, max_time=1e-9, **common).fit(X).stopped_ == "max_time"
    seen = []
    model = NMF(tol=0, callback=lambda step: seen.append(step) or len(seen) == 2, **common).fit(X)
    assert model.stopped_ == "callback"
    assert [step.iteration for step in seen] == [1, 2]
    assert model.trace_["objective"].tolist() == [step.objective for step in seen]
    with pytest.warns(UserWarning, match="max_iter"):
        NMF(tol=1e-9, max_iter=2, **common).fit(X)


def test_best_of_several_starts_is_kept():
    X = random_sparse(80, 50, 0.2)
    rng = np.random.RandomState(3)
    single = [NMF(5, init="random", random_state=rng).fit(X).objective_ for _ in range(4)]
    best = NMF(5, init="random", n_init=4, random_state=3).fit(X)
    assert best.objective_ == min(single)
    assert len(set(single)) > 1


def test_acceleration_needs_fewer_iterations():
    X = random_sparse(400, 300, 0.1)
    common = {"n_components": 8, "init": "random", "random_state": 0, "tol": 1e-4, "max_iter": 2000}
    fast, plain = NMF(**common).fit(X), NMF(accelerate=False, **common).fit(X)
    level = 1.001 * max(fast.objective_, plain.objective_)
    reached = [int(np.argmax(m.trace_["objective"] <= level)) for m in (fast, plain)]
    assert reached[0] <= reached[1]
