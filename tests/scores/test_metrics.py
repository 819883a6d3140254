"""Scores: the papers' worked examples to the printed digits, and what any score must do."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics
from sklearn.metrics import normalized_mutual_info_score

from quire.scores.metrics import (
    accuracy,
    ari,
    coherence,
    completeness,
    contingency,
    dispersion,
    diversity,
    entropy,
    homogeneity,
    mi_hat,
    nmi,
    purity,
    rightly_placed,
    soft_nmi,
    sparsity,
    sse,
    sse_lower_bound,
)  # fmt: skip

W16 = np.array([
    [0.43626, 0.05223, 0.084398, 0.075976, 0.35113], [0.34673, 0.10661, 0.37154, 0.16145, 0.01367],
    [0.037394, 0.16104, 0.28186, 0.26966, 0.25005], [0.22373, 0.23454, 0.11889, 0.19405, 0.22878],
    [0.15669, 0.23908, 0.1983, 0.23775, 0.16818],
])  # fmt: skip
W17 = W16.copy()
W17[1:3] = [0.35154, 0.10809, 0.37669, 0.16369, 0], [0, 0.1673, 0.29281, 0.28013, 0.25976]
third, quarter = [1 / 3] * 3, [0.25] * 4
W18 = np.array([[1, 0, 0], third, third, [0, 1, 0], third, [0, 0, 1]])
W19 = np.array([[1, 0, 0, 0], quarter, quarter, [0, 1, 0, 0], quarter, [0, 0, 1, 0]])
labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("W", "classes", "printed"),
    [(W16, [1, 3, 3, 2, 2], 0.0623), (W17, [1, 3, 3, 2, 2], 0.0649), (W18, [1, 1, 2, 2, 3, 3], 0.2103),
     (W19, [1, 1, 2, 2, 3, 3], 0.2171)],
)  # fmt: skip
def test_soft_nmi_of_the_thesis(W, classes, printed):
    assert soft_nmi(classes, W) == pytest.approx(printed, abs=5e-5)


@given(labels)
def test_soft_nmi_of_hard_memberships_is_nmi(pairs):
    classes, clusters = np.array(pairs).T
    assert soft_nmi(classes, np.eye(4)[clusters]) == pytest.approx(nmi(classes, clusters), abs=1e-9)


@given(labels)
def test_scores_lie_between_0_and_1_and_are_best_for_the_classes_themselves(pairs):
    classes, clusters = np.array(pairs).T
    for score, best in ((accuracy, 1), (mi_hat, 1), (nmi, 1), (purity, 1), (entropy, 0), (ari, 1)):
        assert -0.5 <= score(classes, clusters) <= 1 + 1e-9
        assert score(classes, classes) == pytest.approx(best)
    assert mi_hat(classes, clusters) <= normalized_mutual_info_score(classes, clusters) + 1e-9


@given(labels, st.sampled_from(["int8", "uint16", "int64", "U2"]), st.sampled_from([1, 7, 40]))
def test_scores_are_those_of_scikit_learn_to_the_last_digit_whatever_classes_are_called(pairs, dtype, step):
    classes, clusters = np.array(pairs).T
    classes, clusters = (classes * step).astype(dtype), clusters - 1  # numbers with gaps, names; −1 is no cluster
    assert (contingency(classes, clusters) == sklearn_metrics.cluster.contingency_matrix(classes, clusters)).all()
    assert nmi(classes, clusters) == sklearn_metrics.normalized_mutual_info_score(classes, clusters)
    assert homogeneity(classes, clusters) == sklearn_metrics.homogeneity_score(classes, clusters)
    assert completeness(classes, clusters) == sklearn_metrics.completeness_score(classes, clusters)
    assert ari(classes, clusters) == sklearn_metrics.adjusted_rand_score(classes, clusters)
    assert accuracy(classes, clusters) == rightly_placed(classes, clusters).mean()


def test_scores_of_no_document():
    assert [score([], np.zeros(0, int)) for score in (nmi, homogeneity, completeness, ari, accuracy)] == [1, 1, 1, 1, 0]


def test_zero_rows_are_spread_evenly():
    assert soft_nmi([0, 1], np.array([[0.0, 0.0], [0.0, 0.0]])) == pytest.approx(0)


def test_entropy_by_hand_and_the_small_ones():
    classes, clusters = ["a", "a", "b", "b"], [0, 0, 0, 1]
    expected = -(2 * np.log2(2 / 3) + np.log2(1 / 3)) / 4
    assert entropy(classes, clusters) == pytest.approx(expected)
    assert diversity([]) == 1
    assert sparsity(np.zeros((2, 2))) == 1


# -- distances to centroids ------------------------------------------------------------------------------

seeds = st.integers(0, 2**32 - 1)


def documents(seed, n=None, d=None):
    """A sparse matrix, and a cluster for each row: up to four, and −1 for none."""
    rng = np.random.default_rng(seed)
    n, d = n or rng.integers(1, 30), d or rng.integers(1, 12)
    X = rng.gamma(1.0, size=(n, d)) * (rng.random((n, d)) < 0.5)
    return sp.csr_array(X), rng.integers(-1, 4, n), rng


def plain_sse(X, labels):
    """The definition, a cluster at a time."""
    X = X.toarray()
    return sum(np.square(X[labels == c] - (X[labels == c].mean(axis=0) if c >= 0 else 0)).sum() for c in set(labels))


@given(seeds)
def test_sse_is_its_definition_whatever_clusters_are_called(seed):
    X, labels, rng = documents(seed)
    expected = pytest.approx(plain_sse(X, labels), abs=1e-9)
    renamed = np.where(labels >= 0, rng.permutation(100)[labels], -1)
    order = rng.permutation(len(labels))
    assert sse(X, labels) == expected
    assert sse(X.toarray(), labels) == expected
    assert sse(X.tocsc(), renamed.tolist()) == expected
    assert sse(X[order], labels[order]) == expected


@given(seeds, st.integers(1, 12))
def test_no_clustering_is_below_the_bound(seed, k):
    X, labels, rng = documents(seed)
    bound = sse_lower_bound(X, k)
    values = np.linalg.svd(X.toarray(), compute_uv=False)
    assert bound == pytest.approx(np.square(values[k:]).sum(), abs=1e-9)
    for _ in range(5):
        labels = rng.integers(-1, k, X.shape[0])
        assert 0 <= bound <= sse(X, labels)
    assert 0 <= sse_lower_bound(X.toarray(), k + 1) <= bound + 1e-9


def test_the_bound_of_large_matrices_and_of_low_rank():
    X, labels, rng = documents(5, 700, 600)
    expected = np.square(np.linalg.svd(X.toarray(), compute_uv=False)[4:]).sum()
    assert sse_lower_bound(X, 4) == pytest.approx(expected, rel=1e-9)
    assert sse_lower_bound(X, 4) <= sse(X, labels)
    same = sp.csr_array(np.tile(rng.random(600), (700, 1)))
    assert sse_lower_bound(same, 3) <= sse(same, np.zeros(700, int)) < 1e-8


def test_sse_at_its_ends():
    X, labels, _ = documents(3, 20, 6)
    assert sse(X, np.arange(20)) == pytest.approx(0, abs=1e-9)
    assert sse(X, np.full(20, -1)) == pytest.approx(np.square(X.data).sum())
    assert sse(X, np.zeros(20, int)) == pytest.approx(20 * X.toarray().var(axis=0).sum())
    for k in (6, 20, 99):
        assert sse_lower_bound(X, k) == 0
    assert sse_lower_bound(sp.csr_array((5, 4)), 2) == 0
    counts = sp.csr_array(np.array([[2_000_000_000], [0]], np.int32))  # squares beyond 64 bits, were they whole
    assert sse(counts, [0, 0]) == pytest.approx(2e18)
    twice = sp.csr_array((np.ones(2), (np.zeros(2, int), np.zeros(2, int))), shape=(1, 1))
    assert sse(twice, [-1]) == 4
    with pytest.raises(ValueError, match="19 labels for 20 documents"):
        sse(X, labels[:-1])
    with pytest.raises(ValueError, match="from 1 on"):
        sse_lower_bound(X, 0)


# -- several runs ----------------------------------------------------------------------------------------


def plain_dispersion(runs):
    """Equation 17 of kim2008 with its n × n matrix."""
    runs = np.asarray(runs)
    same = (runs[:, :, None] == runs[:, None, :]) & (runs[:, :, None] >= 0)
    same[:, range(runs.shape[1]), range(runs.shape[1])] = True
    return (4 * (same.mean(axis=0) - 0.5) ** 2).mean()


@given(seeds, st.integers(1, 5), st.integers(1, 25))
def test_dispersion_is_that_of_the_consensus_matrix(seed, n_runs, n):
    rng = np.random.default_rng(seed)
    runs = rng.integers(-1, 4, (n_runs, n))
    found = dispersion(runs)
    assert found == pytest.approx(plain_dispersion(runs), abs=1e-12)
    assert 0 <= found <= 1
    renamed = [np.where(labels >= 0, rng.permutation(9)[labels], -1) for labels in runs]
    assert dispersion(renamed) == found
    assert dispersion(runs[:, rng.permutation(n)][rng.permutation(n_runs)]) == found
    assert dispersion([runs[0]] * 3) == 1


def test_dispersion_by_hand_and_at_its_ends():
    # Documents 1 and 2 are together in one run of two, so C is ½ twice and else 1: ρ = (9 − 2)/9.
    assert dispersion([[0, 0, 0], [1, 1, 1]]) == 1
    assert dispersion([[0, 0, 1], [0, 1, 2]]) == pytest.approx(7 / 9)
    assert dispersion([[0]]) == 1
    large = np.random.default_rng(0).integers(0, 50, (4, 200_000))  # its matrix would have 4e10 entries
    assert 0.9 < dispersion(large) < 1
    for runs in ([], [[]], [[0, 1], [0]]):
        with pytest.raises(ValueError, match="equal number"):
            dispersion(runs)


# -- keywords --------------------------------------------------------------------------------------------

WORDS = ["moon", "orbit", "goal", "every", "never"]
PRESENT = np.array([[1, 1, 0, 1, 0], [2, 0, 0, 1, 0], [1, 1, 0, 3, 0], [0, 0, 1, 1, 0]])


def npmi(i, j):
    """By the definition, from the table above."""
    there = PRESENT > 0
    p = (there[:, i] & there[:, j]).mean()
    return np.log(p / there[:, i].mean() / there[:, j].mean()) / -np.log(p)


def test_npmi_by_hand():
    found = coherence([["moon", "orbit", "goal"], ["moon", "orbit"]], PRESENT, WORDS)
    together = np.log(0.5 / (0.75 * 0.5)) / -np.log(0.5)
    assert npmi(0, 1) == pytest.approx(together)
    assert found.topics == pytest.approx([(together - 1 - 1) / 3, together])
    assert found.mean == pytest.approx(found.topics.mean())
    assert coherence([["every", "moon"]], PRESENT, WORDS).mean == pytest.approx(0)
    assert coherence([["every", "moon", "orbit"]], PRESENT, WORDS, top=2).mean == pytest.approx(0)
    everywhere = np.ones((3, 2))
    assert coherence([["a", "b"]], everywhere, ["a", "b"]).mean == 0


def test_c_v_by_hand():
    vectors = np.array([[1, npmi(0, 1), -1], [npmi(0, 1), 1, -1], [-1, -1, 1]])
    total = vectors.sum(axis=0)
    cosines = vectors @ total / np.linalg.norm(vectors, axis=1) / np.linalg.norm(total)
    found = coherence([["moon", "orbit", "goal"]], PRESENT, WORDS, "c_v")
    assert found.mean == pytest.approx(cosines.mean())
    assert coherence([["moon", "orbit"]], PRESENT[:, [0, 0]], ["moon", "orbit"], "c_v").mean == pytest.approx(1)


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_coherence_of_words_that_are_nowhere_and_of_no_words(measure):
    unknown = coherence([["moon", "unheard"], ["never", "unheard"]], PRESENT, WORDS, measure).topics
    assert unknown == pytest.approx([-1, -1] if measure == "npmi" else [0.5, 0])
    known = coherence([["moon", "never"], ["never", "unheard"]], PRESENT, WORDS, measure).topics
    assert known == pytest.approx(unknown)
    few = coherence([["moon", "moon"], [], ["moon", "orbit"]], PRESENT, WORDS, measure)
    assert np.isnan(few.topics[:2]).all()
    assert few.mean == few.topics[2]
    for none in ([], [[]]):
        assert np.isnan(coherence(none, PRESENT, WORDS, measure).mean)
    empty = coherence([["moon", "goal"]], sp.csr_array((0, 5)), WORDS, measure)
    assert empty.mean == (-1 if measure == "npmi" else 0)


@given(seeds, st.sampled_from(["npmi", "c_v"]))
def test_coherence_is_bounded_and_minds_no_order_nor_counts(seed, measure):
    X, _, rng = documents(seed, d=6)
    words = list("abcdef")
    topics = [list(rng.choice(words, 4, replace=False)) for _ in range(3)]
    found = coherence(topics, X, words, measure).topics
    assert ((found >= -1) & (found <= 1)).all()
    columns, rows = rng.permutation(6), rng.permutation(X.shape[0])
    moved = X.toarray()[rows][:, columns] * 7
    shuffled = [list(rng.permutation(topic)) for topic in topics]
    again = coherence(shuffled, sp.csc_array(moved), [words[j] for j in columns], measure).topics
    assert again == pytest.approx(found, abs=1e-9)


def test_coherence_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="use npmi or c_v"):
        coherence([["moon", "orbit"]], PRESENT, WORDS, "cv")
    with pytest.raises(ValueError, match="as many"):
        coherence([["moon", "orbit"]], PRESENT, WORDS[:-1])
