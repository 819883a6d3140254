"""Affinity propagation, with kim2008's search for a wanted number of clusters."""

from __future__ import annotations

import math
import numbers
import time
import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from quire.backends.backend import as_matrix
from quire.backends.check import silent_rows
from quire.engine.loop import Factorization, solve_documents
from quire.engine.rules.rule import Rule
from quire.engine.rules.single import Single
from quire.engine.trace import Step
from quire.methods.estimator import TopicEstimator

_MOST_DOCUMENTS = 20_000  # five n × n arrays: 16 GB
_MOST_DAMPING = 0.9  # messages that still swing with this much are left


@dataclass(kw_only=True, eq=False, repr=False)
class AffinityPropagation(TopicEstimator):
    """Affinity propagation (Frey and Dueck 2007): documents choose exemplars among themselves, by messages.

    The similarity of two documents is −‖x_i − x_j‖², that of a document to itself the preference: the larger,
    the more clusters. For a wanted number of clusters the preference is searched for as in kim2008 §6: from
    the median similarity in steps of 3·(max − min) until the number is met or passed, then by bisection. The
    messages are scikit-learn's. H holds the exemplars' rows of X, W has a single 1 in a row, and a document
    goes to the nearest exemplar. Documents without any term take no part. Memory goes by their square.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Clusters. ``"auto"``: as many as the first preference gives.
    preference : float or None, default=None
        The first preference; None for the median similarity.
    damping : float, default=0.5
        How much of the last message is kept in the next. Where the messages swing to and fro, as duplicates
        among the documents make them, a run is repeated with more, and the later runs begin with as much.
    rounds : int, default=200
        Most rounds of messages of one run.
    convergence_iter : int, default=15
        Rounds without a change of exemplars that end a run. With more damping messages are slower, and both
        numbers are raised in proportion.
    max_iter : int, default=30
        Most runs, that is preferences tried. Then the run with the nearest number is kept.
    init, tol, n_init
        Not used: there is no start.
    random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (``TopicEstimator``). An iteration is a run; its residual
        is how far the number of clusters is from the wanted one, as a share of it.

    Attributes
    ----------
    exemplars_ : array of shape (k,)
        The exemplars' numbers among the documents of the fit.
    preference_ : float
        The preference that was kept.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire.methods.affinity import AffinityPropagation
    >>> X = np.array([[2, 1, 0, 0], [2, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 3], [0, 0, 2, 3], [0, 0, 3, 3]])
    >>> model = AffinityPropagation(2, random_state=0).fit(X)
    >>> model.labels_.tolist(), model.exemplars_.tolist()
    ([0, 0, 0, 1, 1, 1], [1, 4])
    """

    max_iter: int = 30
    preference: float | None = None
    damping: float = 0.5
    rounds: int = 200
    convergence_iter: int = 15

    _on_device = False
    _in_blocks = False
    _unit_topics = False
    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {"exemplars_": (0,)}

    def transform(self, X: Any) -> Any:
        """Return a 1 for the nearest exemplar of each document; zeros for one without any term.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        W = np.array(super().transform(X))  # which is a data frame, where scikit-learn is set to these
        W[silent_rows(self._check_data(X, reset=False))] = 0
        return W

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Single("means")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not 0.5 <= self.damping < 1:
            raise ValueError(f"damping={self.damping!r} must be at least 0.5 and less than 1.")
        for name in ("rounds", "convergence_iter"):
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")
        k: Any = self.n_components
        if k != "auto" and (not isinstance(k, numbers.Integral) or k < 1):
            raise ValueError(f"n_components={k!r} must be a whole number of at least 1, or 'auto'.")

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        if W is not None or H is not None:
            raise ValueError(f"{type(self).__name__} does not start from given factors: leave W and H out.")
        written = np.flatnonzero(~silent_rows(X))
        self._check_size(len(written))
        points = X[written]
        best, trace, stopped = self._search(points)
        self.exemplars_ = written[best.exemplars]
        self.preference_ = best.preference
        chosen = points[best.exemplars]
        exemplars = np.ascontiguousarray(chosen.toarray() if sp.issparse(chosen) else chosen)
        with as_matrix(points, self.n_jobs, device=self._where) as matrix:
            solved = solve_documents(matrix, exemplars, self._rule(X.shape))
        W_fitted = np.zeros((X.shape[0], len(exemplars)), X.dtype)
        W_fitted[written] = solved.W
        self._warn(best)
        return Factorization(W_fitted, exemplars, solved.objective, solved.error, trace, stopped)

    def _check_size(self, n: int) -> None:
        if n > _MOST_DOCUMENTS:
            raise ValueError(
                f"Affinity propagation holds all pairs of documents in memory, at most {_MOST_DOCUMENTS:,} "
                f"documents, and there are {n:,}: use KMeans, or fit a sample and transform the rest."
            )
        k: Any = self.n_components
        if k != "auto" and k > n:
            raise ValueError(f"{k} exemplars cannot be chosen from {n} documents: ask for fewer topics.")

    def _search(self, X: Any) -> tuple[_Clustering, list[Step], str]:
        """Run with one preference after the other; return the run that comes nearest to the wanted number."""
        began, wanted = time.perf_counter(), self.n_components or "auto"
        S, unit = _similarities(X)
        preference, step = _first_preference(S)
        if self.preference is not None:
            preference = self.preference / unit / unit
        bracket = _Bracket(step)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        best, stopped, damping = None, "", self.damping
        trace: list[Step] = []
        while not stopped:
            clustering = self._run(S, preference, damping, seed)
            damping = clustering.damping
            off = 0.0 if wanted == "auto" else abs(len(clustering.exemplars) - int(wanted)) / int(wanted)
            seconds = time.perf_counter() - began
            trace.append(Step(len(trace) + 1, clustering.objective * unit * unit, off, seconds))
            if len(clustering.exemplars) and (best is None or off < best[0]):
                best = off, clustering
            stopped = self._why_stop(trace)
            if wanted != "auto":
                preference = bracket.next(preference, len(clustering.exemplars) < int(wanted))
        if best is None:
            raise ValueError(f"No exemplars came out with rounds={self.rounds} of messages: raise rounds or damping.")
        return best[1]._replace(preference=best[1].preference * unit * unit), trace, stopped

    def _why_stop(self, trace: list[Step]) -> str:
        """Return the reason to stop after this run; "" for none."""
        if self._report(trace[-1]):
            return "callback"
        if trace[-1].residual == 0:
            return "tol"
        if self.max_time is not None and trace[-1].seconds >= self.max_time:
            return "max_time"
        return "max_iter" if len(trace) == self.max_iter else ""

    def _run(self, S: NDArray[np.float64], preference: float, damping: float, seed: int) -> _Clustering:
        """Pass messages; again with more damping where they swing, for then the exemplars mean nothing."""
        from sklearn.cluster import affinity_propagation

        while True:
            slower = (1 - self.damping) / (1 - damping)  # a swing takes longer too, and must not pass for an end
            rounds, quiet = math.ceil(self.rounds * slower), math.ceil(self.convergence_iter * slower)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what it says is said in the end, of the run that is kept
                exemplars, _, n_rounds = affinity_propagation(
                    S, preference=preference, damping=damping, max_iter=rounds, random_state=seed,
                    convergence_iter=quiet, return_n_iter=True,
                )  # fmt: skip
            settled = len(exemplars) > 0 and n_rounds < rounds
            if settled or damping >= _MOST_DAMPING:
                break
            damping = (1 + damping) / 2
        exemplars = np.asarray(exemplars, np.intp)
        distances = -S[:, exemplars].max(axis=1) if len(exemplars) else -S.min(axis=1)
        return _Clustering(preference, exemplars, 0.5 * float(distances.sum()), damping, settled)

    def _warn(self, clustering: _Clustering) -> None:
        k = len(clustering.exemplars)
        if self.n_components not in ("auto", k):
            warnings.warn(
                f"No preference was found that gives n_components={self.n_components} clusters and the "
                f"nearest number, {k}, was kept: raise max_iter or max_time, or ask for another number.",
                ConvergenceWarning,
                stacklevel=5,
            )
        elif not clustering.settled:
            warnings.warn(
                f"Exemplars did not settle with rounds={self.rounds} of messages: raise rounds or damping.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _keep(self, X: Any, fit: Factorization) -> Any:
        W = super()._keep(X, replace(fit, stopped="tol"))  # its warning speaks of tol; ours has been given
        self.stopped_ = fit.stopped
        return W


class _Clustering(NamedTuple):
    """What one run found, in the unit of the similarities."""

    preference: float
    exemplars: NDArray[np.intp]
    objective: float
    damping: float
    settled: bool


class _Bracket:
    """Where the wanted preference lies (kim2008 §6): steps until it is between two, then bisection."""

    def __init__(self, step: float) -> None:
        self.step, self.low, self.high = step, -np.inf, np.inf

    def next(self, preference: float, too_few: bool) -> float:
        """Return the preference to try after this one."""
        if too_few:
            self.low = preference
        else:
            self.high = preference
        if np.isinf(self.low):
            return preference - self.step
        return preference + self.step if np.isinf(self.high) else (self.low + self.high) / 2


def _similarities(X: Any) -> tuple[NDArray[np.float64], float]:
    """Return −‖x_i − x_j‖² of X / unit, and the unit, with which squares stay numbers."""
    from sklearn.metrics import euclidean_distances
    from threadpoolctl import threadpool_limits

    near_one = X.astype(np.float64)
    values = near_one.data if sp.issparse(X) else near_one
    unit = float(values.max())
    values /= unit  # and not times 1 / unit, which may be no number
    with threadpool_limits(1):  # sums must not depend on the number of threads
        S = euclidean_distances(near_one, squared=True)
    return np.negative(S, out=S), unit


def _first_preference(S: NDArray[np.float64]) -> tuple[float, float]:
    """Return the median similarity of two documents, and the step of the search."""
    n = len(S)
    if n == 1:
        return 0.0, 1.0
    # All but the diagonal without a mask: flat, less the first entry, the diagonal is every (n + 1)th.
    pairs = S.reshape(-1)[1:].reshape(n - 1, n + 1)[:, :-1]
    spread = float(pairs.max() - pairs.min())
    return float(np.median(pairs)), 3 * spread or 1.0
