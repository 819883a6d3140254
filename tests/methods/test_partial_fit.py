"""NMF from a stream of batches: near the fit on everything, and with an eye on what is new."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse
from sklearn.base import clone

from quire import NMF
from quire.backends.backend import as_matrix
from quire.engine.loop import solve_documents
from quire.engine.rules.hals import Hals
from quire.methods.online import Memory


def topical(n, terms, k=3, seed=0, d=60, noise=0.02):
    """Documents of k topics over some of the columns, a little of everything else beside."""
    rng = np.random.RandomState(seed)
    H = np.zeros((k, d))
    for t, own in enumerate(np.array_split(np.asarray(terms), k)):
        H[t, own] = rng.rand(len(own)) + 0.5
    X = rng.dirichlet(np.full(k, 0.2), n) @ H
    return sp.csr_array(np.maximum(X + noise * rng.rand(*X.shape) * (rng.rand(*X.shape) < 0.1), 0))


def fed(model, X, size, passes=1, seed=0):
    rng = np.random.RandomState(seed)
    for _ in range(passes):
        order = rng.permutation(X.shape[0])
        for at in range(0, len(order), size):
            model.partial_fit(X[order[at : at + size]])
    return model


def error(X, H):
    with as_matrix(X) as matrix:
        return solve_documents(matrix, np.ascontiguousarray(H, X.dtype), Hals()).error


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("forget_factor", [0.7, 1.0])
def test_several_passes_come_near_the_fit_on_everything(dtype, forget_factor):
    X = sp.csr_array(random_sparse(400, 80, 0.2, seed=1).astype(dtype))
    whole = NMF(5, random_state=0).fit(X)
    found = fed(NMF(5, random_state=0, forget_factor=forget_factor), X, 50, passes=5)
    assert found.components_.dtype == dtype
    assert found.transform(X).dtype == dtype
    assert error(X, found.components_) < 1.03 * whole.reconstruction_err_
    first = NMF(5, random_state=0).fit(X[np.random.RandomState(0).permutation(400)[:50]])
    assert error(X, found.components_) < error(X, first.components_)


def test_a_dense_batch_is_as_good_as_a_sparse_one():
    X = topical(120, range(60))
    dense, sparse = (fed(NMF(3, random_state=0), data, 30, 2) for data in (X.toarray(), X))
    np.testing.assert_allclose(dense.components_, sparse.components_, rtol=1e-6, atol=1e-9)


def test_what_is_remembered_are_the_sums_with_what_was_forgotten():
    X, sizes = topical(100, range(60)), [40, 20, 30, 10]
    model, starts = NMF(3, random_state=0, forget_factor=0.5), np.cumsum([0, *sizes])
    A, B, batches = np.zeros((3, 3)), np.zeros((3, 60)), []
    for number, (start, size) in enumerate(zip(starts, sizes)):
        before = None if number == 0 else model.components_
        batches.append(X[start : start + size])
        model.partial_fit(batches[-1])
        if before is None:
            before = NMF(3, random_state=0).fit(batches[0]).components_
        W = solved(batches[-1], before)
        rho = 0.5 ** (size / np.mean(sizes[: number + 1]))
        A, B = rho * A + W.T @ W, rho * B + W.T @ batches[-1].toarray()
        np.testing.assert_allclose(model._memory.grams, A, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(model._memory.crossed, B, rtol=1e-6, atol=1e-9)
    assert (model.n_steps_, model.n_samples_seen_) == (4, 100)


def solved(X, H):
    with as_matrix(X) as matrix:
        return solve_documents(matrix, H, Hals()).W


@pytest.mark.parametrize("shared", [False, True])
def test_new_topics_take_over_where_old_batches_are_forgotten(shared):
    old, new = topical(300, range(30), seed=1, noise=0), topical(300, range(30, 60), seed=2, noise=0)
    if shared:  # words of both times
        common = sp.csr_array(np.full((300, 4), 0.2))
        old, new = (sp.csr_array(sp.hstack([X, common])) for X in (old, new))
    best = NMF(3, random_state=0).fit(new).reconstruction_err_
    forgetting, remembering = (NMF(3, random_state=0, forget_factor=f) for f in (0.5, 1.0))
    for model in (forgetting, remembering):
        fed(fed(model, old, 30, 3), new, 30, 3)
    assert error(new, forgetting.components_) < 1.1 * best + 0.05 * np.sqrt((new.data**2).sum())
    assert error(new, forgetting.components_) < 0.7 * error(new, remembering.components_)
    of_old = forgetting.components_[:, :30].sum() / forgetting.components_.sum()
    assert of_old < 0.1
    assert error(old, remembering.components_) < error(old, forgetting.components_)


def test_a_few_strange_documents_do_not_take_a_topic_from_many():
    X = topical(300, range(30), seed=1, noise=0)
    model = fed(NMF(3, random_state=0, forget_factor=0.9), X, 30, 2)
    strange = sp.csr_array(np.eye(60)[[50]])
    model.partial_fit(sp.csr_array(sp.vstack([X[:30], strange])))
    assert not model.components_[:, 50].any()


def test_a_first_batch_of_fewer_documents_than_topics_is_enough_to_begin():
    X = topical(200, range(60), k=4)
    model = NMF(6, random_state=0).partial_fit(X[:2])
    assert model.components_.shape == (6, 60)
    fed(model, X, 25, 4)
    assert error(X, model.components_) < 1.1 * NMF(6, random_state=0).fit(X).reconstruction_err_


def test_the_same_batches_give_the_same_bits_and_survive_pickling():
    X = topical(150, range(60))
    one, two = (fed(NMF(3, random_state=1, n_jobs=jobs), X, 30) for jobs in (1, 2))
    np.testing.assert_array_equal(one.components_, two.components_)
    again = pickle.loads(pickle.dumps(one)).partial_fit(X[:20])
    np.testing.assert_array_equal(again.components_, two.partial_fit(X[:20]).components_)


def test_batches_without_documents_or_words_teach_nothing():
    X = topical(90, range(60))
    model = fed(NMF(3, random_state=0), X, 30)
    before, steps = model.components_.copy(), model.n_steps_
    memory = model._memory
    assert model.partial_fit(X[:0]) is model
    assert model.partial_fit(np.zeros((0, 60))).n_steps_ == steps
    model.partial_fit(sp.csr_array((5, 60)))
    np.testing.assert_array_equal(model.components_, before)
    np.testing.assert_array_equal(model._memory.grams, memory.grams)
    assert (model.n_steps_, model.n_samples_seen_) == (steps + 1, 95)
    with pytest.raises(ValueError, match="are zero"):
        NMF(2).partial_fit(np.zeros((3, 4)))


def test_a_batch_that_cannot_be_used_changes_nothing():
    X = topical(60, range(60))
    model = NMF(3, random_state=0).partial_fit(X)
    before = dict(model.__dict__)
    for wrong, said in ((X[:, :50], "60 features"), (np.full((2, 60), np.nan), "NaN"), (-X, "Negative")):
        with pytest.raises(ValueError, match=said):
            model.partial_fit(wrong)
        assert model.__dict__ == before
    for factor in (-0.1, 1.5, "a", None):
        with pytest.raises(ValueError, match="forget_factor"):
            NMF(3, forget_factor=factor).partial_fit(X)


def test_a_fit_is_carried_on_and_a_new_fit_begins_anew():
    X = topical(300, range(60))
    model = NMF(3, random_state=0).fit(X)
    fresh = model.components_.copy()
    model.partial_fit(X[:5])
    assert error(X, model.components_) < 1.02 * error(X, fresh)
    assert not hasattr(model, "labels_")
    assert model.n_samples_seen_ == 5
    model.fit(X)
    np.testing.assert_array_equal(model.components_, fresh)
    assert not hasattr(model, "n_steps_")


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_x_does_not_matter(unit):
    X = topical(120, range(60))
    model = NMF(3, init="random", random_state=0)  # zeros of nndsvda are filled by mean(X), whatever its unit
    plain, scaled = (fed(clone(model), sp.csr_array(X * by), 30, 2) for by in (1.0, unit))
    np.testing.assert_allclose(
        np.sqrt(unit) * plain.components_, scaled.components_, rtol=1e-3, atol=1e-4 * np.sqrt(unit)
    )


def test_penalties_hold():
    X = topical(200, range(60))
    plain = fed(NMF(4, random_state=0), X, 50, 3)
    sparse = fed(NMF(4, random_state=0, alpha_H=0.01, l1_ratio=1.0), X, 50, 3)
    small = fed(NMF(4, random_state=0, alpha_W=1e-3, alpha_H=0.01), X, 50, 3)
    assert (sparse.components_ == 0).sum() > 1.2 * (plain.components_ == 0).sum()
    assert np.linalg.norm(small.components_) < 0.8 * np.linalg.norm(plain.components_)


def test_h_is_the_best_for_what_is_remembered_and_the_penalty():
    model, rng = NMF(2, alpha_H=0.01, l1_ratio=0.4), np.random.RandomState(0)
    B = rng.rand(2, 9)
    model._memory = Memory(np.eye(2), B, 50.0)
    expected = np.maximum(B - 50 * 0.01 * 0.4, 0) / (1 + 50 * 0.01 * 0.6)
    np.testing.assert_allclose(model._improved(rng.rand(2, 9)), expected)


def test_a_strange_document_of_the_first_batch_takes_no_topic():
    X = sp.csr_array(sp.vstack([topical(60, range(30), noise=0), sp.csr_array(np.eye(60)[[50]] / 100)]))
    whole = NMF(3, random_state=0).fit(X)
    found = NMF(3, random_state=0).partial_fit(X)
    np.testing.assert_allclose(found.components_, whole.components_, rtol=0.05, atol=0.01)


def test_solvers_share_it():
    X = topical(120, range(60))
    found = [fed(NMF(3, solver=solver, random_state=0), X, 40, 3) for solver in ("hals", "anls", "mu")]
    errors = [error(X, model.components_) for model in found]
    assert max(errors) < 1.05 * min(errors)
