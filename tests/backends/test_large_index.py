"""Numbers beyond 2³¹: offsets into a factor, rows, and non-zeros. Sparse files stand in for the memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire.backends.cpu.csr import rows_of
from quire.backends.kernels.compiled import compiled

FAR = 2**31 + 5


def _huge(tmp_path, name, dtype, shape):
    """Memory-map a file that takes no room until it is written to."""
    try:
        return np.memmap(tmp_path / name, dtype, mode="w+", shape=shape)
    except OSError as error:
        pytest.skip(f"this file system has no sparse files: {error}")


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_offset_into_a_factor(tmp_path, index):
    row = FAR // 8 + 1  # times 8 columns: an element number beyond 2³¹
    B = _huge(tmp_path, "B", np.float32, (row + 1, 8))
    B[row] = np.arange(8)
    indptr, indices, data = np.array([0, 1]), np.array([row], index), np.array([2.0], np.float32)
    out = np.zeros((1, 8), np.float32)
    compiled("product", np.dtype("f4"), np.dtype(index))(indptr, indices, data, np.asarray(B), out, 0, 1)
    np.testing.assert_array_equal(out[0], 2 * np.arange(8))
    scattered = _huge(tmp_path, "out", np.float32, (row + 1, 8))
    W = np.ones((1, 8), np.float32)
    kernel = compiled("scatter", np.dtype("f4"), np.dtype(index))
    kernel(indptr, indices, data, W, np.asarray(scattered), 0, 1, 0, 8)
    np.testing.assert_array_equal(scattered[row], np.full(8, 2.0))
    assert not scattered[5].any()


def test_index_type_follows_the_shape():
    """Row numbers become indices of the transpose: 32 bits must hold them, or 64 are used."""
    X = sp.csr_array((1, 3), dtype=np.float32)
    assert rows_of(X).indices.dtype == np.int32
    X._shape = (2**31 + 7, 3)  # nothing of that size is needed to decide
    assert rows_of(X).indices.dtype == np.int64


def test_more_non_zeros_than_32_bits_count(tmp_path):
    data = _huge(tmp_path, "data", np.float32, (FAR + 3,))
    indices = _huge(tmp_path, "indices", np.int32, (FAR + 3,))
    data[FAR:], indices[FAR:] = [1, 2, 3], [0, 1, 2]
    B = np.arange(24, dtype=np.float32).reshape(3, 8)
    out = np.zeros((1, 8), np.float32)
    kernel = compiled("product", np.dtype("f4"), np.dtype(np.int32))
    kernel(np.array([FAR, FAR + 3]), np.asarray(indices), np.asarray(data), B, out, 0, 1)
    np.testing.assert_array_equal(out[0], B[0] + 2 * B[1] + 3 * B[2])


def test_row_that_starts_beyond_element_2_to_31(tmp_path):
    """The far rows of W are found, and nothing else is touched."""
    rows = FAR // 8 // 16 * 16 + 32
    F = _huge(tmp_path, "F", np.float32, (rows, 8))
    P = _huge(tmp_path, "P", np.float32, (rows, 8))
    start = rows - 16
    P[start:] = np.arange(8)
    G, inverse = np.eye(8, dtype=np.float32), np.ones(8, np.float32)
    report = np.zeros((rows // 16, 2))
    nothing = np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
    kernel = compiled("descend", np.dtype("f4"), np.dtype(np.int32))
    zero = np.float32(0)
    room = np.zeros((16, 8), np.float32), np.zeros((20, 16), np.float32)
    kernel(
        *nothing, F[:1], np.asarray(P), False, G, inverse, zero, 8, np.asarray(F), 1, zero, *room, report, start, rows
    )
    np.testing.assert_array_equal(F[start:], np.tile(np.arange(8), (16, 1)))
    assert report[-1, 0] == 16 * np.sum(np.arange(8) ** 2)
