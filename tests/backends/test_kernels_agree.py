"""Every CPU kernel says the same as its NumPy twin, for any shape, dtype and index type."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import random_sparse

from quire.backends.cpu.csr import rows_of, transposed
from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.reference import matrix as reference
from quire.backends.reference.matrix import ReferenceMatrix
from quire.places.machine import Team

TOLERANCE = {np.float32: 2e-4, np.float64: 1e-10}
cases = st.fixed_dictionaries(
    {
        "n": st.integers(1, 70),
        "d": st.integers(1, 50),
        "k": st.sampled_from([1, 2, 7, 8, 9, 20, 31, 56, 64, 65, 90, 130]),
        "dtype": st.sampled_from([np.float32, np.float64]),
        "index": st.sampled_from([np.int32, np.int64]),
        "form": st.sampled_from(["transposed kept", "X alone", "dense"]),
        "n_jobs": st.sampled_from([1, 2]),
        "seed": st.integers(0, 9999),
    }
)


def _both(case):
    X = random_sparse(case["n"], case["d"], 0.3, case["dtype"], case["seed"], case["index"])
    given_X = X.toarray() if case["form"] == "dense" else X
    fast = CpuMatrix(given_X, case["n_jobs"], keep_transposed=case["form"] == "transposed kept")
    rng = np.random.default_rng(case["seed"])
    W, Ht = (rng.random((rows, case["k"])).astype(case["dtype"]) for rows in X.shape)
    return fast, ReferenceMatrix(X), {"W": W, "H": Ht}


@given(cases)
def test_products_and_gram(case):
    fast, slow, factors = _both(case)
    k, tolerance = case["k"], TOLERANCE[case["dtype"]]
    for side, other in (("W", "H"), ("H", "W")):
        product = fast.array(fast.product(side, fast.factor(factors[other])), k)
        np.testing.assert_allclose(product, slow.product(side, factors[other]), rtol=tolerance, atol=tolerance)
        gram = fast.gram(fast.factor(factors[other]))
        np.testing.assert_allclose(gram[:k, :k], slow.gram(factors[other]), rtol=tolerance)
        assert not gram[k:].any()
    assert fast.squared_norm == pytest.approx(slow.squared_norm, rel=1e-6)
    fast.close()


@given(cases, st.sampled_from([(1, 0.0), (3, 0.0), (5, 0.1)]), st.sampled_from([0.0, 0.7]))
def test_descend(case, sweeps_patience, l1):
    fast, slow, factors = _both(case)
    tolerance = TOLERANCE[case["dtype"]] * 10
    for side, other in (("W", "H"), ("H", "W")):
        G = slow.gram(factors[other])
        # well conditioned, lest a rounding error grow from topic to topic
        ridge = 0.3 * np.trace(G) / case["k"]
        G += ridge * np.eye(case["k"])
        F_fast, F_slow = fast.factor(factors[side]), slow.factor(factors[side])
        padded = fast.gram(fast.factor(factors[other]))
        padded[: case["k"], : case["k"]] += ridge * np.eye(case["k"])
        # a row may stop a sweep earlier or later where its gain is at the threshold: no patience then
        sweeps, patience = sweeps_patience if case["dtype"] == np.float64 else (sweeps_patience[0], 0.0)
        fast_said = fast.descend(side, F_fast, fast.factor(factors[other]), padded, l1, sweeps, patience)
        slow_said = slow.descend(side, F_slow, factors[other], G, l1, sweeps, patience)
        scale = max(1.0, float(np.abs(F_slow).max()))
        np.testing.assert_allclose(fast.array(F_fast, case["k"]), F_slow, rtol=tolerance, atol=tolerance * scale)
        assert fast_said.inner == pytest.approx(slow_said.inner, rel=tolerance, abs=tolerance)
        assert fast_said.residual == pytest.approx(slow_said.residual, rel=tolerance, abs=tolerance)
        assert not F_fast[:, case["k"] :].any()
    fast.close()


@given(cases, st.sampled_from([0.0, 0.5, 1.0]))
def test_extrapolate(case, beta):
    fast, slow, factors = _both(case)
    old = np.random.default_rng(1).random(factors["W"].shape).astype(case["dtype"])
    old_fast, old_slow = fast.factor(old), slow.factor(old)
    fast.extrapolate(fast.factor(factors["W"]), old_fast, beta)
    slow.extrapolate(factors["W"], old_slow, beta)
    np.testing.assert_allclose(fast.array(old_fast, case["k"]), old_slow, rtol=1e-5, atol=1e-6)
    fast.close()


@given(cases)
def test_kept_transpose_changes_no_bit(case):
    X = random_sparse(case["n"], case["d"], 0.3, case["dtype"], case["seed"], case["index"])
    W = np.random.default_rng(0).random((case["n"], case["k"])).astype(case["dtype"])
    kept, without = CpuMatrix(X, 2, keep_transposed=True), CpuMatrix(X, 1, keep_transposed=False)
    np.testing.assert_array_equal(kept.product("H", kept.factor(W)), without.product("H", without.factor(W)))
    kept.close(), without.close()


def test_transposed_is_scipys():
    X = random_sparse(300, 200, 0.1, np.float32)
    matrix = CpuMatrix(X, 2, keep_transposed=True)
    (ours,), theirs = matrix._side("H"), sp.csr_array(X.T)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    matrix.close()


@given(cases, st.sampled_from([1, 3, 16]))
def test_blocks_of_documents_change_no_bit(case, block_rows):
    X = random_sparse(case["n"], case["d"], 0.3, case["dtype"], case["seed"], case["index"])
    W, Ht = (np.random.default_rng(0).random((r, case["k"])).astype(case["dtype"]) for r in X.shape)
    whole, blocks = CpuMatrix(X, 1), CpuMatrix(X, 2)
    with Team(2) as team:
        blocks._sides["H"] = transposed(rows_of(X), team, block_rows)
    G = whole.gram(whole.factor(W))
    for sweeps in (1, 4):
        F = [m.factor(Ht) for m in (whole, blocks)]
        said = [m.descend("H", f, m.factor(W), G, 0.0, sweeps, 0.0) for m, f in zip((whole, blocks), F)]
        np.testing.assert_array_equal(*F)
        assert said[0] == said[1]
    whole.close(), blocks.close()


def test_a_row_does_not_depend_on_its_neighbours():
    X = random_sparse(100, 60, 0.3, np.float32)
    H = np.random.default_rng(0).random((60, 20)).astype(np.float32)
    whole = CpuMatrix(X, 1)
    G = whole.gram(whole.factor(H))
    F = whole.factor(np.zeros((100, 20)))
    whole.descend("W", F, whole.factor(H), G, 0.1, 50, 1e-6)
    for i in (0, 5, 17, 99):
        alone = CpuMatrix(X[[i]], 1)
        f = alone.factor(np.zeros((1, 20)))
        alone.descend("W", f, alone.factor(H), G, 0.1, 50, 1e-6)
        np.testing.assert_array_equal(f[0], F[i])


def test_reference_descend_is_exact_least_squares():
    from scipy.optimize import nnls

    rng = np.random.default_rng(3)
    H = rng.random((6, 30))
    X = rng.random((5, 30))
    F = np.zeros((5, 6))
    reference.descend(X @ H.T, F, H @ H.T, sweeps=20_000, patience=1e-30)
    np.testing.assert_allclose(F, [nnls(H.T, x)[0] for x in X], atol=1e-8)
