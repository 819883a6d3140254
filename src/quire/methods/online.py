"""Learning from a stream: NMF a batch at a time, from two sums that forget (Mairal et al. 2010)."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from quire.backends.backend import as_matrix
from quire.backends.check import check_in_memory, check_not_all_zero, silent_rows
from quire.engine.loop import Factorization, solve_documents
from quire.engine.start import seeds
from quire.methods.estimator import TopicEstimator
from quire.methods.finite import finite_fit, left_as_it_was
from quire.methods.quotients import quotients

_SWEEPS, _PATIENCE = 6, 0.1  # over H for each batch, as :class:`quire.engine.rules.hals.Hals` has them
_FORGOTTEN = 0.01  # of what a topic explains on average
_UNHEARD = 1e-3  # of a topic's mean, for a term that no topic has
_SLIGHT = 1e-4  # of a document, that nobody need explain
_OF_A_FIT = (
    "labels_", "memberships_", "reconstruction_err_", "objective_", "n_iter_", "trace_", "stopped_",
)  # fmt: skip


class Memory(NamedTuple):
    """What is left of the documents seen: enough to say which H is best for their weights."""

    grams: NDArray[np.float64]
    """A, Σ WᵀW."""
    crossed: NDArray[np.float64]
    """B, Σ WᵀX."""
    documents: float
    """As how many they still count; all with a term."""

    def faded(self, by: float) -> Memory:
        """Return what is left of it."""
        return Memory(self.grams * by, self.crossed * by, self.documents * by)

    def joined(self, new: Memory) -> Memory:
        """Return both together."""
        documents = self.documents + new.documents
        return Memory(self.grams + new.grams, self.crossed + new.crossed, documents)

    def energy(self, H: NDArray[Any]) -> NDArray[np.float64]:
        """Return ‖W_t H_t‖², how much each topic explains."""
        return np.asarray(np.diag(self.grams) * np.square(H, dtype=np.float64).sum(axis=1))

    def without(self, topics: NDArray[np.intp]) -> Memory:
        """Return it with some topics forgotten."""
        grams, crossed = self.grams.copy(), self.crossed.copy()
        grams[topics], grams[:, topics], crossed[topics] = 0, 0, 0
        return Memory(grams, crossed, self.documents)


@dataclass(kw_only=True, eq=False, repr=False)
class Online(TopicEstimator):
    """Base of an estimator that can learn from a stream too: ``partial_fit`` for each batch.

    Of all documents seen, A = Σ WᵀW and B = Σ WᵀX are kept, k × k and k × n_features. A batch is solved
    exactly for the H there is, A ← ρA + WᵀW and B ← ρB + WᵀX, and H is improved by coordinate descent on
    ½ tr(HᵀAH) − ⟨B, H⟩ and the penalty: what least squares with the weights as they were found come to. For other
    losses two other sums are kept (:mod:`quire.methods.quotients`).

    Parameters
    ----------
    forget_factor : float, default=0.7
        What a batch still counts for after another one of average size, from 0 to 1: ρ = forget_factor ^
        (documents of the batch / documents of a batch on average), empty documents not counted. 1 forgets
        nothing: for passes over documents that do not change. Below 1 H follows a drift; it then knows the
        last 1 / (1 − forget_factor) batches or so, which should be enough documents to learn from.
    others
        As for every estimator (:class:`quire.methods.estimator.TopicEstimator`).

    """

    forget_factor: float = 0.7

    _pass_size: int = field(default=0, init=False)
    """Documents of a pass, where batches are of one X; 0 for a stream."""

    @property
    def _beta(self) -> float:
        """Which divergence is minimised; 2 is least squares."""
        return 2.0

    def partial_fit(self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None) -> Self:
        """Learn from one more batch of documents.

        The first batch is factorized as ``fit`` does it, so it should hold documents of all kinds; after a
        ``fit`` what that learnt is carried on. Sets ``components_``, ``n_components_``, ``n_steps_``
        (batches) and ``n_samples_seen_``, not what describes all documents of a fit, such as ``labels_``:
        ``transform`` has the weights. A batch of no documents changes nothing.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features)
            Non-negative.
        y : ignored
            For scikit-learn.
        W, H : arrays, optional
            The start of the first batch, with ``init="custom"``.
        """
        check_in_memory(X, "partial_fit takes a batch in memory: give it one block after the other.")
        if np.shape(X)[:1] == (0,):
            self._check_columns(X)
            return self
        with left_as_it_was(self):
            self._check_parameters()
            begun = hasattr(self, "components_")
            if begun:
                self._check_fitted()
            X = self._seen(self._check_data(X, reset=not begun))
            if not begun:
                check_not_all_zero(X, type(self).__name__)
            with finite_fit(self, X):
                if not begun:
                    self.components_ = TopicEstimator._factorize(self, X, W, H).H
                    self.n_components_ = len(self.components_)
                self._learn(X)
        return self

    def _check_columns(self, X: Any) -> None:
        """Refuse a batch of no documents of other terms than those before."""
        known = getattr(self, "n_features_in_", None)
        if known is not None and np.shape(X)[1:] not in ((), (known,)):
            raise ValueError(
                f"X has {np.shape(X)[1]} features, but {type(self).__name__} is expecting {known} features."
            )

    def _learn(self, X: Any) -> float:
        """Improve H by a batch; return what the batch cost before, no number where it says nothing."""
        H, silent = self.components_.astype(X.dtype), silent_rows(X)
        self.n_steps_ = getattr(self, "n_steps_", 0) + 1
        self.n_samples_seen_ = getattr(self, "n_samples_seen_", 0) + X.shape[0]
        cost = np.nan
        if not silent.all():
            learn = self._after_squares if self._beta == 2 else self._after_quotients
            H, cost = learn(X, H, silent)
        self.components_ = H
        for name in _OF_A_FIT:
            self.__dict__.pop(name, None)
        return cost

    def _after_squares(self, X: Any, H: NDArray[Any], silent: NDArray[np.bool_]) -> tuple[NDArray[Any], float]:
        """Return a better H, and half of the batch's squared error."""
        n = int((~silent).sum())
        W, batch, missing = self._weighed(X, H, n)
        old = self._faded_memory(batch, H, n)
        energy = old.joined(batch).energy(H)
        strange = np.flatnonzero(~silent & ~W.any(axis=1))
        if len(strange):
            taken, new = self._room_for(X[strange], energy)
        else:
            taken, new = self._room_for_worst(X, W, H, energy, missing)
        if len(taken):
            H[taken], old = new, old.without(taken)
            batch = self._weighed(X, H, n)[1]
        self._memory = old.joined(batch)
        return self._improved(H), 0.5 * float(missing.sum())

    def _after_quotients(self, X: Any, H: NDArray[Any], silent: NDArray[np.bool_]) -> tuple[NDArray[Any], float]:
        """Return a better H for another loss, and the batch's divergence."""
        unheard = ~H.any(axis=0)  # multiplying would leave a term at 0
        H[:, unheard] = _UNHEARD * H.mean(axis=1, keepdims=True)
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            solved = solve_documents(matrix, H, self._rule(X.shape))
        n = int((~silent).sum())
        batch = quotients(X, np.asarray(solved.W), H, self._beta, n)
        memory: Any = getattr(self, "_memory", None) or batch.of_before(H, self._beta, max(self._seen_before(), 1.0))
        memory = memory.faded(self._forgetting(n)).joined(batch)
        rule: Any = self._rule((round(memory.documents), H.shape[1]))
        self._memory = memory
        return memory.topics(H, self._beta, rule.H), 0.5 * solved.error**2

    def _weighed(self, X: Any, H: NDArray[Any], n: int) -> tuple[NDArray[Any], Memory, NDArray[np.float64]]:
        """Return the best weights of a batch, what is to be remembered of it, and ‖x − wH‖² of each row."""
        k, rule = len(H), self._rule(X.shape)
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            W = np.asarray(solve_documents(matrix, H, rule).W)
            held, unit = matrix.factor(W), matrix.scale
            grams = matrix.gram(held)[:k, :k] * unit**2
            crossed = matrix.array(matrix.product("H", held), k).T.astype(np.float64) * unit**2
            missing = matrix.squared_rows() * unit**4
        missing -= np.einsum("it,it->i", W @ (H @ H.T), W, dtype=np.float64)  # w · xHᵀ is w HHᵀ w at the best
        return W, Memory(grams, crossed, n), missing

    def _faded_memory(self, batch: Memory, H: NDArray[Any], n: int) -> Memory:
        """Return what is left of earlier documents after a batch of n; those of a fit were like its own."""
        if not hasattr(self, "_memory"):
            many = self._seen_before()
            self._memory = Memory(batch.grams * (many / n), batch.grams @ H * (many / n), many)
        return self._memory.faded(self._forgetting(n))

    def _seen_before(self) -> float:
        """Return how many documents a fit learnt from before any batch."""
        return float((np.asarray(getattr(self, "labels_", [])) >= 0).sum())

    def _forgetting(self, n: int) -> float:
        """Return what is left of what is remembered, after a batch of n."""
        so_far, batches = getattr(self, "_sizes", (0, 0))
        self._sizes = [so_far + n, batches + 1]
        return float(self.forget_factor ** (n / (self._pass_size or self._sizes[0] / self._sizes[1])))

    def _room_for(self, strange: Any, energy: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Let documents that no topic explains take the place of topics that explain less than they hold."""
        values, order = strange.data if sp.issparse(strange) else strange, np.argsort(energy, kind="stable")
        worth = float(np.square(values, dtype=np.float64).sum()) / np.arange(1, len(energy) + 1)
        taken = order[: min(int((energy[order] < worth).sum()), strange.shape[0])]
        if not len(taken):
            return taken, np.zeros(0)
        return taken, seeds(strange, len(taken), "k-means++", check_random_state(self.random_state))

    def _room_for_worst(
        self, X: Any, W: NDArray[Any], H: NDArray[Any], energy: NDArray[Any], missing: NDArray[Any]
    ) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Let what is least explained take the place of a topic that is nearly forgotten, if there is one."""
        least, worst = int(energy.argmin()), int(missing.argmax())
        row = X[[worst]].toarray() if sp.issparse(X) else X[[worst]]
        explained = missing[worst] <= _SLIGHT * np.square(row, dtype=np.float64).sum()
        idle = np.array([] if explained or energy[least] > _FORGOTTEN * energy.mean() else [least], np.intp)
        return idle, np.maximum(row - W[[worst]] @ H, 0)

    def _improved(self, H: NDArray[Any]) -> NDArray[Any]:
        """Return a better H for what is remembered: coordinate descent, of which B is the product."""
        memory, k = self._memory, len(H)
        rule: Any = self._rule((round(memory.documents), H.shape[1]))
        with as_matrix(memory.crossed.astype(H.dtype), self.n_jobs) as B:
            weight, factor, one = rule.H.scaled(B.scale), B.factor(H.T), B.factor(np.eye(k))
            G = weight.added_to(memory.grams / B.scale**2)
            B.descend("H", factor, one, G, weight.l1, _SWEEPS, _PATIENCE)
            return np.ascontiguousarray(B.array(factor, k).T)

    def _keep(self, X: Any, fit: Factorization) -> Any:
        self._begin_anew()
        return super()._keep(X, fit)

    def _begin_anew(self) -> None:
        """Forget what was seen before."""
        for name in ("n_steps_", "n_samples_seen_", "_memory", "_sizes", *_OF_A_FIT):
            self.__dict__.pop(name, None)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        factor: Any = self.forget_factor
        if not isinstance(factor, numbers.Real) or not 0 <= float(factor) <= 1:
            raise ValueError(f"forget_factor={factor!r} must be a number from 0 to 1.")
