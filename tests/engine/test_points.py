"""k-means of points: the compiled twin, scikit-learn's draws, any number of threads, no empty cluster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import kmeans_plusplus

from quire.engine.points import CpuPoints, Points, _refilled, cluster_points, draws_of, seeds_apart
from quire.places.machine import Team


def clouds(n=3000, d=13, k=6, seed=0, dtype=np.float32):
    rng = np.random.RandomState(seed)
    return (4 * rng.normal(size=(k, d))[rng.randint(k, size=n)] + rng.normal(size=(n, d))).astype(dtype)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 99), st.sampled_from([np.float32, np.float64]))
def test_the_compiled_twin_says_the_same(n, d, seed, dtype):
    points = clouds(n, d, 3, seed, dtype)
    rng = np.random.RandomState(seed)
    centres = points[rng.randint(n, size=3)]
    with Team(2) as team:
        plain, fast = Points(points), CpuPoints(points, team)
        scale = float(np.abs(points).max()) ** 2 * d + 1
        (labels, away), (others, also_away) = plain.nearest(centres), fast.nearest(centres)
        assert np.allclose(away, also_away, atol=1e-5 * scale)
        assert np.allclose(plain.sums(labels, 3), fast.sums(labels, 3), atol=1e-4 * scale)
        near = np.sort(np.square(points[:, None] - centres).sum(axis=2), axis=1)
        clear = near[:, 1] - near[:, 0] > 1e-4 * scale  # two centres may be equally near
        assert (labels[clear] == others[clear]).all()


@pytest.mark.parametrize("d", [2, 13, 40])
def test_seeds_are_the_same_though_hardly_any_distances_are_computed(d):
    for seed in range(5):
        points = clouds(700, d, seed=seed, dtype=np.float64)
        draws = draws_of(700, 60, np.random.RandomState(seed))
        with Team(1) as team:
            assert CpuPoints(points, team).seeds(draws).tolist() == Points(points).seeds(draws).tolist()


def test_seeds_are_those_of_scikit_learn():
    points = clouds(dtype=np.float64)
    with Team(1) as team:
        ours = seeds_apart(CpuPoints(points, team), 20, np.random.RandomState(3))
    assert ours.tolist() == kmeans_plusplus(points, 20, random_state=3)[1].tolist()


def test_threads_change_no_bit():
    points = clouds(5000)
    one, three = (cluster_points(points, 9, 1, starts=2, n_jobs=n) for n in (1, 3))
    assert one.tolist() == three.tolist()


def test_clusters_that_are_apart_are_found_and_the_best_start_is_taken():
    points = np.repeat(10 * np.eye(4, dtype=np.float32), 25, axis=0)
    labels = cluster_points(points, 4, 0, starts=3).reshape(4, 25)
    assert len(np.unique(labels)) == 4
    assert (labels == labels[:, :1]).all()


@pytest.mark.parametrize("k", [3, 5])
def test_a_centre_without_points_gets_the_one_that_is_farthest(k):
    labels, away = np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, 9, 2, 3, 8, 4])
    refilled = _refilled(labels, away, k)
    assert (np.bincount(refilled, minlength=k) > 0).all()
    assert refilled[1] == 2


def test_more_means_than_points_are_refused():
    with pytest.raises(ValueError, match="ask for fewer"):
        cluster_points(clouds(3), 4, 0)
