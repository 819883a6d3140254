"""The leading singular vectors of X, from products that any back end offers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.utils.extmath import svd_flip

from quire.ops.backend import as_matrix

_MORE = 10  # random directions beyond those asked for


def leading_vectors(
    X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None = None, rounds: int = 4
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return U (n × k), S and Vᵀ (k × d) with X ≈ U S Vᵀ (Halko, Martinsson and Tropp 2011, algorithm 4.4).

    The steps and random numbers of scikit-learn's ``randomized_svd`` with ``n_iter=rounds``. Four are enough
    for a start; the smaller values need more to be exact.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.singular import leading_vectors
    >>> U, S, Vt = leading_vectors(np.diag([3.0, 2.0, 1.0]), 2, np.random.RandomState(0))
    >>> S.round(6).tolist()
    [3.0, 2.0]
    """
    n, d = X.shape
    wide, tall = ("H", "W") if n < d else ("W", "H")  # the smaller side is projected onto
    with as_matrix(X, n_jobs) as matrix:

        def product(side: Any, Q: NDArray[Any]) -> NDArray[Any]:
            return matrix.array(matrix.product(side, matrix.factor(Q)), Q.shape[1])

        Q = rng.normal(size=(min(n, d), min(k + _MORE, n, d))).astype(X.dtype)
        for _ in range(rounds):
            Q = linalg.lu(product(wide, Q), permute_l=True, check_finite=False)[0]
            Q = linalg.lu(product(tall, Q), permute_l=True, check_finite=False)[0]
        Q = linalg.qr(product(wide, Q), mode="economic", check_finite=False)[0]
        small, unit = product(tall, Q), matrix.scale**2
    left, S, right = linalg.svd(small.T, full_matrices=False, check_finite=False)
    U, Vt, S = Q @ left, right, S * X.dtype.type(unit)
    if n < d:
        U, Vt = svd_flip(U, Vt, u_based_decision=False)
        return Vt[:k].T, S[:k], U[:, :k].T
    U, Vt = svd_flip(U, Vt)
    return U[:, :k], S[:k], Vt[:k]
