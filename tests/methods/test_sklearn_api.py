"""NMF where scikit-learn puts its estimators."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition
from problems import random_sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from quire import (
    NMF,
    PLSI,
    PPC,
    SPPC,
    Counts,
    Ensemble,
    MiniBatchNMF,
    ProjectiveNMF,
    SimplexNMF,
    SparseNMF,
    Tfidf,
    non_negative_factorization,
)
from quire.methods.means import KMeans, SoftKMeans, SphericalKMeans

TEXTS = ["moon orbit rocket", "orbit rocket launch moon", "goal match team", "team goal match win"] * 6


ESTIMATORS = [  # those of methods.spectral and methods.affinity are checked in test_spectral
    NMF(),
    NMF(n_components=2, init="random", n_init=2),
    NMF(accelerate=False),
    NMF(solver="mu"),
    NMF(solver="anls"),
    NMF(beta_loss="kullback-leibler"),
    SparseNMF(2),
    SparseNMF(2, solver="hals"),
    SimplexNMF(2),
    SimplexNMF(2, constraint="nnl2", lam=0.01),
    PPC(2),
    PPC(2, solver="mu"),
    SPPC(2),
    SPPC(2, solver="mu"),
    PLSI(2),
    Ensemble(2),
    ProjectiveNMF(2),
    KMeans(2),
    SphericalKMeans(2),
    SoftKMeans(2),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.slow  # a suite within the suite
def test_array_api_check_which_is_off_by_default():
    command = [sys.executable, "-m", "pytest", __file__, "-k", "check_array_api_input", "-q", "-rs"]
    said = subprocess.run(
        command, env=os.environ | {"SCIPY_ARRAY_API": "1"}, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout
    assert "skipped" not in said.stdout
    assert "SKIPPED" not in said.stdout


THEIRS = {
    NMF: sklearn.decomposition.NMF, MiniBatchNMF: sklearn.decomposition.MiniBatchNMF,
    Counts: CountVectorizer, Tfidf: TfidfVectorizer,
}  # fmt: skip


@pytest.mark.parametrize("ours", THEIRS)
def test_whatever_scikit_learns_takes_and_has_ours_does_too(ours):
    data = random_sparse(20, 10, 0.4) if issubclass(ours, NMF) else TEXTS
    fitted, theirs = ours().fit(data), THEIRS[ours]().fit(data)
    assert set(theirs.get_params()) <= set(fitted.get_params())
    assert {name for name in dir(theirs) if not name.startswith("_")} <= set(dir(fitted))


def test_shuffle_changes_nothing():
    X = random_sparse(20, 10, 0.4)
    W, H, _ = non_negative_factorization(X, n_components=3, random_state=0)
    for factor, other in zip((W, H), non_negative_factorization(X, n_components=3, random_state=0, shuffle=True)):
        np.testing.assert_array_equal(factor, other)


def test_pipeline_and_clone():
    model = make_pipeline(TfidfVectorizer(), NMF(2, random_state=0))
    W = model.fit_transform(TEXTS)
    labels = model[-1].labels_
    assert W.shape == (24, 2)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    np.testing.assert_array_equal(clone(model).fit_transform(TEXTS), W)


def test_grid_search():
    model = make_pipeline(TfidfVectorizer(), NMF(random_state=0), LogisticRegression())
    search = GridSearchCV(model, {"nmf__n_components": [1, 2]}, cv=3, n_jobs=2)
    search.fit(TEXTS, [0, 0, 1, 1] * 6)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_and_feature_names(library):
    model = NMF(3, random_state=0).set_output(transform=library)
    frame = model.fit_transform(random_sparse(20, 10, 0.4))
    assert list(frame.columns) == ["nmf0", "nmf1", "nmf2"] == list(model.get_feature_names_out())


def test_feature_names_in():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(random_sparse(20, 3, 0.8).toarray(), columns=["moon", "orbit", "goal"])
    model = NMF(2, random_state=0).fit(X)
    assert list(model.feature_names_in_) == ["moon", "orbit", "goal"]
    with pytest.raises(ValueError, match="feature names"):
        model.transform(X.rename(columns={"goal": "match"}))


def test_pickle_keeps_the_model():
    X = random_sparse(50, 30, 0.2)
    model = NMF(3, random_state=0).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), model.transform(X))


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.csc_array, np.asarray])
def test_inverse_transform_and_attributes(form):
    X = form(random_sparse(50, 30, 0.3).toarray())
    model = NMF(4, init="random", random_state=0)
    W = model.fit_transform(X)
    np.testing.assert_allclose(model.inverse_transform(W), W @ model.components_)
    np.testing.assert_allclose(model.inverse_transform(sp.csr_matrix(W)), W @ model.components_)
    dense = X.toarray() if sp.issparse(X) else X
    error = np.linalg.norm(dense - model.inverse_transform(W))
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-6)
    assert model.n_iter_ == len(model.trace_)
    assert (np.diff(model.trace_["seconds"]) >= 0).all()
    assert model.memberships_.argmax(axis=1).tolist() == model.labels_.tolist()
    unit = normalize(model.components_)
    scaled = W * np.linalg.norm(model.components_, axis=1)
    np.testing.assert_allclose(scaled @ unit, W @ model.components_)
    assert scaled.argmax(axis=1).tolist() == model.labels_.tolist()


def test_weights_of_one_document_alone_are_taken_back():
    X = random_sparse(50, 30, 0.3)
    model = NMF(4, random_state=0)
    W = model.fit_transform(X)
    np.testing.assert_allclose(model.inverse_transform(W[7]), model.inverse_transform(W)[7])
    with pytest.raises(ValueError, match="3 features"):
        model.inverse_transform(W[7, :3])


def test_a_sparse_start_is_refused_in_a_sentence():
    X = random_sparse(50, 30, 0.3)
    X[7] = 0
    W, H = np.ones((50, 2)), np.ones((2, 30))
    for model in (NMF(2, init="custom"), KMeans(2, init="custom")):
        for start in ({"W": sp.csr_matrix(W), "H": H}, {"W": W, "H": sp.csr_array(H)}):
            with pytest.raises(TypeError, match="toarray"):
                model.fit(X, **start)
    with pytest.raises(TypeError, match="toarray"):
        SimplexNMF(2, fixed="W").fit(X, W=sp.csr_matrix(W))


@pytest.mark.parametrize("loss", ["itakura-saito", -0.5])
@pytest.mark.parametrize("form", [sp.csr_array, np.asarray])
def test_a_zero_is_refused_wherever_the_loss_has_no_value_for_it(loss, form):
    X = form(1 + random_sparse(30, 10, 0.5).toarray())
    with_a_zero = form(X.toarray() if sp.issparse(X) else X.copy())
    with_a_zero[7, 3] = 0
    model = MiniBatchNMF(3, beta_loss=loss, random_state=0).fit(X)
    anew = MiniBatchNMF(3, beta_loss=loss).partial_fit
    for method in (model.fit, model.transform, model.score, model.partial_fit, anew):
        with pytest.raises(ValueError, match=r"row 7, column 3 holds 0\.0"):
            method(with_a_zero)
    assert np.isfinite(model.partial_fit(X).transform(X)).all()


def test_verbose_prints_progress(capsys):
    NMF(2, init="random", random_state=0, verbose=2, n_init=2).fit(random_sparse(20, 10, 0.4))
    said = capsys.readouterr().out
    assert "iteration 1: objective" in said
    assert "start 2: objective" in said
