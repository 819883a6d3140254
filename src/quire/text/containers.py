"""Sparse matrices as scikit-learn's own transformers return them."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn import get_config


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
