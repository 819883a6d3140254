"""The default: several runs among singular vectors, their consensus, and a mixture that makes it exact."""

from __future__ import annotations

import math
import numbers
import time
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from quire.check import silent_rows
from quire.estimator import TopicEstimator
from quire.factorization import Factorization
from quire.linkage import merge_nearest
from quire.methods.means import KMeans, positive
from quire.mixture import Mixture, expectation_maximization, length_temper, sharpness_of
from quire.ops.backend import as_matrix
from quire.ops.matrix import Matrix
from quire.places import document_places, likely_topics
from quire.sureness import votes
from quire.trace import Step

_TINY = 10  # times smaller than topics are on average: that is no topic, and goes to another
_ENOUGH, _STARTS = 30, 3  # iterations of k-means; its starts where runs are compared
_POWER = 0.75  # of the temper
_SLIGHT = 1e-3  # memberships that do not count when runs are compared
_FEWEST = 3  # documents for each group that the consensus merges


class _Run(NamedTuple):
    mixture: Mixture
    memberships: NDArray[np.float64]
    trace: list[Step]


@dataclass(kw_only=True, eq=False, repr=False)
class Ensemble(TopicEstimator):
    """Topics on which many runs agree, with memberships that are probabilities.

    1. Documents become points: singular vectors of X, weighted by the regularised normalized Laplacian, with
       noise taken out (:func:`quire.places.document_places`).
    2. ``n_init`` runs: k-means from another start each, then ``max_iter`` steps of EM of a mixture of
       multinomials whose likelihood is tempered by the documents' lengths (:mod:`quire.mixture`).
    3. Their consensus: documents with like memberships in all runs are gathered into ``groups`` × k groups,
       which are merged until k are left (:func:`quire.linkage.merge_nearest`), whatever their sizes, but
       that a handful of documents is no topic.
    4. The same EM from there. The posteriors, made as sure as the runs agree, are the memberships.

    X should hold log counts (``Weight("log-counts")``). The temper and the smoothing are numbers of words: so
    that other weights do too, the unit of X is taken from its small entries, which are words that occur once.
    W is a document's length × its memberships, H is p(term | topic).

    Parameters
    ----------
    n_init : int, default=15
        Runs.
    max_iter : int, default=8
        Steps of EM of each.
    words : float, default=5
        Documents of up to so many (log) words are believed word by word; of a longer one the likelihood is
        multiplied by (words / length)^¾.
    smoothing : float, default=0.1
        How often every term is in every topic to begin with.
    tau : float, default=0.3
        τ of the weighting.
    dimensions : int, default=100
        Singular vectors to look at; 2k where that is more.
    groups : int, default=5
        Groups for each topic, before they are merged; 1 is consensus by k-means, which prefers topics of
        equal sizes.
    init : None
        There is no other start.
    n_components, tol, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.estimator.TopicEstimator`). EM ends before ``max_iter`` steps
        where at most ``tol`` of the memberships moved; after ``max_time`` no further run is begun. That many
        steps are the method: ``stopped_`` says ``"tol"`` after them too.

    Attributes
    ----------
    runs_ : array of shape (n_init, n_samples)
        The topic of every document in every run, each run with its own numbering; −1 for none.
    prior_ : array of shape (k,)
        p(topic).
    unit_ : array of shape (1,)
        What a word is in X: 1 for log counts, where a tenth or more of them are of words that occur once.
    sharpness_ : array of shape (1,)
        What posteriors' logarithms are multiplied by, so that they are as sure as the runs agree; 1 where
        only one run was made.
    others
        As of every estimator (:class:`quire.estimator.TopicEstimator`); ``objective_`` is the negative
        tempered log-likelihood, ``reconstruction_err_`` that of √(2 D), D being the Kullback–Leibler
        divergence of X and WH.

    Examples
    --------
    >>> import numpy as np
    >>> from quire import Ensemble
    >>> X = np.kron(np.eye(2), np.array([[2, 1, 0], [1, 2, 1], [0, 1, 2]]))
    >>> labels = Ensemble(2, random_state=0).fit(X).labels_
    >>> labels[0] == labels[1] == labels[2] != labels[3] == labels[4] == labels[5]
    np.True_
    """

    n_init: int = 15
    max_iter: int = 8
    tol: float = 1e-4
    words: float = 5.0
    smoothing: float = 0.1
    tau: float = 0.3
    dimensions: int = 100
    groups: int = 5

    weighs_evidence = True
    _on_device = False
    _unit_topics = False
    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {"prior_": (0,), "sharpness_": (), "unit_": ()}

    def transform(self, X: Any) -> NDArray[Any]:
        """Return the documents' lengths × their memberships; zeros for one without any term.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        check_is_fitted(self)
        X = self._in_words(self._check_data(X, reset=False))
        with as_matrix(X, self.n_jobs) as matrix:
            return self._weights(X, matrix, Mixture(self.components_, self.prior_))

    def likely_topics(self, X: Any, lowest: int = 2, highest: int | None = None) -> int:
        """Return how many topics X seems to have (:func:`quire.places.likely_topics`).

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            What ``fit`` is given.
        lowest, highest : int
            The range to choose from.
        """
        return likely_topics(sp.csr_array(X), lowest, highest, self.tau, self.n_jobs)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.init is not None:
            raise ValueError(f"init={self.init!r} is no start for Ensemble: leave it out.")
        for name, least in (("words", "above 0"), ("smoothing", "above 0"), ("tau", "0 or more")):
            value: Any = getattr(self, name)
            allowed = isinstance(value, numbers.Real) and 0 <= float(value) < math.inf
            if not allowed or (value == 0 and name != "tau"):
                raise ValueError(f"{name}={value!r} must be a number, {least}.")
        for name in ("dimensions", "groups"):
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        self._check_no_start(W, H)
        X, written = sp.csr_array(X), ~silent_rows(X)
        self.unit_ = np.array([_unit(X.data)])
        X = self._in_words(X)
        k, rng = self._wanted(X, int(written.sum())), check_random_state(self.random_state)
        self._began, self._ended = time.perf_counter(), ""
        told = X if written.all() else X[np.flatnonzero(written)]
        with as_matrix(told, self.n_jobs) as matrix:
            found = self._agreed(told, matrix, k, rng, written)
        with as_matrix(X, self.n_jobs) as matrix:
            return self._as_factors(X, matrix, found)

    def _agreed(
        self, X: sp.csr_array, matrix: Matrix, k: int, rng: np.random.RandomState, written: NDArray[np.bool_]
    ) -> _Run:
        """Make the runs and their consensus; learn what they tell of how sure it is."""
        places = positive(document_places(X, k, self.tau, self.dimensions, self.n_jobs))[0]
        temper, stacked, labels = self._temper(X), [], []
        for _ in range(self.n_init):
            run = self._refined(matrix, self._parted(places, k, rng), k, temper)
            stacked.append(_roots(run.memberships, X.dtype))
            labels.append(run.memberships.argmax(axis=1))
            if self._ended or self._late():
                break
        if len(labels) > 1 and not self._ended:
            run = self._refined(matrix, self._consensus(sp.csr_array(sp.hstack(stacked)), k, rng), k, temper)
        self.runs_ = np.full((len(labels), len(written)), -1, np.int32)
        self.runs_[:, written] = labels
        said = votes(np.array(labels), run.memberships.argmax(axis=1), k)
        sharp = sharpness_of(run.mixture.scores(matrix, temper), said) if len(labels) > 1 else 1.0
        self.sharpness_ = np.array([sharp])
        return run

    def _parted(self, points: Any, k: int, rng: np.random.RandomState, starts: int = 1) -> NDArray[np.intp]:
        """Return the clusters of points by k-means."""
        model = KMeans(
            k, n_init=starts, random_state=rng.randint(2**31), n_jobs=self.n_jobs, max_iter=_ENOUGH, tol=0
        )
        return np.asarray(model.fit(points).labels_)

    def _refined(self, matrix: Matrix, labels: NDArray[np.intp], k: int, temper: NDArray[np.float64]) -> _Run:
        start = np.zeros((len(labels), k))
        start[np.arange(len(labels)), labels] = 1
        rounds, told = self.max_iter, self._told
        return _Run(*expectation_maximization(matrix, start, temper, self.smoothing, rounds, told))

    def _consensus(self, stacked: sp.csr_array, k: int, rng: np.random.RandomState) -> NDArray[np.intp]:
        """Return the clusters in which all runs' memberships are alike."""
        n_groups = max(k, min(self.groups * k, stacked.shape[0] // _FEWEST))
        group = self._parted(stacked, n_groups, rng, _STARTS)
        if n_groups == k:
            return group
        sizes = np.bincount(group, minlength=n_groups)
        members = sp.csr_array((np.ones(len(group)), (group, np.arange(len(group)))), (n_groups, len(group)))
        centres = (members @ stacked).toarray() / np.maximum(sizes, 1)[:, None]
        return merge_nearest(centres, sizes, k, len(group) / (_TINY * k))[group]

    def _temper(self, X: sp.csr_array) -> NDArray[np.float64]:
        return length_temper(X.sum(axis=1, dtype=np.float64), self.words, _POWER)

    def _in_words(self, X: Any) -> sp.csr_array:
        """Return X in the unit in which a word that occurs once is log 2, as among log counts."""
        X = sp.csr_array(X)
        return sp.csr_array(((X.data / self.unit_[0]).astype(X.dtype), X.indices, X.indptr), X.shape)

    def _weights(self, X: sp.csr_array, matrix: Matrix, mixture: Mixture) -> NDArray[Any]:
        lengths = np.asarray(X.sum(axis=1, dtype=np.float64))
        shares = mixture.posteriors(matrix, self._temper(X), float(self.sharpness_[0]))
        return np.ascontiguousarray((shares * (self.unit_[0] * lengths)[:, None]).astype(X.dtype))

    def _as_factors(self, X: sp.csr_array, matrix: Matrix, found: _Run) -> Factorization:
        H = found.mixture.terms.astype(X.dtype)
        self.prior_ = found.mixture.sizes
        W = self._weights(X, matrix, Mixture(H, self.prior_))
        unit = float(self.unit_[0])
        divergence = unit * matrix.divergence(matrix.factor(W / unit), matrix.factor(H.T), 1)
        return Factorization(
            W, H, found.trace[-1].objective, float(np.sqrt(2 * max(divergence, 0.0))), found.trace,
            self._ended or ("tol" if len(self.runs_) == self.n_init else "max_time"),
        )  # fmt: skip

    def _late(self) -> bool:
        return self.max_time is not None and time.perf_counter() - self._began >= self.max_time

    def _told(self, step: Step) -> bool:
        """Tell of a step; say whether to stop."""
        if self._report(step):
            self._ended = "callback"
        return bool(self._ended) or step.residual <= self.tol


def _roots(memberships: NDArray[np.float64], dtype: Any) -> sp.csr_array:
    """Return square roots, whose distances are those of distributions (Hellinger); most are as good as 0."""
    least = min(_SLIGHT, 0.5 / memberships.shape[1])
    return sp.csr_array(np.sqrt(np.where(memberships > least, memberships, 0)).astype(dtype))


def _unit(values: NDArray[Any]) -> float:
    """Return what is 1 in X: its small entries are words that occur once, log 2 of it."""
    some = values[values > 0]
    return float(np.partition(some, len(some) // 10)[len(some) // 10]) / math.log(2)
