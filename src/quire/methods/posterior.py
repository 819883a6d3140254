"""Posterior probabilistic clustering (ding2008): of documents, and of words and documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from quire.engine.loop import Factorization
from quire.engine.rules.ppc import Posterior
from quire.engine.rules.rule import Rule, Start
from quire.engine.rules.sppc import Both
from quire.engine.start import first_factors
from quire.methods.estimator import TopicEstimator

_SOLVERS = ("exact", "mu")


@dataclass(kw_only=True, eq=False, repr=False)
class PPC(TopicEstimator):
    """NMF in which every document's weights are probabilities: rows of W sum to 1 (ding2008 eq. 4).

    Parameters
    ----------
    solver : {"exact", "mu"}, default="exact"
        Solve each row's least-squares problem on the simplex, or take the printed steps (eqs 5 and 6),
        safeguarded.
    init : str or None, default=None
        None: k-means indicators + 0.2 (§5), random where there are more topics than documents.
    n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import PPC
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> W = PPC(2, random_state=0).fit_transform(X)
    >>> W.sum(axis=1).round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    solver: str = "exact"

    _unit_topics = False
    _skips_silent = True
    _balances = False

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Posterior(exact=self.solver == "exact")

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        init = self.init or ("kmeans" if k <= X.shape[0] else "random")
        return first_factors(X, k, init, rng, self.n_jobs, self._where)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.solver not in _SOLVERS:
            raise ValueError(f"solver={self.solver!r} is not known: use {' or '.join(_SOLVERS)}.")


@dataclass(kw_only=True, eq=False, repr=False)
class SPPC(PPC):
    """Words and documents clustered at once: Xᵀ ≈ F S Wᵀ, rows of F and of W summing to 1 (ding2008 eq. 7).

    Parameters
    ----------
    solver : {"exact", "mu"}, default="exact"
        Solve each row's least-squares problem on the simplex, or take the printed steps (eqs 8 to 10),
        safeguarded.
    init : str or None, default=None
        None: k-means indicators of documents and of words + 0.2 (§5). With ``custom``, H holds weights
        of words.
    n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Attributes
    ----------
    word_posteriors_ : array of shape (n_features, k)
        F: each word's probabilities of belonging to the word topics.
    word_labels_ : array of shape (n_features,)
        The largest of them.
    middle_ : array of shape (k, k)
        S, from word topics (rows) to document topics (columns). ``components_`` is SᵀFᵀ.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import SPPC
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 1], [0, 0, 2, 3], [1, 0, 3, 2]])
    >>> model = SPPC(2, random_state=0).fit(X)
    >>> model.word_labels_[0] == model.word_labels_[1] != model.word_labels_[2] == model.word_labels_[3]
    np.True_
    """

    _learnt: ClassVar = {"word_posteriors_": (), "middle_": (1,)}

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Both(exact=self.solver == "exact")

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        if self.init is not None:
            return super()._start(X, k, rng, max_time)
        W = super()._start(X, k, rng, max_time)[0]
        words = sp.csr_array(X.T) if sp.issparse(X) else np.ascontiguousarray(X.T)
        return W, super()._start(words, k, rng, max_time)[0].T

    def _keep(self, X: Any, fit: Factorization) -> Any:
        self.word_posteriors_ = fit.parts["words"]
        self.word_labels_ = self.word_posteriors_.argmax(axis=1)
        self.middle_ = fit.parts["middle"]
        return super()._keep(X, fit)
