"""The leading singular vectors of X, from products that any back end offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from quire.backends.backend import as_matrix
from quire.backends.gpu.device import on_host
from quire.backends.matrix import Factor, Matrix, Side, Small

_FIRST_ROUNDS = 8  # of the first attempt; each further one does twice as many
_MORE = 10  # random directions beyond those asked for
_CLEAR = 1e-2  # of the longest: a direction this short has too few digits in a Gram matrix
_TALL = 1 << 30  # entries of X, with its zeros
_BLOCK = 4096  # rows that are brought to float64 together


def leading_vectors(
    X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None = None, rounds: int = 4, device: str = "cpu"
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return U (n × k), S and Vᵀ (k × d) with X ≈ U S Vᵀ (Halko, Martinsson and Tropp 2011, algorithm 4.4).

    The steps and random numbers of scikit-learn's ``randomized_svd`` with ``n_iter=rounds``. Four are enough
    for a start; the smaller values need more to be exact.
    """
    U, S, Vt, unit = _held_vectors(X, k, rng, n_jobs, rounds, device)
    return U, S * unit, Vt


def document_vectors(
    X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None = None, rounds: int = 4, device: str = "cpu"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return U and S of :func:`leading_vectors` where nobody asks for Vᵀ, which takes time too."""
    U, S, _, unit = _held_vectors(X, k, rng, n_jobs, rounds, device, of_terms=False)
    return U, S * unit


def _held_vectors(
    X: Any, k: int, rng: np.random.RandomState, n_jobs: int | None, rounds: int, device: str = "cpu",
    *, of_terms: bool = True,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Any]:  # fmt: skip
    """Return them with S in the unit in which a back end holds X, and that unit; some for Vᵀ where it is not wanted."""
    n, d = X.shape
    sides: tuple[Side, Side] = ("H", "W") if n < d else ("W", "H")  # the smaller side is projected onto
    m = min(k + _MORE, n, d)
    with as_matrix(X, n_jobs, device=device) as matrix:
        Q = matrix.factor(rng.normal(size=(min(n, d), m)).astype(X.dtype))
        for _ in range(rounds):
            for side in sides:
                Q = _rebased(matrix, matrix.product(side, Q), m, _by_lu)
        Q = matrix.product(sides[0], Q)
        for _ in range(2 if _is_tall(matrix) else 1):  # by the Gram matrix the second time is exact
            Q = _rebased(matrix, Q, m, _by_qr)
        small = matrix.product(sides[1], Q)
        if not np.isfinite(matrix.column_sums(small)).all():
            raise ValueError(
                f"Singular vectors left the range of {X.dtype}: multiply X by a constant that brings its largest "
                f"near 1."
            )
        left, S, Vt = _small_svd(matrix, small, m)
        unit = X.dtype.type(matrix.scale**2)
        U = _combined(matrix, Q, left) if of_terms or n >= d else np.empty((0, m), X.dtype)
    signs = _signs(Vt if n < d else U.T)
    U *= signs
    Vt *= signs[:, None]
    return (Vt[:k].T, S[:k], U[:, :k].T, unit) if n < d else (U[:, :k], S[:k], Vt[:k], unit)


def _signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Return the sign of the largest entry of each vector, as scikit-learn's ``svd_flip`` turns them by."""
    vectors = np.ascontiguousarray(vectors)  # which finds them much sooner
    return np.asarray(np.sign(vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)]))


def _rebased(matrix: Matrix, P: Factor, m: int, otherwise: Callable[[NDArray[Any]], NDArray[Any]]) -> Factor:
    """Return columns that span the same, about orthonormal: by their Gram matrix where that has the digits for it."""
    basis = _orthogonal(matrix.gram(P)[:m, :m]) if _is_tall(matrix) else None
    if basis is None:
        return matrix.factor(otherwise(_raw(P, m)) * matrix.dtype.type(matrix.scale))
    matrix.by_rows(P, P, m, partial(_turn, basis))
    return P


def _orthogonal(G: Small) -> Small | None:
    """Return what columns with this Gram matrix become orthonormal by; None where some are nearly of others."""
    lengths = np.sqrt(np.diag(G))
    if not lengths.all() or not np.isfinite(G).all():
        return None
    try:
        triangle = np.linalg.cholesky(G / lengths / lengths[:, None])
    except np.linalg.LinAlgError:
        return None
    if np.diag(triangle).min() <= _CLEAR:
        return None
    return np.asarray(linalg.solve_triangular(triangle, np.eye(len(G)), lower=True).T / lengths[:, None])


def _is_tall(matrix: Matrix) -> bool:
    """Say whether LAPACK, which uses one core, would take long: it has the last digits where values are alike."""
    return max(matrix.shape) * min(matrix.shape) >= _TALL


def _combined(matrix: Matrix, F: Factor, by: NDArray[Any]) -> NDArray[Any]:
    """Return the columns of a factor times a small matrix."""
    if not _is_tall(matrix):
        return np.asarray(_raw(F, len(by)) @ by)
    matrix.by_rows(F, F, len(by), partial(_turn, by))
    return _raw(F, len(by))


def _turn(by: NDArray[Any], F: NDArray[Any], P: NDArray[Any]) -> tuple[float, float]:
    F[:] = P @ np.asarray(by, P.dtype, like=P)
    return 0.0, 0.0


def _small_svd(matrix: Matrix, small: Factor, m: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return left, S, right with left S right = smallᵀ; float32 by its Gram matrix in float64."""
    if matrix.dtype == np.float32 and _is_tall(matrix):
        blocks = (small[at : at + _BLOCK, :m].astype(np.float64) for at in range(0, len(small), _BLOCK))
        squares, left = np.linalg.eigh(on_host(sum(block.T @ block for block in blocks)))
        S, left = np.sqrt(np.maximum(squares[::-1], 0)), left[:, ::-1]
        if S[-1] > _CLEAR * S[0]:
            return left.astype(np.float32), S.astype(np.float32), _combined(matrix, small, left / S).T
    left, S, right = linalg.svd(_raw(small, m).T, full_matrices=False, check_finite=False)
    return left, S, right


def _by_lu(P: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(linalg.lu(P, permute_l=True, check_finite=False)[0])


def _by_qr(P: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(linalg.qr(P, mode="economic", check_finite=False)[0])


def _raw(factor: Factor, m: int) -> NDArray[Any]:
    """Return a factor as an array, in the unit in which it is held."""
    return np.ascontiguousarray(on_host(factor[:, :m]))


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
