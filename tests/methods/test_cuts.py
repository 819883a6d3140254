"""How many topics: planted numbers are found, whatever the order and the threads."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire import Ensemble
from quire.methods.ensemble.cuts import Passages, mean_agreement, numbers_to_try, supported


def planted(k, n=600, terms=40, words=40, seed=0):
    """Documents of k topics: half of their words are the topic's own, half are anyone's."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % k
    p = np.ones((k, (k + 1) * terms)) / ((k + 1) * terms)
    for t in range(k):
        p[t, t * terms : (t + 1) * terms] += 1 / terms
    counts = np.array([rng.multinomial(words, p[t] / p[t].sum()) for t in topic])
    return sp.csr_array(np.log1p(counts))


@pytest.mark.parametrize("k", [3, 5, 8])
def test_the_planted_number_comes_first(k):
    X = planted(k)
    first, *others = Ensemble().likely_cuts(X)
    assert first == k
    assert len(others) <= 2
    assert all(max(a, b) >= 1.5 * min(a, b) for a in others for b in [k])


def test_neither_threads_nor_the_order_of_documents_matter():
    X = planted(5)
    cuts = Ensemble(n_jobs=1).likely_cuts(X, 3, 9)
    assert Ensemble(n_jobs=3).likely_cuts(X, 3, 9) == cuts
    order = np.random.default_rng(1).permutation(X.shape[0])
    assert Ensemble().likely_cuts(sp.csr_array(X[order]), 3, 9)[0] == cuts[0]


def test_empty_documents_and_the_unit_of_x_do_not_matter():
    X = planted(3)
    more = sp.csr_array(sp.vstack([X, sp.csr_array((5, X.shape[1]))]))
    for one in (more, 8 * X):
        assert Ensemble().likely_topics(one, 2, 9) == 3


def test_the_range_is_respected():
    X = planted(5, n=300)
    for lowest, highest in ((2, 4), (6, 9), (7, 7), (5, 5)):
        cuts = Ensemble().likely_cuts(X, lowest, highest)
        assert all(lowest <= k <= highest for k in cuts)
    assert Ensemble().likely_topics(X, 200, 250) == 200  # too many to be tried in halves


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 1), (39, 10), (41, 2), (60, 1), (100, 3)])
def test_tiny_matrices(shape):
    for X in (np.ones(shape), np.random.default_rng(0).poisson(0.5, shape) + np.eye(*shape)):
        cuts = Ensemble().likely_cuts(sp.csr_array(X))
        assert 1 <= min(cuts) <= max(cuts) <= max(2, *shape)


def of_speeches(speeches=44, passages=12, subjects=5, seed=0):
    """Passages of some subjects, in which each speech has more words of its own than of a subject."""
    rng = np.random.default_rng(seed)
    p = np.ones((speeches, subjects, 20 * (speeches + subjects)))
    for i in range(speeches):
        p[i, :, 20 * (subjects + i) : 20 * (subjects + i + 1)] += 40
        for j in range(subjects):
            p[i, j, 20 * j : 20 * (j + 1)] += 20
    counts = [rng.multinomial(50, p[i, n % subjects] / p[i, 0].sum()) for i in range(speeches) for n in range(passages)]
    return sp.csr_array(np.log1p(counts)), np.full(speeches, passages)


def test_what_only_passages_of_one_document_share_is_no_topic():
    X, passages = of_speeches()
    assert Ensemble().likely_cuts(X)[0] == len(passages)  # a topic a speech
    assert max(Ensemble().likely_cuts(X, passages=passages)) < len(passages)


def test_documents_of_one_passage_are_documents():
    X = planted(5)
    assert Ensemble().likely_cuts(X, passages=np.ones(X.shape[0], int)) == Ensemble().likely_cuts(X)


def test_more_topics_are_usual_among_passages():
    ks, even = np.arange(2, 40), np.linspace(0.7, 0.5, 38)
    usual = [Passages.of(np.full(50, n)).usual for n in (1, 4, 16, 100, 10_000)]
    assert usual == [8, 16, 32, 40, 40]
    firsts = [supported(ks, even, one)[0].k for one in usual]
    assert firsts == sorted(firsts)
    assert firsts[0] < firsts[-1]


@pytest.mark.parametrize("wrong", [[10, 10], [-1, 601], [300.0, 300.0], [[300, 300]]])
def test_passages_that_are_not_all_rows_are_refused(wrong):
    with pytest.raises(ValueError, match="600 rows"):
        Ensemble().likely_cuts(planted(3), passages=wrong)


def test_numbers_to_try():
    ks = numbers_to_try((3000, 5000), 2, None)
    assert list(ks[:11]) == list(range(2, 13))
    assert (ks[1:] / ks[:-1] <= 1.5).all()
    assert len(numbers_to_try((30, 100), 2, None)) == 0
    assert numbers_to_try((50, 100), 2, None).max() == 8
    assert list(numbers_to_try((3000, 5000), 20, 20)) == [20]


def test_agreement_is_the_adjusted_rand_index():
    from sklearn.metrics import adjusted_rand_score

    labels = np.random.default_rng(0).integers(4, size=(2, 50))
    assert mean_agreement(labels) == pytest.approx(adjusted_rand_score(*labels))
    assert mean_agreement(labels[[0, 0]]) == 1
    assert mean_agreement(np.zeros((2, 50), int)) == 0  # one topic for all is no agreement


def test_where_nothing_agrees_nothing_is_offered():
    ks = np.arange(2, 20)
    assert supported(ks, np.full(len(ks), 0.05)) == []
    steady = supported(ks, np.where(ks == 6, 0.9, 0.3))
    assert [cut.k for cut in steady] == [6]  # others have not half of its agreement
    assert 1 < len(supported(ks, np.full(len(ks), 0.6))) <= 3
