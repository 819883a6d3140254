"""A mixture of multinomials on documents, fitted by EM: memberships that are probabilities.

Words of one document are not independent, so a long document would be far too sure. Its log-likelihood is
therefore multiplied by a temper below 1: document i counts as if it had fewer words than it has.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax

from quire.ops.matrix import Matrix
from quire.trace import Step

_ENOUGH = 20_000  # documents to learn one number from
_SHARPEST = (0.1, 10.0)


@dataclass(frozen=True)
class Mixture:
    """Topics with a probability each, and a distribution over terms each.

    Parameters
    ----------
    terms : array of shape (k, d)
        p(term | topic).
    sizes : array of shape (k,)
        p(topic).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.mixture import Mixture
    >>> from quire.ops.reference import ReferenceMatrix
    >>> two = Mixture(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.5, 0.5]))
    >>> two.posteriors(ReferenceMatrix(np.array([[1.0, 0.0]])), np.ones(1)).round(6).tolist()
    [[0.75, 0.25]]
    """

    terms: NDArray[Any]
    sizes: NDArray[np.float64]

    def scores(self, X: Matrix, temper: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return log p(topic) + temper · log p(document | topic), of every document and topic."""
        likelihood = X.array(X.product("W", X.factor(self.log_terms())), len(self.sizes)).astype(np.float64)
        likelihood *= (X.scale**2 * temper)[:, None]
        return likelihood + self.log_sizes()

    def log_terms(self) -> NDArray[Any]:
        """Return log p(term | topic), a row per term."""
        return np.ascontiguousarray(np.log(self.terms).T)

    def log_sizes(self) -> NDArray[np.float64]:
        """Return log p(topic)."""
        return np.asarray(np.log(np.maximum(self.sizes, np.finfo(np.float64).tiny)))

    def among(self, terms: NDArray[np.intp], n_terms: int) -> Mixture:
        """Return the mixture for a larger vocabulary, of which it knows these terms; others tell nothing.

        Parameters
        ----------
        terms : array of int
            The new places of its terms.
        n_terms : int
            Terms of the larger vocabulary.
        """
        wide = np.ones((len(self.sizes), n_terms))  # not a distribution any more: for scores only
        wide[:, terms] = self.terms
        return Mixture(wide, self.sizes)

    def posteriors(self, X: Matrix, temper: NDArray[np.float64], sharpness: float = 1.0) -> NDArray[Any]:
        """Return p(topic | document): rows sum to 1.

        Parameters
        ----------
        X : Matrix
            The documents.
        temper : array
            Of each document, as :func:`length_temper` gives it.
        sharpness : float
            The scores are multiplied by it before they become probabilities.
        """
        return np.asarray(softmax(sharpness * self.scores(X, temper), axis=1))


def length_temper(lengths: NDArray[Any], words: float, power: float) -> NDArray[np.float64]:
    """Return min(1, (words / length)^power): what a document's log-likelihood is multiplied by.

    But a document counts as one word at least: of one log count, 0.69, EM would believe less and less.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.mixture import length_temper
    >>> length_temper(np.array([0.0, 0.5, 5.0, 80.0]), 5, 0.75).tolist()
    [1.0, 2.0, 1.0, 0.125]
    """
    lengths = lengths.astype(np.float64)  # they may lie on a device
    temper = (words / np.maximum(lengths, words)) ** power
    few = (lengths > 0) & (lengths < 1)
    return np.where(few, 1 / np.where(few, lengths, np.float64(1)), temper)


def mixture_of(X: Matrix, memberships: NDArray[Any], smoothing: float) -> Mixture:
    """Return the mixture that documents with these memberships make (the M step).

    Every term is in every topic ``smoothing`` times to begin with.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.mixture import mixture_of
    >>> from quire.ops.reference import ReferenceMatrix
    >>> X = ReferenceMatrix(np.array([[3.0, 0.0], [0.0, 1.0]]))
    >>> mixture_of(X, np.eye(2), 1.0).terms.tolist()
    [[0.8, 0.2], [0.3333333333333333, 0.6666666666666666]]
    """
    terms = X.array(X.product("H", X.factor(memberships)), memberships.shape[1])
    if X.scale != 1:
        terms *= X.dtype.type(X.scale**2)
    return smoothed(terms, memberships.sum(axis=0, dtype=np.float64), smoothing)


def smoothed(terms: NDArray[Any], sizes: NDArray[np.float64], smoothing: float) -> Mixture:
    """Return the mixture of topics that hold each term (rows of ``terms``) so often, and so many documents.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.mixture import smoothed
    >>> smoothed(np.array([[1.0], [2.0]]), np.array([7.0]), 1.0).terms.tolist()
    [[0.4, 0.6]]
    """
    found = terms.T.astype(np.float64)
    found += smoothing
    found /= found.sum(axis=1, keepdims=True)
    return Mixture(found, sizes / sizes.sum())


def expectation_maximization(
    X: Matrix,
    memberships: NDArray[Any],
    temper: NDArray[np.float64],
    smoothing: float,
    rounds: int,
    stopped: Callable[[Step], bool] = lambda step: False,
) -> tuple[Mixture, NDArray[np.float64], list[Step]]:
    """Go from memberships to a mixture and back, so many rounds; return both, and the trace.

    The objective of a step is −Σ log Σ exp(score), the negative tempered log-likelihood; its residual is the
    share of the memberships that moved.

    Parameters
    ----------
    X : Matrix
        Documents; a log count is as good as a count.
    memberships : array of shape (n, k)
        To begin with; rows sum to 1, or to 0 for a document that takes no part.
    temper : array of shape (n,)
        Of each document.
    smoothing : float
        As for :func:`mixture_of`.
    rounds : int
        At least 1.
    stopped : callable, optional
        Is told of every step; a true answer ends it.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.mixture import expectation_maximization
    >>> from quire.ops.reference import ReferenceMatrix
    >>> X = ReferenceMatrix(np.array([[4.0, 0.0], [4.0, 1.0], [0.0, 5.0]]))
    >>> start = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    >>> expectation_maximization(X, start, np.ones(3), 0.1, 5)[1].argmax(axis=1).tolist()
    [0, 0, 1]
    """
    trace: list[Step] = []
    part = memberships.sum(axis=1) > 0
    for number in range(rounds):
        began = time.perf_counter()
        found = mixture_of(X, memberships, smoothing)
        scores = found.scores(X, temper)
        new = softmax(scores, axis=1) * part[:, None]
        moved = float(np.abs(new - memberships).sum()) / max(2.0 * float(part.sum()), 1.0)
        objective = -float(logsumexp(scores[part], axis=1).sum())
        memberships = new
        trace.append(Step(number + 1, objective, moved, time.perf_counter() - began))
        if stopped(trace[-1]):
            break
    return found, memberships, trace


def sharpness_of(scores: NDArray[np.float64], votes: NDArray[Any]) -> float:
    """Return the number to multiply scores by, so that the shares they give are as sure as votes agree.

    It maximises the likelihood of the votes, Σ_i Σ_t v_it log share_it: a calibration that needs no labels.

    Parameters
    ----------
    scores : array of shape (n, k)
        From :meth:`Mixture.scores`.
    votes : array of shape (n, k)
        How many runs put each document into each topic.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import softmax
    >>> from quire.mixture import sharpness_of
    >>> scores, votes = np.log([[9.0, 1.0], [1.0, 9.0]]), np.array([[3, 1], [1, 3]])
    >>> softmax(sharpness_of(scores, votes) * scores, axis=1).round(3).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    rows = np.linspace(0, len(scores) - 1, min(len(scores), _ENOUGH)).astype(np.intp)
    scores, votes = scores[rows] - scores[rows].max(axis=1, keepdims=True), votes[rows]
    said = votes.sum(axis=1)

    def loss(power: float) -> float:
        by = math.exp(power)
        return float((said * logsumexp(by * scores, axis=1)).sum() - by * (votes * scores).sum())

    low, high = _SHARPEST
    return math.exp(minimize_scalar(loss, bounds=(math.log(low), math.log(high)), method="bounded").x)
