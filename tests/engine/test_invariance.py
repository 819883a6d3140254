"""What must not matter: the order of documents and terms, the unit of X, the threads, the batch."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import random_sparse, well_posed

from quire import NMF
from quire.backends.cpu.matrix import CpuMatrix
from quire.engine.loop import factorize
from quire.engine.rules.hals import Hals
from quire.engine.start import STARTS
from quire.engine.trace import Stopping


def _planted(dtype=np.float64, n=120, d=80, k=4, seed=0):
    rng = np.random.default_rng(seed)
    topic = rng.integers(k, size=n)
    profile = np.zeros((k, d))
    profile[np.arange(d) % k, np.arange(d)] = rng.random(d) + 0.5
    return sp.csr_array((rng.poisson(2.0 * profile[topic]) + 0.01).astype(dtype)), topic


@given(well_posed, st.integers(0, 999))
def test_permuting_documents_and_terms(problem, seed):
    X, W, H = (part.astype(np.float64) for part in problem)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    stopping = Stopping(tol=0, max_iter=3)
    plain = factorize(CpuMatrix(X, 1), (W, H), Hals(patience=0.0), stopping)
    mixed = X[rows][:, columns].tocsr()
    mixed.sort_indices()
    moved = factorize(CpuMatrix(mixed, 1), (W[rows], H[:, columns]), Hals(patience=0.0), stopping)
    size = np.sum(X.data**2)
    np.testing.assert_allclose(moved.trace[-1].objective, plain.trace[-1].objective, rtol=1e-6, atol=1e-6 * size)
    fitted = (plain.W @ plain.H)[rows][:, columns]  # W and H alone are not unique where the fit is exact
    np.testing.assert_allclose(moved.W @ moved.H, fitted, rtol=1e-4, atol=1e-4 * np.sqrt(size))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("init", ["random", "nndsvda", "uniform", "kmeans"])
@pytest.mark.parametrize("factor", [1e-12, 1e12, 4.0**-15, 4.0**15])
def test_unit_of_X_does_not_matter(dtype, init, factor):
    X, _ = _planted(dtype)
    options = {"n_components": 4, "init": init, "random_state": 0, "alpha_W": 0.0}
    plain, scaled = NMF(**options).fit(X), NMF(**options).fit(sp.csr_array(X * dtype(factor)))
    np.testing.assert_array_equal(plain.labels_, scaled.labels_)
    assert scaled.reconstruction_err_ == pytest.approx(factor * plain.reconstruction_err_, rel=1e-3)
    np.testing.assert_allclose(plain.memberships_, scaled.memberships_, atol=2e-2)


def test_penalties_follow_the_unit_of_X():
    X, _ = _planted()
    root = 2.0**20
    plain = NMF(4, init="random", random_state=0, alpha_W=0.01, l1_ratio=1.0).fit(X)
    scaled = NMF(4, init="random", random_state=0, alpha_W=0.01 * root**3, l1_ratio=1.0).fit(X * root**2)
    np.testing.assert_allclose(scaled.components_ / root, plain.components_, rtol=1e-6)


@pytest.mark.parametrize("unit", [1e160, 1e250])
def test_values_whose_squares_are_no_numbers_are_refused(unit):
    X, _ = _planted()
    with pytest.raises(ValueError, match="leave the range of float64: divide X by a constant"):
        NMF(4, random_state=0).fit(sp.csr_array(X * unit))


@pytest.mark.parametrize("unit", [1e-250, 1e-165, 1e-100, 1e100, 1e150])
def test_extreme_units_in_float64(unit):
    X, topic = _planted()
    model = NMF(4, random_state=0, n_init=3).fit(sp.csr_array(X * unit))
    assert len(set(zip(topic.tolist(), model.labels_.tolist()))) == 4
    assert model.n_iter_ > 4
    plain = NMF(4, random_state=0, n_init=3).fit(X)
    assert model.reconstruction_err_ == pytest.approx(plain.reconstruction_err_ * unit, rel=1e-3)


@pytest.mark.parametrize("tiny", [1e-40, 1e-43])
def test_subnormal_input(tiny):
    X, topic = _planted(np.float32)
    small = sp.csr_array((X.astype(np.float64) * tiny).astype(np.float32))
    labels = NMF(4, random_state=0, n_init=3).fit(small).labels_
    assert len(set(zip(topic.tolist(), labels.tolist()))) == 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("init", ["random", "nndsvda", "kmeans"])
def test_any_number_of_threads_gives_the_same_bits(dtype, dense, init, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    X = random_sparse(5000, 700, 0.05, dtype)
    X = X.toarray() if dense else X
    fits = [NMF(11, init=init, random_state=5, n_jobs=n, max_iter=8, tol=0).fit(X) for n in (1, 2, 5)]
    for other in fits[1:]:
        np.testing.assert_array_equal(fits[0].components_, other.components_)
        np.testing.assert_array_equal(fits[0].memberships_, other.memberships_)
        assert fits[0].trace_["objective"].tolist() == other.trace_["objective"].tolist()


def test_same_seed_same_bits_and_another_seed_others():
    X = random_sparse(200, 100, 0.1, np.float32)
    first, again, other = (NMF(5, init="random", random_state=s).fit(X) for s in (0, 0, 1))
    np.testing.assert_array_equal(first.components_, again.components_)
    assert (first.components_ != other.components_).any()


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("penalty", [0.0, 0.001])
def test_transform_is_fit_transform_alone_and_in_any_batch(dense, penalty):
    X = random_sparse(230, 90, 0.1, np.float32)
    X = X.toarray() if dense else X
    model = NMF(7, init="random", random_state=0, alpha_W=penalty, l1_ratio=0.5)
    W = model.fit_transform(X)
    if not dense:  # BLAS may round a product of one row otherwise than one of many
        np.testing.assert_array_equal(model.transform(X), W)
        np.testing.assert_array_equal(model.transform(X[40:93]), W[40:93])
        np.testing.assert_array_equal(model.transform(X[[7]]), W[[7]])
    np.testing.assert_allclose(model.transform(X[40:93]), W[40:93], rtol=1e-3, atol=1e-5)


def test_forms_of_one_matrix_give_one_answer():
    X = random_sparse(150, 80, 0.1)
    shuffled = X.copy()
    for i in range(shuffled.shape[0]):  # same entries, unsorted
        part = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
        shuffled.indices[part], shuffled.data[part] = shuffled.indices[part][::-1], shuffled.data[part][::-1]
    shuffled.has_sorted_indices = shuffled.has_canonical_format = False
    coo = X.tocoo()
    twice = sp.coo_array((np.tile(coo.data / 2, 2), (np.tile(coo.coords[0], 2), np.tile(coo.coords[1], 2))), X.shape)
    duplicated = sp.csr_array(X.shape)
    order = np.argsort(twice.coords[0], kind="stable")
    duplicated.data, duplicated.indices = twice.data[order], twice.coords[1][order]
    duplicated.indptr = X.indptr * 2
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    truth = NMF(5, init="random", random_state=0).fit(X)
    forms = {
        "csr_matrix": sp.csr_matrix(X), "csc_array": sp.csc_array(X), "csc_matrix": sp.csc_matrix(X),
        "coo_array": coo, "unsorted": shuffled, "duplicates": duplicated, "64-bit": wide,
    }  # fmt: skip
    record = np.zeros(X.nnz, dtype=[("value", np.float64), ("column", np.int32), ("rest", np.int8)])
    record["value"], record["column"] = X.data, X.indices
    forms["strided"] = sp.csr_array((record["value"], record["column"], X.indptr), X.shape)
    for name, form in forms.items():
        found = NMF(5, init="random", random_state=0).fit(form)
        np.testing.assert_array_equal(found.components_, truth.components_, err_msg=name)
    for init in STARTS:
        wide_fit, narrow_fit = (NMF(5, init=init, random_state=0).fit(form) for form in (wide, X))
        np.testing.assert_array_equal(wide_fit.components_, narrow_fit.components_, err_msg=init)
    dense = NMF(5, init="random", random_state=0).fit(X.toarray())
    assert dense.objective_ == pytest.approx(truth.objective_, rel=1e-3)
