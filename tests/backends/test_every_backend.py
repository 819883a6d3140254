"""One suite for every back end: the reference, threads, row blocks on disk and on a cluster, a GPU."""

import itertools
import tempfile
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from problems import RULES, objective, random_sparse

from quire import NMF, PLSI, PPC, SPPC, SimplexNMF, SparseNMF
from quire.backends.backend import as_matrix
from quire.backends.reference.matrix import ReferenceMatrix
from quire.backends.rows.block_tasks import HalfStep
from quire.engine.loop import factorize
from quire.engine.rules.hals import Hals
from quire.engine.trace import Stopping
from quire.places.disk import DiskPlace
from quire.places.parts import Blocks

CUTS = {"blocks": [0, 40, 80, 97], "empty and single": [0, 0, 1, 60, 60, 97, 97], "one block": [0, 97]}
N, D, K = 97, 40, 4


def cut(X, place, cuts):
    return Blocks.of(place, [place.put(sp.csr_array(X[a:b])) for a, b in itertools.pairwise(cuts)])


@contextmanager
def on_disk(X, cuts, room, device="cpu"):
    with tempfile.TemporaryDirectory() as folder, DiskPlace(folder, room, device) as place:
        yield cut(X, place, cuts)


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("distributed", reason="the extra quire-topics[dask] is not installed")
    from quire.places.dask.cluster import DaskPlace

    with DaskPlace("local:2") as place:
        yield place


def _gpu():
    try:
        with as_matrix(np.eye(2), device="cuda"):
            return True
    except ValueError:
        return False


HOLDERS = {
    "cpu": lambda X, request: _as_it_is(X),
    "disk": lambda X, request: on_disk(X, CUTS["blocks"], 0),
    "disk, W in memory": lambda X, request: on_disk(X, CUTS["blocks"], 10**9),
    "disk, empty and single": lambda X, request: on_disk(X, CUTS["empty and single"], 0),
    "disk, one block": lambda X, request: on_disk(X, CUTS["one block"], 0),
    "disk, any device": lambda X, request: on_disk(X, CUTS["blocks"], 0, "auto"),  # the CPU where no GPU is
    "dask": lambda X, request: _cut_there(X, request, CUTS["empty and single"]),
    "gpu": lambda X, request: _as_it_is(X, "cuda"),
    "gpu in blocks": lambda X, request: on_disk(X, CUTS["empty and single"], 0, "cuda"),
}
FROBENIUS = [name for name in RULES if not name.startswith(("is", "directions"))]


@contextmanager
def _as_it_is(X, device="cpu"):
    if device == "cuda" and not _gpu():
        pytest.skip("there is no GPU that can be used")
    yield X


@contextmanager
def _cut_there(X, request, cuts):
    yield cut(X, request.getfixturevalue("cluster"), cuts)


SLOW = ("dask",)  # whose methods tests/test_dask.py has, too


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in HOLDERS])
def held(request):
    """Give a function from X to X in the hands of a back end, and to what an estimator takes."""
    with ExitStack() as stack:
        if request.param == "gpu in blocks" and not _gpu():
            pytest.skip("there is no GPU that can be used")
        device = "cuda" if request.param == "gpu" else "cpu"

        def taken(X):
            return stack.enter_context(HOLDERS[request.param](X, request))

        def opened(X):
            return stack.enter_context(as_matrix(taken(X), 1, device=device))

        yield opened, taken, device


def problem(dtype=np.float64):
    X = random_sparse(N, D, 0.5, dtype)
    X = sp.csr_array(X + sp.csr_array(np.eye(N, D, dtype=dtype)))  # no document and no term is empty
    rng = np.random.default_rng(1)
    return X, rng.random((N, K)).astype(dtype), rng.random((K, D)).astype(dtype)


@pytest.mark.parametrize("name", FROBENIUS)
def test_every_rule_goes_the_way_of_the_reference(name, held):
    X, W, H = problem()
    stopping = Stopping(tol=0, max_iter=6)
    true = factorize(ReferenceMatrix(X), (W, H), RULES[name](), stopping)
    found = factorize(held[0](X), (W, H), RULES[name](), stopping)
    np.testing.assert_allclose(
        [step.objective for step in found.trace], [step.objective for step in true.trace], rtol=1e-9
    )
    np.testing.assert_allclose(found.H, true.H, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(np.asarray(found.W), true.W, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["hals", "mu", "anls sparse", "simplex", "ppc", "kl"])
def test_never_uphill_and_the_objective_is_the_objective(name, held):
    X, W, H = problem(np.float32)
    found = factorize(held[0](X), (W, H), RULES[name](), Stopping(tol=0, max_iter=8))
    steps = [step.objective for step in found.trace]
    assert all(b <= a for a, b in itertools.pairwise(steps))
    assert found.objective == pytest.approx(objective(RULES[name](), X, np.asarray(found.W), found.H), rel=1e-4)


def test_constraints_hold(held):
    X, W, H = problem()
    stopping = Stopping(tol=0, max_iter=4)
    shares = factorize(held[0](X), (W, H), RULES["ppc"](), stopping)
    np.testing.assert_allclose(np.asarray(shares.W).sum(axis=1), 1, atol=1e-9)
    topics = factorize(held[0](X), (W, H), RULES["simplex"](), stopping)
    np.testing.assert_allclose(topics.H.sum(axis=1), 1, atol=1e-9)
    assert np.asarray(topics.W).min() >= 0
    assert topics.H.min() >= 0


@pytest.mark.parametrize("size", [1e-20, 1e15])
def test_any_unit(size, held):
    X, W, H = problem(np.float32)
    root = np.float32(np.sqrt(size))
    start = W * root, H * root
    found = factorize(held[0](X * np.float32(size)), start, Hals(), Stopping(tol=0, max_iter=3))
    assert np.isfinite(found.error)
    assert 0 < found.error < size * np.linalg.norm(X.toarray())


@pytest.mark.parametrize(
    "make",
    [
        lambda **how: NMF(K, **how),
        lambda **how: NMF(K, solver="mu", **how),
        lambda **how: NMF(K, solver="anls", alpha_W=1e-3, l1_ratio=0.5, **how),
        lambda **how: NMF(K, beta_loss="kullback-leibler", **how),
        lambda **how: SparseNMF(K, **how),
        lambda **how: SimplexNMF(K, lam=0.1, **how),
        lambda **how: PPC(K, **how),
        lambda **how: SPPC(K, **how),
        lambda **how: PLSI(K, **how),
    ],
)
def test_estimators_end_where_they_end_in_memory(make, held):
    X, W, H = problem()
    _, taken, device = held
    how = {"init": "custom", "max_iter": 8, "tol": 0}
    true = make(**how)
    W_true = true.fit_transform(X, W=W, H=H)
    model, there = make(device=device, **how), taken(X)
    W_found = model.fit_transform(there, W=W, H=H)
    assert model.objective_ == pytest.approx(true.objective_, rel=1e-8)
    np.testing.assert_allclose(np.asarray(W_found), W_true, rtol=1e-5, atol=1e-8)
    assert (model.labels_ == true.labels_).mean() >= 0.99
    np.testing.assert_allclose(np.asarray(model.memberships_).sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(np.asarray(model.transform(there)), W_true, rtol=1e-5, atol=1e-8)


def test_a_start_is_drawn_from_a_sample_and_repeats(held):
    X, _, _ = problem(np.float32)
    _, taken, device = held
    there = taken(X)
    first, second = (NMF(K, random_state=3, max_iter=5, device=device).fit(there) for _ in range(2))
    assert (first.components_ == second.components_).all()
    assert len(first.labels_) == N
    assert first.labels_.max() < K


def test_documents_without_terms_have_no_topic(held):
    X, _, _ = problem()
    rows = np.ones(N)
    rows[[0, 59, 60, 96]] = 0
    X = sp.csr_array(sp.diags_array(rows) @ X)
    X.eliminate_zeros()
    _, taken, device = held
    for model in (NMF(K, random_state=0, max_iter=3), PPC(K, init="random", random_state=0, max_iter=3)):
        model.set_params(device=device)
        labels = model.fit(taken(X)).labels_
        assert (labels[[0, 59, 60, 96]] == -1).all()
        assert (np.delete(labels, [0, 59, 60, 96]) >= 0).all()


def test_back_ends_of_different_blocks_do_not_share_their_form_of_h():
    """A block without values is on the CPU, which pads a factor, where the others are on a GPU."""
    X, _, H = problem()
    step = HalfStep("descend", np.ascontiguousarray(H.T), ())
    with as_matrix(X, 1) as padded:
        plain = ReferenceMatrix(X)
        for matrix in (padded, plain, padded, padded, plain):
            np.testing.assert_array_equal(step.held(matrix), matrix.factor(H.T))
        assert step.held(padded) is step.held(padded)
