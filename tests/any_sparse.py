"""Sparse matrices of any indices at all, and what is sound among them, said in plain Python."""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

INDEX = (np.int32, np.int64)
EXTREMES = (-(2**31), -3, -1, 2**31 - 2, 2**31 - 1)


def numbers(most, size):
    """Index arrays: mostly small numbers, sorted or not, now and then an extreme one."""
    small = st.lists(st.integers(0, most), min_size=size, max_size=size)
    odd = st.lists(st.integers(-1, most + 1) | st.sampled_from(EXTREMES), min_size=size, max_size=size)
    return small | small.map(sorted) | odd


@st.composite
def compressed(draw):
    """A CSR or CSC array, made of arrays that need not belong together."""
    make = draw(st.sampled_from([sp.csr_array, sp.csc_array]))
    n, d = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    lines, length = (n, d) if make is sp.csr_array else (d, n)
    n_values = draw(st.integers(0, 8))
    held = make((n, d))
    index = draw(st.sampled_from(INDEX))
    odd = draw(st.sampled_from([0, 0, 0, -1, 1]))
    pointers = [0, *draw(numbers(n_values, max(lines - 1, 0))), n_values][: lines + 1]
    if draw(st.integers(0, 3)) == 0:
        pointers = draw(numbers(n_values, max(0, lines + 1 + odd)))
    held.indptr = np.array(pointers, index)
    held.indices = np.array(draw(numbers(max(length - 1, 0), n_values)), draw(st.sampled_from(INDEX)))
    held.data = np.ones(max(0, n_values + draw(st.sampled_from([0, 0, 0, -1, 2]))))
    return held


@st.composite
def coordinates(draw):
    """A COO array, likewise."""
    n, d, n_values = draw(st.integers(0, 5)), draw(st.integers(0, 5)), draw(st.integers(0, 6))
    held = sp.coo_array((n, d))
    index = draw(st.sampled_from(INDEX))
    rows, columns = draw(numbers(max(n - 1, 0), n_values)), draw(numbers(max(d - 1, 0), n_values))
    held.coords = np.array(rows, index), np.array(columns, index)
    held.data = np.ones(max(0, n_values + draw(st.sampled_from([0, 0, 0, -1, 1]))))
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
