"""A user's ``sklearn.set_config(transform_output=…)`` changes what estimators give to the user, and nothing of ours."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn

import quire
from quire.methods.affinity import AffinityPropagation
from quire.pages.layout import _by_tsne
from quire.studies.choosing.lambda_runs import fit_once

SKY, GAME = "moon planet orbit star sun", "goal team match cup league"
TEXTS = [" ".join(np.random.default_rng(i).permutation((SKY, GAME)[i % 2].split())[:4]) for i in range(40)]
LABELS = ["sky", "game"] * 20


@pytest.fixture(params=["pandas", "polars"])
def library(request):
    pytest.importorskip(request.param)
    with sklearn.config_context(transform_output=request.param):
        yield request.param


@pytest.mark.parametrize("recipe", ["default", "nmf", "xu2003"])
def test_a_run_is_the_same(library, recipe):
    found = quire.cluster(TEXTS, 2, recipe=recipe, random_state=0)
    with sklearn.config_context(transform_output="default"):
        expected = quire.cluster(TEXTS, 2, recipe=recipe, random_state=0)
    assert np.array_equal(found.W, expected.W)
    assert found.assign(TEXTS).labels.tolist() == expected.assign(TEXTS).labels.tolist()
    assert found.assign_table(TEXTS).equals(expected.assign_table(TEXTS))


def test_studies_are_the_same(library):
    found = quire.choose(TEXTS, [2, 3], random_state=0, runs=2)
    classes = quire.classes(TEXTS, labels=LABELS)
    with sklearn.config_context(transform_output="default"):
        assert found.says == quire.choose(TEXTS, [2, 3], random_state=0, runs=2).says
        assert classes.documents.equals(quire.classes(TEXTS, labels=LABELS).documents)


def test_the_search_for_lambda_has_arrays(library):
    assert isinstance(fit_once(np.random.default_rng(0).random((12, 5)), 2, 0.1, 0)[1], np.ndarray)


def test_a_map_is_the_same(library):
    run = quire.cluster(TEXTS, 2, random_state=0)
    found = _by_tsne(run, np.arange(len(TEXTS)))
    with sklearn.config_context(transform_output="default"):
        expected = _by_tsne(run, np.arange(len(TEXTS)))
    assert all(np.array_equal(one, other) for one, other in zip(found, expected))


def test_counts_and_weights_stay_sparse(library):
    counts = quire.Counts().fit_transform(TEXTS)
    assert sp.issparse(counts)
    assert sp.issparse(quire.Weight().fit_transform(counts))
    assert not hasattr(quire.Counts(), "set_output")


def test_a_function_gives_arrays(library):
    X = np.random.default_rng(0).random((12, 5))
    for given in ({}, {"H": np.ones((2, 5)), "update_H": False}):
        W, H, _ = quire.non_negative_factorization(X, n_components=2, random_state=0, **given)
        assert type(W) is type(H) is np.ndarray


def test_an_estimator_of_the_users_gives_a_data_frame(library):
    X = np.random.default_rng(0).random((12, 5))
    for model in (quire.NMF(2, random_state=0), AffinityPropagation(random_state=0)):
        frame = model.fit(X).transform(X)
        assert type(frame).__module__.startswith(library)
        assert list(frame.columns) == model.get_feature_names_out().tolist()
