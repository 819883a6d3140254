"""What the papers say of their methods: worked examples, equivalences, limits, published findings."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
import sklearn.decomposition
from hypothesis import given
from hypothesis import strategies as st
from problems import mixture, random_sparse, squared_error
from scipy.optimize import minimize, nnls

import quire
from quire import NMF, PLSI, PPC, SPPC, ProjectiveNMF, SimplexNMF, SparseNMF, Weight
from quire.backends.check import silent_rows
from quire.backends.cpu.matrix import CpuMatrix
from quire.backends.reference.matrix import by_topics
from quire.engine.rules.beta import Em
from quire.engine.rules.simplex import onto_ball, onto_simplex
from quire.methods.means import KMeans, SoftKMeans, SphericalKMeans
from quire.scores.metrics import accuracy

DING = np.array(  # ding2008 §5.2, words × documents
    [
        [0.185, 0.326, 0.761, 2.799, 2.375, 2.970, 2.585],
        [0.508, 0.380, 0.884, 2.134, 2.374, 2.342, 2.524],
        [0.452, 0.887, 0.457, 2.065, 2.484, 2.253, 2.163],
        [1.486, 1.843, 1.858, 0.566, 0.103, 0.417, 0.269],
        [1.496, 1.806, 1.610, 0.612, 0.158, 0.560, 0.784],
    ]
).T


@pytest.mark.parametrize("solver", ["exact", "mu"])
@pytest.mark.parametrize("seed", range(5))
def test_ding2008_worked_example(solver, seed):
    common = {"n_components": 2, "solver": solver, "random_state": seed, "tol": 1e-8, "max_iter": 5000}
    documents = [0, 0, 0, 1, 1, 1, 1]
    ppc, sppc = PPC(**common).fit(DING), SPPC(**common).fit(DING)
    assert round(ppc.reconstruction_err_**2, 4) <= 1.1108
    assert round(sppc.reconstruction_err_**2, 4) <= 1.1183
    assert accuracy(documents, ppc.labels_) == accuracy(documents, sppc.labels_) == 1
    assert accuracy([0, 0, 0, 1, 1], sppc.word_labels_) == 1
    assert accuracy([0, 0, 0, 1, 1], ppc.components_.argmax(axis=0)) == 1


@given(st.integers(2, 9), st.integers(0, 10_000), st.sampled_from([0.3, 1.0, 4.0]))
def test_the_simplex_step_is_a_quadratic_programmes_answer(d, seed, size):
    """tsikhanovich2011 §2.5.1 leaves the exact solution open: projecting is it."""
    rng = np.random.default_rng(seed)
    R, w = rng.standard_normal((6, d)) + 0.3, rng.random(6) + 0.1
    F = np.full((1, d), 1 / d)
    by_topics((R.T @ w)[None], F, np.array([[w @ w]]), lambda q: onto_simplex(q, size))

    def misfit(h):
        return 0.5 * np.sum((R - np.outer(w, h)) ** 2)

    def slope(h):
        return (w @ w) * h - R.T @ w

    there = minimize(
        misfit, np.full(d, size / d), jac=slope, bounds=[(0, None)] * d, method="SLSQP",
        constraints={"type": "eq", "fun": lambda h: h.sum() - size, "jac": lambda h: np.ones(d)},
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert misfit(F[0]) <= there.fun + 1e-9 * max(1, there.fun)
    np.testing.assert_allclose(F[0], there.x, atol=1e-4)
    assert F.sum() == pytest.approx(size)


@given(st.integers(1, 30), st.integers(0, 10_000), st.sampled_from([np.float32, np.float64]))
def test_projections_are_the_nearest_points(d, seed, dtype):
    rng = np.random.default_rng(seed)
    q = (rng.standard_normal(d) * rng.choice([0.1, 1, 100])).astype(dtype)
    for project, allowed in (
        (onto_simplex, rng.dirichlet(np.ones(d), 50)),
        (onto_ball, rng.dirichlet(np.ones(d), 50) * rng.random((50, 1))),
    ):
        h = project(q)
        assert h.dtype == dtype
        assert h.min() >= 0
        distance = np.linalg.norm(q.astype(float) - h)
        assert (np.linalg.norm(q.astype(float) - allowed, axis=1) >= distance * (1 - 1e-5)).all()
        np.testing.assert_allclose(project(h), h, rtol=1e-4, atol=1e-6)


def test_from_lambda_max_on_nothing_is_left():
    X = random_sparse(30, 20, 0.4)
    assert not SimplexNMF(3, lam=float(X.max()), random_state=0).fit_transform(X).any()
    assert SimplexNMF(3, lam=0.01 * float(X.max()), random_state=0).fit_transform(X).any()


def test_more_lambda_more_zeros():
    X = random_sparse(80, 50, 0.3)
    zeros = [np.mean(SimplexNMF(4, lam=lam, random_state=0).fit_transform(X) == 0) for lam in (0, 0.1, 0.4)]
    assert zeros[0] < zeros[1] < zeros[2]


def test_a_factor_can_be_held():
    X = random_sparse(40, 30, 0.4)
    W = np.eye(4)[np.arange(40) % 4]
    free = SimplexNMF(fixed="W", constraint="free").fit(X, W=W)
    means = np.array([X[np.arange(40) % 4 == t].mean(axis=0) for t in range(4)])
    np.testing.assert_allclose(free.components_, means, atol=1e-6)
    model = SimplexNMF(fixed="W", tol=1e-8)
    np.testing.assert_array_equal(model.fit_transform(X, W=W), W)
    np.testing.assert_allclose(model.components_, [onto_simplex(mean) for mean in means], atol=1e-6)
    held = SimplexNMF(fixed="H", lam=0.1).fit(X, H=7 * model.components_)
    np.testing.assert_array_equal(held.components_, 7 * model.components_)
    exact = [nnls(model.components_.T, x)[0] for x in X.toarray()]
    free = SimplexNMF(fixed="H").fit_transform(X, H=model.components_)
    np.testing.assert_allclose(free, exact, atol=1e-5)
    with pytest.raises(ValueError, match="needs W, and W alone"):
        SimplexNMF(fixed="W").fit(X)


def test_sparse_nmf_becomes_nmf():
    X = random_sparse(60, 40, 0.3)
    common = {"n_components": 4, "init": "random", "random_state": 0, "tol": 1e-6, "max_iter": 2000}
    plain = NMF(solver="anls", **common).fit(X)
    limit = SparseNMF(beta=0, eta=0, **common).fit(X)
    np.testing.assert_array_equal(limit.components_, plain.components_)
    near = SparseNMF(beta=1e-9, eta=1e-9, **common).fit(X)
    assert near.reconstruction_err_ == pytest.approx(plain.reconstruction_err_, rel=1e-6)


def test_more_beta_more_zeros():
    X = random_sparse(80, 50, 0.3)
    zeros = [np.mean(SparseNMF(4, beta=b, random_state=0).fit_transform(X) == 0) for b in (0, 1, 20)]
    assert zeros[0] < zeros[1] < zeros[2]


def test_kl_nmf_is_plsi():
    """Any point of one is a point of the other with the same value, and the same points are at rest."""
    rng = np.random.default_rng(0)
    truth = (rng.random((50, 3)) + 0.2) @ (rng.random((3, 30)) + 0.2)
    X = truth * rng.uniform(0.95, 1.05, truth.shape)  # so that no entry of W or H is at the edge
    kl = NMF(3, beta_loss="kullback-leibler", init="uniform", random_state=0, tol=1e-9, max_iter=20_000)
    W, H = kl.fit_transform(X), kl.components_
    sums = H.sum(axis=1)
    plsi = PLSI(3, init="custom", max_iter=50, tol=0).fit(X, W=W * sums, H=H / sums[:, None])
    assert plsi.objective_ == pytest.approx(kl.objective_, abs=1e-7 * X.sum())
    np.testing.assert_allclose(plsi.components_, H / sums[:, None], atol=1e-4)
    np.testing.assert_allclose(plsi.p_z_, (W * sums).sum(axis=0) / X.sum(), atol=1e-4)
    P = X / X.sum()
    joint = (plsi.p_z_d_ * P.sum(axis=1, keepdims=True)) @ plsi.p_w_z_
    likelihood = np.sum(P[P > 0] * np.log(joint[P > 0]))
    entropy = np.sum(P[P > 0] * np.log(P[P > 0]))
    assert plsi.objective_ == pytest.approx(X.sum() * (entropy - likelihood), abs=1e-7 * X.sum())


def test_plsi_step_is_em():
    """P(z|d, w) written out, n × k × d numbers."""
    X = random_sparse(8, 6, 0.7).toarray()
    rng = np.random.default_rng(0)
    W, H = rng.random((8, 3)), rng.dirichlet(np.ones(6), 3)
    posterior = W[:, :, None] * H[None] / (W @ H)[:, None, :]
    shared = X[:, None, :] * posterior
    with CpuMatrix(X, 1) as matrix:
        F = {"W": matrix.factor(W), "H": matrix.factor(H.T)}
        old = matrix.duplicate(F["W"])
        Em().update(matrix, "W", F["W"], F["H"], np.eye(3))
        Em().update(matrix, "H", F["H"], old, np.eye(3))
        np.testing.assert_allclose(matrix.array(F["W"], 3), shared.sum(axis=2))
        expected = shared.sum(axis=0) / shared.sum(axis=(0, 2))[:, None]
        np.testing.assert_allclose(matrix.array(F["H"], 3).T, expected)


def test_nmf_ncw_is_nmf_on_weighted_rows():
    counts = sp.csr_array((random_sparse(60, 40, 0.3).toarray() * 3).astype(int).astype(float))
    run = quire.cluster(counts, 4, recipe="xu2003-ncw", random_state=0)
    unit = sp.csr_array(Weight("tfidf", dtype=np.float64).fit_transform(counts))
    weighted = sp.csr_array(unit / np.sqrt(unit @ unit.sum(axis=0))[:, None])
    np.testing.assert_allclose(Weight("ncw").fit_transform(counts).toarray(), weighted.toarray(), rtol=1e-5)
    model = NMF(4, solver="mu", init="uniform", n_init=10, random_state=0)
    W = model.fit_transform(weighted.astype(np.float32))
    assert accuracy(model.labels_, run.labels) == 1
    assert run.info["fit"]["error"] == pytest.approx(model.reconstruction_err_, rel=1e-3)
    assert W.shape == run.W.shape


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", "itakura-saito"])
def test_multiplicative_updates_are_scikit_learns(loss):
    X = random_sparse(40, 30, 0.3).toarray() + (0.1 if loss == "itakura-saito" else 0)
    rng = np.random.default_rng(0)
    W, H = rng.random((40, 4)), rng.random((4, 30))
    options = {"init": "custom", "solver": "mu", "beta_loss": loss, "max_iter": 30, "tol": 0}
    ours, theirs = NMF(4, accelerate=False, **options), sklearn.decomposition.NMF(4, **options)
    ours.fit(X, W=W, H=H)
    theirs.fit_transform(X, W=W.copy(), H=H.copy())
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("solver", ["hals", "anls", "mu"])
def test_nmf_reaches_scikit_learns_objective_from_the_same_start(solver):
    X = random_sparse(150, 90, 0.2)
    rng = np.random.default_rng(1)
    W, H = rng.random((150, 6)), rng.random((6, 90))
    options = {"n_components": 6, "init": "custom", "max_iter": 5000, "tol": 1e-7}
    ours = NMF(solver=solver, **options).fit(X, W=W, H=H)
    theirs = sklearn.decomposition.NMF(solver="mu" if solver == "mu" else "cd", **options)
    theirs.fit_transform(X, W=W.copy(), H=H.copy())
    assert ours.reconstruction_err_**2 <= 1.001 * theirs.reconstruction_err_**2


def test_k_means_is_scikit_learns():
    X = random_sparse(200, 40, 0.3)
    means = X[:6].toarray()
    ours = KMeans(6, init="custom", tol=0).fit(X, W=np.zeros((200, 6)), H=means)
    theirs = sklearn.cluster.KMeans(6, init=means, n_init=1, tol=0).fit(X)
    assert ours.labels_.tolist() == theirs.labels_.tolist()
    assert 2 * ours.objective_ == pytest.approx(theirs.inertia_)


def test_soft_k_means_hardens():
    X = random_sparse(100, 30, 0.4)
    hard = KMeans(4, random_state=0).fit(X)
    start = {"W": np.zeros((100, 4)), "H": hard.components_}
    stiff = SoftKMeans(4, init="custom", stiffness=1e6).fit(X, **start)
    assert stiff.labels_.tolist() == hard.labels_.tolist()
    soft = SoftKMeans(4, init="custom", stiffness=0.2).fit(X, **start)
    assert soft.memberships_.max() < 0.9


def test_spherical_k_means_does_not_see_lengths():
    X = random_sparse(80, 30, 0.4)
    longer = sp.csr_array(X * np.random.default_rng(0).uniform(0.1, 9, (80, 1)))
    ours = SphericalKMeans(4, random_state=0).fit(X)
    start = {"W": np.zeros((80, 4)), "H": ours.components_}
    assert SphericalKMeans(4, init="custom").fit(longer, **start).labels_.tolist() == ours.labels_.tolist()


@pytest.mark.parametrize("k", [2, 5])
def test_orthogonal_documents(k):
    X = random_sparse(90, 40, 0.4)
    model = ProjectiveNMF(k, n_init=5, random_state=0)
    W = model.fit_transform(X)
    A = X.toarray()
    np.testing.assert_allclose(W.T @ W, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(model.components_, W.T @ A, atol=1e-2)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(A - W @ W.T @ A), rel=1e-4)
    assert squared_error(X, W, model.components_) <= 2 * KMeans(k, n_init=5, random_state=0).fit(X).objective_


@pytest.mark.parametrize("k", [5, 10])
def test_sparse_nmf_finds_kim2008s_mixture(k):
    """Table 1: 100 of 100 for k up to 12; k-means 13 (k = 5) and 0 (k = 10)."""
    X, classes = mixture(k, seed=0)
    found = [accuracy(classes, SparseNMF(k, beta=0.5, random_state=seed).fit(X).labels_) == 1 for seed in range(20)]
    assert sum(found) >= 19
    means = [accuracy(classes, KMeans(k, init="rows", random_state=s).fit(X).labels_) == 1 for s in range(20)]
    assert sum(means) < sum(found) / 2


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 10])
def test_sparse_nmf_finds_kim2008s_mixture_in_95_of_100_starts(k):
    X, classes = mixture(k, seed=1)
    models = (SparseNMF(k, beta=0.5, random_state=seed).fit(X) for seed in range(100))
    assert sum(accuracy(classes, model.labels_) == 1 for model in models) >= 95


def test_a_document_without_terms_has_no_topic():
    A = random_sparse(30, 20, 0.5).toarray()
    A[[3, 17]] = 0
    for method in (PPC, SPPC, KMeans, SoftKMeans, PLSI, SimplexNMF, SparseNMF, ProjectiveNMF):
        model = method(3, random_state=0).fit(A)
        assert (model.labels_ == -1).tolist() == silent_rows(A).tolist()
        np.testing.assert_allclose(model.memberships_[3], 1 / 3, rtol=1e-6)
