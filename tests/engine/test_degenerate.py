"""Odd input: what can be done is done, what cannot is refused in a sentence with the place and a remedy."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse, squared_error

from quire import NMF, SparseNMF
from quire.backends.cpu.matrix import CpuMatrix
from quire.engine.loop import factorize, solve_documents
from quire.engine.rules.hals import Hals


def fit(X, k=2, **options):
    model = NMF(k, **{"init": "random", "random_state": 0, **options})
    W = model.fit_transform(X)
    assert np.isfinite(W).all()
    assert np.isfinite(model.components_).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=1e-5)
    return model, W


@pytest.mark.parametrize("init", ["random", "uniform", "nndsvd", "nndsvda", "nndsvdar", "kmeans"])
def test_zero_rows_and_columns(init):
    A = random_sparse(30, 20, 0.4).toarray()
    A[[3, 17]] = 0
    A[:, [0, 11]] = 0
    model, W = fit(sp.csr_array(A), 3, init=init)
    assert not W[[3, 17]].any()
    assert not model.components_[:, [0, 11]].any()
    assert model.labels_[[3, 17]].tolist() == [-1, -1]
    assert (np.delete(model.labels_, [3, 17]) >= 0).all()
    np.testing.assert_allclose(model.memberships_[3], 1 / 3)


def test_one_topic_is_the_leading_singular_pair():
    X = random_sparse(30, 20, 0.5)
    model, W = fit(X, 1, tol=1e-8)
    u, s, v = np.linalg.svd(X.toarray())
    np.testing.assert_allclose(W @ model.components_, s[0] * np.outer(u[:, 0], v[0]), atol=1e-5)


@pytest.mark.parametrize("k", [6, 7, 20, 100])
def test_as_many_topics_as_rows_or_more(k):
    X = random_sparse(7, 6, 0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, W = fit(X, k, tol=1e-9, max_iter=3000)
    assert squared_error(X, W, model.components_) < 1e-3 * np.sum(X.data**2)


def test_one_document_one_term_one_value():
    for X in (np.array([[3.0]]), np.array([[1.0, 2.0, 0.0]]), np.array([[1.0], [0.0], [2.0]])):
        model, W = fit(X, 1)
        np.testing.assert_allclose(W @ model.components_, X, atol=1e-6)
    fit(np.array([[1.0, 2.0, 0.0]]), 3)


def test_duplicate_documents_and_one_huge_value():
    X = np.tile(np.array([[1.0, 2.0, 0.0, 1.0]]), (20, 1))
    model, W = fit(X, 3)
    np.testing.assert_allclose(W @ model.components_, X, rtol=1e-3)
    X = random_sparse(40, 30, 0.3, np.float32)
    X.data[5] = 1e20
    fit(X, 4)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint16])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_other_number_types(dtype, form):
    A = (random_sparse(25, 15, 0.4).toarray() > 1).astype(dtype)
    model, W = fit(form(A), 3)
    assert W.dtype == np.float64
    assert squared_error(A.astype(float), W, model.components_) < A.astype(float).sum()


@pytest.mark.parametrize(
    ("bad", "words"),
    [(np.nan, "contains NaN"), (np.inf, "contains inf"), (-np.inf, "contains inf"), (-2.0, "Negative values")],
)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
def test_bad_values_are_named_with_their_place(bad, words, form):
    A = random_sparse(9, 7, 0.5).toarray() + 0.1
    model = NMF(2).fit(A)
    A[4, 5] = bad
    for call in (NMF(2).fit, NMF(2).fit_transform, model.transform):
        with pytest.raises(ValueError, match=f"{words}.*row 4, column 5"):
            call(form(A))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_all_zero(form):
    nothing = NMF(2).fit(form(np.zeros((12, 5))))  # as scikit-learn's
    assert nothing.components_.shape == (2, 5)
    assert not nothing.components_.any()
    assert (nothing.labels_ == -1).all()
    with pytest.raises(ValueError, match="12 × 5 values passed to SparseNMF are zero"):
        SparseNMF(2).fit(form(np.zeros((12, 5))))
    model = NMF(2, init="random", random_state=0).fit(np.eye(5))
    assert not model.transform(form(np.zeros((3, 5)))).any()  # empty documents have no weights


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 0}, {"n_components": -1}, {"n_components": 2.5}, {"n_components": "many"},
        {"init": "magic"}, {"solver": "magic"}, {"tol": -1}, {"tol": float("nan")}, {"max_iter": 0},
        {"n_init": 0}, {"n_jobs": 0}, {"alpha_W": -1}, {"alpha_H": -1}, {"l1_ratio": 2}, {"max_time": 0},
        {"alpha_W": float("nan")}, {"alpha_W": "x"}, {"alpha_H": "x"}, {"n_jobs": "2"}, {"n_jobs": 1.5},
        {"coarse": "often"}, {"init": "custom"}, {"init": "nndsvd", "n_components": 99},
        {"init": "kmeans", "n_components": 99},
    ],
)  # fmt: skip
def test_bad_options_are_one_sentence_with_a_remedy(options):
    with pytest.raises(ValueError, match=r"^[^\n]{20,200}$") as caught:
        NMF(**options).fit(random_sparse(9, 7, 0.5))
    assert any(str(name) in str(caught.value) for name in (*options, *options.values()))


def test_an_unknown_start_is_refused_where_nothing_begins():
    with pytest.raises(ValueError, match="init='nndsv' is not a start"):
        NMF(2, init="nndsv").fit(np.zeros((4, 3)))


def test_custom_start_is_checked_and_left_alone():
    X = random_sparse(12, 8, 0.5)
    rng = np.random.default_rng(0)
    W, H = rng.random((12, 3)), rng.random((3, 8))
    for bad_W, bad_H in ((W[:5], H), (W, H[:, :4]), (-W, H), (W, H * np.nan), (W, None)):
        with pytest.raises(ValueError, match=r"W|H"):
            NMF(3, init="custom").fit(X, W=bad_W, H=bad_H)
    with pytest.raises(TypeError, match="same dtype as X"):
        NMF(3, init="custom").fit(X, W=W.astype(np.float32), H=H)
    for zeros in ({"W": W, "H": 0 * H}, {"W": 0 * W, "H": H}):
        with pytest.raises(ValueError, match="full of zeros"):
            NMF(3, init="custom").fit(X, **zeros)
    with pytest.warns(RuntimeWarning, match="W or H are ignored"):
        NMF(3, init="random").fit(X, W=W, H=H)
    kept = W.copy(), H.copy()
    W.flags.writeable = H.flags.writeable = False
    truth = NMF("auto", init="custom").fit(X, W=W, H=H)
    np.testing.assert_array_equal(kept[0], W)
    assert truth.n_components_ == 3
    strided = np.asfortranarray(W), np.repeat(H, 2, axis=1)[:, ::2]
    found = NMF(3, init="custom").fit(X, W=strided[0], H=strided[1])
    np.testing.assert_array_equal(found.components_, truth.components_)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_read_only_and_memory_mapped_input(tmp_path, index):
    X = random_sparse(60, 40, 0.2, np.float32, index=index)
    truth = NMF(4, init="random", random_state=0).fit(X).components_
    mapped = []
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
        mapped.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    held = sp.csr_array(tuple(mapped), shape=X.shape)
    assert not held.data.flags.writeable
    np.testing.assert_array_equal(NMF(4, init="random", random_state=0).fit(held).components_, truth)


def test_input_is_never_changed():
    X = random_sparse(40, 30, 0.3)
    X.indices[: X.indptr[1]] = X.indices[: X.indptr[1]][::-1].copy()
    X.has_sorted_indices = X.has_canonical_format = False
    before = [getattr(X, name).copy() for name in ("data", "indices", "indptr")]
    NMF(3, random_state=0).fit(X * 1.0), NMF(3, random_state=0).fit(X)
    for name, array in zip(("data", "indices", "indptr"), before):
        np.testing.assert_array_equal(getattr(X, name), array)


def test_a_topic_that_dies_does_no_harm():
    X = random_sparse(40, 30, 0.3)
    rng = np.random.default_rng(0)
    W, H = rng.random((40, 4)), rng.random((4, 30))
    H[2] = 0
    W[:, 2] = 0
    for alpha in (0.0, 0.01):
        model = NMF(4, init="custom", alpha_W=alpha, l1_ratio=1.0)
        found = model.fit_transform(X, W=W, H=H)
        assert np.isfinite(found).all()
        assert not found[:, 2].any()


@pytest.mark.parametrize("damage", ["column", "negative", "pointer"])
def test_damaged_sparse_matrix_is_refused(damage):
    X = random_sparse(20, 10, 0.5)
    if damage == "pointer":
        X.indptr[3], X.indptr[4] = X.indptr[4], X.indptr[3]
    else:
        X.indices[5] = 99 if damage == "column" else -3
    with pytest.raises(ValueError, match="damaged"):
        NMF(2, init="random").fit(X)


def test_a_failed_fit_leaves_the_model_as_it_was():
    X = random_sparse(30, 10, 0.5)
    model = NMF(2, init="random", random_state=0).fit(X)
    before = model.transform(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((5, 200), np.nan))

    def stop(step):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        model.set_params(callback=stop).fit(random_sparse(30, 200, 0.5))
    assert model.n_features_in_ == 10
    np.testing.assert_array_equal(model.transform(X), before)
    with pytest.raises(ValueError, match="200 features"):
        model.transform(random_sparse(3, 200, 0.5))
    fresh = NMF(2, init="random", callback=stop)
    with pytest.raises(RuntimeError):
        fresh.fit(X)
    assert not hasattr(fresh, "n_features_in_")


@pytest.mark.parametrize("keep_transposed", [True, False])
@pytest.mark.parametrize("dense", [True, False])
def test_factors_of_the_wrong_size_are_refused_before_a_kernel_sees_them(keep_transposed, dense):
    X = random_sparse(30, 20, 0.5)
    rng = np.random.default_rng(0)
    W, H = rng.random((30, 3)), rng.random((3, 20))
    with CpuMatrix(X.toarray() if dense else X, 1, keep_transposed) as matrix:
        for start in ((W[:9], H), (W, H[:, :9]), (np.r_[W, W], H), (W, np.c_[H, H])):
            with pytest.raises(ValueError, match="do not fit"):
                factorize(matrix, start, Hals())
        with pytest.raises(ValueError, match="do not fit"):
            solve_documents(matrix, H[:, :9], Hals())


def test_a_start_that_no_float_holds():
    X = random_sparse(30, 20, 0.5, np.float32)
    rng = np.random.default_rng(0)
    W, H = rng.random((30, 3)).astype(np.float32), rng.random((3, 20)).astype(np.float32)
    with pytest.raises(ValueError, match="rescale"):
        NMF(3, init="custom").fit(X, W=W * np.float32(1e20), H=H * np.float32(1e20))
    lopsided = NMF(3, init="custom").fit(X, W=W * np.float32(1e16), H=H * np.float32(1e-16))
    plain = NMF(3, init="custom").fit(X, W=W, H=H)
    assert lopsided.objective_ == pytest.approx(plain.objective_, rel=0.05)


def test_a_sample_of_empty_documents_is_not_drawn(monkeypatch):
    monkeypatch.setattr("quire.engine.start._COARSE_ROWS", 5)
    X = np.zeros((400, 12))
    X[:10] = random_sparse(10, 12, 0.5).toarray() + 0.1
    model = NMF(3, init="random", random_state=0, coarse=True).fit(sp.csr_array(X))
    assert (model.labels_[:10] >= 0).all()
    assert (model.labels_[10:] == -1).all()
