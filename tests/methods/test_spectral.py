"""The baselines by singular vectors (LSI, AA, NC) and by messages (affinity propagation)."""

import pickle
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse
from scipy.sparse.linalg import svds
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import quire.methods.affinity
from quire.methods.affinity import AffinityPropagation
from quire.methods.lsi import LSI
from quire.methods.spectral import AA, NC
from quire.text.weight import Weight

HARD = [AA, NC, AffinityPropagation]  # a document has one topic
ALL = [LSI, *HARD]


def blocks(dtype=np.float64, seed=0, sizes=(30, 20, 12), terms=15):
    """Documents of three kinds, each with terms of its own, in a mixed order; and their kinds."""
    rng = np.random.default_rng(seed)
    X = sp.block_diag([1 + rng.random((n, terms)) for n in sizes]).toarray()
    kinds = np.repeat(np.arange(len(sizes)), sizes)
    order = rng.permutation(len(X))
    return sp.csr_array(X[order].astype(dtype)), kinds[order]


@parametrize_with_checks([LSI(), AA(), NC(), AffinityPropagation(), AA(2, n_init=2), NC(2, init="rows")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", HARD)
@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.csc_array, np.asarray])
def test_blocks_are_recovered(method, form):
    X, kinds = blocks()
    model = method(3, random_state=0).fit(form(X.toarray()))
    assert adjusted_rand_score(kinds, model.labels_) == 1
    assert model.n_components_ == 3
    assert model.stopped_ == "tol"


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_attributes_fit_together(method, dtype):
    X, _ = blocks(dtype)
    seen = []
    model = method(3, random_state=0, callback=seen.append)
    W = model.fit_transform(X)
    assert W.dtype == model.components_.dtype == model.memberships_.dtype == dtype
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=1e-5)
    assert model.memberships_.argmax(axis=1).tolist() == model.labels_.tolist()
    error = np.linalg.norm(X.toarray() - model.inverse_transform(W))
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-4)
    assert len(model.trace_) == model.n_iter_ >= 1
    assert len(seen) >= model.n_iter_
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    np.testing.assert_allclose(model.transform(X), W, atol=1e-4)
    np.testing.assert_allclose(model.transform(X[:5]), W[:5], atol=1e-4)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), model.transform(X))


@pytest.mark.parametrize("method", ALL)
def test_reorder_and_restore(method):
    X, _ = blocks()
    model = method(3, random_state=0).fit(X)
    W, labels, new = model.transform(X), model.labels_, blocks(seed=1)[0]
    restored = clone(model).restore(model.state())
    np.testing.assert_array_equal(restored.transform(new), model.transform(new))
    np.testing.assert_array_equal(restored.assign(W)[0], labels)
    order = np.array([2, 0, 1])
    model.reorder(order)
    moved = model.transform(X)
    np.testing.assert_allclose(moved, W[:, order])
    np.testing.assert_array_equal(order[model.assign(moved, unit_topics=None, silent=None)[0]], labels)
    np.testing.assert_allclose(model.inverse_transform(moved), W @ restored.components_, atol=1e-12)


@pytest.mark.parametrize("method", ALL)
def test_same_seed_same_model(method):
    X = random_sparse(60, 40, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first, second = (method(4, random_state=3, n_jobs=jobs).fit(X) for jobs in (1, 2))
    for name in ("components_", "labels_", "memberships_"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("method", ALL)
def test_empty_documents_and_unused_terms(method):
    X, kinds = blocks()
    empty = np.array([0, 7, 40])
    X = sp.lil_array(X)
    X[empty] = 0
    X = sp.csr_array(sp.hstack([X, sp.csr_array((X.shape[0], 4))]))
    model = method(3, random_state=0)
    W = model.fit_transform(X)
    assert model.labels_[empty].tolist() == [-1, -1, -1]
    assert (W[empty] == 0).all()
    assert (model.components_[:, -4:] == 0).all()
    np.testing.assert_allclose(model.memberships_[empty], 1 / 3)
    np.testing.assert_allclose(model.transform(X), W, atol=1e-12)
    assert np.isfinite(model.reconstruction_err_)
    if method is not LSI:
        written = np.setdiff1d(np.arange(X.shape[0]), empty)
        assert adjusted_rand_score(kinds[written], model.labels_[written]) == 1


@pytest.mark.parametrize("method", ALL)
def test_all_zero_is_refused(method):
    with pytest.raises(ValueError, match="are zero"):
        method(2).fit(np.zeros((4, 3)))


@pytest.mark.parametrize("method", ALL)
def test_one_topic(method):
    X, _ = blocks()
    model = method(1, random_state=0).fit(X)
    assert model.components_.shape == (1, X.shape[1])
    assert (model.labels_ == 0).all()


@pytest.mark.parametrize("method", ALL)
def test_as_many_topics_as_documents_but_no_more(method):
    X = np.eye(4, 6) + 0.1 * np.random.default_rng(0).random((4, 6))
    model = method(4, random_state=0)
    W = model.fit_transform(X)
    np.testing.assert_allclose(model.inverse_transform(W), X, atol=1e-9)
    assert model.reconstruction_err_ == pytest.approx(0, abs=1e-6)
    with pytest.raises(ValueError, match="fewer"):
        method(5).fit(X)


@pytest.mark.parametrize("method", [AA, NC])
def test_more_topics_than_terms(method):
    X = np.random.default_rng(0).random((30, 2))
    model = method(5, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 5
    assert model.vectors_.shape == (2, 2)


@pytest.mark.parametrize("method", ALL)
def test_duplicates_share_a_topic(method):
    X, kinds = blocks(sizes=(4, 3, 3), terms=5)
    model = method(3, random_state=0).fit(np.repeat(X.toarray(), 5, axis=0))
    if method is not LSI:
        assert adjusted_rand_score(kinds, model.labels_[::5]) == 1
    assert (model.labels_.reshape(-1, 5) == model.labels_[::5, None]).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("k", [1, 2])
def test_nothing_but_duplicates(method, k):
    model = method(k, random_state=0).fit(np.tile([1.0, 2.0, 0.0], (6, 1)))
    assert len(np.unique(model.labels_)) == 1
    assert model.reconstruction_err_ == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(("unit", "dtype"), [(1e150, np.float64), (1e-150, np.float64), (1e-18, np.float32)])
def test_units_do_not_matter(method, unit, dtype):
    X, _ = blocks(dtype)
    plain, scaled = (method(3, random_state=0).fit(X * dtype(u)) for u in (1, unit))
    assert adjusted_rand_score(plain.labels_, scaled.labels_) == 1
    assert scaled.reconstruction_err_ == pytest.approx(plain.reconstruction_err_ * unit, rel=1e-3)


@pytest.mark.parametrize("method", ALL)
def test_wrong_parameters_are_named(method):
    X, _ = blocks()
    for name, value in {"n_components": 0, "max_iter": 0, "max_time": -1}.items():
        with pytest.raises(ValueError, match=f"{name}={value}"):
            method(**{name: value}).fit(X)
    with pytest.raises(ValueError, match="leave W and H out"):
        method(2).fit(X, W=np.ones((62, 2)), H=np.ones((2, 45)))


@pytest.mark.parametrize("method", ALL)
def test_callback_and_time_stop(method):
    X = random_sparse(80, 50, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert method(7, random_state=0, callback=lambda step: True).fit(X).stopped_ == "callback"
        # tol=0 so that there is something left to do; AP looks for a number that takes several runs
        late = method(7, random_state=0, tol=0, max_time=1e-9).fit(X)
    assert late.stopped_ == "max_time"
    assert late.n_iter_ == 1


@pytest.mark.parametrize("method", ALL)
def test_verbose_prints_progress(method, capsys):
    method(3, random_state=0, verbose=2).fit(blocks()[0])
    assert "iteration 1: objective" in capsys.readouterr().out


# -- LSI -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(300, 120), (120, 300)])
def test_lsi_is_the_svd(shape):
    X = random_sparse(*shape, 0.1)
    model = LSI(8, random_state=0)
    W = model.fit_transform(X)
    U, S, Vt = svds(X, 8, random_state=0)
    U, S, Vt = U[:, ::-1], S[::-1], Vt[::-1]
    np.testing.assert_allclose(model.singular_values_, S, rtol=1e-9)
    np.testing.assert_allclose(np.abs(np.sum(model.components_ * Vt, axis=1)), 1, rtol=1e-6)
    np.testing.assert_allclose(W @ model.components_, (U * S) @ Vt, atol=1e-5 * S[0])
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(8), atol=1e-10)
    assert model.objective_ == pytest.approx(0.5 * (sp.linalg.norm(X) ** 2 - np.sum(S**2)), rel=1e-6)
    assert (model.components_.max(axis=1) >= -model.components_.min(axis=1)).all()
    assert model.trace_["residual"][-1] <= 1e-6


def test_lsi_labels_go_by_size_of_the_weight():
    model = LSI(2, random_state=0).fit(np.eye(3))
    labels, shares = model.assign(np.array([[1.0, -3.0], [0.0, 0.0], [2.0, 2.0]]))
    assert labels.tolist() == [1, -1, 0]
    np.testing.assert_allclose(shares, [[0.1, 0.9], [0.5, 0.5], [0.5, 0.5]])
    silent = np.array([True, False, False])
    assert model.assign(np.ones((3, 2)), silent=silent)[0].tolist() == [-1, 0, 0]


def test_lsi_says_when_it_is_not_exact():
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = LSI(8, random_state=0, tol=1e-15, max_iter=1).fit(random_sparse(300, 120, 0.1))
    assert model.stopped_ == "max_iter"


# -- AA and NC -------------------------------------------------------------------------------------------


def test_aa_clusters_the_left_singular_vectors():
    X = random_sparse(200, 60, 0.2)
    model = AA(4, random_state=0).fit(X)
    U = svds(X, 4, random_state=0)[0]
    centroids = np.array([U[model.labels_ == t].mean(axis=0) for t in range(4)])
    objective = 0.5 * np.sum((U - centroids[model.labels_]) ** 2)
    assert model.objective_ == pytest.approx(objective, rel=1e-5)
    means = [X.toarray()[model.labels_ == t].mean(axis=0) for t in range(4)]
    np.testing.assert_allclose(model.components_, means)


def test_aa_finds_what_scikit_learns_k_means_finds():
    from sklearn.cluster import KMeans

    X = random_sparse(200, 60, 0.2)
    U = svds(X, 4, random_state=0)[0]
    theirs = KMeans(4, n_init=50, random_state=0).fit(U).inertia_ / 2
    assert AA(4, random_state=0, n_init=50).fit(X).objective_ == pytest.approx(theirs, rel=1e-3)


def test_more_starts_are_never_worse():
    X = random_sparse(200, 60, 0.2)
    one, many = (AA(6, random_state=0, n_init=n).fit(X).objective_ for n in (1, 10))
    assert many <= one


@pytest.mark.parametrize("form", [sp.csr_array, lambda X: X.toarray()])
def test_nc_is_aa_on_weighted_documents(form):
    X = random_sparse(150, 80, 0.2)
    X = X[X.sum(axis=1) > 0]
    weights = (X @ X.sum(axis=0)) ** -0.5
    weighted = sp.csr_array(X * weights[:, None])
    cut, association = NC(4, random_state=0).fit(form(X)), AA(4, random_state=0).fit(form(weighted))
    assert adjusted_rand_score(cut.labels_, association.labels_) == 1
    assert cut.objective_ == pytest.approx(association.objective_)
    np.testing.assert_allclose(cut.singular_values_, association.singular_values_)
    assert cut.singular_values_[0] == pytest.approx(1)  # of a normalised similarity matrix


def test_nc_has_the_weights_of_ncw():
    counts = np.random.default_rng(0).poisson(0.4, (60, 30)) + sp.eye_array(60, 30, dtype=int).toarray()
    tfidf, ncw = (Weight(scheme, dtype=np.float64).fit_transform(counts) for scheme in ("tfidf", "ncw"))
    cut, association = NC(3, random_state=0).fit(tfidf), AA(3, random_state=0).fit(ncw)
    # several starts end in the same clusters, and rounding decides which of them, so whose order, is kept
    assert adjusted_rand_score(cut.labels_, association.labels_) == 1


@pytest.mark.parametrize("method", [AA, NC])
def test_new_documents_are_folded_in(method):
    X, kinds = blocks()
    model = method(3, random_state=0).fit(X)
    new, new_kinds = blocks(seed=5)
    assigned = model.transform(new).argmax(axis=1)
    of_kind = [model.labels_[kinds == kind][0] for kind in range(3)]
    np.testing.assert_array_equal(assigned, np.array(of_kind)[new_kinds])


@pytest.mark.parametrize("method", [AA, NC])
def test_a_new_document_of_unknown_terms_has_no_topic(method):
    X, _ = blocks()
    X = sp.csr_array(sp.hstack([X, sp.csr_array((X.shape[0], 1))]))
    model = method(3, random_state=0).fit(X)
    unknown = np.zeros((1, X.shape[1]))
    unknown[0, -1] = 2
    W = model.transform(unknown)
    assert (W == 0).all()
    assert model.assign(W)[0].tolist() == [-1]


def test_custom_start_is_refused():
    with pytest.raises(ValueError, match="choose k-means"):
        AA(2, init="custom").fit(np.eye(3))


# -- affinity propagation --------------------------------------------------------------------------------


def test_auto_is_scikit_learns_answer():
    from sklearn.cluster import AffinityPropagation as Theirs

    X = random_sparse(60, 30, 0.3).toarray()
    squares = np.sum((X[:, None] - X) ** 2, axis=2)
    median = float(np.median(-squares[~np.eye(len(X), dtype=bool)]))
    theirs = Theirs(preference=median, random_state=0).fit(X)
    model = AffinityPropagation(random_state=0).fit(X)
    assert model.preference_ == pytest.approx(median)
    np.testing.assert_array_equal(model.exemplars_, theirs.cluster_centers_indices_)
    np.testing.assert_array_equal(model.labels_, theirs.labels_)
    np.testing.assert_array_equal(model.components_, theirs.cluster_centers_)
    distances = squares[np.arange(len(X)), model.exemplars_[model.labels_]]
    assert model.objective_ == pytest.approx(distances.sum() / 2)
    assert model.trace_["objective"][-1] == pytest.approx(model.objective_)
    assert model.trace_["residual"].tolist() == [0]


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_search_meets_the_wanted_number(k):
    X = np.random.default_rng(0).random((50, 6))
    model = AffinityPropagation(k, random_state=0).fit(X)
    assert model.n_components_ == k
    assert model.stopped_ == "tol"
    assert model.trace_["residual"][-1] == 0


def test_search_that_fails_keeps_the_nearest_number():
    model = AffinityPropagation(3, random_state=0, max_iter=8)
    with pytest.warns(ConvergenceWarning, match="nearest number, 1, was kept"):
        model.fit(np.eye(8))  # all alike: one cluster or eight
    assert model.stopped_ == "max_iter"
    assert model.n_iter_ == 8
    assert model.n_components_ == len(model.exemplars_) == 1


def test_preference_can_be_given():
    X = np.random.default_rng(0).random((50, 6))
    few, many = (AffinityPropagation(preference=p, random_state=0).fit(X) for p in (-10.0, -0.01))
    assert few.n_components_ < many.n_components_
    assert few.preference_ == pytest.approx(-10)


def test_messages_that_swing_are_damped(monkeypatch):
    import sklearn.cluster

    tried = []

    def swinging(S, *, damping, max_iter, convergence_iter, **options):
        tried.append((damping, max_iter, convergence_iter))
        return ([], np.full(len(S), -1), max_iter) if damping < 0.9 else ([1], np.zeros(len(S)), 300)

    monkeypatch.setattr(sklearn.cluster, "affinity_propagation", swinging)
    model = AffinityPropagation(random_state=0).fit(np.eye(4))
    assert tried == [(0.5, 200, 15), (0.75, 400, 30), (0.875, 800, 60), (0.9375, 1600, 120)]
    assert model.exemplars_.tolist() == [1]
    monkeypatch.setattr(sklearn.cluster, "affinity_propagation", lambda S, **options: ([], [], 200))
    with pytest.raises(ValueError, match="raise rounds or damping"):
        AffinityPropagation(random_state=0).fit(np.eye(4))


def test_messages_that_do_not_settle_are_warned_of():
    X = np.random.default_rng(0).random((50, 6))
    with pytest.warns(ConvergenceWarning, match="did not settle with rounds=60"):
        AffinityPropagation(random_state=0, rounds=60, damping=0.9, convergence_iter=61).fit(X)


def test_too_many_documents_are_refused_at_once(monkeypatch):
    began = time.perf_counter()
    with pytest.raises(ValueError, match="20,001: use KMeans"):
        AffinityPropagation().fit(np.ones((20_001, 2)))
    assert time.perf_counter() - began < 2
    monkeypatch.setattr(quire.methods.affinity, "_MOST_DOCUMENTS", 5)
    X = np.vstack([np.eye(5), np.zeros((3, 5))])  # empty ones are not compared
    assert AffinityPropagation(random_state=0).fit(X).labels_[-1] == -1


def test_damping_is_checked():
    for name, value in {"damping": 0.3, "rounds": 0, "convergence_iter": 0}.items():
        with pytest.raises(ValueError, match=f"{name}={value}"):
            AffinityPropagation(**{name: value}).fit(np.eye(3))
