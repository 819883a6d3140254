"""What a mixture says of any number of documents, a row block at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.gpu.device import on_host
from quire.backends.kernels.compiled import compiled
from quire.methods.ensemble.expectation import lengths_by_topic
from quire.methods.ensemble.mixture import Mixture, Reading, size_temper
from quire.places.machine import in_order
from quire.places.parts import Blocks, KeptRows, over_rows

MOST = 1 << 26  # numbers that are sent to a task


def topics_in_runs(
    X: Blocks, runs: Sequence[Callable[[], Mixture]], reading: Reading, threads: int = 1
) -> NDArray[Any]:
    """Return the topic of every document (columns) in every run (rows), −1 for none."""

    def of(run: Callable[[], Mixture]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        mixture = run()
        return np.ascontiguousarray(mixture.log_terms(), X.dtype), mixture.log_sizes()  # as blocks copy it

    batches, waiting = [], list[tuple[NDArray[Any], NDArray[np.float64]]]()
    for number, one in enumerate(in_order(of, ((run,) for run in runs), threads)):
        waiting.append(one)
        if number + 1 == len(runs) or (len(waiting) + 1) * waiting[0][0].size > MOST:
            topics = over_rows(_topics, X, args=(waiting, reading, X.place.device))[1]
            batches.append(np.concatenate(topics, axis=1))
            waiting = []
    return np.concatenate(batches)


def _topics(
    block: sp.csr_array, runs: list[tuple[NDArray[Any], NDArray[np.float64]]], reading: Reading, device: str
) -> tuple[None, list[NDArray[Any]]]:
    block = reading.in_words(block)
    lengths = np.asarray(block.sum(axis=1, dtype=np.float64)).ravel()
    temper, k = reading.temper(lengths), len(runs[0][1])
    topics = np.full((len(runs), len(lengths)), -1, np.min_scalar_type(-k))
    with reading.open(block, device) as X:
        by = np.column_stack([X.scale**3 * temper, size_temper(temper, reading.prior)])
        for row, (logs, log_sizes) in zip(topics, runs, strict=True):
            best = best_topics(X.product("W", X.factor(logs)), by, log_sizes)
            row[:] = np.where(lengths > 0, best, -1)
    return None, [topics]


def best_topics(products: Any, by: NDArray[np.float64], log_sizes: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
    """Return the topic with the largest by₀ · product + by₁ · log size, of every document; they may lie on a device."""
    if isinstance(products, np.ndarray):
        best = np.empty(len(products), np.int32)
        sizes = log_sizes.astype(products.dtype)
        compiled("best_topics", products.dtype)(products, by, sizes, best, 0, len(best))
        return best
    there = np.asarray(by, like=products)
    scores = products[:, : len(log_sizes)] * there[:, :1]
    scores += there[:, 1:] * np.asarray(log_sizes, like=products)
    return on_host(scores.argmax(axis=1))


def weights_on_topics(X: Blocks, mixture: Mixture, sharpness: float, reading: Reading) -> KeptRows:
    """Return the documents' lengths, in words, × their memberships; zeros for one without any term."""
    args = (mixture, sharpness, reading, X.place.device)
    kept: KeptRows = over_rows(_weights, X, args=args, width=len(mixture.sizes))[0]
    return kept


def _weights(
    block: sp.csr_array, mixture: Mixture, sharpness: float, reading: Reading, device: str
) -> tuple[NDArray[Any], None]:
    with reading.open(reading.in_words(block), device) as X:
        weights = lengths_by_topic(X, mixture, reading.of_words(block.shape[1]), sharpness)
    return np.ascontiguousarray(weights), None


def mixture_of_clusters(X: Blocks, labels: NDArray[Any], reading: Reading, smoothing: float) -> Mixture:
    """Return the mixture that clusters of documents make; −1 is none."""
    k = int(labels.max()) + 1
    terms = over_rows(_words_of_clusters, X, labels, args=(k, reading))[1] + smoothing
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    return Mixture(terms / terms.sum(axis=1, keepdims=True), sizes / sizes.sum())


def _words_of_clusters(
    block: sp.csr_array, labels: NDArray[Any], k: int, reading: Reading
) -> tuple[None, NDArray[np.float64]]:
    known = np.flatnonzero(labels >= 0)
    members = sp.csr_array((np.ones(len(known)), (labels[known], known)), shape=(k, len(labels)))
    return None, (members @ reading.in_words(block)).toarray()


def divergence_from(X: Blocks, W: KeptRows, H: NDArray[Any], reading: Reading) -> float:
    """Return the Kullback–Leibler divergence of X, in words, and WH."""
    args = (H, reading, X.place.device)
    return float(over_rows(_diverging, X, W, args=args)[1])


def _diverging(
    block: sp.csr_array, W: NDArray[Any], H: NDArray[Any], reading: Reading, device: str
) -> tuple[None, float]:
    with reading.open(reading.in_words(block), device) as X:
        return None, X.divergence(X.factor(W), X.factor(H.T), 1)
