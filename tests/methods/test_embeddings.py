"""The default method with vectors beside the words: what they add, and what stays a matter of words."""

import numpy as np
import pytest
from problems import planted
from sklearn.base import clone

import quire
from quire import Ensemble
from quire.methods.ensemble.embedding import beside_vectors, of_length_one
from quire.scores import metrics


def _vectors(labels, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    return np.eye(labels.max() + 1, 12)[labels] + noise * rng.standard_normal((len(labels), 12)) + 3


def test_vectors_tell_apart_what_words_tell_only_a_little():
    X, labels = planted([25] * 10)
    rng = np.random.default_rng(1)
    X.data *= rng.random(len(X.data)) < 0.5  # of half of the words nothing is left
    X.eliminate_zeros()
    V = np.eye(10)[labels] + 0.2 * rng.standard_normal((250, 10))
    scores = {
        name: [metrics.nmi(labels, Ensemble(10, random_state=seed).fit(X, embeddings=E).labels_) for seed in range(3)]
        for name, E in (("words", None), ("both", V))
    }
    assert np.mean(scores["both"]) > np.mean(scores["words"]) + 0.01


def test_vectors_without_meaning_hardly_harm():
    X, labels = planted([60, 60, 60])
    noise = np.random.default_rng(0).standard_normal((180, 20))
    assert metrics.ari(labels, Ensemble(3, random_state=0).fit(X, embeddings=noise).labels_) > 0.9


def test_length_and_place_of_all_vectors_do_not_matter():
    places, V = of_length_one(np.random.default_rng(0).random((40, 5))), _vectors(np.arange(40) % 4)
    V = of_length_one(V)
    lengths = np.random.default_rng(1).uniform(0.5, 3, (40, 1))
    one, other = beside_vectors(places, V), beside_vectors(places, V * lengths)
    assert np.allclose(one @ one.T, other @ other.T)  # axes may point either way
    assert np.array_equal(one[:, :5], places)
    assert np.allclose(np.linalg.norm(one[:, 5:], axis=1), 1)


def test_new_documents_need_none():
    X, labels = planted([60, 50, 40])
    model = Ensemble(3, random_state=0).fit(X, embeddings=_vectors(labels))
    assert np.array_equal(model.transform(X).argmax(axis=1), model.labels_)
    assert model.state().keys() == Ensemble(3, random_state=0).fit(X).state().keys()
    again = clone(model).fit(X)
    assert np.array_equal(again.labels_, Ensemble(3, random_state=0).fit(X).labels_)  # they are not remembered


def test_the_same_bits_on_any_number_of_threads_and_in_a_list():
    X, labels = planted([60, 50, 40])
    V = _vectors(labels).astype(np.float32)
    one = Ensemble(3, random_state=3, n_jobs=1).fit(X, embeddings=V)
    two = Ensemble(3, random_state=3, n_jobs=2).fit(X, embeddings=V.tolist())
    assert np.array_equal(one.components_, two.components_)


def test_documents_without_a_term_keep_their_place():
    texts = ["the moon orbits", "", "a moon in orbit", "goal and team", "team goal"]
    run = quire.cluster(texts, 2, random_state=0, embeddings=[[1, 0], [9, 9], [1, 0.1], [0, 1], [0.1, 1]])
    assert run.labels[1] == -1
    assert run.labels[0] == run.labels[2] != run.labels[3] == run.labels[4]


def test_wrong_vectors_leave_a_model_as_it_was():
    X, _ = planted([30, 30])
    model = Ensemble(2, random_state=0).fit(X)
    before = model.components_
    with pytest.raises(ValueError, match="There are 3 embeddings for 60 documents"):
        model.fit(X, embeddings=np.ones((3, 2)))
    assert model.components_ is before
    assert model._embeddings is None


def test_other_recipes_refuse_them():
    with pytest.raises(ValueError, match="The recipe nmf looks at words alone"):
        quire.cluster(["moon", "goal"], 2, recipe="nmf", embeddings=np.eye(2))
