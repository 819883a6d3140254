"""NMF as a scikit-learn estimator."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from quire.estimator import TopicEstimator
from quire.rules.hals import Hals, Penalty
from quire.rules.rule import Rule
from quire.trace import Step


class NMF(TopicEstimator):
    """Non-negative matrix factorization X ≈ W H, for documents × terms.

    Minimises ½‖X − WH‖² + n_features·alpha_W·(l1_ratio·ΣW + ½(1 − l1_ratio)·‖W‖²)
    + n_samples·alpha_H·(l1_ratio·ΣH + ½(1 − l1_ratio)·‖H‖²) over W, H ≥ 0, as scikit-learn's NMF does.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Topics. ``"auto"``: as many as a custom W or H has, else 10 (fewer for a smaller matrix).
    init : str or None, default=None
        ``random``, ``uniform``, ``nndsvd``, ``nndsvda``, ``nndsvdar``, ``kmeans`` (see :mod:`quire.start`) or
        ``custom`` (W and H are given to ``fit_transform``). None: ``nndsvda`` where k ≤ min(n, d) and
        ``n_init=1``, else ``random``.
    solver : {"hals"}, default="hals"
        The update rule (see :mod:`quire.rules`).
    tol : float, default=1e-4
        Stop when the KKT residual fell to this share of the first iteration's, or when the objective
        hardly falls any more. 0 goes on until rounding stops the descent.
    max_iter : int, default=200
        Most iterations of one start.
    random_state : int, RandomState or None
        The same number gives bit-identical factors, whatever the number of threads.
    alpha_W : float, default=0.0
        Weight of the penalty on W.
    alpha_H : float or "same", default="same"
        Weight of the penalty on H.
    l1_ratio : float, default=0.0
        Share of L1 in the penalty.
    verbose : int, default=0
        1: a line a start; 2: a line an iteration.
    n_init : int, default=1
        Starts; the one that ends with the lowest objective is kept.
    n_jobs : int or None, default=None
        Threads. None: all that the machine, the container and ``OMP_NUM_THREADS`` allow.
    accelerate : bool, default=True
        Extrapolate between iterations (the objective still never rises).
    coarse : bool or "auto", default="auto"
        Begin on a sample of the documents. ``"auto"``: from 100,000 documents on.
    max_time : float or None, default=None
        Stop after this many seconds.
    callback : callable or None, default=None
        Called after each iteration with a :class:`quire.Step` (iteration, objective, residual, seconds);
        a true answer stops.

    Attributes
    ----------
    components_ : array of shape (k, n_features)
        H.
    labels_ : array of shape (n_samples,)
        The topic of each document: the largest weight once every topic has unit length (xu2003 §3.2);
        −1 for a document without any weight, such as an empty one.
    memberships_ : array of shape (n_samples, k)
        The same weights as shares: rows sum to 1, and are even for a document without any weight.
    reconstruction_err_ : float
        ‖X − WH‖.
    objective_ : float
        What was minimised, at the factors returned.
    n_components_ : int
        k.
    n_iter_ : int
        Iterations of the start that was kept.
    trace_ : structured array
        A row an iteration: ``iteration``, ``objective``, ``residual``, ``seconds``.
    stopped_ : str
        Why it stopped: ``"tol"``, ``"max_iter"``, ``"max_time"`` or ``"callback"``.

    Examples
    --------
    >>> import numpy as np
    >>> from quire import NMF
    >>> X = np.array([[2, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> model = NMF(n_components=2, random_state=0).fit(X)
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    >>> round(float(model.reconstruction_err_), 3)
    0.0
    """

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        init: str | None = None,
        solver: str = "hals",
        tol: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
        alpha_W: float = 0.0,
        alpha_H: float | str = "same",
        l1_ratio: float = 0.0,
        verbose: int = 0,
        n_init: int = 1,
        n_jobs: int | None = None,
        accelerate: bool = True,
        coarse: bool | str = "auto",
        max_time: float | None = None,
        callback: Callable[[Step], Any] | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.accelerate = accelerate
        self.coarse = coarse
        self.max_time = max_time
        self.callback = callback

    def _rule(self, shape: tuple[int, int]) -> Rule:
        n_samples, n_features = shape
        alpha_H = self.alpha_W if self.alpha_H == "same" else float(self.alpha_H)
        weight_W, weight_H = n_features * self.alpha_W, n_samples * alpha_H
        l1, l2 = self.l1_ratio, 1 - self.l1_ratio
        return Hals(Penalty(weight_W * l1, weight_W * l2), Penalty(weight_H * l1, weight_H * l2))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.solver != "hals":
            raise ValueError(f"solver={self.solver!r} is not known: use solver='hals'.")
        given: dict[str, Any] = {"alpha_W": self.alpha_W, "alpha_H": self.alpha_H}
        for name, value in given.items():
            number = isinstance(value, numbers.Real) and 0 <= float(value) < float("inf")
            if not number and not (name == "alpha_H" and value == "same"):
                raise ValueError(f"{name}={value!r} must be a number of at least 0 (alpha_H also 'same').")
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio={self.l1_ratio!r} must lie between 0 (L2 only) and 1 (L1 only).")
