"""The weights of terms: words that are anywhere fade, words of a topic count, however common they are."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import quire
from quire import Ensemble
from quire.backends.reference.matrix import ReferenceMatrix
from quire.methods.ensemble.embedding import document_places
from quire.methods.ensemble.mixture import Mixture, Reading
from quire.methods.ensemble.weights import term_weights, weighted, weights_and_places
from quire.runs.load import _of_its_time
from quire.runs.recipe import Recipe
from quire.scores import metrics


def topical(n=240, k=3, seed=0):
    """Return documents of k topics over: a word a topic that most hold, words anywhere, words of one topic."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    heads = (np.eye(k)[labels] > 0) & (rng.random((n, k)) < 0.8)
    anywhere = rng.random((n, 20)) < 0.4
    own = (np.repeat(np.eye(k), 8, axis=1)[labels] > 0) & (rng.random((n, 8 * k)) < 0.2)
    return sp.csr_array(np.log1p(np.hstack([heads, anywhere, own]).astype(np.float32))), labels


def test_common_words_of_a_topic_count_and_words_anywhere_fade():
    X, labels = topical()
    weights = weights_and_places(X, 3, 0.3, 100, None, "cpu")[0]
    assert weights[:3].min() > 5 * np.median(weights[3:23])
    assert weights[23:].min() > np.median(weights[3:23])
    found = Ensemble(3, random_state=0).fit(X).labels_
    assert metrics.ari(labels, found) > 0.9


def test_weights_have_a_mean_of_1_over_all_words_and_a_floor():
    X, _ = topical()
    weights = term_weights(X, document_places(X, 3, 0.3, 100))
    totals = X.sum(axis=0)
    assert float(totals @ weights) == pytest.approx(totals.sum())
    assert weights.min() >= 0.02 * weights.max() * (1 - 1e-12)
    assert (weighted(X, weights) != sp.csr_array(X.multiply(weights).astype(np.float32))).nnz == 0


def test_a_word_of_two_documents_counts_as_a_usual_one():
    X, _ = topical()
    rare = np.zeros((X.shape[0], 1), np.float32)
    rare[[0, 3]] = np.log(2)
    wide = sp.csr_array(sp.hstack([X, rare]))
    weights = term_weights(wide, document_places(wide, 3, 0.3, 100))
    assert weights[3:23].min() < weights[-1] < weights[:3].min()


def test_documents_in_one_place_give_all_words_the_same_weight():
    X = sp.csr_array(np.full((30, 4), np.log(2), np.float32))
    assert term_weights(X, np.ones((30, 1))).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("prior", [0.0, 0.5, 1.0])
def test_the_log_of_sizes_is_tempered_with_the_words(prior):
    rng = np.random.default_rng(0)
    X, mixture = (
        rng.poisson(1.0, (6, 4)) + np.eye(6, 4),
        Mixture(rng.dirichlet(np.ones(4), 3), np.array([0.7, 0.2, 0.1])),
    )
    temper = np.array([1.0, 0.5, 0.25, 0.1, 2.0, 4.0])
    expected = temper[:, None] * (X @ np.log(mixture.terms).T)
    expected += np.minimum(temper, 1)[:, None] ** prior * np.log(mixture.sizes)  # never more than in full
    found = mixture.scores(ReferenceMatrix(X), Reading(np.ones(4), 2.5, 0.75, prior=prior), temper)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_tempered_sizes_leave_less_to_the_largest_topic():
    X, labels = topical(n=600)
    keep = np.flatnonzero((labels == 0) | (np.arange(600) % 6 < 3))  # one topic has most documents
    shares = [Ensemble(3, prior=prior, random_state=0).fit(X[keep]).prior_.max() for prior in (0.0, 1.0)]
    assert shares[1] < shares[0]


def test_a_topic_without_documents_is_left_out_and_the_run_says_so(tmp_path):
    texts = ["moon rocket orbit", "goal team coach"] * 30
    with pytest.warns(match="lost all their documents"):
        model = Ensemble(12, random_state=0).fit(quire.Counts().fit_transform(texts))
    assert len(set(model.labels_)) == model.n_components_ < 12
    assert model.prior_.sum() == pytest.approx(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = quire.cluster(texts, 6, random_state=0)
    assert (run.topics["size"] > 0).all()
    assert any("would hold no document" in sentence for sentence in run.info["corpus"]["sentences"])
    assert quire.load(run.save(tmp_path / "run")).assign(texts[:2]).labels.tolist() == run.labels[:2].tolist()


def test_the_first_default_is_kept_and_its_runs_have_its_defaults(tmp_path):
    texts = [f"moon rocket orbit {i % 3}" if i % 2 else f"goal team coach {i % 3}" for i in range(60)]
    run = quire.cluster(texts, 2, recipe="default-0.1", random_state=0)
    assert run.recipe.counts["cut_common"]
    assert (run.estimator.words, run.estimator.prior, run.estimator.weigh) == (5.0, 0.0, False)
    assert np.ptp(run.estimator.unit_) == 0
    assert quire.load(run.save(tmp_path / "run")).assign(texts).memberships == pytest.approx(run.memberships)
    old = Recipe("old", factorization={"method": "Ensemble", "n_init": 15})  # what a run of then keeps of it
    then = _of_its_time(old, {"unit_": np.ones(1)}).make_estimator(2, 0, None)
    assert (then.words, then.prior, then.weigh) == (5.0, 0.0, False)
    then.restore({"components_": run.H, "prior_": np.full(2, 0.5), "sharpness_": np.ones(1), "unit_": np.ones(1)})
    assert then.transform(run.X).shape == (60, 2)
    assert _of_its_time(old, {"unit_": np.ones(9)}) is old


@pytest.mark.parametrize("seed", range(8))
def test_a_handful_of_documents_is_told_apart(seed):
    texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    labels = quire.cluster(texts, 2, random_state=seed).labels
    assert labels[0] == labels[1] != labels[2] == labels[3]
