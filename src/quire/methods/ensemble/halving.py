"""Documents in two parts, in a moment: a few singular vectors, two means, and the default's EM on what is in memory.

A tree asks this of every leaf, hundreds of times, of at most a thousand documents each: so it is written for these, on
plain arrays, where :class:`quire.Ensemble` would mostly set out what it has for large ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.engine.points import Points, clustered, draws_of
from quire.methods.ensemble.embedding import balanced_weights, of_length_one, strengths
from quire.methods.ensemble.expectation import Posteriors
from quire.methods.ensemble.mixture import Mixture, Reading

_TAU, _SMOOTHING = 0.3, 0.1  # as the default has them
_DIMENSIONS, _MORE, _ROUNDS = 8, 4, 4  # singular vectors, directions beyond them, rounds of the power iteration
_STEPS, _STILL = 15, 1e-3  # of EM at most; it ends where no more than that of the memberships moves
_MEANS = 20  # rounds of k-means


class Halves(NamedTuple):
    """Two parts of documents."""

    labels: NDArray[np.intp]
    gain: float
    """What two topics explain more than one: log-likelihood, tempered, of a document on average."""


def halves_of(words: sp.csr_array, reading: Reading, seed: int, starts: int) -> Halves | None:
    """Return the two parts that explain most, of those that some starts lead to; None where all are one.

    Documents are in words, in float64; one that holds none is with the larger part.
    """
    rng = np.random.RandomState(seed)
    points = Points(_places(words, rng))
    best, tried = None, list[NDArray[np.intp]]()
    for _ in range(starts):
        begun = clustered(points, 2, draws_of(points.n, 2, rng), _MEANS).labels
        if not any(_same(begun, other) for other in tried):
            tried.append(begun)
            found = settled(words, reading, begun)
            best = found if best is None or found.gain > best.gain else best
    return best if best is not None and len(np.unique(best.labels)) == 2 else None


def mixture_of_parts(words: sp.csr_array, shares: NDArray[np.float64]) -> Mixture:
    """Return the mixture that documents with these memberships make (the M step)."""
    terms = np.asarray(words.T @ shares).T + _SMOOTHING
    terms /= terms.sum(axis=1, keepdims=True)
    sizes = shares.sum(axis=0)
    return Mixture(terms, sizes / sizes.sum())


def settled(words: sp.csr_array, reading: Reading, begun: NDArray[np.intp], steps: int = _STEPS) -> Halves:
    """Go on by EM from two parts."""
    lengths = np.asarray(words.sum(axis=1)).ravel()
    written = max(int((lengths > 0).sum()), 1)
    shares = np.zeros((len(begun), 3))
    shares[np.arange(len(begun)), begun] = lengths > 0
    for _ in range(steps):
        mixture = mixture_of_parts(words, shares[:, :2])
        if _posteriors(words, lengths, reading, shares, mixture)[1] <= 2 * _STILL * written:
            break
    labels = np.where(lengths > 0, shares[:, :2].argmax(axis=1), shares[:, :2].sum(axis=0).argmax())
    # Sizes that are tempered let two topics that are the same explain more than one: here they are probabilities.
    plain = replace(reading, prior=0.0)
    one = np.column_stack([lengths > 0, lengths]).astype(np.float64)
    alone = _posteriors(words, lengths, plain, one, mixture_of_parts(words, one[:, :1]))[0]
    two = _posteriors(words, lengths, plain, shares, mixture)[0]
    return Halves(labels, (alone - two) / written)


def _posteriors(
    words: sp.csr_array, lengths: NDArray[np.float64], reading: Reading, shares: NDArray[Any], mixture: Mixture
) -> tuple[float, float]:
    """Set memberships anew (the E step); return the negative log-likelihood, and how much moved."""
    step = Posteriors(mixture.log_sizes(), reading.words, reading.power, reading.least, reading.prior, 1.0)
    return step(shares, np.column_stack([words @ mixture.log_terms(), lengths]))


def _places(words: sp.csr_array, rng: np.random.RandomState) -> NDArray[np.float64]:
    """Return a point of length 1 for each document, from the leading singular vectors of the normalized Laplacian.

    The last of them stands for noise: what another rises above it by is what it counts.
    """
    X = balanced_weights(words, _TAU)
    m = min(_DIMENSIONS + _MORE, *X.shape)
    Q = rng.normal(size=(X.shape[0], m))
    for _ in range(_ROUNDS):
        Q = np.linalg.qr(X @ (X.T @ Q))[0]
    small = X.T @ Q
    squares, turn = np.linalg.eigh(small.T @ small)
    S = np.sqrt(np.maximum(squares[::-1], 0))[:_DIMENSIONS]
    strength = strengths(S, float(S[-1]) if len(S) > 2 else 0.0)
    held = strength > 0
    if not held.any():
        return np.ones((X.shape[0], 1))
    return of_length_one((Q @ turn[:, ::-1][:, : len(S)])[:, held] * strength[held])


def _same(one: NDArray[np.intp], other: NDArray[np.intp]) -> bool:
    """Say whether two ways to part are the same, whatever they call the parts."""
    return bool((one == other).all() or (one != other).all())
