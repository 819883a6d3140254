"""Documents in two parts: on those whose parts are known, and on those that have none."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from quire.backends.backend import as_matrix
from quire.methods.ensemble.embedding import without_topics
from quire.methods.ensemble.estimator import Ensemble
from quire.methods.ensemble.expectation import expectation_maximization
from quire.methods.ensemble.halving import halves_of, mixture_of_parts, settled

READING = Ensemble(weigh=False)._reading_in(np.ones(0))


def documents_of(sizes, seed=0, terms=60, own=25, length=14):
    """Log counts of documents whose parts have some terms of their own and share the rest, and the parts."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.zeros((len(truth), terms))
    for row, part in zip(counts, truth):
        words = np.where(
            rng.random(length) < 0.75, rng.integers(own, size=length) + part * own, rng.integers(terms, size=length)
        )
        np.add.at(row, words, 1)
    return sp.csr_array(np.log1p(counts)), truth


def test_parts_that_are_there_are_found_whatever_their_sizes():
    for sizes in ((50, 50), (120, 30), (400, 300)):
        words, truth = documents_of(sizes)
        found = halves_of(words, READING, 0, 3)
        assert adjusted_rand_score(truth, found.labels) > 0.9, sizes
        dealt = without_topics(words, np.random.RandomState(0))
        chance = halves_of(dealt, READING, 0, 3)
        assert found.gain > 0.02 + (0.0 if chance is None else chance.gain)


def test_two_topics_that_are_the_same_gain_nothing():
    words, _ = documents_of((60, 60))
    alike = sp.csr_array(sp.vstack([words, words]))
    labels = np.repeat([0, 1], words.shape[0])
    assert abs(settled(alike, READING, labels, steps=1).gain) < 1e-3, "as sizes that are tempered would have it"


def test_copies_of_one_document_have_no_parts():
    words, _ = documents_of((1, 1))
    assert halves_of(sp.csr_array(words[np.zeros(40, int)]), READING, 0, 3) is None


def test_a_document_without_words_is_with_the_larger_part():
    words, truth = documents_of((40, 20))
    silent = sp.csr_array(sp.vstack([words, sp.csr_array((3, words.shape[1]))]))
    labels = halves_of(silent, READING, 0, 3).labels
    assert set(labels[-3:]) == {np.bincount(labels[:60][truth == 0]).argmax()}


def test_its_em_is_that_of_the_default():
    words, truth = documents_of((70, 40))
    begun = np.eye(2)[np.random.default_rng(1).permutation(truth)]
    with as_matrix(words, 1) as X:
        reading = READING.of_words(words.shape[1])
        there = expectation_maximization(X, begun, reading, Ensemble.smoothing, 4)
        shares = np.asarray(X.array(there.shares, 2)) / X.scale
    here = settled(words, READING, begun.argmax(axis=1), steps=4)
    np.testing.assert_array_equal(here.labels, shares.argmax(axis=1))
    once = mixture_of_parts(words, begun)
    with as_matrix(words, 1) as X:
        first = expectation_maximization(X, begun, READING.of_words(words.shape[1]), Ensemble.smoothing, 1)
    np.testing.assert_allclose(once.terms, first.mixture.terms, rtol=1e-9)
    np.testing.assert_allclose(once.sizes, first.mixture.sizes, rtol=1e-9)
