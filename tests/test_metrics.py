"""Scores: the papers' worked examples to the printed digits, and what any score must do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from quire.metrics import accuracy, ari, diversity, entropy, mi_hat, nmi, purity, soft_nmi, sparsity

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


def test_zero_rows_are_spread_evenly():
    assert soft_nmi([0, 1], np.array([[0.0, 0.0], [0.0, 0.0]])) == pytest.approx(0)


def test_entropy_by_hand_and_the_small_ones():
    classes, clusters = ["a", "a", "b", "b"], [0, 0, 0, 1]
    expected = -(2 * np.log2(2 / 3) + np.log2(1 / 3)) / 4
    assert entropy(classes, clusters) == pytest.approx(expected)
    assert diversity([]) == 1
    assert sparsity(np.zeros((2, 2))) == 1
