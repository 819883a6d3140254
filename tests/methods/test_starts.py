"""Where runs of the default begin: k-means of places, every third time NMF, and none where vectors are given."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from quire import Ensemble
from quire.backends.gpu.device import why_no_gpu
from quire.engine.trace import Step
from quire.methods.ensemble import starts
from quire.methods.ensemble.consensus import OneRun, Runs, astray
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


def _ending(*objectives):
    """Return runs, every other of which began with NMF, that ended so."""
    return {number: OneRun(None, [Step(1, end, 0.0, 0.0)], None, None) for number, end in enumerate(objectives)}


def test_nmf_leads_astray_where_its_runs_end_a_hundredth_higher(problem):
    start = Starts(0.3, 2, 1, "cpu").of(np.zeros((60, 4)), problem, 3)
    assert astray(start, _ending(100, 102, 101, 102, 100)) == [1, 3]
    assert astray(start, _ending(100, 100.9, 100, 100.9, 100)) == []
    assert astray(start, _ending(102, 100, 102, 100, 102)) == []  # k-means may be the worse one: its runs stay
    assert astray(start, _ending(100, 150, 100, 100, 100, 100)) == []  # one bad run is no reason
    assert astray(Starts(0.3, 1, 1, "cpu").of(np.zeros((60, 4)), problem, 3), _ending(100, 200)) == []


def test_runs_that_nmf_led_astray_are_made_anew_by_k_means(problem, monkeypatch):
    made = Runs._run

    def worse(self, start, matrix, reading, number, seed):
        one = made(self, start, matrix, reading, number, seed)
        last = one.trace[-1]
        return one._replace(trace=[last._replace(objective=2 * last.objective)]) if start.factorizes(number) else one

    monkeypatch.setattr(Runs, "_run", worse)
    ways = _ways(monkeypatch)
    model = Ensemble(3, n_init=6, random_state=0).fit(problem)
    assert (ways.count("nmf"), ways.count("k-means")) == (3, 3 + 3)
    monkeypatch.undo()
    without = Ensemble(3, n_init=6, nmf_every=0, random_state=0).fit(problem)
    assert np.array_equal(model.runs_, without.runs_)
    assert np.array_equal(model.components_, without.components_)


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
