"""On real text (slow; skipped where the corpora are not at hand)."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition
from sklearn.metrics import adjusted_rand_score

from quire import NMF, Weight
from quire.engine.start import first_factors

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tdt2(data):
    labels = np.load(data / "tdt2_labels.npy", allow_pickle=False)
    return Weight("log-tfidf").fit_transform(sp.load_npz(data / "tdt2.npz")), labels


@pytest.mark.parametrize("k", [20, 50])
def test_ends_no_higher_than_scikit_learn(tdt2, k):
    X, _ = tdt2
    W, H = first_factors(X, k, "random", np.random.RandomState(0))
    ours = NMF(k, init="custom").fit(X, W=W, H=H)
    theirs = sklearn.decomposition.NMF(k, init="custom", max_iter=200).fit(X, W=W.copy(), H=H.copy())
    assert ours.stopped_ == "tol"
    assert ours.reconstruction_err_**2 <= 1.001 * theirs.reconstruction_err_**2


def test_clusters_have_something_to_do_with_the_classes(tdt2):
    X, labels = tdt2
    found = NMF(30, init="random", n_init=3, random_state=0).fit(X).labels_
    assert adjusted_rand_score(labels, found) > 0.3  # chance is 0


def test_same_bits_for_any_number_of_threads(tdt2, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    X, _ = tdt2
    first, *others = (NMF(20, random_state=0, max_iter=20, tol=0, n_jobs=n).fit(X) for n in (1, 2, 7))
    for other in others:
        np.testing.assert_array_equal(first.components_, other.components_)
