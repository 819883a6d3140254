"""Blocks joined and cut again hold the same rows."""

import numpy as np
import pytest
from problems import random_sparse

from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks, KeptRows


@pytest.mark.parametrize("sizes", [[3, 0, 4, 1, 2], [0, 10], [10, 0], [1] * 10, [0, 0, 5, 0, 5, 0]])
@pytest.mark.parametrize("rows", [1, 4, 7, 100])
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_joined_and_cut_again(sizes, rows, kind, tmp_path):
    X, ends = random_sparse(10, 6), np.cumsum(sizes)
    with MemoryPlace() if kind == "memory" else DiskPlace(tmp_path / "work") as place:
        parts = Blocks.of(place, [place.put(X[end - size : end]) for end, size in zip(ends, sizes)])
        larger = parts.joined(rows, 1000)
        assert (larger.whole() != X).nnz == 0
        assert len(larger.sizes) <= len(sizes)
        assert all(size <= max(rows, max(sizes)) for size in larger.sizes)
        W = np.arange(20.0).reshape(10, 2)
        again = KeptRows.split(W, place, larger.sizes).cut(parts.sizes)
        assert [len(block) for block in again.blocks()] == sizes
        np.testing.assert_array_equal(np.asarray(again), W)
