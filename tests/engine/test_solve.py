"""The last solve for W: exact enough, the same for a document in any company, and bounded in its work."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.image import extract_patches_2d

from quire import NMF
from quire.backends.cpu.matrix import CpuMatrix
from quire.engine.loop import factorize, solve_documents
from quire.engine.rules.hals import _ALIKE, _FEW, _MOST, Hals, condition
from quire.engine.rules.mu import Mu
from quire.engine.rules.rule import Penalty
from quire.engine.start import first_factors
from quire.engine.trace import Stopping


@pytest.fixture(scope="module")
def X():
    return random_sparse(400, 300, 0.1)


class Counting(CpuMatrix):
    """Notes the most sweeps that a step may make, and the rows that are solved exactly."""

    def __init__(self, X):
        super().__init__(X, 1)
        self.swept, self.solved = [], 0

    def descend(self, side, factor, other, G, l1, sweeps, patience):
        self.swept.append(sweeps)
        return super().descend(side, factor, other, G, l1, sweeps, patience)

    def solve_rows(self, factor, *rest):
        self.solved += len(factor)
        return super().solve_rows(factor, *rest)


def kkt(X, W, H, l1=0.0):
    """How far rows are from meeting the conditions of a minimum, beside the size of what is compared."""
    P, Q = X @ H.T, W @ (H @ H.T)
    slope = Q - P + l1
    off = np.where(W > 0, np.abs(slope), np.maximum(-slope, 0))
    return (off / (np.abs(P) + np.abs(Q) + l1 + 1e-300).max(axis=1, keepdims=True)).max()


def alike_topics(X, k=12, iterations=1):
    """Topics of a random start that is far from settled: much alike."""
    start = first_factors(X, k, "random", np.random.RandomState(0))
    with CpuMatrix(X, 1) as matrix:
        H = factorize(matrix, start, Hals(), Stopping(0, iterations)).H
    return H * 0.02 + H.mean(axis=0)


@pytest.mark.parametrize("rule", [Hals(), Hals(Penalty(l1=0.05)), Mu()])
def test_few_iterations_do_not_make_the_solve_long(rule, X):
    H = alike_topics(X)
    assert condition(H @ H.T) > _ALIKE
    with Counting(X) as matrix:
        W = solve_documents(matrix, H, rule).W
        assert matrix.swept == [_FEW]
        assert matrix.solved == X.shape[0]
    assert kkt(X, W, H, rule.W.l1) < 1e-9


@pytest.mark.parametrize("max_iter", [1, 5, 25])
def test_sweeps_of_a_whole_fit_are_bounded(max_iter, X):
    start = first_factors(X, 8, "random", np.random.RandomState(0))
    with Counting(X) as matrix:
        found = factorize(matrix, start, Hals(), Stopping(0, max_iter))
        steps, last = matrix.swept[:-1], matrix.swept[-1]
    assert len(steps) <= 2 * max_iter
    assert max(steps) <= Hals().sweeps
    assert last <= _MOST
    assert kkt(X, found.W, found.H) < 1e-5


def test_topics_that_are_told_apart_are_swept_until_they_settle(X):
    H = np.random.default_rng(0).gamma(0.05, 1.0, (8, X.shape[1]))
    assert condition(H @ H.T) < _ALIKE
    with Counting(X) as matrix:
        W = solve_documents(matrix, H, Hals()).W
        assert matrix.solved == 0
    assert kkt(X, W, H) < 1e-6


@pytest.mark.parametrize(("dtype", "within"), [(np.float32, 1e-4), (np.float64, 1e-7)])
@pytest.mark.parametrize("k", [3, 8, 20])
def test_weights_are_the_best_ones_to_the_digits_that_are_promised(dtype, within, k, X):
    X = X.astype(dtype)
    H = np.random.default_rng(k).gamma(0.05, 1.0, (k, X.shape[1])).astype(dtype)
    with Counting(X) as matrix:
        W = solve_documents(matrix, H, Hals()).W
        assert matrix.solved == 0
    with CpuMatrix(X.astype(np.float64), 1) as matrix:
        other, best = matrix.factor(H.T.astype(np.float64)), matrix.factor(np.zeros((len(W), k)))
        matrix.solve_rows(best, matrix.product("W", other), matrix.gram(other)[:k, :k], 0.0, 0.0)
        best = matrix.array(best, k)
    assert (np.abs(W - best) <= within * best.max(axis=1, keepdims=True)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_document_comes_out_the_same_in_any_company(dtype, X):
    X = X.astype(dtype)
    H = alike_topics(X).astype(dtype)
    with CpuMatrix(X, 2) as matrix:
        W = solve_documents(matrix, H, Hals()).W
    rows = np.array([3, 77, 200, 399])
    for some in ([5], rows, rows[::-1]):
        with CpuMatrix(sp.csr_array(X[some]), 1) as matrix:
            np.testing.assert_array_equal(solve_documents(matrix, H, Hals()).W, W[some])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_so_it_does_for_an_estimator_of_few_iterations(X):
    model = NMF(12, init="random", random_state=0, max_iter=1)
    W = model.fit_transform(X)
    np.testing.assert_array_equal(model.transform(X), W)
    np.testing.assert_array_equal(model.transform(X[[7]]), W[[7]])


def test_the_condition_leaves_empty_topics_out_and_knows_no_unit():
    H = np.random.default_rng(0).random((4, 9))
    G = H @ H.T
    wide = np.zeros((6, 6))
    wide[:4, :4] = G
    sizes = np.array([1e-3, 1.0, 1e3, 7.0])
    assert condition(wide) == pytest.approx(condition(G))
    assert condition(G * np.outer(sizes, sizes)) == pytest.approx(condition(G))
    assert condition(np.ones((3, 3))) > 1e9
    assert condition(np.zeros((3, 3))) == 1


@pytest.mark.parametrize("init", ["nndsvda", "nndsvdar"])
def test_weights_that_are_solved_for_anew_are_no_worse_than_the_fits(init):
    """With L1, Itakura–Saito has several minima for a document: the solve must not end in a far higher one."""
    pytest.importorskip("PIL")
    image = load_sample_image("china.jpg").mean(axis=2)[::2, ::2]
    X = (extract_patches_2d(image, (8, 8), max_patches=300, random_state=0).reshape(300, -1) + 1) / 256
    model = NMF(8, init=init, beta_loss="itakura-saito", alpha_W=0.01 * X.mean(), l1_ratio=1.0, random_state=0).fit(X)
    assert model.objective_ <= 1.001 * model.trace_[-1]["objective"]
