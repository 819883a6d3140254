"""What several runs say of a document's topic, held against counting pair by pair; and calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.methods.assignment import abstained
from quire.methods.ensemble.votes import confidence, merged_runs, stability, votes
from quire.scores.metrics import accuracy, coverage_curve, expected_calibration_error, rightly_placed
from quire.scores.registry import class_scores as scores
from quire.studies.choosing.consensus import consensus_matrix


@st.composite
def several_runs(draw):
    """Runs of unlike numbers of topics, with documents that some have no topic for; and final topics."""
    n, k, m = draw(st.integers(1, 30)), draw(st.integers(1, 5)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    runs = np.array([rng.integers(-1, rng.integers(1, 8), n) for _ in range(m)])
    return runs, rng.integers(-1, k, n), k


def renumbered(runs, rng):
    """The same runs with their topics numbered otherwise."""
    return np.array([np.append(rng.permutation(runs.max() + 1), -1)[run] for run in runs])


@given(several_runs())
def test_stability_is_the_mean_over_all_pairs(case):
    runs, labels, k = case
    together = consensus_matrix(list(runs))  # documents × documents, which stability never makes
    for t, found in enumerate(stability(runs, labels, k)):
        own = np.flatnonzero(labels == t)
        pairs = together[np.ix_(own, own)][~np.eye(len(own), dtype=bool)]
        if len(own) > 1:
            assert found == pytest.approx(pairs.mean(), abs=1e-12)
        else:
            assert found == 1 if len(own) else np.isnan(found)


@given(several_runs())
def test_every_placed_document_votes_once_a_run_and_no_other_does(case):
    runs, labels, k = case
    found = votes(runs, labels, k)
    assert found.shape == (len(labels), k)
    assert (found >= 0).all()
    # A topic of a run votes wherever one of its documents has a final topic.
    voting = sum((run >= 0) & np.isin(run, run[labels >= 0]) for run in runs)
    np.testing.assert_array_equal(found.sum(axis=1), voting)


@given(several_runs(), st.integers(0, 99))
def test_stability_does_not_depend_on_how_a_run_numbers_its_topics(case, seed):
    runs, labels, k = case
    other = renumbered(runs, np.random.default_rng(seed))
    np.testing.assert_array_equal(stability(runs, labels, k), stability(other, labels, k))


def test_topics_are_matched_whatever_their_numbers():
    rng = np.random.default_rng(0)
    labels = rng.integers(4, size=200)
    labels[:5] = -1
    runs = np.tile(labels, (30, 1))
    strayed = rng.random(runs.shape) < 0.1
    runs[strayed & (runs >= 0)] = rng.integers(4, size=(strayed & (runs >= 0)).sum())
    plain, other = votes(runs, labels, 4), votes(renumbered(runs, rng), labels, 4)
    np.testing.assert_array_equal(plain, other)
    np.testing.assert_array_equal(plain, [[(run == t).sum() for t in range(4)] for run in runs.T])
    own, second, share = confidence(plain, labels, 30)
    assert own[5:].min() > 0.5
    assert (own[:5] == 0).all()
    assert (second[:5] == -1).all()
    rows = np.flatnonzero(second >= 0)
    assert (plain[rows, second[rows]] == np.round(share[rows] * 30)).all()
    assert (second != labels)[5:].all()


def test_a_topic_without_a_partner_goes_where_most_of_its_documents_are():
    labels = np.array([0, 0, 0, 0, 1, 1])
    split = np.array([[0, 0, 0, 2, 1, 1]])  # topic 0 in two
    assert votes(split, labels, 2).tolist() == [[1, 0]] * 4 + [[0, 1]] * 2
    joined = np.zeros((1, 6), int)  # both topics in one: that of the larger
    assert votes(joined, labels, 2).tolist() == [[1, 0]] * 6
    # 0 in two and 1 with 2: the half of topic 0 must not stand for topic 2 because that is left over.
    both = np.array([[0, 0, 1, 2, 2, 2]])
    assert votes(both, np.array([0, 0, 0, 1, 1, 2]), 3)[2].tolist() == [1, 0, 0]


def test_silent_documents_give_no_vote():
    runs = np.array([[0, 0, 1, -1], [-1, 0, 1, -1]], np.int8)
    labels = np.array([0, 0, 1, -1])
    found = votes(runs, labels, 2)
    assert found.tolist() == [[1, 0], [2, 0], [0, 2], [0, 0]]
    own, other, _ = confidence(found, labels, 2)
    assert own.tolist() == [0.5, 1, 1, 0]
    assert other.tolist() == [-1] * 4
    assert stability(runs, labels, 3).tolist()[:2] == [0.5, 1.0]
    assert votes(np.full((2, 3), -1), [0, 1, -1], 2).sum() == 0


def test_many_documents_in_small_integers():
    n = 300_000  # documents by documents would take 720 GB
    labels = np.arange(n) % 200
    runs = np.stack([labels, (labels + 7) % 200]).astype(np.int16)
    assert (votes(runs, labels, 200)[np.arange(n), labels] == 2).all()
    assert (stability(runs, labels, 200) == 1).all()


@pytest.mark.parametrize(
    ("runs", "labels", "k"), [([[0, 1]], [0], 2), ([0, 1], [0, 1], 2), ([[0, 1]], [0, 2], 2), ([], [], 1)]
)
def test_what_does_not_fit_is_one_sentence(runs, labels, k):
    for function in (votes, stability):
        with pytest.raises(ValueError, match=r"^[^\n]+\.$"):
            function(runs, labels, k)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_membership_at_the_threshold_is_sure_enough(dtype):
    shares = np.array([[0.6, 0.4], [0.59, 0.41], [0.5, 0.5]], dtype)
    labels = np.array([0, 0, -1])
    assert abstained(labels, shares, 0.6).tolist() == [0, -1, -1]
    assert abstained(labels, shares, 0).tolist() == abstained(labels, shares, None).tolist() == [0, 0, -1]


# -- calibration -----------------------------------------------------------------------------------------


def test_calibration_error_by_hand():
    sure = np.array([0.05, 0.05, 0.95, 0.95, 1.0, 0.5])
    right = np.array([False, True, True, True, True, False])
    by_bin = 2 * abs(0.05 - 0.5) + 3 * abs(2.9 / 3 - 1) + 1 * 0.5
    assert expected_calibration_error(sure, right) == pytest.approx(by_bin / 6)
    one = abs(sure.mean() - right.mean())
    assert expected_calibration_error(sure, right, bins=1) == pytest.approx(one)


def test_sureness_that_keeps_its_word_is_calibrated():
    rng = np.random.default_rng(0)
    sure = rng.random(200_000)
    right = rng.random(200_000) < sure
    assert expected_calibration_error(sure, right) < 0.01
    assert expected_calibration_error(np.sqrt(sure), right) > 0.1


@pytest.mark.parametrize(
    ("sure", "right", "bins"),
    [([], [], 10), ([0.5], [True, False], 10), ([1.5], [True], 10), ([np.nan], [True], 10), ([0.5], [True], 0)],
)
def test_no_share_is_refused(sure, right, bins):
    with pytest.raises(ValueError, match=r"^[^\n]+\.$"):
        expected_calibration_error(sure, right, bins)


def test_a_higher_threshold_covers_fewer_and_those_better():
    classes = np.array(["a", "a", "b", "b", "b", "c"])
    labels = np.array([0, 0, 1, 1, 0, -1])
    sure = np.array([0.9, 0.8, 0.9, 0.7, 0.4, 1.0])
    curve = coverage_curve(sure, labels, classes, [0, 0.5, 0.85, 0.95])
    assert [row[1] for row in curve] == pytest.approx([5 / 6, 4 / 6, 2 / 6, 0])
    assert [row[2] for row in curve[:3]] == pytest.approx([0.8, 1, 1])
    assert np.isnan(curve[3][2])


@given(several_runs())
def test_those_rightly_placed_are_the_accuracy(case):
    runs, labels, _ = case
    right = rightly_placed(labels, runs[0])
    assert right.mean() == accuracy(labels, runs[0])
    assert not right[runs[0] < 0].any()
    for cluster in set(runs[0]):  # one class a cluster, and one cluster a class
        assert len(set(labels[right & (runs[0] == cluster)])) <= 1
    for name in set(labels):
        assert len(set(runs[0][right & (labels == name)])) <= 1


def test_scores_of_those_covered():
    classes, clusters = ["a", "a", "b", "b", None], np.array([0, 0, 1, -1, -1])
    assert scores(classes, clusters)["accuracy"] == 0.75
    found = scores(classes, clusters, covered_only=True)
    assert found["coverage"] == 0.75
    assert found["accuracy"] == found["nmi"] == 1
    assert scores(classes, np.full(5, -1), covered_only=True) == {"coverage": 0.0}


def test_runs_of_more_topics_are_merged_to_the_final_ones():
    """Each of four topics goes where most of its documents are, in few bytes; documents without one stay so."""
    final = np.repeat([0, 1], 20)
    run = np.concatenate([np.repeat([2, 3], 10), np.repeat([0, 1], 10)]).astype(np.int8)
    run[5] = -1
    merged = merged_runs(np.array([run, run[::-1]]), final, 2)
    assert merged.dtype == np.int8
    np.testing.assert_array_equal(merged[0], np.where(run < 0, -1, final))
    np.testing.assert_array_equal(merged[1], np.where(run[::-1] < 0, -1, final))
    np.testing.assert_allclose(stability(merged[:, run >= 0], final[run >= 0], 2).max(), 1)
