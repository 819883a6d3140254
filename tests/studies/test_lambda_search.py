"""The search for λ and k where classes are known (tsikhanovich2011 §4.2)."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp

from quire.studies.choosing import lambda_runs, lambdas
from quire.studies.choosing.lambda_arithmetic import (
    Cubic,
    Interval,
    chebyshev_nodes,
    fitted_cubic,
    interval_of_maximum,
    overlap,
)
from quire.studies.choosing.lambda_runs import Score, SideBySide, fit_once, smallest_zeroing
from quire.studies.choosing.lambdas import search_lambda


@pytest.fixture(scope="module")
def labelled():
    """Three classes with words of their own, and words that all share."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b", "c"], 25)
    own = np.kron(np.eye(3), np.ones((25, 12)))
    counts = rng.poisson(0.15 + 1.5 * np.hstack([own, np.zeros((75, 10))])).astype(float)
    X = sp.csr_array(counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9))
    return X, labels


@pytest.fixture(scope="module")
def found(labelled):
    return search_lambda(*labelled, [2, 3, 4], starts=4, cap=2, n_jobs=1)


def test_nodes_are_those_of_equation_20():
    printed = [0.5 * 8 * (1 + np.cos((2 * i + 1) / 8 * np.pi)) for i in range(4)]
    assert np.allclose(sorted(printed), chebyshev_nodes(8.0))


def test_a_cubic_goes_through_four_points_and_turns_where_it_must():
    nodes = chebyshev_nodes(4.0)
    f = np.poly1d([1.0, -6.0, 9.0, 0.5])  # derivative 3(x − 1)(x − 3)
    cubic = fitted_cubic(nodes, [f(x) for x in nodes], 4.0)
    assert cubic.r2 == pytest.approx(1)
    assert cubic.coefficients == pytest.approx((0.5, 9, -6, 1))
    assert cubic.critical_points() == pytest.approx([1, 3])
    assert cubic(2.0) == pytest.approx(f(2.0))


@pytest.mark.parametrize(
    ("coefficients", "turns"),
    [
        ((0.0, 1.0, 0.0, 0.0), []),  # a line
        ((1.0, 0.0, 0.0, 0.0), []),  # a constant
        ((0.0, 2.0, -1.0, 0.0), [1.0]),  # a parabola
        ((0.0, 1.0, 0.0, 1.0), []),  # rises everywhere
        ((0.0, 27.0, 0.0, -1.0), []),  # ±3 are both outside
        ((0.0, 3.0, 0.0, -1.0), [1.0]),  # −1 is outside
    ],
)
def test_critical_points_are_real_and_inside(coefficients, turns):
    assert Cubic(coefficients, 1.0, 2.0).critical_points() == pytest.approx(turns)


def test_r_squared_is_over_all_runs():
    nodes = [0.0, 1.0, 2.0, 3.0]
    runs = [(x, x + s) for x in nodes for s in (-0.5, 0.5)]
    # residuals ±0.5 around the line: 8·0.25 of the total 2·5 + 8·0.25
    assert fitted_cubic(nodes, nodes, 3.0, runs).r2 == pytest.approx(1 - 2 / 12)


def test_interval_by_hand():
    # max 0.6; s² = (0.1² + 0.2²)/2 = 0.025; t(0.975, 2) = 4.302653; half width 4.302653·√0.025/√3
    low, high = interval_of_maximum([0.6, 0.5, 0.4])
    assert (high + low) / 2 == pytest.approx(0.6)
    assert high - 0.6 == pytest.approx(4.302653 * np.sqrt(0.025) / np.sqrt(3), rel=1e-6)
    assert interval_of_maximum([0.6]) == (-np.inf, np.inf)
    assert interval_of_maximum([0.6, 0.6]) == pytest.approx((0.6, 0.6))


def _printed_overlap(top, half, m, epsilon):
    """Lines 77 to 90 of the listing."""
    low, high = top - half, top + half
    if m < low:
        return max(0, m + epsilon - low)
    return min(m - low, epsilon) + min(high - m, epsilon)


@pytest.mark.parametrize(("m", "epsilon"), [(0.4, 0.05), (0.45, 0.1), (0.55, 0.02), (0.58, 0.3), (0.6, 0.01)])
def test_overlap_is_that_of_the_listing(m, epsilon):
    ours = overlap(Interval(0.5, 0.7), Interval(m - epsilon, m + epsilon))
    assert ours == pytest.approx(_printed_overlap(0.6, 0.1, m, epsilon) / 0.2)


def test_overlap_at_its_edges():
    point = Interval(0.6, 0.6)
    assert overlap(point, Interval(0.5, 0.59)) == 0
    assert overlap(point, Interval(0.5, 0.7)) == 1
    assert overlap(Interval(-np.inf, np.inf), point) == 1
    assert overlap(Interval(0.5, 0.7), Interval(0.1, 0.2)) == 0


def test_bisection_finds_where_w_dies(labelled):
    X, _ = labelled
    end = smallest_zeroing(X, 3, 0)

    def zeros(lam):
        return (fit_once(X, 3, lam, 0, short=True)[1].sum(axis=1) == 0).mean()

    assert 0 < end < X.max()
    assert zeros(end) >= 0.99
    assert zeros(end * (1 - 1 / 32)) < 0.99


def test_documents_without_words_do_not_count_as_dead(labelled):
    X, _ = labelled
    padded = sp.csr_array(sp.vstack([X, sp.csr_array((5000, X.shape[1]))]))
    assert smallest_zeroing(padded, 3, 0) < X.max()


def test_the_search_finds_the_classes(found):
    assert found.k == 3
    assert found.purity > 0.95
    zero = found.table.filter(kind="zero", k=3)["max"].item()
    assert found.soft_nmi > zero
    assert found.lam > 0
    assert set(found.cubics) == {2, 3, 4}


def test_the_table_holds_every_lambda(found):
    assert found.table.columns == ["k", "lam", "kind", "runs", "mean", "max", "low", "high"]
    nodes = found.table.filter(kind="node")
    assert nodes["runs"].to_list() == [4] * 12
    assert (found.table["low"] <= found.table["max"]).all()
    assert (found.table["mean"] <= found.table["max"]).all()
    assert found.table.filter(kind="zero")["lam"].to_list() == [0.0] * 3


def test_the_best_run_can_be_done_again(found, labelled):
    X, labels = labelled
    again = lambda_runs.known_classes(X, labels).score(found.k, found.lam, found.random_state)
    assert again.soft_nmi == found.soft_nmi
    assert again.purity == found.purity


def test_the_answer_does_not_depend_on_threads(found, labelled):
    other = search_lambda(*labelled, [4, 3, 2, 3], starts=4, cap=2, n_jobs=3)
    assert other.table.equals(found.table)
    assert other.sentences == found.sentences


@pytest.mark.parametrize(
    ("tops", "lost"), [([0.6, 0.2, 0.1, 0.0], True), ([0.5, 0.6, 0.3, 0.0], False), ([0.1, 0.2, 0.3, 0.4], True)]
)
def test_the_highest_node_is_a_candidate_where_the_cubic_does_not_turn(tops, lost):
    search = lambdas._Search(None, 0, None, None)
    nodes = [lambdas._Place(3, lam, i) for i, lam in enumerate(chebyshev_nodes(1.0))]
    search.scores = {node: [Score(top, 1.0, 0)] for node, top in zip(nodes, tops, strict=True)}
    search._fit_cubic(3, nodes, 1.0)
    found = [place.lam for place in search._candidates(3, nodes)]
    assert found[0] == 0
    assert (nodes[int(np.argmax(tops))].lam in found) == lost


def test_it_says_why_it_stopped(found):
    last = found.sentences[-1]
    assert "so it is the best" in last or "undecided" in last


def test_it_stops_at_once_where_the_best_stands_apart(labelled):
    apart = search_lambda(*labelled, [3], starts=4, threshold=1, cap=5, n_jobs=1)
    assert "less than 1, so it is the best" in apart.sentences[-1]


def test_the_cap_ends_it(labelled, monkeypatch):
    scores = iter(np.tile([0.5, 0.6], 1000))  # the same two values everywhere: never apart
    score = lambda_runs.KnownClasses.score
    monkeypatch.setattr(
        lambda_runs.KnownClasses, "score",
        lambda self, k, lam, state, stop=None: score(self, k, 0.0, state)._replace(soft_nmi=next(scores)),
    )  # fmt: skip
    stopped = search_lambda(*labelled, [2, 3], starts=4, cap=3, n_jobs=1)
    assert stopped.sentences[-1].endswith("stopped after 3 rounds all the same, undecided.")
    assert sum("run again" in sentence for sentence in stopped.sentences) == 3
    assert (
        stopped.table["runs"].sum()
        == 2 * 4 * 4 + stopped.table.filter(stopped.table["kind"] != "node").height * 2 + 3 * 2 * 2
    )


def test_progress_is_told(labelled):
    told = []
    search_lambda(*labelled, [3], starts=2, cap=0, n_jobs=2, update=lambda *what: told.append(what))
    done, total, said = told[-1]
    assert done == total
    assert [step[0] for step in told] == sorted(step[0] for step in told)
    assert "candidates" in said


def test_an_interruption_ends_the_fits(labelled):
    def interrupt(done, total, said):
        if done == 2:
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        search_lambda(*labelled, [3], starts=50, n_jobs=2, update=interrupt)
    assert threading.active_count() == before


def test_an_error_in_a_fit_comes_out():
    with pytest.raises(ZeroDivisionError), SideBySide(2) as team:
        team.map(lambda x: 1 / x, [1, 0, 1])


def test_the_printed_lambda_max(labelled):
    X, labels = labelled
    found = search_lambda(X, labels, [3], starts=2, cap=0, n_jobs=1, printed_max=True)
    assert found.cubics[3].end == pytest.approx(X.sum(axis=0).max() / 75)


def test_documents_without_a_label_are_not_scored(labelled):
    X, labels = labelled
    some = [None if i % 5 == 0 else label for i, label in enumerate(labels)]
    assert search_lambda(X, some, [3], starts=2, cap=0, n_jobs=1).purity > 0.95


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"labels": None}, "give a label per document"),
        ({"labels": ["a"] * 75}, "at least two classes, and the labels name 1"),
        ({"labels": [None] * 75}, "at least two classes, and the labels name 0"),
        ({"labels": ["a", "b"]}, "75 documents but 2 labels"),
        ({"ks": []}, "must be numbers of topics"),
        ({"ks": [1, 2]}, "must be numbers of topics"),
        ({"ks": [200]}, "must be numbers of topics"),
        ({"starts": 1}, "starts=1 must be at least 2"),
        ({"threshold": 0}, "threshold=0 must lie above 0"),
        ({"cap": -1}, "cap=-1 must be 0 rounds or more"),
    ],
)
def test_mistakes_are_told_in_a_sentence(labelled, change, said):
    X, labels = labelled
    given = {"labels": labels, "ks": [3]} | change
    with pytest.raises(ValueError, match=said):
        search_lambda(X, **given)
