"""Sparse matrices of any indices at all, and what is sound among them, said in plain Python."""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

INDEX = st.sampled_from([np.int32, np.int64])
SIDE = st.sampled_from([3, 4, 2, 1, 0])
ODD = (-(2**31), -3, -1, 0, 1, 2, 3, 5, 8, 2**31 - 2, 2**31 - 1)


def within(draw, most, size):
    """Draw index arrays of numbers below ``most``; none where there are no such numbers."""
    held = draw(st.lists(st.integers(0, max(most - 1, 0)), min_size=size, max_size=size)) if most else []
    return np.array(held, draw(INDEX))


def damage(draw, arrays):
    """Change a number of one of some arrays, or its length; or nothing."""
    name = draw(st.sampled_from([None, *arrays, *arrays]))
    if name is not None and draw(st.integers(0, 2)) and len(arrays[name]):
        place = draw(st.sampled_from([0, -1]) | st.integers(0, len(arrays[name]) - 1))
        arrays[name][place] = draw(st.sampled_from(ODD))
    elif name is not None:
        arrays[name] = np.resize(arrays[name], max(0, len(arrays[name]) + draw(st.sampled_from([-1, 1]))))
    return arrays


@st.composite
def compressed(draw):
    """A CSR or CSC array, sound or with one of its arrays damaged."""
    held = draw(st.sampled_from([sp.csr_array, sp.csc_array]))((draw(SIDE), draw(SIDE)))
    lines, length = held.shape if held.format == "csr" else held.shape[::-1]
    indices = within(draw, length, draw(st.integers(2, 6)) if lines else 0)
    inner = sorted(draw(st.lists(st.integers(0, len(indices)), min_size=lines, max_size=lines)))
    pointers = np.array([0, *inner], draw(INDEX))
    arrays = damage(draw, {"indptr": pointers, "indices": indices, "data": np.ones(len(indices))})
    held.indptr, held.indices, held.data = arrays["indptr"], arrays["indices"], arrays["data"]
    return held


@st.composite
def coordinates(draw):
    """A COO array, likewise."""
    held = sp.coo_array((draw(SIDE), draw(SIDE)))
    size = draw(st.integers(2, 6)) if 0 not in held.shape else 0
    rows, columns = (within(draw, most, size) for most in held.shape)
    arrays = damage(draw, {"rows": rows, "columns": columns.astype(rows.dtype), "data": np.ones(size)})
    held.coords, held.data = (arrays["rows"], arrays["columns"]), arrays["data"]
    return held


def is_safe(X):
    """Say, one number after the other, whether nothing leads outside and every index has its value."""
    if X.format == "coo":
        rows, columns = (axis.tolist() for axis in X.coords)
        inside = all(0 <= i < X.shape[0] and 0 <= j < X.shape[1] for i, j in zip(rows, columns))
        return len(rows) == len(columns) == len(X.data) and inside
    lines, length = X.shape if X.format == "csr" else X.shape[::-1]
    pointers, indices = X.indptr.tolist(), X.indices.tolist()
    if len(pointers) != lines + 1 or pointers[0] != 0 or any(b < a for a, b in pairwise(pointers)):
        return False
    end = pointers[-1]
    return end <= len(indices) == len(X.data) and all(0 <= j < length for j in indices[:end])


def summed(X):
    """Return the dense array that a safe one stands for, entry by entry."""
    dense = np.zeros(X.shape)
    if X.format == "coo":
        places = zip(*(axis.tolist() for axis in X.coords))
    else:
        lines = ((i, j) for i, (a, b) in enumerate(pairwise(X.indptr.tolist())) for j in X.indices[a:b].tolist())
        places = ((i, j) if X.format == "csr" else (j, i) for i, j in lines)
    for (i, j), value in zip(places, X.data.tolist()):
        dense[i, j] += value
    return dense
