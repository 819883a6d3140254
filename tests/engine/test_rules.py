"""Every rule: never uphill, at rest where the conditions hold, the same on both back ends."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import RULES, objective, problems, random_sparse, squared_error, well_posed

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.reference.matrix import ReferenceMatrix
from quire.engine.loop import factorize
from quire.engine.rules.beta import Beta, Em
from quire.engine.rules.ppc import Posterior
from quire.engine.rules.simplex import Rri, onto_simplex
from quire.engine.rules.single import Single
from quire.engine.rules.soft import Soft
from quire.engine.rules.sppc import Both
from quire.engine.trace import Stopping

every_rule = pytest.mark.parametrize("name", RULES)


def positive(name, X):
    """X as the rule needs it: no zeros for Itakura–Saito; rows of length 1, so none empty, for directions."""
    if name.startswith("is"):
        return sp.csr_array(X.toarray() + X.dtype.type(0.1))
    if name == "directions":
        A = X.toarray()
        A[~A.any(axis=1), 0] = 1  # the estimator leaves documents without terms out
        return sp.csr_array(A / np.sqrt(np.square(A).sum(axis=1, keepdims=True)))
    return X


def fitted(name, X, W, H, iterations, matrix=CpuMatrix, **options):
    rule = RULES[name]()
    with matrix(X, 1) if matrix is CpuMatrix else matrix(X) as held:
        return factorize(held, (W, H), rule, Stopping(tol=0, max_iter=iterations), **options)


@every_rule
@given(problem=problems())
def test_an_iteration_never_goes_uphill(name, problem):
    """The loop would refuse such a step, so look at the rule's own steps, one iteration after the other."""
    X, W, H = problem
    X, rule = positive(name, X), RULES[name]()
    with CpuMatrix(X, 1) as matrix:
        W, H = rule.begin(matrix, (W, H))
        k, F = W.shape[1], {"W": matrix.factor(W), "H": matrix.factor(H.T)}
        before, scale = np.inf, max(float(np.sum(X.data.astype(float) ** 2)), float(X.sum()), 1.0)
        for _ in range(6):
            old = matrix.duplicate(F["W"]) if rule.simultaneous else F["W"]
            rule.update(matrix, "W", F["W"], F["H"], matrix.gram(F["H"])[:k, :k])
            rule.update(matrix, "H", F["H"], old, matrix.gram(old)[:k, :k])
            after = objective(rule, X, matrix.array(F["W"], k), matrix.array(F["H"], k).T)
            assert after <= before + (1e-5 if X.dtype == np.float32 else 1e-9) * scale
            before = after


@every_rule
@given(problem=problems())
def test_the_objective_is_the_objective(name, problem):
    X, W, H = problem
    X = positive(name, X)
    found = fitted(name, X, W, H, 3)
    slack = 1e-5 if X.dtype == np.float32 else 1e-9
    scale = max(float(np.sum(X.data.astype(float) ** 2)), float(X.sum()))
    truth = objective(RULES[name](), X, found.W, found.H)
    assert found.objective == pytest.approx(truth, rel=10 * slack, abs=10 * slack * scale)
    if isinstance(RULES[name](), Beta):
        plain = RULES[name]().__class__(beta=RULES[name]().beta)  # without the penalties
        expected = 2 * objective(plain, X, found.W, found.H)
    else:
        expected = squared_error(X, found.W, found.H)
    assert found.error**2 == pytest.approx(expected, abs=20 * slack * scale)


@every_rule
@given(problem=well_posed)
def test_fast_and_reference_take_the_same_way(name, problem):
    X, W, H = (F.astype(np.float64) for F in problem)
    X = positive(name, X)
    fast = fitted(name, X, W, H, 4)
    slow = fitted(name, X, W, H, 4, ReferenceMatrix)
    scale = float(np.sum(X.data**2))
    for a, b in zip(fast.trace, slow.trace):
        assert a.objective == pytest.approx(b.objective, rel=1e-6, abs=1e-6 * scale)


@every_rule
def test_the_order_of_documents_and_terms_does_not_matter(name):
    X = positive(name, random_sparse(40, 30, 0.5))
    rng = np.random.default_rng(0)
    W, H = rng.random((40, 4)), rng.random((4, 30))
    rows, columns = rng.permutation(40), rng.permutation(30)
    plain = fitted(name, X, W, H, 5)
    mixed = fitted(name, X[rows][:, columns], W[rows], H[:, columns], 5)
    assert mixed.objective == pytest.approx(plain.objective, rel=1e-9)
    np.testing.assert_allclose(mixed.W, plain.W[rows], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(mixed.H, plain.H[:, columns], rtol=1e-5, atol=1e-7)


@every_rule
@given(problem=problems(), unit=st.sampled_from([1.0, 1e12]))
def test_constraints_hold(name, problem, unit):
    X, W, H = problem
    X = positive(name, X)
    if name != "directions":
        X = X * X.dtype.type(unit)
    found, slack = fitted(name, X, W, H, 3), 1e-5 if X.dtype == np.float32 else 1e-12
    assert found.W.min() >= 0
    assert found.H.min() >= 0
    if "ppc" in name or name == "soft":
        np.testing.assert_allclose(found.W.sum(axis=1, dtype=float), 1, rtol=slack)
    if name.startswith("sppc"):
        np.testing.assert_allclose(found.parts["words"].sum(axis=1, dtype=float), 1, rtol=slack)
        product = found.parts["middle"].T @ found.parts["words"].T
        np.testing.assert_allclose(product, found.H, rtol=100 * slack, atol=100 * slack * found.H.max())
        assert found.parts["middle"].min() >= 0
    if name.startswith("simplex"):
        np.testing.assert_allclose(found.H.sum(axis=1, dtype=float), RULES[name]().size, rtol=slack)
    if name == "nnl2":
        assert np.linalg.norm(found.H.astype(float), axis=1).max() <= 1 + slack
    if name == "plsi":
        np.testing.assert_allclose(found.H.sum(axis=1, dtype=float), 1, rtol=slack)
    if name == "directions":
        lengths = np.linalg.norm(found.H.astype(float), axis=1)
        np.testing.assert_allclose(lengths[lengths > 0], 1, rtol=slack)
    if name in ("means", "directions", "orthogonal"):
        assert (np.count_nonzero(found.W, axis=1) <= 1).all()


SLOW = ("mu", "kl", "is", "plsi", "printed")
SETTLES = {name: 20_000 if any(slow in name for slow in SLOW) else 3000 for name in RULES}


@every_rule
def test_at_rest_the_conditions_hold(name):
    """Natural residual: F against the nearest allowed point to F − gradient / curvature."""
    X = positive(name, random_sparse(40, 30, 0.4))
    rng = np.random.default_rng(0)
    rule = RULES[name]()
    with CpuMatrix(X, 1) as matrix:
        start = rng.random((40, 3)), rng.random((3, 30))
        tol = 0.0 if rule.creeps else 1e-9  # else a fit that creeps ends by what a few steps gained
        found = factorize(matrix, start, rule, Stopping(tol=tol, max_iter=SETTLES[name]))
        assert found.objective <= found.trace[-1].objective * (1 + 1e-6), "solving for W cannot raise it"
        rule = RULES[name]()
        if not isinstance(rule, Both):  # which takes a start's H as weights of words
            more = factorize(matrix, (found.W, found.H), rule, Stopping(tol=0, max_iter=30))
            assert more.objective >= found.objective * (1 - 1e-5), "it could still go on"
    for F, gradient, allowed in conditions(rule, X.toarray(), found):
        curvature = max(np.abs(gradient).max(), 1.0)
        moved = F - allowed(F - gradient / curvature)
        assert np.abs(moved).max() < 5e-3 * max(1.0, F.max())


def conditions(rule, A, found):
    """Each factor with its gradient and what it may be."""
    W, H = found.W, found.H
    if isinstance(rule, Single | Soft):
        return []  # half steps are exact: that nothing more is gained says it all
    if isinstance(rule, Both):
        F, S = found.parts["words"], found.parts["middle"]
        difference = (W @ H - A).T
        return [
            (W, (W @ H - A) @ H.T, _rows_on_simplex),
            (F, difference @ W @ S.T, _rows_on_simplex),
            (S, F.T @ difference @ W, _not_negative),
        ]
    if isinstance(rule, Beta):
        Y = np.maximum(W @ H, 1e-30)
        towards = 1 - A / Y if rule.beta else (Y - A) / Y**2
    else:
        towards = W @ H - A
    pairs = []
    for F, other, penalty, T in ((W, H.T, rule.W, towards), (H.T, W, rule.H, towards.T)):
        gradient = T @ other + penalty.l1 + penalty.l2 * F + penalty.square * F.sum(axis=1, keepdims=True)
        allowed = _not_negative
        if isinstance(rule, Posterior) and F is W:
            allowed = _rows_on_simplex
        if isinstance(rule, Rri) and F is not W and rule.constraint != "free":
            allowed = lambda Q: np.array([rule._project(q) for q in Q.T]).T  # noqa: E731
        if isinstance(rule, Em) and F is not W:  # rows of H sum to 1, which W's size makes up for
            allowed = lambda Q: np.array([onto_simplex(q) for q in Q.T]).T  # noqa: E731
        pairs.append((F, gradient, allowed))
    return pairs


def _not_negative(F):
    return np.maximum(F, 0)


def _rows_on_simplex(F):
    return np.array([onto_simplex(row) for row in F])
