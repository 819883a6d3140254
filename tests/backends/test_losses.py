"""Kullback-Leibler, Itakura-Saito, other divergences: what NumPy and scikit-learn say, and descent."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import random_sparse
from sklearn.decomposition._nmf import _beta_divergence, _multiplicative_update_w

from quire.backends.cpu.csr import Csr, rows_of, transposed
from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.reference.matrix import ReferenceMatrix
from quire.places.machine import Team

TOLERANCE = {np.float32: 2e-4, np.float64: 1e-10}
PENALTIES = [(0.0, 0.0), (0.7, 0.0), (0.0, 0.4), (0.3, 2.0)]
SIDES = [("W", "H"), ("H", "W")]
cases = st.fixed_dictionaries(
    {
        "n": st.integers(1, 60),
        "d": st.integers(1, 40),
        "k": st.sampled_from([1, 2, 7, 8, 9, 20, 31, 65]),
        "dtype": st.sampled_from([np.float32, np.float64]),
        "index": st.sampled_from([np.int32, np.int64]),
        "form": st.sampled_from(["transposed kept", "X alone", "dense"]),
        "n_jobs": st.sampled_from([1, 2]),
        "beta": st.sampled_from([0, 1, 1, -0.7, 0.4, 1.5, 2.6]),
        "penalty": st.sampled_from(PENALTIES),
        "seed": st.integers(0, 9999),
    }
)


def _problem(case):
    """X (full for Itakura-Saito) and positive factors."""
    rng = np.random.default_rng(case["seed"])
    X = random_sparse(case["n"], case["d"], 0.3, case["dtype"], case["seed"])
    if case["beta"] <= 0:
        X = sp.csr_array(rng.gamma(2.0, 1.0, X.shape).astype(case["dtype"]) + case["dtype"](0.01))
    W, H = ((rng.random((rows, case["k"])) + 0.01).astype(case["dtype"]) for rows in X.shape)
    return X, {"W": W, "H": H}


def _fast(case, X):
    fast = CpuMatrix(
        X.toarray() if case["form"] == "dense" else X, case["n_jobs"], keep_transposed=case["form"] == "transposed kept"
    )
    if case["index"] == np.int64:  # otherwise only for a matrix of more than 2³¹ rows or columns
        rows = fast._whole("W")
        fast._whole_sides["W"] = Csr(rows.indptr, rows.indices.astype(np.int64), rows.data, rows.n_columns)
    return fast


def _penalised(X, factors, side, beta, l1, l2):
    """Return the objective of a half step, in float64 and plain NumPy."""
    X, W, H = (np.asarray(array, np.float64) for array in (X.toarray(), factors["W"], factors["H"]))
    Y, F = W @ H.T, W if side == "W" else H
    if beta == 1:
        there = X > 0
        value = np.sum(X[there] * np.log(X[there] / Y[there])) - X.sum() + Y.sum()
    elif beta == 0:
        value = np.sum(X / Y - np.log(X / Y) - 1)
    else:
        there = X > 0
        of_x = X[there] ** beta - beta * X[there] * Y[there] ** (beta - 1)
        value = (of_x.sum() + (beta - 1) * np.sum(Y**beta)) / (beta * (beta - 1))
    return value + l1 * F.sum() + l2 / 2 * np.sum(F**2)


@given(cases, st.sampled_from([(1, 0.0), (4, 0.0), (6, 0.2)]))
def test_fast_is_reference(case, sweeps_patience):
    X, factors = _problem(case)
    fast, slow = _fast(case, X), ReferenceMatrix(X)
    k, tolerance = case["k"], TOLERANCE[case["dtype"]]
    # a row may stop a sweep earlier or later where its gain is at the threshold: no patience then
    sweeps, patience = sweeps_patience if case["dtype"] == np.float64 else (sweeps_patience[0], 0.0)
    for side, other in SIDES:
        F, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
        step = case["beta"], *case["penalty"], sweeps, patience
        said = fast.rescale(side, F, fast.factor(factors[other]), *step)
        slow_said = slow.rescale(side, F_slow, factors[other], *step)
        np.testing.assert_allclose(fast.array(F, k), F_slow, rtol=10 * tolerance, atol=tolerance)
        assert not F[:, k:].any()
        assert said.inner == slow_said.inner == 0
        assert said.residual == pytest.approx(slow_said.residual, rel=10 * tolerance, abs=tolerance)
    fast.close()


@given(cases)
def test_divergence(case):
    X, factors = _problem(case)
    with _fast(case, X) as fast:
        found = fast.divergence(fast.factor(factors["W"]), fast.factor(factors["H"]), case["beta"])
    slow = ReferenceMatrix(X).divergence(factors["W"], factors["H"], case["beta"])
    exact = _penalised(X, factors, "W", case["beta"], 0.0, 0.0)
    W, H = (factors[side].astype(np.float64) for side in "WH")
    theirs = _beta_divergence(X.toarray().astype(np.float64), W, H.T, case["beta"])
    size = X.sum() + exact
    assert slow == pytest.approx(exact, rel=1e-12, abs=1e-12 * size)
    assert theirs == pytest.approx(exact, rel=1e-9, abs=1e-9 * size)
    precision = 1e-6 if case["dtype"] == np.float32 else 1e-12
    assert found == pytest.approx(exact, abs=precision * size)


@given(cases, st.sampled_from([1, 5]))
def test_the_penalised_objective_never_rises(case, sweeps):
    X, factors = _problem(case)
    beta, (l1, l2) = case["beta"], case["penalty"]
    spread = np.random.default_rng(case["seed"] + 1)
    for side in factors:  # starts of any size
        factors[side] *= (10 ** spread.uniform(-3, 3, factors[side].shape)).astype(case["dtype"])
    with _fast(case, X) as fast:
        for side, other in SIDES * 2:
            before = _penalised(X, factors, side, beta, l1, l2)
            F = fast.factor(factors[side])
            fast.rescale(side, F, fast.factor(factors[other]), beta, l1, l2, sweeps, 0.0)
            F_before, factors[side] = factors[side], fast.array(F, case["k"])
            Y = factors["W"].astype(np.float64) @ factors["H"].T.astype(np.float64)
            if not (Y[X.toarray() > 0] > 1e-9).all():
                factors[side] = F_before
                continue  # a penalty far too large: all topics of a row went to 0
            after = _penalised(X, factors, side, beta, l1, l2)
            assert after <= before + 4 * np.finfo(case["dtype"]).eps * (abs(before) + X.sum())


@given(cases)
def test_one_sweep_is_scikit_learns(case):
    X, factors = _problem(case | {"beta": 1})
    with _fast(case, X) as fast:
        W = fast.factor(factors["W"])
        fast.rescale("W", W, fast.factor(factors["H"]), 1, 0.0, 0.0, 1, 0.0)
    H = np.ascontiguousarray(factors["H"].T)
    theirs, *_ = _multiplicative_update_w(X, factors["W"].copy(), H, 1, 0.0, 0.0, 1.0)
    tolerance = TOLERANCE[case["dtype"]]
    np.testing.assert_allclose(W[:, : case["k"]], theirs, rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("beta", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_does_not_depend_on_its_neighbours(beta, dtype):
    case = {"n": 100, "d": 60, "k": 20, "dtype": dtype, "beta": beta, "seed": 1}
    X, factors = _problem(case)
    with CpuMatrix(X, 1) as whole:
        F, H = whole.factor(factors["W"]), whole.factor(factors["H"])
        whole.rescale("W", F, H, beta, 0.1, 0.2, 30, 1e-3)
    for rows in ([0], [5], [17, 3], [99]):
        with CpuMatrix(sp.csr_array(X[rows]), 1) as alone:
            f = alone.factor(factors["W"][rows])
            alone.rescale("W", f, H, beta, 0.1, 0.2, 30, 1e-3)
        np.testing.assert_array_equal(f, F[rows])


@pytest.mark.parametrize("beta", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neither_threads_nor_the_kept_transpose_change_a_bit(beta, dtype, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    case = {"n": 700, "d": 300, "k": 20, "dtype": dtype, "beta": beta, "seed": 2}
    X, factors = _problem(case)
    results = []
    for n_jobs, keep in ((1, True), (2, True), (2, False)):
        with CpuMatrix(X, n_jobs, keep_transposed=keep) as matrix:
            W, H = matrix.factor(factors["W"]), matrix.factor(factors["H"])
            said = [matrix.rescale("W", W, H, beta, 0.1, 0.2, 3, 0.1)]
            said += [matrix.rescale("H", H, W, beta, 0.0, 0.0, 3, 0.1)]
            assert (len(matrix._ranges("W", 24, 3)) > 2) == (n_jobs > 1)
            results.append((W, H, said, matrix.divergence(W, H, beta)))
    for W, H, said, value in results[1:]:
        np.testing.assert_array_equal(W, results[0][0])
        np.testing.assert_array_equal(H, results[0][1])
        assert (said, value) == results[0][2:]


def test_a_transpose_in_blocks_is_made_whole():
    X, factors = _problem({"n": 64, "d": 10, "k": 3, "dtype": np.float64, "beta": 1, "seed": 3})
    with CpuMatrix(X, 1) as plain, CpuMatrix(X, 1) as blocks, Team(1) as team:
        blocks._sides["H"] = transposed(rows_of(X), team, block_rows=4)
        assert len(blocks._sides["H"]) > 1
        results = []
        for matrix in (plain, blocks):
            H = matrix.factor(factors["H"])
            matrix.rescale("H", H, matrix.factor(factors["W"]), 1, 0.0, 0.0, 2, 0.0)
            results.append(H)
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_zeros_stay_numbers(dtype, penalty):
    """Empty documents, terms and topics, and factors that are 0 where X is not."""
    rng = np.random.default_rng(4)
    X = rng.gamma(2.0, 1.0, (30, 20)).astype(dtype) * (rng.random((30, 20)) < 0.3)
    X[3], X[:, 7] = 0, 0
    factors = {"W": rng.random((30, 5)).astype(dtype), "H": rng.random((20, 5)).astype(dtype)}
    factors["W"][:, 1] = 0  # a topic that is empty on one side
    factors["H"][2] = 0  # a term that no topic has, but some documents
    factors["W"][5] = 0
    factors["H"][:, 3] = 1e-42  # too small to divide by in float32
    with CpuMatrix(sp.csr_array(X), 2) as fast:
        slow = ReferenceMatrix(X)
        for side, other in SIDES:
            F, F_slow = fast.factor(factors[side]), factors[side].copy()
            said = fast.rescale(side, F, fast.factor(factors[other]), 1, *penalty, 3, 0.0)
            slow.rescale(side, F_slow, factors[other], 1, *penalty, 3, 0.0)
            assert np.isfinite(F).all()
            assert np.isfinite(said.residual)
            np.testing.assert_allclose(F[:, :5], F_slow, rtol=1e-3, atol=1e-5 * F_slow.max())
            if side == "H":  # W has nothing of topic 1
                penalised = any(penalty)
                np.testing.assert_array_equal(F[:, 1], 0 if penalised else factors["H"][:, 1])
        W, H = (fast.factor(factors[side]) for side in "WH")
        value = fast.divergence(W, H, 1)
        assert np.isfinite(value)
        assert value == pytest.approx(slow.divergence(factors["W"], factors["H"], 1), rel=1e-5)


@pytest.mark.parametrize("beta", [0, 1])
def test_the_residual_is_zero_at_a_fixed_point(beta):
    X, factors = _problem({"n": 8, "d": 30, "k": 3, "dtype": np.float64, "beta": beta, "seed": 5})
    with CpuMatrix(X, 1) as matrix:
        W, H = matrix.factor(factors["W"]), matrix.factor(factors["H"])
        first = matrix.rescale("W", W, H, beta, 0.1, 0.1, 20_000, 0.0)
        last = matrix.rescale("W", W, H, beta, 0.1, 0.1, 1, 0.0)
    assert last.residual < 1e-12 * first.residual


def test_x_in_another_unit():
    """A huge X is held divided: the divergence and the factors are those of what is held."""
    X, factors = _problem({"n": 20, "d": 15, "k": 4, "dtype": np.float64, "beta": 1, "seed": 6})
    with CpuMatrix(X, 1) as plain, CpuMatrix(X * 2.0**60, 1) as huge:
        scale = np.sqrt(2.0**60)
        found = []
        for matrix, unit in ((plain, 1.0), (huge, scale)):
            W, H = (matrix.factor(factors[side] * unit) for side in "WH")
            matrix.rescale("W", W, H, 1, 0.0, 0.0, 1, 0.0)
            found.append((matrix.array(W, 4) / unit, matrix.divergence(W, H, 1) * matrix.scale**2 / unit**2))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-12)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-12)


def test_factors_that_do_not_fit_are_refused():
    with CpuMatrix(np.eye(3), 1) as X, pytest.raises(ValueError, match="do not fit"):
        X.rescale("W", X.factor(np.ones((3, 2))), X.factor(np.ones((4, 2))), 1, 0.0, 0.0, 1, 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_logarithm_is_good_to_the_last_digits(dtype):
    one = np.ones((1, 1), dtype)
    for x in np.geomspace(2e-6, 5e5, 200).astype(dtype):
        with CpuMatrix(x * one, 1) as X:
            found = X.divergence(X.factor(one), X.factor(one), 0)
        exact = float(x) - np.log(float(x)) - 1
        assert found == pytest.approx(exact, abs=2 * np.finfo(dtype).eps * abs(np.log(float(x))) + 2e-16 * x)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("beta", [0, 1.5])
def test_rows_that_are_solved_for_meet_the_conditions_of_a_minimum(beta, penalty, form):
    """No slope where a weight is positive, none below 0 where it is 0: also for a weight that began at 0."""
    l1, l2 = penalty
    X, factors = _problem({"n": 40, "d": 30, "k": 5, "dtype": np.float64, "beta": 0, "seed": 7})
    W, H = factors["W"] * 10 ** np.random.default_rng(8).uniform(-2, 2, (40, 1)), factors["H"]
    W[:5, 0] = 0
    with CpuMatrix(form(X.toarray()), 1) as fast:
        F = fast.factor(W)
        fast.rescale("W", F, fast.factor(H), beta, l1, l2, 300, 1e-14)
        found = fast.array(F, 5)
    Y = found @ H.T
    slope = ((Y - X.toarray()) * Y ** (beta - 2)) @ H + l1 + l2 * found
    size = (Y ** (beta - 1)) @ H + l1
    assert (found >= 0).all()
    assert (slope > -1e-4 * size).all()
    assert (np.abs(slope * (found > 1e-6 * found.max(axis=1, keepdims=True))) < 1e-4 * size).all()
    # and it is no higher than where multiplying comes to
    factors["W"] = np.maximum(W, 1e-9)
    with CpuMatrix(X.toarray(), 1) as fast:
        F = fast.factor(factors["W"])
        for _ in range(20):
            fast.rescale("W", F, fast.factor(H), beta, l1, l2, 50, 0.0)
        multiplied = fast.array(F, 5)
    heights = [_penalised(X, {"W": one, "H": H}, "W", beta, l1, l2) for one in (found, multiplied)]
    assert heights[0] <= heights[1] * (1 + 1e-6)
