"""What is said about topics: shares, keywords, names, shares over time, scores."""

import datetime
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quire.methods.assignment import assign, best_two, largest
from quire.runs.calendar import BINS, binned, fitting_bin, over_time
from quire.runs.topics import relevance, topic_names
from quire.scores.metrics import accuracy, ari, nmi, purity
from quire.scores.registry import class_scores as scores

weights = arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.floats(0, 9, width=32))


@given(weights, st.booleans())
def test_shares_sum_to_one_and_labels_are_their_largest(W, unit):
    H = np.linspace(0.5, 3, W.shape[1] * 7).reshape(W.shape[1], 7).astype(np.float32)
    labels, shares = assign(W, H, unit_topics=unit)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
    for i, label in enumerate(labels):
        assert (label == -1) == (W[i].sum() == 0)
        assert label == -1 or shares[i, label] == shares[i].max()


@given(weights)
def test_runner_up_is_the_second_largest(W):
    labels, shares = assign(W, np.eye(W.shape[1], dtype=np.float32))
    first, second, share = best_two(labels, shares)
    for i in range(len(W)):
        ordered = np.sort(shares[i])[::-1]
        if labels[i] < 0:
            assert (first[i], second[i], share[i]) == (0, -1, 0)
        else:
            assert first[i] == ordered[0]
            assert share[i] == (ordered[1] if len(ordered) > 1 else 0)
            assert second[i] != labels[i]


@given(arrays(np.float64, st.integers(1, 200), elements=st.sampled_from([0.0, 1.0, 2.0, 3.0])), st.integers(1, 9))
def test_largest_is_a_stable_sort(values, n):
    assert largest(values, n).tolist() == np.argsort(-values, kind="stable")[:n].tolist()


def test_words_that_all_topics_share_do_not_lead_by_relevance():
    H = np.array([[9.0, 5.0, 0.0, 0.1], [9.0, 0.0, 5.0, 0.1]])
    totals = np.array([900, 50, 50, 10])
    assert relevance(H, totals, balance=1.0).argmax(axis=1).tolist() == [0, 0]
    assert relevance(H, totals).argmax(axis=1).tolist() == [1, 2]
    assert relevance(H, totals)[0, 2] == -np.inf


def test_names_are_unique_and_do_not_repeat_a_family_of_words():
    words = [["filter", "filters", "signal", "noise"], ["filter", "image", "pixel"], ["filter", "filters"]]
    names = topic_names(words)
    assert names[0] == "filter, signal, noise"
    assert names[1] != names[0]
    assert topic_names([["nasa", "moon"]], forms={"nasa": "NASA"}) == ["NASA, moon"]
    assert topic_names([["a", "b", "c"]] * 3) == ["a, b, c", "a, b, c (1)", "a, b, c (2)"]
    assert topic_names([[], []]) == ["no words", "no words (1)"]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6), max_size=8))
def test_names_are_always_unique(words):
    names = topic_names(words)
    assert len(set(names)) == len(words)


def test_time_bins_are_calendar_bins_and_counts_add_up():
    dates = pl.Series([datetime.date(2020, 1, 31), datetime.date(2020, 2, 1), None, datetime.date(2020, 4, 9)])
    bin, table = over_time(np.array([0, 1, 1, 1]), dates, 2, "month")
    assert bin == "month"
    assert table["start"].unique().sort().to_list() == [datetime.date(2020, m, 1) for m in (1, 2, 3, 4)]
    assert table["documents"].sum() == 3
    per_bin = table.group_by("start").agg(pl.col("share").sum()).sort("start")["share"].to_list()
    assert per_bin == [1, 1, 0, 1]


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.none() | st.dates(datetime.date(1950, 1, 1), datetime.date(2050, 1, 1)))),
    st.sampled_from(list(BINS)),
)
def test_each_document_is_counted_in_its_bin(pairs, bin):
    labels, dates = [label for label, _ in pairs], pl.Series([date for _, date in pairs], dtype=pl.Date)
    starts, place, counts = binned(np.array(labels, int), dates, 3, bin)
    begins = dates.dt.truncate(BINS[bin][0]).to_list()
    expected = [begin if label >= 0 else None for label, begin in zip(labels, begins)]
    assert [starts[j] if j >= 0 else None for j in place.tolist()] == expected
    there = Counter((label, begin) for label, begin in zip(labels, expected) if begin is not None)
    assert Counter({(t, starts[j]): int(n) for (t, j), n in np.ndenumerate(counts) if n}) == there
    every = pl.date_range(starts[0], starts[-1], BINS[bin][0], eager=True) if len(starts) else starts
    assert starts.to_list() == every.to_list()


@pytest.mark.parametrize(("days", "bin"), [(0, "day"), (39, "day"), (200, "week"), (800, "month"), (9000, "year")])
def test_the_bin_fits_the_time_covered(days, bin):
    start = datetime.date(2000, 1, 3)
    assert fitting_bin(pl.Series([start, start + datetime.timedelta(days)])) == bin


def test_centuries_are_cut_into_decades_and_no_date_gives_no_table():
    dates = pl.Series([datetime.datetime(1790, 1, 8), datetime.datetime(2021, 4, 28)])
    bin, table = over_time(np.array([0, 0]), dates, 1)
    assert (bin, len(table)) == ("decade", 24)
    assert not len(over_time(np.array([0]), pl.Series([None], dtype=pl.Date), 1)[1])
    with pytest.raises(ValueError, match="calendar bin"):
        over_time(np.array([0, 0]), dates, 1, "fortnight")
    assert next(iter(BINS)) == "day"


def test_scores_against_scikit_learn_and_by_hand():
    truth, found = ["a", "a", "b", "b", "c"], np.array([1, 1, 0, 1, -1])
    assert accuracy(truth, found) == 3 / 5
    assert purity(truth, found) == 4 / 5
    assert nmi(truth, truth) == pytest.approx(1)
    assert ari(truth, [0, 0, 1, 1, 2]) == 1
    assert scores([None, None], np.array([0, 1])) == {}
    assert scores(["a", None, "b"], np.array([0, 0, 1]))["accuracy"] == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30), st.permutations(range(4)))
def test_scores_do_not_care_how_clusters_are_numbered(pairs, numbers):
    truth, found = np.array(pairs).T
    renumbered = np.array(numbers)[found]
    for score in (accuracy, purity, nmi, ari):
        assert score(truth, found) == pytest.approx(score(truth, renumbered))
        assert score(truth, found) <= 1 + 1e-9
