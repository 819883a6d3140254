"""Odd input for every method: what can be done is done, the rest is refused with its place."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse

from quire import NMF, PLSI, PPC, SPPC, Ensemble, ProjectiveNMF, SimplexNMF, SparseNMF
from quire.methods.means import KMeans, SoftKMeans, SphericalKMeans
from quire.scores.metrics import accuracy

METHODS = {
    "mu": lambda k: NMF(k, init="random", solver="mu"),
    "anls": lambda k: NMF(k, init="random", solver="anls"),
    "kl": lambda k: NMF(k, init="random", beta_loss="kullback-leibler"),
    "sparse": SparseNMF,
    "simplex": lambda k: SimplexNMF(k, lam=0.01),
    "nnl2": lambda k: SimplexNMF(k, constraint="nnl2"),
    "ppc": PPC,
    "ppc printed": lambda k: PPC(k, solver="mu"),
    "sppc": SPPC,
    "sppc printed": lambda k: SPPC(k, solver="mu"),
    "plsi": PLSI,
    "orthogonal": lambda k: ProjectiveNMF(k, init="random"),
    "means": KMeans,
    "directions": SphericalKMeans,
    "soft": SoftKMeans,
    "ensemble": Ensemble,
}
FEW = ("means", "directions", "soft", "ensemble")  # as many means as documents at the most
every_method = pytest.mark.parametrize("name", METHODS)


def fit(name, X, k=2, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = METHODS[name](k).set_params(random_state=0, max_iter=50, **options)
        W = model.fit_transform(X)
        again = model.transform(X)
    for values in (W, again, model.components_, model.memberships_, model.objective_):
        assert np.isfinite(values).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(again, W, rtol=1e-3, atol=1e-5 * max(1.0, float(W.max())))
    if name == "ensemble":  # a topic without a document is left out
        assert set(model.labels_.tolist()) - {-1} == set(range(len(model.components_)))
        k = min(k, len(model.components_))
    assert model.components_.shape == (k, X.shape[1])
    return model, W


@every_method
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_zero_rows_and_columns(name, dtype):
    A = random_sparse(30, 20, 0.4, dtype).toarray()
    A[[3, 17]] = 0
    A[:, [0, 11]] = 0
    model, _ = fit(name, sp.csr_array(A), 3)
    assert model.labels_[[3, 17]].tolist() == [-1, -1]
    assert (np.delete(model.labels_, [3, 17]) >= 0).mean() > 0.8


@every_method
def test_one_topic(name):
    model, _ = fit(name, random_sparse(20, 15, 0.5), 1)
    assert set(model.labels_.tolist()) <= {0, -1}


@every_method
@pytest.mark.parametrize("k", [7, 12])
def test_as_many_topics_as_documents_or_more(name, k):
    X = random_sparse(7, 9, 0.6)
    if name in FEW and k > 7:
        with pytest.raises(ValueError, match="ask for fewer"):
            fit(name, X, k)
    else:
        fit(name, X, k)


@every_method
def test_duplicates_one_huge_value_and_tiny_values(name):
    fit(name, np.tile(np.array([[1.0, 2.0, 0.0, 1.0]]), (20, 1)), 3)
    for dtype in (np.float32, np.float64):
        X = random_sparse(40, 30, 0.3, dtype)
        X.data[5] = 1e20
        fit(name, X, 4)
        fit(name, random_sparse(40, 30, 0.3, dtype) * dtype(1e-20), 4)


@every_method
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("unit", [1e-15, 1e-8, 1e8, 1e15])
def test_the_unit_of_X_does_not_matter(name, dtype, unit):
    """Which documents are together, and how much is explained, do not depend on X's unit."""
    rng = np.random.default_rng(0)
    groups = np.kron(np.eye(3), np.ones((1, 8)))[np.arange(60) % 3]
    X = sp.csr_array((groups * rng.gamma(3.0, 1.0, (60, 24))).astype(dtype))
    options = {"sparse": {"beta": 0}, "simplex": {"lam": 0}}.get(name, {})  # weights have a unit, too
    plain, _ = fit(name, X, 3, **options)
    other, W = fit(name, X * dtype(unit), 3, **options)
    assert accuracy(np.arange(60) % 3, plain.labels_) == accuracy(np.arange(60) % 3, other.labels_) == 1
    if name in ("mu", "anls", "kl", "nnl2", "plsi", "orthogonal", "means", "soft"):
        error = plain.reconstruction_err_ * (unit**0.5 if name in ("kl", "plsi") else unit)
        assert other.reconstruction_err_ == pytest.approx(error, rel=0.02)
    assert other.objective_ <= other.trace_["objective"][-1] * (1 + 1e-4)
    assert np.isfinite(W).all()


@every_method
def test_empty_documents_do_not_change_the_topics(name):
    X = random_sparse(60, 30, 0.4)
    more = sp.vstack([X, sp.csr_array((40, 30))]).tocsr()
    plain, _ = fit(name, X, 3)
    with_empty, W = fit(name, more, 3)
    if name in ("ppc", "ppc printed", "sppc", "sppc printed", *FEW):  # the same random numbers are drawn
        np.testing.assert_allclose(with_empty.components_, plain.components_, rtol=1e-6, atol=1e-9)
    assert (with_empty.labels_[60:] == -1).all()
    assert len(W) == 100


@every_method
def test_all_zero_and_bad_values_are_refused(name):
    if name in ("anls", "hals", "kl", "mu"):  # of NMF, which takes it as scikit-learn's does
        assert not fit(name, np.zeros((12, 5)))[0].components_.any()
    else:
        with pytest.raises(ValueError, match=r"12 × 5 values passed to .* are zero"):
            fit(name, np.zeros((12, 5)))
    for bad, words in ((np.nan, "contains NaN"), (np.inf, "contains inf"), (-2.0, "Negative values")):
        A = random_sparse(9, 7, 0.5).toarray() + 0.1
        A[4, 5] = bad
        for form in (np.asarray, sp.csr_array):
            with pytest.raises(ValueError, match=f"{words}.*row 4, column 5"):
                fit(name, form(A))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_itakura_saito_names_the_first_zero(form):
    A = random_sparse(9, 7, 0.5).toarray() + 0.1
    A[4, 5] = 0
    with pytest.raises(ValueError, match="row 4, column 5 holds 0"):
        NMF(2, beta_loss="itakura-saito").fit(form(A))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (NMF(2, solver="newton"), "use hals or cd or mu or anls"),
        (NMF(2, beta_loss="huber"), "use frobenius, "),
        (NMF(2, solver="anls", beta_loss="kullback-leibler"), "use solver='mu'"),
        (SparseNMF(2, beta=-1), "beta=-1 must be a number of at least 0"),
        (SparseNMF(2, eta="mean"), "eta also 'max'"),
        (SparseNMF(2, solver="mu"), "use anls or hals"),
        (SimplexNMF(2, lam=-0.1), "lam=-0.1 must be 0 or more"),
        (SimplexNMF(2, constraint="ball"), "use simplex or nnl2 or free"),
        (SimplexNMF(2, z=0), "z=0 must be a positive number"),
        (SimplexNMF(2, density=0), "density=0 must lie above 0"),
        (SimplexNMF(2, fixed="X"), "must be 'W', 'H' or None"),
        (PPC(2, solver="hals"), "use exact or mu"),
        (SoftKMeans(2, stiffness=0), "stiffness=0 must be a positive number"),
        (KMeans(2, init="nndsvd"), "choose k-means\\+\\+, rows or custom"),
    ],
)
def test_wrong_parameters_are_one_sentence(model, said):
    with pytest.raises(ValueError, match=said):
        model.fit(random_sparse(20, 10, 0.5))
