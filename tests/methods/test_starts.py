"""Where runs of the default begin: k-means of places, every third time NMF, and none where vectors are given."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from quire import Ensemble
from quire.backends.gpu.device import why_no_gpu
from quire.methods.ensemble import starts
from quire.methods.ensemble.starts import Starts


@pytest.fixture
def problem():
    rng = np.random.RandomState(0)
    return sp.csr_array(np.kron(np.eye(3), np.ones((20, 8))) * (rng.random_sample((60, 24)) < 0.7)).astype(np.float32)


def _ways(monkeypatch):
    """Note by which way each run begins."""
    ways = []

    class Noted(starts.NMF):
        def fit(self, *given, **named):
            ways.append("nmf")
            return super().fit(*given, **named)

    def clustered(points, k, seed, best_of, *others):
        ways.append("groups" if best_of > 1 else "k-means")
        return clustering(points, k, seed, best_of, *others)

    clustering = starts.cluster_points
    monkeypatch.setattr(starts, "NMF", Noted)
    monkeypatch.setattr(starts, "cluster_points", clustered)
    return ways


@pytest.mark.parametrize(("every", "expected"), [(0, 0), (1, 6), (3, 2), (4, 1), (9, 0)])
def test_every_so_many_runs_one_begins_with_nmf(problem, monkeypatch, every, expected):
    ways = _ways(monkeypatch)
    Ensemble(3, n_init=6, nmf_every=every, random_state=0).fit(problem)
    assert (ways.count("nmf"), ways.count("k-means")) == (expected, 6 - expected)


def test_where_vectors_are_given_all_begin_among_them(problem, monkeypatch):
    ways = _ways(monkeypatch)
    Ensemble(3, n_init=6, random_state=0).fit(problem, embeddings=np.random.RandomState(1).normal(size=(60, 5)))
    assert "nmf" not in ways


def test_either_way_gives_a_cluster_to_every_document(problem):
    start = Starts(0.3, 2, 1, "cpu").of(np.random.RandomState(2).normal(size=(60, 4)), problem, 3)
    for run in range(2):
        labels = start.clusters(run, 0)
        assert labels.shape == (60,)
        assert set(labels) <= {0, 1, 2}


@pytest.mark.skipif(not why_no_gpu(), reason="a GPU is there")
def test_without_a_gpu_auto_is_the_cpu(problem):
    here, auto = (Ensemble(3, n_init=4, random_state=0, device=device).fit(problem) for device in ("cpu", "auto"))
    assert np.array_equal(here.components_, auto.components_)
    assert np.array_equal(here.transform(problem), auto.transform(problem))


def test_a_run_depends_on_its_seed_alone(problem):
    one, four = (Ensemble(3, n_init=7, random_state=0, n_jobs=n).fit(problem) for n in (1, 4))
    assert np.array_equal(one.runs_, four.runs_)
    assert np.array_equal(one.components_, four.components_)
