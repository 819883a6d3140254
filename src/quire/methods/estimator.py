"""What all estimators share: scikit-learn's methods around one factorization."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from quire.backends.backend import as_matrix
from quire.backends.check import (
    all_zero,
    as_numbers,
    check_given,
    check_input,
    check_learnt,
    check_not_all_zero,
    silent_rows,
)
from quire.engine.elbow import elbow_topics
from quire.engine.loop import Factorization, solve_documents
from quire.engine.start import drawn_rows, sampled_rows
from quire.engine.trace import trace_array
from quire.methods.assignment import assign_by, topic_lengths
from quire.methods.finite import finite_fit, finite_weights, left_as_it_was
from quire.methods.fitting import Fitting
from quire.places.machine import threads_kept
from quire.places.parts import Blocks, brought


@dataclass(eq=False, repr=False)
class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Fitting):  # type: ignore[misc]
    """Base of the estimators: a subclass adds its parameters and names its rule (``_rule``).

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Topics. ``"auto"``: as many as a custom W or H has, else 10 (fewer for a smaller matrix).
    init : str or None
        A start of ``engine.start``, ``custom`` (``fit`` is given W and H), or None: the method's own.
    tol : float, default=1e-4
        Stop when the KKT residual fell to this share of the first iteration's, or when the objective
        hardly falls any more. 0 goes on until rounding stops the descent.
    max_iter : int, default=200
        Most iterations of one start.
    n_init : int
        Starts; the one that ends with the lowest objective is kept.
    random_state : int, RandomState or None
        The same number gives bit-identical factors, whatever the number of threads.
    n_jobs : int or None, default=None
        Threads. None: all that the machine, the container and ``OMP_NUM_THREADS`` allow.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where X lies: ``"cuda"`` is an NVIDIA GPU (``pip install 'quire-topics[gpu]'``), ``"auto"`` one where
        it can be used and X fits into its memory.
    max_time : float or None, default=None
        Stop after this many seconds.
    verbose : int, default=0
        1: a line a start; 2: a line an iteration.
    callback : callable or None, default=None
        Called after each iteration with a :class:`quire.Step` (iteration, objective, residual, seconds);
        a true answer stops.

    Attributes
    ----------
    components_ : array of shape (k, n_features)
        H.
    labels_ : array of shape (n_samples,)
        The topic of each document; −1 for a document without any weight, such as an empty one.
    memberships_ : array of shape (n_samples, k)
        The weights as shares: rows sum to 1, and are even for a document without any weight.
    reconstruction_err_ : float
        ‖X − WH‖; for another divergence D, √(2 D).
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

    """

    _unit_topics: ClassVar[bool] = True
    """Whether topics are brought to unit length before weights are compared."""
    weighs_evidence: ClassVar[bool] = False
    """Whether it is a mixture, H being p(term | topic): then x · log(h_t / h_s) speaks for t against s."""
    takes_embeddings: ClassVar[bool] = False
    """Whether ``fit`` may be given vectors that another model made of the documents."""
    takes_seeds: ClassVar[bool] = False
    """Whether topics may have seeds (:class:`quire.methods.guide.Guide`)."""
    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {}
    """What ``transform`` needs beside H: the attribute, and which of its axes go by topic."""
    _topic_sizes: ClassVar[str | None] = None
    """Which of that is p(topic), where rows of H are p(term | topic)."""

    def fit(self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None) -> Self:
        """Learn the topics of X.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            Non-negative. Of :class:`quire.places.parts.Blocks` the weights come and stay in blocks too.
        y : ignored
            For scikit-learn.
        W, H : arrays, optional
            The start, with ``init="custom"``.
        """
        self.fit_transform(X, y, W, H)
        return self

    def fit_transform(self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None) -> Any:
        """Learn the topics of X and return W, the documents' weights on them.

        Parameters
        ----------
        X, y, W, H
            As for :meth:`fit`.
        """
        with left_as_it_was(self), threads_kept():
            self._check_parameters()
            X = self._seen(self._check_data(X, reset=True))
            if self._takes_zeros and not isinstance(X, Blocks) and all_zero(X):
                return self._keep(X, self._of_nothing(X))
            check_not_all_zero(X, type(self).__name__)
            with finite_fit(self, X):
                return self._keep(X, self._factorize(X, W, H))

    def fit_predict(self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None) -> Any:
        """Learn the topics of X and return the topic of each document, ``labels_``.

        Parameters
        ----------
        X, y, W, H
            As for :meth:`fit`.
        """
        return self.fit(X, y, W, H).labels_

    def fit_seeds(self, X: Any, seeds: Sequence[int]) -> list[Self]:
        """Return copies of this estimator, fitted with these seeds: on a GPU all of them at once.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        seeds : sequence of int
            A ``random_state`` for each.
        """
        models = [clone(self).set_params(random_state=seed) for seed in seeds]
        X = self._check_data(X, reset=True)
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            starts = [start for model in models for start in model._starts(X, None, None)]
            plain = len(starts) == len(models) and not self._skips_silent and self._seen(X) is X
            if not (plain and self._go_together(matrix, starts)):
                return [model.fit(X) for model in models]
            for model in models:
                model._check_parameters()
                model._prepare(X)
                model.n_features_in_ = X.shape[1]
            fits = models[0]._many(matrix, [start(None) for start in starts])
            for model, one in zip(models, fits, strict=True):
                with finite_fit(model, X):
                    model._keep(X, model._finish(matrix, one))
        return models

    def transform(self, X: Any) -> Any:
        """Return the documents' best weights on the topics learnt.

        A document gets the same weights alone, in any batch, and in ``fit_transform``: bit for bit for sparse
        X, to rounding for dense X. For least squares they are the best ones to about 1e-4 of the document's largest
        weight in float32, 1e-7 in float64, and less exact the more alike topics are.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        """
        self._check_fitted()
        X = self._seen(self._check_data(X, reset=False))
        H = self.components_.astype(X.dtype, copy=False)
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            return finite_weights(solve_documents(matrix, H, self._rule(X.shape)).W, X, self)

    def likely_topics(self, X: Any, lowest: int = 2, highest: int | None = None) -> int:
        """Return how many topics X seems to have, by its singular values alone.

        Parameters
        ----------
        X : sparse matrix of shape (n_samples, n_features)
            What ``fit`` is given.
        lowest, highest : int
            The range to choose from.
        """
        X = check_given(X, type(self).__name__)
        rows = np.arange(X.shape[0])
        if self._is_coarse(X):
            rows = drawn_rows(X, sampled_rows(X), np.random.RandomState(0))  # the same for every seed
        return elbow_topics(brought(X, rows), lowest, highest, self.n_jobs)

    @property
    def finest_cut(self) -> int:
        """The most topics that :meth:`at` can give from the same fit; 0 where the method has no other cuts."""
        return 0

    def at(self, k: int, X: Any) -> Self:
        """Return a copy with another number of topics, without another fit, where the method can.

        Parameters
        ----------
        k : int
            Topics, up to :attr:`finest_cut`.
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            What was fitted.
        """
        raise ValueError(f"{type(self).__name__} has no other cuts: fit it with n_components={k}.")

    def growth(self, before: Blocks, came: Blocks, remembered: float) -> Callable[..., TopicEstimator]:
        """Return a function that lets the topics grow by documents that came, where the method can.

        It takes groups of documents that came, arrays of their rows, and makes a new topic of each, behind those there;
        and ``rounds``, how often to go through what came. It returns a copy of this estimator, able to transform.

        Parameters
        ----------
        before : Blocks
            The documents that were learnt from, in a vocabulary to which terms may have been added.
        came : Blocks
            Other documents, in the same one.
        remembered : float
            What a document from before counts for beside one that came.
        """
        raise ValueError(
            f"{type(self).__name__} learns all topics at once and cannot be updated: make a run of all documents, or "
            "take the recipe default or nmf."
        )

    def rescaled(self, by: NDArray[Any]) -> Self:
        """Return a copy for an X whose columns are multiplied by something.

        Parameters
        ----------
        by : array
            What each is multiplied by.
        """
        other = copy(self)
        other.components_ = (self.components_ * by).astype(self.components_.dtype)
        return other

    def settle(self, X: Any) -> Any:
        """Return the weights of the documents for the topics there are, and note how well these explain them.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            Non-negative.
        """
        X = self._seen(self._check_data(X, reset=False))
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            solved = solve_documents(matrix, self.components_.astype(X.dtype), self._rule(X.shape))
        self.objective_, self.reconstruction_err_ = solved.objective, solved.error
        return finite_weights(solved.W, X, self)

    def assign(
        self, W: Any, *, unit_topics: bool | None = None, silent: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.intp], Any]:
        """Return each document's topic (−1 for none) and its shares in all topics (rows sum to 1).

        Parameters
        ----------
        W : array of shape (n_samples, k), or KeptRows
            The documents' weights.
        unit_topics : bool, optional
            Whether to bring topics to unit length first; the method's own way where not given.
        silent : array of bool, optional
            Documents that say nothing: no topic is theirs, whatever W holds for them.
        """
        return self.assign_by(self.topic_lengths(unit_topics=unit_topics), W, silent)

    def topic_lengths(self, *, unit_topics: bool | None = None) -> NDArray[np.float64]:
        """Return the lengths that :meth:`assign` divides topics by: a pass over H, which is needed but once.

        Parameters
        ----------
        unit_topics : bool, optional
            As for :meth:`assign`.
        """
        unit = self._unit_topics if unit_topics is None else unit_topics
        return topic_lengths(self.components_, unit)

    def assign_by(
        self, lengths: NDArray[np.float64], W: Any, silent: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.intp], Any]:
        """Return what :meth:`assign` does, from the lengths of the topics.

        Parameters
        ----------
        lengths : array
            What :meth:`topic_lengths` returned.
        W, silent
            As for :meth:`assign`.
        """
        return assign_by(lengths, W, silent)

    def compared_topics(self, *, unit_topics: bool | None = None) -> NDArray[np.float64]:
        """Return H as :meth:`assign` compares topics: of unit length where it brings them to that.

        Parameters
        ----------
        unit_topics : bool, optional
            As for :meth:`assign`.
        """
        H = np.asarray(self.components_, np.float64)
        if not (self._unit_topics if unit_topics is None else unit_topics):
            return H
        lengths = np.linalg.norm(H, axis=1, keepdims=True)
        return np.asarray(np.divide(H, lengths, out=np.zeros_like(H), where=lengths > 0))

    def reorder(self, order: NDArray[np.intp]) -> None:
        """Put the topics into another order.

        Parameters
        ----------
        order : array of int
            The old number of each topic, in the new order.
        """
        for name, axes in {"components_": (0,), **self._learnt}.items():
            for axis in axes:
                setattr(self, name, np.ascontiguousarray(np.take(getattr(self, name), order, axis)))
        if hasattr(self, "seeded_"):  # by which seed each topic was guided
            self.seeded_ = np.asarray(getattr(self, "seeded_"))[order]  # noqa: B009
        if hasattr(self, "labels_"):
            labels = np.asarray(getattr(self, "labels_"))  # noqa: B009
            self.labels_ = np.where(labels < 0, -1, np.argsort(order)[labels])
            shares = np.asarray(getattr(self, "memberships_"))  # noqa: B009
            self.memberships_ = np.ascontiguousarray(shares[:, order])

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what :meth:`restore` needs."""
        return {name: np.asarray(getattr(self, name)) for name in ("components_", *self._learnt)}

    def restore(self, state: dict[str, NDArray[Any]]) -> Self:
        """Become able to transform, as the model was whose :meth:`state` this is.

        Parameters
        ----------
        state : dict of arrays
            From :meth:`state`.
        """
        for name in ("components_", *self._learnt):
            setattr(self, name, state[name])
        self.n_components_, self.n_features_in_ = check_learnt(self.components_, "components_", (None, None))
        self._check_fitted()
        return self

    @property
    def topic_sizes(self) -> NDArray[np.float64] | None:
        """p(topic), where topics are distributions over terms; else None."""
        return None if self._topic_sizes is None else np.asarray(getattr(self, self._topic_sizes), np.float64)

    def with_topics(self, H: NDArray[Any], sizes: NDArray[np.float64] | None = None) -> Self:
        """Return a copy that knows other topics, as :meth:`fit` would have left them.

        Parameters
        ----------
        H : array of shape (k, n_features)
            The topics.
        sizes : array of shape (k,), optional
            What :attr:`topic_sizes` is then, where there is such.
        """
        others = [name for name, axes in self._learnt.items() if axes and name != self._topic_sizes]
        if others:
            raise ValueError(
                f"Topics of {type(self).__name__} cannot be changed one by one, only named: take another recipe."
            )
        other: Self = clone(self).set_params(n_components=len(H))
        state = {name: np.asarray(getattr(self, name)) for name in self._learnt}
        if self._topic_sizes is not None:
            state[self._topic_sizes] = np.asarray(sizes, state[self._topic_sizes].dtype)
        return other.restore({**state, "components_": np.ascontiguousarray(H, self.components_.dtype)})

    @property
    def worth(self) -> NDArray[np.float64]:
        """What a 1 in X counts as, for each term, where the method weighs evidence."""
        return np.ones(self.n_features_in_)

    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]:
        """Return W H.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, k), or (k,)
            The documents' weights W, or those of one document.
        """
        self._check_fitted()
        alone = np.ndim(X) == 1
        W = as_numbers([X] if alone else X, f"{type(self).__name__}.inverse_transform", len(self.components_))
        taken_back = np.asarray(W @ self.components_)
        return taken_back[0] if alone else taken_back

    def _check_fitted(self) -> None:
        """Refuse a model that is not fitted, or whose arrays do not fit each other: kernels would follow them."""
        check_is_fitted(self)
        k = check_learnt(self.components_, "components_", (None, self.n_features_in_))[0]
        for name, axes in self._learnt.items():
            sizes = check_learnt(getattr(self, name), name)
            if any(sizes[axis : axis + 1] != (k,) for axis in axes):
                raise ValueError(f"{name} has the shape {sizes}, and there are {k} topics: fit the model anew.")

    def _check_data(self, X: Any, *, reset: bool) -> Any:
        return check_input(X, self, reset=reset)

    @property
    def takes_parts(self) -> bool:
        """Whether X may come in row blocks."""
        return self._in_blocks

    def check_blocks(self) -> None:
        """Refuse X in blocks where the method needs it in memory."""
        if not self.takes_parts:
            name = type(self).__name__
            raise ValueError(f"{name} needs X in memory: allow more with --memory, or take another recipe.")

    def _keep(self, X: Any, fit: Factorization) -> Any:
        """Set the fitted attributes; return W."""
        if fit.stopped == "max_iter" and self.tol > 0:
            warnings.warn(
                f"Maximum number of iterations {self.max_iter} reached. Increase it to improve convergence: raise "
                f"max_iter, or tol={self.tol} where the topics are settled.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.components_ = fit.H
        self.n_components_ = len(fit.H)
        self.reconstruction_err_ = fit.error
        self.objective_ = fit.objective
        self.n_iter_ = len(fit.trace)
        self.trace_ = trace_array(fit.trace)
        self.stopped_ = fit.stopped
        self.labels_, self.memberships_ = self.assign(fit.W, silent=silent_rows(X))
        return fit.W

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
