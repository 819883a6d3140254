"""What a mixture says of any number of documents, a row block at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.blocks.matrix import Blocks, KeptRows
from quire.blocks.memory import in_memory
from quire.mixture import Mixture, length_temper
from quire.ops.blocktasks import Holding
from quire.ops.matrix import Matrix

_BLOCK = 32_768  # documents that are looked at together
_MOST = 1 << 26  # numbers that are sent to a task


@dataclass(frozen=True)
class Reading:
    """How documents are read.

    Parameters
    ----------
    unit : float
        What a word is in X.
    words, power : float
        As for :func:`quire.mixture.length_temper`.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from quire.membership import Reading
    >>> Reading(unit=2.0, words=5.0, power=0.75).in_words(sp.csr_array([[4.0]])).toarray().tolist()
    [[2.0]]
    """

    unit: float
    words: float
    power: float
    n_jobs: int | None = None

    def in_words(self, X: sp.csr_array) -> sp.csr_array:
        """Return X in the unit in which a word that occurs once is log 2, as among log counts."""
        return sp.csr_array(((X.data / self.unit).astype(X.dtype), X.indices, X.indptr), X.shape)

    def temper(self, lengths: NDArray[Any]) -> NDArray[np.float64]:
        """Return what the documents' log-likelihoods are multiplied by."""
        return length_temper(lengths, self.words, self.power)

    def open(self, block: sp.csr_array, device: str) -> Matrix:
        """Return a block that is in words in the hands of a back end."""
        return Holding(self.n_jobs, device).open(block)


def in_blocks(X: Any, device: str = "cpu", rows: int | None = None) -> Blocks:
    """Return X in row blocks: those it has, or views of a matrix that is in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.membership import in_blocks
    >>> in_blocks(np.eye(3), rows=2).sizes.tolist()
    [2, 1]
    """
    return X if isinstance(X, Blocks) else in_memory(sp.csr_array(X), rows or _BLOCK, device)


def topics_in_runs(X: Blocks, runs: Sequence[Callable[[], Mixture]], reading: Reading) -> NDArray[Any]:
    """Return the topic of every document (columns) in every run (rows), −1 for none.

    Parameters
    ----------
    X : Blocks
        Documents, not in words.
    runs : sequence of functions
        Each makes the mixture of a run, when its turn has come.
    reading : Reading
        How to read the documents.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.blocks.memory import in_memory
    >>> from quire.membership import Reading, topics_in_runs
    >>> from quire.mixture import Mixture
    >>> X = in_memory(sp.csr_array(np.diag([4.0, 5.0, 0.0])), 2)
    >>> run = Mixture(np.array([[0.2, 0.6, 0.2], [0.6, 0.2, 0.2]]), np.full(2, 0.5))
    >>> topics_in_runs(X, [lambda: run], Reading(1.0, 5.0, 0.75)).tolist()
    [[1, 0, -1]]
    """
    found, waiting = [], list[tuple[NDArray[Any], NDArray[np.float64]]]()
    for number, run in enumerate(runs):
        mixture = run()
        waiting.append((mixture.log_terms().astype(X.dtype), mixture.log_sizes()))
        if number + 1 == len(runs) or (len(waiting) + 1) * waiting[0][0].size > _MOST:
            told = X.place.sweep(_topics, X.handles, args=(waiting, reading, X.place.device))[1]
            found.append(np.concatenate(told, axis=1))
            waiting = []
    return np.concatenate(found)


def _topics(
    block: sp.csr_array, runs: list[tuple[NDArray[Any], NDArray[np.float64]]], reading: Reading, device: str
) -> tuple[None, list[NDArray[Any]]]:
    block = reading.in_words(block)
    lengths = np.asarray(block.sum(axis=1, dtype=np.float64)).ravel()
    temper, k = reading.temper(lengths), len(runs[0][1])
    topics = np.full((len(runs), len(lengths)), -1, np.min_scalar_type(-k))
    with reading.open(block, device) as X:
        for row, (logs, log_sizes) in zip(topics, runs, strict=True):
            scores = X.array(X.product("W", X.factor(logs)), k) * temper[:, None]
            row[:] = np.where(lengths > 0, (scores + log_sizes).argmax(axis=1), -1)
    return None, [topics]


def weights_on_topics(X: Blocks, mixture: Mixture, sharpness: float, reading: Reading) -> KeptRows:
    """Return the documents' lengths × their memberships; zeros for one without any term.

    Parameters
    ----------
    X : Blocks
        Documents, not in words.
    mixture : Mixture
        The topics.
    sharpness : float
        As for :meth:`quire.mixture.Mixture.posteriors`.
    reading : Reading
        How to read them.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.blocks.memory import in_memory
    >>> from quire.membership import Reading, weights_on_topics
    >>> from quire.mixture import Mixture
    >>> X = in_memory(sp.csr_array([[1.0, 0.0]]), 1)
    >>> two = Mixture(np.array([[0.75, 0.25], [0.25, 0.75]]), np.full(2, 0.5))
    >>> np.asarray(weights_on_topics(X, two, 1.0, Reading(1.0, 5.0, 0.75))).round(6).tolist()
    [[0.75, 0.25]]
    """
    handles = X.place.sweep(_weights, X.handles, args=(mixture, sharpness, reading, X.place.device))[0]
    return KeptRows(X.place, handles, X.sizes, (X.shape[0], len(mixture.sizes)), X.dtype)


def _weights(
    block: sp.csr_array, mixture: Mixture, sharpness: float, reading: Reading, device: str
) -> tuple[NDArray[Any], None]:
    block = reading.in_words(block)
    lengths = np.asarray(block.sum(axis=1, dtype=np.float64)).ravel()
    with reading.open(block, device) as X:
        shares = mixture.posteriors(X, reading.temper(lengths), sharpness)
    return np.ascontiguousarray((shares * (reading.unit * lengths)[:, None]).astype(block.dtype)), None


def divergence_from(X: Blocks, W: KeptRows, H: NDArray[Any], reading: Reading) -> float:
    """Return the Kullback–Leibler divergence of X and WH.

    Parameters
    ----------
    X : Blocks
        Documents, not in words.
    W, H
        Their weights, and the topics.
    reading : Reading
        How to read them.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.blocks.matrix import KeptRows
    >>> from quire.blocks.memory import in_memory
    >>> from quire.membership import Reading, divergence_from
    >>> X = in_memory(sp.csr_array([[1.0, 2.0]]), 1)
    >>> W = KeptRows.split(np.array([[1.0]]), X.place, X.sizes)
    >>> divergence_from(X, W, np.array([[1.0, 2.0]]), Reading(1.0, 5.0, 0.75))
    0.0
    """
    args = (H, reading, X.place.device)
    return reading.unit * float(X.place.sweep(_diverging, X.handles, W.handles, args=args)[1])


def _diverging(
    block: sp.csr_array, W: NDArray[Any], H: NDArray[Any], reading: Reading, device: str
) -> tuple[None, float]:
    with reading.open(reading.in_words(block), device) as X:
        return None, X.divergence(X.factor(W / reading.unit), X.factor(H.T), 1)
