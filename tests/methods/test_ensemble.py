"""The default method: places, linkage, mixture, and the ensemble made of them."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import planted
from scipy.special import softmax

import quire
from quire import Ensemble
from quire.backends.backend import as_matrix
from quire.backends.reference.matrix import ReferenceMatrix
from quire.methods.ensemble.embedding import balanced_weights, document_places, likely_topics, without_topics
from quire.methods.ensemble.expectation import expectation_maximization, lengths_by_topic, mixture_of, shares_of
from quire.methods.ensemble.groups import merge_nearest
from quire.methods.ensemble.mixture import Reading, length_temper, sharpness_of
from quire.scores import metrics


def test_finds_planted_topics_of_equal_and_of_very_unequal_sizes():
    for sizes in ([60, 60, 60, 60], [400, 60, 30, 20]):
        X, labels = planted(sizes)
        found = Ensemble(4, random_state=0).fit(X)
        assert metrics.ari(labels, found.labels_) > 0.9


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads():
    X, _ = planted([80, 50, 30])
    one = Ensemble(3, random_state=3, n_jobs=1).fit(X)
    two = Ensemble(3, random_state=3, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.memberships_, two.memberships_)
    np.testing.assert_array_equal(one.runs_, two.runs_)


def test_a_document_has_the_same_memberships_alone_in_a_batch_and_in_the_fit():
    X, _ = planted([50, 50])
    model = Ensemble(2, random_state=0)
    W = model.fit_transform(X)
    np.testing.assert_array_equal(model.transform(X), W)
    np.testing.assert_array_equal(model.transform(X[[7]]), W[[7]])


def test_order_of_documents_and_terms_does_not_matter():
    X, _ = planted([70, 40, 40])
    rng = np.random.RandomState(1)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    whole = Ensemble(3, random_state=0).fit(X).labels_
    mixed = Ensemble(3, random_state=0).fit(sp.csr_array(X[rows][:, columns])).labels_
    assert metrics.ari(whole[rows], mixed) > 0.95


def test_documents_of_one_word_are_told_apart():
    for sizes in ([40, 20], [100, 10], [30, 20, 10]):
        words = np.repeat(np.arange(len(sizes)), sizes)
        found = Ensemble(len(sizes), random_state=0).fit(np.log1p(np.eye(len(sizes))[words]))
        assert metrics.ari(words, found.labels_) == 1


def test_one_run_tells_nothing_of_how_sure_it_is():
    X, _ = planted([50, 30])
    assert Ensemble(2, n_init=1, random_state=0).fit(X).sharpness_.tolist() == [1]
    assert Ensemble(2, random_state=0).fit(X).sharpness_[0] != 1


def test_factors_are_probabilities_and_lengths():
    X, _ = planted([50, 30])
    model = Ensemble(2, random_state=0)
    W = model.fit_transform(X)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(W.sum(axis=1), (X / model.unit_).sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=1e-5)
    assert model.runs_.shape == (model.n_init, X.shape[0])
    assert np.isfinite(model.reconstruction_err_)
    assert model.objective_ > 0


def test_silent_documents_have_no_topic_and_change_nothing():
    X, _ = planted([50, 30])
    padded = sp.csr_array(sp.vstack([X[:40], sp.csr_array((3, X.shape[1]), dtype=X.dtype), X[40:]]))
    plain, found = (Ensemble(2, random_state=0).fit(M) for M in (X, padded))
    assert (found.labels_[40:43] == -1).all()
    assert (found.runs_[:, 40:43] == -1).all()
    np.testing.assert_array_equal(np.delete(found.labels_, [40, 41, 42]), plain.labels_)


def test_documents_without_common_terms_are_told_apart_however_few():
    for seed in range(5):
        labels = Ensemble(3, random_state=seed).fit(np.kron(np.eye(3), np.ones((2, 2)))).labels_
        assert metrics.ari(np.repeat(range(3), 2), labels) == 1


@pytest.mark.parametrize("k", [1, 2, 6])
def test_tiny_and_degenerate_matrices(k):
    same = np.tile([1.0, 0.0], (6, 1))
    for X in (np.eye(6), np.ones((6, 6)), np.ones((6, 1)), same, np.diag([1e-6, 1, 1, 1, 1, 1e6])):
        model = Ensemble(k, random_state=0).fit(X)
        assert np.isfinite(model.memberships_).all()
        assert set(model.labels_) <= set(range(k))


def test_bad_parameters_are_one_sentence():
    X, _ = planted([5, 5])
    for wrong in ({"words": 0}, {"smoothing": -1.0}, {"tau": -1}, {"groups": 0}, {"dimensions": 0},
                  {"init": "random"}, {"n_init": 0}, {"words": float("inf")}, {"words": "a"},
                  {"groups": 1.5}):  # fmt: skip
        with pytest.raises(ValueError, match=r"\.$"):
            Ensemble(2, **wrong).fit(X)
    with pytest.raises(ValueError, match="leave W and H out"):
        Ensemble(2).fit(X, W=np.ones((10, 2)))


def test_a_callback_stops_it_with_what_there_is():
    X, _ = planted([50, 30])
    model = Ensemble(2, random_state=0, callback=lambda step: True).fit(X)
    assert model.stopped_ == "callback"
    assert len(model.runs_) == 1


def test_max_time_ends_the_runs_early():
    X, _ = planted([50, 30])
    assert len(Ensemble(2, random_state=0, max_time=1e-9).fit(X).runs_) == 1


# -- the parts ------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(1, 8), st.integers(0, 10**6), st.floats(0, 6))
def test_merging_ends_in_k_clusters_and_the_least_size_holds(groups, k, seed, least):
    rng = np.random.RandomState(seed)
    centres, sizes = rng.normal(size=(groups, 3)), rng.randint(0, 9, groups)
    found = merge_nearest(centres, sizes, k, least)
    held = np.bincount(found, weights=sizes, minlength=k)
    present = int((sizes > 0).sum())
    assert found.min() >= 0
    assert (held > 0).sum() == min(k, present)
    if (sizes >= least).sum() >= k:  # so many that no cluster need be smaller
        assert held.min() >= least


def test_merging_without_a_least_size_is_centroid_linkage():
    from scipy.cluster.hierarchy import fcluster, linkage

    points = np.random.RandomState(0).normal(size=(40, 4))
    expected = fcluster(linkage(points, "centroid"), 6, "maxclust")
    assert metrics.ari(expected, merge_nearest(points, np.ones(40), 6)) == 1


def test_em_descends_where_nothing_is_tempered_or_smoothed():
    X, labels = planted([40, 40, 20], seed=2)
    start = np.eye(3)[np.random.RandomState(0).permutation(labels)] * 0.5 + 1 / 6
    with as_matrix(X.astype(np.float64), 1) as matrix:
        *_, trace = expectation_maximization(matrix, start, Reading(np.ones(X.shape[1]), 1e9, 0.75), 1e-9, 30)
    assert all(after.objective <= before.objective + 1e-9 for before, after in pairwise(trace))


def test_posteriors_are_bayes_rule():
    rng = np.random.RandomState(0)
    X, memberships = rng.randint(0, 4, (7, 5)).astype(float), rng.dirichlet(np.ones(3), 7)
    matrix = ReferenceMatrix(X)
    found = mixture_of(matrix, shares_of(matrix, memberships), 3, 0.1, np.ones(5))
    joint = found.sizes * np.array([[np.prod(row_terms**x) for row_terms in found.terms] for x in X])
    expected = joint / joint.sum(axis=1, keepdims=True)
    reading = Reading(np.ones(5), 1e9, 0.75)  # every word is believed
    weights = lengths_by_topic(ReferenceMatrix(X), found, reading, 1.0)
    np.testing.assert_allclose(weights, expected * X.sum(axis=1, keepdims=True), rtol=1e-9)


def test_temper_is_1_for_short_documents_and_falls_with_length():
    temper = length_temper(np.array([0, 1, 5, 10, 1000.0]), 5, 0.75)
    assert temper[:3].tolist() == [1, 1, 1]
    assert (np.diff(temper[2:]) < 0).all()


def test_sharpness_recovers_what_the_votes_were_drawn_with():
    rng = np.random.RandomState(0)
    scores = rng.normal(size=(4000, 4)) * 3
    votes = np.array([rng.multinomial(20, row) for row in softmax(0.4 * scores, axis=1)])
    assert sharpness_of(scores, votes) == pytest.approx(0.4, rel=0.05)


def test_weights_are_those_of_the_weighting_of_that_name():
    counts = sp.csr_array(np.random.RandomState(0).poisson(1.0, (20, 9)).astype(float))
    expected = quire.Weight("nl-tau", tau=0.3, dtype=np.float64).fit_transform(counts)
    np.testing.assert_allclose(balanced_weights(counts, 0.3).toarray(), expected.toarray(), rtol=1e-12)


def test_dealing_anew_keeps_the_sizes_of_documents_and_terms():
    X, _ = planted([30, 30])
    X.data[:] = 1
    dealt = without_topics(X, np.random.RandomState(0))
    np.testing.assert_allclose(dealt.sum(axis=1), X.sum(axis=1))
    np.testing.assert_allclose(dealt.sum(axis=0), X.sum(axis=0))


def test_places_have_length_1_and_noise_has_few_directions():
    X, labels = planted([60, 60, 60])
    places = document_places(X, 3, 0.3, 30)
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1, rtol=1e-5)
    near = places @ places.T
    same = labels[:, None] == labels
    assert near[same].mean() > near[~same].mean() + 0.3
    assert places.shape[1] < 20


def test_the_number_of_planted_topics_is_found_and_the_range_holds():
    X, _ = planted([80, 80, 80, 80, 80], d=120, words=30)
    assert likely_topics(X, 2, None, 0.3) == 5
    assert likely_topics(X, 2, 4, 0.3) == 4
    assert likely_topics(X, 7, 9, 0.3) == 7
    assert likely_topics(sp.csr_array(np.ones((1, 1))), 2, None, 0.3) == 1
