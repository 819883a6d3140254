"""Sparse matrices as scikit-learn's own transformers return them."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config


def check_dtype(dtype: Any, kinds: str = "fiu") -> None:
    """Refuse what is no kind of real number; counts may also be truth values."""
    try:
        known = np.dtype(dtype).kind in kinds
    except (TypeError, ValueError):
        known = False
    if not known:
        raise ValueError(f"dtype={reprlib.repr(dtype)} is no kind of number: use numpy.float32, for instance.")


def as_configured(counts: sp.csr_array) -> Any:
    """Return a ``csr_matrix``, which most libraries expect, unless scikit-learn is set to sparse arrays.

    ``sklearn.set_config(sparse_interface="sparray")`` is that setting, where scikit-learn has it. Nothing is copied.
    """
    if get_config().get("sparse_interface", "spmatrix") == "sparray":
        return counts
    matrix = sp.csr_matrix((counts.data, counts.indices, counts.indptr), shape=counts.shape, copy=False)
    if counts.has_canonical_format:
        matrix.has_canonical_format = True
    return matrix
