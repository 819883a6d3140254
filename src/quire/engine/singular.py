"""The leading singular vectors of X, from products that any back end offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.utils.extmath import svd_flip

from quire.backends.backend import as_matrix

_FIRST_ROUNDS = 8  # of the first attempt; each further one does twice as many
_MORE = 10  # random directions beyond those asked for


def leading_vectors(
    X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None = None, rounds: int = 4, device: str = "cpu"
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return U (n × k), S and Vᵀ (k × d) with X ≈ U S Vᵀ (Halko, Martinsson and Tropp 2011, algorithm 4.4).

    The steps and random numbers of scikit-learn's ``randomized_svd`` with ``n_iter=rounds``. Four are enough
    for a start; the smaller values need more to be exact.
    """
    U, S, Vt, unit = _held_vectors(X, k, rng, n_jobs, rounds, device)
    return U, S * unit, Vt


def _held_vectors(
    X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None, rounds: int, device: str = "cpu"
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Any]:
    """Return them with S in the unit in which a back end holds X, and that unit."""
    n, d = X.shape
    wide, tall = ("H", "W") if n < d else ("W", "H")  # the smaller side is projected onto
    with as_matrix(X, n_jobs, device=device) as matrix:

        def product(side: Any, Q: NDArray[Any]) -> NDArray[Any]:
            return matrix.array(matrix.product(side, matrix.factor(Q)), Q.shape[1])

        Q = rng.normal(size=(min(n, d), min(k + _MORE, n, d))).astype(X.dtype)
        for _ in range(rounds):
            Q = linalg.lu(product(wide, Q), permute_l=True, check_finite=False)[0]
            Q = linalg.lu(product(tall, Q), permute_l=True, check_finite=False)[0]
        Q = linalg.qr(product(wide, Q), mode="economic", check_finite=False)[0]
        small, unit = product(tall, Q), X.dtype.type(matrix.scale**2)
    if not np.isfinite(small).all():
        raise ValueError(
            f"Singular vectors left the range of {X.dtype}: multiply X by a constant that brings its largest near 1."
        )
    left, S, right = linalg.svd(small.T, full_matrices=False, check_finite=False)
    U, Vt = Q @ left, right
    if n < d:
        U, Vt = svd_flip(U, Vt, u_based_decision=False)
        return Vt[:k].T, S[:k], U[:, :k].T, unit
    U, Vt = svd_flip(U, Vt)
    return U[:, :k], S[:k], Vt[:k], unit


class Vectors(NamedTuple):
    """Leading singular values and right vectors, and how far they are from being exact."""

    S: NDArray[Any]
    Vt: NDArray[Any]
    residual: float
    """‖XV − US‖ / ‖S‖, or ‖XᵀU − VS‖ / ‖S‖, the one that is not 0 anyway."""


def improving_vectors(X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None) -> Iterator[Vectors]:
    """Yield the leading singular values and right vectors, from twice as many rounds every time.

    The residual is that of X as it is held: of the smallest numbers there are, the digits would be lost.
    """
    rounds = _FIRST_ROUNDS
    while True:
        U, S, Vt, unit = _held_vectors(X, k, rng, n_jobs, rounds)
        if X.shape[0] < X.shape[1]:  # then X V = U S whether exact or not, else Xᵀ U = V S
            gap = _held_product(X, U.T, n_jobs, "H")[0] - Vt.T * S
        else:
            gap = _held_product(X, Vt, n_jobs, "W")[0] - U * S
        size = float(S.max())
        yield Vectors(S * unit, _turned(Vt), float(np.linalg.norm(gap / size) / np.linalg.norm(S / size)))
        rounds *= 2


def _turned(Vt: NDArray[Any]) -> NDArray[Any]:
    """Turn each vector so that its largest entry, the first of several, is positive."""
    sizes = np.abs(Vt)
    largest = sizes.max(axis=1, keepdims=True)
    places = (sizes >= largest * (1 - 1e-4)).argmax(axis=1)  # which of two equals is larger is rounding error
    signs = np.where(Vt[np.arange(len(Vt)), places] < 0, -1, 1).astype(Vt.dtype)
    return np.ascontiguousarray(Vt * signs[:, None])


def least_residual(dtype: np.dtype[Any]) -> float:
    """Return the smallest residual that can be hoped for."""
    return 50 * float(np.finfo(dtype).eps)


def projected(X: Any, vectors: NDArray[Any], n_jobs: int | None) -> NDArray[Any]:
    """Return X V for vectors given as rows."""
    product, unit = _held_product(X, vectors, n_jobs, "W")
    return np.asarray(product * unit)


def _held_product(X: Any, vectors: NDArray[Any], n_jobs: int | None, side: Any) -> tuple[NDArray[Any], Any]:
    """Return X V, or Xᵀ U, in the unit in which a back end holds X, and that unit."""
    with as_matrix(X, n_jobs) as matrix:
        product = matrix.product(side, matrix.factor(vectors.T))
        return np.asarray(matrix.array(product, len(vectors))), X.dtype.type(matrix.scale**2)
