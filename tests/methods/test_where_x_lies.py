"""Where X lies changes neither the start nor, for the same blocks, a bit of what comes out."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from problems import planted

from quire import NMF, PLSI, PPC, SPPC, Ensemble, ProjectiveNMF, SimplexNMF, SparseNMF
from quire.engine import start as starts
from quire.methods.assignment import abstained, assign
from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks, KeptRows, brought, over_rows

CUTS = {"even": [0, 50, 100, 140], "empty and single": [0, 0, 1, 90, 90, 140], "one": [0, 140]}
METHODS = {
    "nmf": lambda: NMF(3, random_state=0, max_iter=6),
    "random": lambda: NMF(3, init="random", random_state=0, max_iter=6, n_init=2),
    "mu": lambda: NMF(3, solver="mu", random_state=0, max_iter=6),
    "kl": lambda: NMF(3, beta_loss="kullback-leibler", random_state=0, max_iter=6),
    "sparse": lambda: SparseNMF(3, random_state=0, max_iter=6),
    "simplex": lambda: SimplexNMF(3, random_state=0, max_iter=6),
    "ppc": lambda: PPC(3, random_state=0, max_iter=6),
    "sppc": lambda: SPPC(3, random_state=0, max_iter=6),
    "plsi": lambda: PLSI(3, random_state=0, max_iter=6),
    "projective": lambda: ProjectiveNMF(3, random_state=0, max_iter=6),
    "ensemble": lambda: Ensemble(3, random_state=0, n_init=3),
}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def X():
    found = planted([70, 40, 30], d=30)[0].toarray()
    found[[7, 91]] = 0  # documents without any term
    return sp.csr_array(found)


@pytest.fixture(params=[False, True], ids=["small", "large"])
def large(request, monkeypatch):
    """Make 140 documents many, of which a sample is drawn."""
    if request.param:
        monkeypatch.setattr(starts, "_LARGE_ROWS", 100)
        monkeypatch.setattr(starts, "_COARSE_ROWS", 60)
        monkeypatch.setattr("quire.methods.ensemble.estimator._SAMPLE", 60)
        monkeypatch.setattr("quire.methods.ensemble.estimator._OF_TOPIC", 1)


def cut(X, place, name):
    return Blocks.of(place, [place.put(sp.csr_array(X[a:b])) for a, b in itertools.pairwise(CUTS[name])])


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("method", METHODS)
def test_a_place_changes_no_bit(method, cuts, X, tmp_path, large):
    with DiskPlace(tmp_path / "files") as files, DiskPlace(tmp_path / "some", room=10**4) as some:
        found = []
        for place in (MemoryPlace(), files, some):
            model = METHODS[method]()
            W = np.asarray(model.fit_transform(cut(X, place, cuts)))
            found.append((W, model.components_, model.labels_, np.asarray(model.memberships_)))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "ensemble"])
def test_the_start_of_a_matrix_is_that_of_its_blocks(method, X, large):
    def first(data):
        make, *_ = METHODS[method]()._starts(data, None, None)
        return make(None)

    for cuts in CUTS:
        for a, b in zip(first(X), first(cut(X, MemoryPlace(), cuts)), strict=True):
            np.testing.assert_array_equal(a, b)


def test_the_number_of_topics_is_the_same_anywhere(X, large):
    for model in (NMF(), Ensemble()):
        assert model.likely_topics(X) == model.likely_topics(cut(X, MemoryPlace(), "even"))


def test_a_start_is_made_on_a_sample_by_shape_and_values_alone():
    def held(n, values):
        return type("Held", (), {"shape": (n, 10), "nnz": values})()

    assert not starts.is_large(held(99_999, (1 << 25) - 1))
    assert starts.is_large(held(100_000, 1))
    assert starts.is_large(held(1, 1 << 25))
    assert starts.sampled_rows(held(100_000, 1)) == 20_000
    assert starts.sampled_rows(held(2_000_000, 1)) == 40_000
    assert starts.sampled_rows(held(100_000, 100_000 << 12)) == 1 << 12
    assert starts.sampled_rows(held(50, 60)) == 50


def test_rows_in_blocks_are_assigned_as_they_are_in_memory():
    rng = np.random.default_rng(0)
    W, H, silent = rng.random((140, 3)), rng.random((3, 9)), np.arange(140) % 11 == 0
    W[5] = 0
    kept = KeptRows.split(W, MemoryPlace(), np.array([0, 1, 89, 0, 50]))
    for unit in (True, False):
        labels, shares = assign(W, H, unit_topics=unit, silent=silent)
        there, beside = assign(kept, H, unit_topics=unit, silent=silent)
        assert isinstance(beside, KeptRows)
        np.testing.assert_array_equal(labels, there)
        np.testing.assert_array_equal(shares, np.asarray(beside))
        np.testing.assert_array_equal(abstained(labels, shares, 0.5), abstained(there, beside, 0.5))
        assert (abstained(labels, shares, 0.5) < 0).any()


def _doubled(rows, more):
    return rows * 2, [float((rows.sum(axis=1) * more).sum())]


def test_a_task_is_run_over_rows_wherever_they_are():
    rows, more = np.arange(12.0).reshape(6, 2), np.arange(6)
    kept = KeptRows.split(rows, MemoryPlace(), np.array([2, 0, 4]))
    here, told = over_rows(_doubled, rows, more)
    there, parts = over_rows(_doubled, kept, more)
    np.testing.assert_array_equal(here, np.asarray(there))
    assert sum(told) == sum(parts)
    assert len(parts) == 3


def test_a_matrix_in_memory_is_not_copied_to_be_brought_here(X):
    assert brought(X, np.arange(X.shape[0])) is X
    np.testing.assert_array_equal(brought(X, np.array([3, 90])).toarray(), X[[3, 90]].toarray())
    blocks = cut(X, MemoryPlace(), "empty and single")
    np.testing.assert_array_equal(brought(blocks, np.arange(X.shape[0])).toarray(), X.toarray())
