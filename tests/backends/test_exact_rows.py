"""Rows solved exactly: against other solvers, by the optimality conditions, and whatever is wrong with G."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_sparse
from scipy.optimize import minimize, nnls

from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.reference.matrix import ReferenceMatrix, solve_rows

WIDTHS = [1, 2, 7, 8, 9, 20, 65]
STARTS = ["zeros", "ones", "random", "half", "huge", "negative", "solution"]
DAMAGES = ["none", "twins", "sum of two", "zero topics", "all zero", "few documents"]
cases = st.fixed_dictionaries(
    {
        "n": st.integers(1, 40),
        "d": st.integers(1, 90),
        "k": st.sampled_from(WIDTHS),
        "dtype": st.sampled_from([np.float32, np.float64]),
        "form": st.sampled_from(["transposed kept", "X alone", "dense"]),
        "start": st.sampled_from(STARTS[:-1]),
        "damage": st.sampled_from(DAMAGES),
        "l1": st.sampled_from([0.0, 0.0, 0.7]),
        "total": st.sampled_from([0.0, 1.0, 3.5]),
        "n_jobs": st.sampled_from([1, 2]),
        "seed": st.integers(0, 9999),
    }
)


def _start(kind, shape, rng, solution=None):
    F = rng.random(shape)
    if kind == "half":
        F[rng.random(shape) < 0.5] = 0
    return {
        "zeros": 0 * F, "ones": 0 * F + 1, "random": F, "half": F, "huge": 1e9 * F, "negative": F - 0.5,
        "solution": solution,
    }[kind]  # fmt: skip


def _damaged(B, damage, rng):
    """Make the other factor, one column a topic, singular in one of many ways."""
    k = B.shape[1]
    B = B.copy()
    if damage == "twins":
        B[:, k // 2 :] = B[:, : k - k // 2]
    elif damage == "sum of two" and k > 2:
        B[:, -1] = B[:, 0] + B[:, 1]
        B[:, 2] = B[:, 0] + 2 * B[:, 1] if k > 4 else B[:, 2]
    elif damage == "zero topics":
        B[:, rng.random(k) < 0.4] = 0
    elif damage == "all zero":
        B[:] = 0
    elif damage == "few documents":
        B[2:] = 0
    return B


def _heights(F, P, G, l1=0.0):
    """½ f G fᵀ − p·f + l1·Σf of each row, in float64."""
    F, P = F.astype(np.float64), P.astype(np.float64)
    return 0.5 * np.sum(F @ G * F, axis=1) - np.sum(F * P, axis=1) + l1 * F.sum(axis=1)


def _feasible(F, P, G, total):
    """Return the start that the rows must not end above."""
    F = np.maximum(F.astype(np.float64), 0)
    if total == 0:
        return np.where(np.diag(G) > 0, F, 0)
    vertices = total * np.eye(len(G))
    best = vertices[np.argmin([_heights(np.tile(v, (len(P), 1)), P, G) for v in vertices], axis=0)]
    sums = F.sum(axis=1, keepdims=True)
    return np.where(sums > 0, F * (total / np.where(sums > 0, sums, 1)), best)


def _check_optimal(F, first, P, G, l1, total, tolerance):
    """Check the KKT conditions, which are enough since it is convex; ``tolerance`` is of their terms."""
    begun = (np.maximum(first.astype(np.float64), 0) @ G).max(axis=1, keepdims=True)
    F = F.astype(np.float64)
    assert (F >= 0).all()
    gradient = F @ G - P + (0 if total > 0 else l1)
    rounding = tolerance * (np.abs(F) @ np.abs(G) + np.abs(P) + l1).max(axis=1, keepdims=True) + 1e-15 * begun
    if total > 0:
        np.testing.assert_allclose(F.sum(axis=1), total, rtol=tolerance)
        gradient -= gradient.min(axis=1, keepdims=True)
    # what could still be gained by moving all weight to where it does best
    gain = np.sum(F * gradient, axis=1, keepdims=True) / np.maximum(F.sum(axis=1, keepdims=True), 1e-300)
    assert (np.abs(gain) <= rounding).all()
    there = (np.diag(G) > 0) | (total > 0)
    assert (gradient[:, there] >= -rounding).all()
    assert total > 0 or not F[:, ~there].any()


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("k", WIDTHS)
def test_rows_are_those_of_scipy(k, start, form):
    rng = np.random.default_rng(k)
    X = random_sparse(25, 120, 0.3, seed=k)
    H = rng.random((120, k)) * (rng.random((120, k)) < 0.6)
    expected = np.array([nnls(H, x)[0] for x in X.toarray()])
    first = _start(start, expected.shape, rng, expected)
    with CpuMatrix(X.toarray() if form == "dense" else X, 1) as matrix:
        F = matrix.factor(first)
        said = matrix.solve_rows(F, matrix.product("W", matrix.factor(H)), H.T @ H, 0.0, 0.0)
        np.testing.assert_allclose(F[:, :k], expected, atol=1e-8)
    assert not F[:, k:].any()
    assert said.inner == pytest.approx(np.sum(expected * (X @ H)))
    assert said.residual == pytest.approx(np.sum(((expected - first) @ H.T) ** 2), rel=1e-9, abs=1e-12)
    F = first.copy()
    solve_rows(X @ H, F, H.T @ H)
    np.testing.assert_allclose(F, expected, atol=1e-8)


def _by_brute_force(q, G, total):
    """Try all supports of a small problem; the lowest feasible point is the solution."""
    k, best, lowest = len(q), None, np.inf
    for size in range(1 if total > 0 else 0, k + 1):
        for support in map(list, combinations(range(k), size)):
            A, b = G[np.ix_(support, support)], q[support]
            if total > 0:
                A = np.block([[A, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]])
                b = np.append(b, total)
            f = np.zeros(k)
            f[support] = np.linalg.solve(A, b)[:size]
            height = 0.5 * f @ G @ f - q @ f
            if f.min() >= 0 and height < lowest:
                best, lowest = f, height
    return best


@given(st.integers(1, 6), st.sampled_from(STARTS[:-1]), st.sampled_from([0.0, 0.6]), st.integers(0, 999))
def test_small_problems_by_brute_force(k, start, l1, seed):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(12, k))  # any sign: the solvers do not ask for more than G = BᵀB
    X = rng.normal(size=(4, 12))
    P, G = X @ B, B.T @ B
    for total in (0.0, 2.0):
        expected = [_by_brute_force(p - (0 if total > 0 else l1), G, total) for p in P]
        first = _start(start, P.shape, rng)
        F = first.copy()
        solve_rows(P, F, G, l1, total)
        np.testing.assert_allclose(F, expected, atol=1e-9)
        with CpuMatrix(X, 1) as matrix:
            F = matrix.factor(first)
            matrix.solve_rows(F, matrix.product("W", matrix.factor(B)), G, l1, total)
        np.testing.assert_allclose(F[:, :k], expected, atol=1e-9)


@pytest.mark.parametrize("k", [7, 20])
def test_rows_with_a_sum_are_those_of_a_general_solver(k):
    rng = np.random.default_rng(k)
    X, H = rng.random((6, 60)), rng.random((60, k)) ** 3
    G, P = H.T @ H, X @ H
    with CpuMatrix(X, 1) as matrix:
        F = matrix.factor(np.zeros((6, k)))
        matrix.solve_rows(F, matrix.product("W", matrix.factor(H)), G, 0.3, 1.5)
    for f, p in zip(F[:, :k], P):
        found = minimize(
            lambda f, p=p: 0.5 * f @ G @ f - p @ f, np.full(k, 1.5 / k), jac=lambda f, p=p: G @ f - p,
            method="SLSQP", bounds=[(0, None)] * k, options={"ftol": 1e-14, "maxiter": 1000},
            constraints={"type": "eq", "fun": lambda f: f.sum() - 1.5, "jac": np.ones_like},
        )  # fmt: skip
        np.testing.assert_allclose(f, found.x, atol=1e-5)
        assert 0.5 * f @ G @ f - p @ f <= found.fun + 1e-12


@given(cases)
def test_any_problem_is_solved(case):
    """Both back ends, for every kind of start and of G, by the conditions that make a row the solution."""
    rng = np.random.default_rng(case["seed"])
    k, l1, total, dtype = case["k"], case["l1"], case["total"], case["dtype"]
    X = random_sparse(case["n"], case["d"], 0.3, dtype, case["seed"])
    held = X.toarray() if case["form"] == "dense" else X
    tolerance = {np.float32: 2e-5, np.float64: 1e-9}[dtype]
    with CpuMatrix(held, case["n_jobs"], keep_transposed=case["form"] == "transposed kept") as fast:
        slow = ReferenceMatrix(X)
        for side, rows, columns in (("W", *X.shape), ("H", *X.shape[::-1])):
            B = _damaged(rng.random((columns, k)), case["damage"], rng).astype(dtype)
            first = _start(case["start"], (rows, k), rng).astype(dtype)
            G = slow.gram(B)
            P = fast.product(side, fast.factor(B))[:, :k].astype(np.float64)
            F, other = fast.factor(first), fast.factor(B)
            said = fast.solve_rows(F, fast.product(side, other), G, l1, total)
            assert not F[:, k:].any()
            F_slow = slow.factor(first)
            said_slow = slow.solve_rows(F_slow, slow.product(side, B), G, l1, total)
            begun = _heights(_feasible(first, P, G, total), P, G, l1)
            ended = _heights(F[:, :k], P, G, l1)
            scale = np.abs(P).max() * max(np.abs(F).max(), 1) + 1e-300
            assert (ended <= begun + tolerance * (np.abs(begun) + scale)).all()
            np.testing.assert_allclose(ended, _heights(F_slow, P, G, l1), rtol=tolerance, atol=tolerance * scale)
            for solved in (F[:, :k], F_slow):
                _check_optimal(solved, first, P, G, l1, total, tolerance)
            assert said.inner == pytest.approx(np.sum(F[:, :k] * P), rel=1e-9, abs=1e-12)
            change = F[:, :k].astype(np.float64) - first
            change_slow = F_slow.astype(np.float64) - first
            for moved, told in ((change, said), (change_slow, said_slow)):
                assert told.residual == pytest.approx(np.sum(moved @ G * moved), rel=1e-6, abs=1e-12)
    assert said_slow.inner == pytest.approx(np.sum(F_slow * P), rel=tolerance, abs=tolerance * scale)


@given(cases)
def test_well_posed_rows_agree(case):
    """Where the solution is unique both back ends find it."""
    rng = np.random.default_rng(case["seed"])
    k, dtype = case["k"], case["dtype"]
    X = random_sparse(case["n"], case["d"], 0.3, dtype, case["seed"])
    B = rng.random((case["d"], k)).astype(dtype)
    first = _start(case["start"], (case["n"], k), rng).astype(dtype)
    slow = ReferenceMatrix(X)
    G = slow.gram(B)
    G += 0.3 * np.trace(G) / k * np.eye(k)
    F_slow = slow.factor(first)
    slow.solve_rows(F_slow, slow.product("W", B), G, case["l1"], case["total"])
    with CpuMatrix(X, 1) as fast:
        F = fast.factor(first)
        fast.solve_rows(F, fast.product("W", fast.factor(B)), G, case["l1"], case["total"])
    tolerance = {np.float32: 1e-4, np.float64: 1e-9}[dtype]
    np.testing.assert_allclose(F[:, :k], F_slow, atol=tolerance * max(1, F_slow.max()))


def test_a_topic_made_of_others_takes_their_place_where_that_costs_less():
    """The third topic is dependent: no Newton step says that it should grow, only the slope along it does."""
    B, X = np.array([[1.0, 0.0, 0.9], [0.0, 1.0, 0.2]]), np.array([[10.0, 1.0]])
    G, P, l1 = B.T @ B, X @ B, 0.5
    slow = np.zeros((1, 3))
    solve_rows(P, slow, G, l1)
    with CpuMatrix(X, 1) as matrix:
        F = matrix.factor(np.zeros((1, 3)))
        matrix.solve_rows(F, matrix.product("W", matrix.factor(B)), G, l1, 0.0)
    for solved in (F[:, :3], slow):
        _check_optimal(solved, np.zeros((1, 3)), P, G, l1, 0.0, 1e-12)
        assert solved[0, 1] == 0
        assert solved[0, 2] > 1


@pytest.mark.parametrize("total", [0.0, 1.0])
def test_solving_again_moves_nothing(total):
    X = random_sparse(50, 40, 0.3, np.float64)
    H = np.random.default_rng(0).random((40, 20))
    with CpuMatrix(X, 1) as matrix:
        F, other = matrix.factor(np.zeros((50, 20))), matrix.factor(H)
        first = matrix.solve_rows(F, matrix.product("W", other), H.T @ H, 0.0, total)
        again = matrix.solve_rows(F, matrix.product("W", other), H.T @ H, 0.0, total)
    assert again.residual < 1e-25 * first.residual


@pytest.mark.parametrize("total", [0.0, 1.0])
@pytest.mark.parametrize("damage", ["none", "sum of two", "zero topics"])
def test_a_row_alone_is_the_row_in_a_batch(total, damage):
    X = random_sparse(100, 60, 0.3, np.float32)
    rng = np.random.default_rng(0)
    H = _damaged(rng.random((60, 20)), damage, rng).astype(np.float32)
    first = _start("half", (100, 20), rng)
    with CpuMatrix(X, 1) as whole:
        G = whole.gram(whole.factor(H))[:20, :20]
        F = whole.factor(first)
        whole.solve_rows(F, whole.product("W", whole.factor(H)), G, 0.1, total)
    for i in (0, 5, 17, 99):
        with CpuMatrix(X[[i]], 1) as alone:
            f = alone.factor(first[[i]])
            alone.solve_rows(f, alone.product("W", alone.factor(H)), G, 0.1, total)
        np.testing.assert_array_equal(f[0], F[i])


@pytest.mark.parametrize("total", [0.0, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_change_no_bit(dtype, total):
    X = random_sparse(3000, 50, 0.3, dtype)
    rng = np.random.default_rng(0)
    H, first = rng.random((50, 20)), rng.random((3000, 20))
    results = []
    for n_jobs in (1, 2):
        with CpuMatrix(X, n_jobs) as matrix:
            F, other = matrix.factor(first), matrix.factor(H)
            said = matrix.solve_rows(F, matrix.product("W", other), matrix.gram(other)[:20, :20], 0.0, total)
            results.append((F, said))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    assert results[0][1] == results[1][1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_have_their_sum_to_the_last_digits(dtype):
    X = random_sparse(200, 50, 0.3, dtype)
    with CpuMatrix(X, 1) as matrix:
        other = matrix.factor(np.random.default_rng(0).random((50, 20)))
        F = matrix.factor(np.zeros((200, 20)))
        matrix.solve_rows(F, matrix.product("W", other), matrix.gram(other)[:20, :20], 0.0, 0.75)
    np.testing.assert_allclose(F.sum(axis=1, dtype=np.float64), 0.75, rtol=2 * np.finfo(dtype).eps)


def test_a_topic_that_explains_nothing_takes_what_fits_no_other():
    """An empty document has no use for weight, and may leave it where it does no harm."""
    X = np.array([[0.0, 0.0], [0.2, 0.0]])
    H = np.array([[1.0, 0.0], [0.0, 0.0]])
    with CpuMatrix(X, 1) as matrix:
        F = matrix.factor(np.array([[1.0, 0.0], [1.0, 0.0]]))
        matrix.solve_rows(F, matrix.product("W", matrix.factor(H)), H.T @ H, 0.0, 1.0)
    np.testing.assert_allclose(F[:, :2], [[0, 1], [0.2, 0.8]], atol=1e-15)


@pytest.mark.parametrize("scale", [1e-120, 1e-30, 1.0, 1e30])
@pytest.mark.parametrize("total", [0.0, 1.0])
def test_units_make_no_difference(scale, total):
    """A problem in another unit has the same solution: no tolerance is absolute."""
    rng = np.random.default_rng(5)
    B, X = rng.random((40, 9)), rng.random((10, 40))
    F, scaled = np.zeros((10, 9)), np.zeros((10, 9))
    solve_rows(X @ B, F, B.T @ B, 0.0, total)
    with CpuMatrix(X, 1) as matrix:
        scaled = matrix.factor(scaled)
        G = B.T @ B * scale
        # the product is linear in B: G in the unit of scale needs X·B in it too
        matrix.solve_rows(scaled, matrix.product("W", matrix.factor(B * scale)), G, 0.0, total)
    np.testing.assert_allclose(scaled[:, :9], F, atol=1e-10)


def test_a_gram_matrix_that_does_not_fit_is_refused():
    with CpuMatrix(np.eye(3), 1) as matrix:
        F = matrix.factor(np.ones((3, 2)))
        with pytest.raises(ValueError, match=r"Gram matrix of shape \(9, 9\)"):
            matrix.solve_rows(F, matrix.product("W", F), np.eye(9), 0.0, 0.0)
