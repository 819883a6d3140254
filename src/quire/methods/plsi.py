"""Probabilistic latent semantic indexing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from quire.engine.loop import Factorization
from quire.engine.rules.beta import Em
from quire.engine.rules.rule import Rule, Start
from quire.engine.start import first_factors
from quire.methods.estimator import TopicEstimator


@dataclass(kw_only=True, eq=False, repr=False)
class PLSI(TopicEstimator):
    """P(d, w) = Σ_z P(z) P(d|z) P(w|z), by EM (Hofmann 1999; ding2008 §5.1).

    The likelihood's maximum is the minimum of the Kullback–Leibler divergence of X and WH, where
    W = ΣX · P(z) P(d|z) and H = P(w|z).

    Parameters
    ----------
    init : str or None, default=None
        None: random.
    n_components, tol, max_iter, n_init, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Attributes
    ----------
    p_z_ : array of shape (k,)
        P(z).
    p_w_z_ : array of shape (k, n_features)
        P(w|z), which is ``components_``.
    p_z_d_ : array of shape (n_samples, k)
        P(z|d), which is ``memberships_``.
    others
        As of every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    Examples
    --------
    >>> import numpy as np
    >>> from quire import PLSI
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = PLSI(2, random_state=0).fit(X)
    >>> sorted(model.p_z_.round(3).tolist())
    [0.429, 0.571]
    """

    max_iter: int = 500

    _unit_topics = False
    _learnt: ClassVar = {"p_z_": (0,)}
    _topic_sizes = "p_z_"

    @property
    def p_w_z_(self) -> NDArray[Any]:
        """P(w|z)."""
        return self.components_

    @property
    def p_z_d_(self) -> NDArray[Any]:
        """P(z|d)."""
        return self.memberships_

    def _rule(self, shape: tuple[int, int]) -> Rule:
        return Em()

    def _start(self, X: Any, k: int, rng: np.random.RandomState, max_time: float | None) -> Start:
        return first_factors(X, k, self.init or "uniform", rng, self.n_jobs, self._where)

    def _keep(self, X: Any, fit: Factorization) -> Any:
        sizes = fit.W.sum(axis=0, dtype=np.float64)
        self.p_z_ = sizes / sizes.sum()
        return super()._keep(X, fit)
