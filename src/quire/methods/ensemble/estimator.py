"""The default: several runs among singular vectors, their consensus, and a mixture that makes it exact."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from quire.backends.backend import as_matrix
from quire.backends.check import check_given, silent_rows
from quire.corpus.vectors import checked_vectors
from quire.engine.loop import Factorization
from quire.engine.start import drawn_rows, is_large
from quire.methods.assignment import assign
from quire.methods.ensemble.consensus import Consensus, EnsembleFit, Made, Runs, Watch
from quire.methods.ensemble.cuts import Cut, Halves, Passages
from quire.methods.ensemble.embedding import beside_vectors, document_places, likely_topics
from quire.methods.ensemble.expectation import expectation_maximization
from quire.methods.ensemble.growth import MixtureGrowth, widened
from quire.methods.ensemble.membership import divergence_from, mixture_of_clusters, weights_on_topics
from quire.methods.ensemble.mixture import Mixture, Reading
from quire.methods.ensemble.starts import Start, Starts
from quire.methods.ensemble.weights import term_weights, weights_and_places
from quire.methods.estimator import TopicEstimator
from quire.methods.finite import finite_weights
from quire.places.memory import in_blocks
from quire.places.parts import Blocks, KeptRows, as_rows, beside, brought

_POWER = 0.75  # of the temper
_LEAST = 2.0  # words that a document counts as, however short: of one alone EM would believe less and less
_SAMPLE, _OF_TOPIC, _MOST = 30_000, 400, 60_000  # its documents, more for many topics, but not more than that
_VALUES = 1 << 24  # and what they may hold
_LOOKED_AT, _LOOKED_AT_VALUES = 3_000, 1 << 19  # the same where only the number of topics is asked for
_LED = 8  # steps of EM of a run that vectors or seeds lead: it sees words alone, and more would forget them
_GROWN = 30  # steps of EM with documents that came
_STEPS_THERE, _STARTS_THERE, _DIMENSIONS_THERE = 5, 3, 50  # of EM, of k-means, of places: enough to compare halves


@dataclass(kw_only=True, eq=False, repr=False)
class Ensemble(TopicEstimator):
    """Topics on which many runs agree, with memberships that are probabilities.

    1. Documents become points: singular vectors of X, weighted by the regularised normalized Laplacian, with
       noise taken out (:func:`quire.methods.ensemble.embedding.document_places`).
    2. Terms get weights: the more a term tells of the place of the documents that hold it, the more it counts
       (:func:`quire.methods.ensemble.weights.term_weights`). No term is left out. Places and weights follow
       from each other twice.
    3. ``n_init`` runs: k-means from another start each, or every other time a short NMF, then ``max_iter`` steps
       of EM of a mixture of multinomials whose likelihood is tempered by the documents' lengths
       (``ensemble.expectation``).
    4. Their consensus: documents with like memberships in all runs are gathered into ``groups`` × k groups,
       which are merged until k are left (``merge_nearest``), whatever their sizes, but
       that a handful of documents is no topic. :meth:`at` merges them to another number.
    5. ``last_iter`` steps of the same EM from there: few, since what the runs agree on is better than where EM
       goes from it. The posteriors, made as sure as the runs agree, are the memberships.

    X should hold log counts (``Weight("log-counts")``). The temper and the smoothing are numbers of words: so
    that other weights do too, the unit of X is taken from its small entries, which are words that occur once.
    W is a document's length, in weighted words, × its memberships, H is p(term | topic).

    Parameters
    ----------
    n_init : int, default=15
        Runs.
    max_iter : int, default=20
        Steps of EM of each; with embeddings or seeds 8 at most.
    last_iter : int, default=4
        Steps of EM of their consensus, and of all documents after a sample: enough to empty a topic that only
        gathers what no run was sure of.
    words : float, default=2.5
        Documents of up to so many (log) words are believed word by word; of a longer one the likelihood is
        multiplied by (words / length)^¾, its temper.
    prior : float, default=0.5
        The log of the topics' sizes is multiplied by the temper to this power: 0 lets large topics have what is
        unsure, 1 hardly knows sizes.
    smoothing : float, default=0.1
        How often every term is in every topic to begin with.
    weigh : bool, default=True
        Whether terms get weights; else all count alike.
    tau : float, default=0.3
        τ of the weighting.
    dimensions : int, default=100
        Singular vectors to look at; 2k where that is more.
    groups : int, default=5
        Groups for each topic, before they are merged; 1 is consensus by k-means, which prefers topics of
        equal sizes.
    sketch : int, default=128
        Dimensions in which runs are compared; 0 compares all memberships as they are.
    nmf_every : int, default=2
        Every so many runs one begins with the topics of a short NMF instead of k-means; 0: none does, as where
        embeddings are given. Where such runs end 1% less likely than the others, they are made anew by k-means.
    coarse : bool or "auto", default="auto"
        Learn 1 to 4 on a sample of the documents (30,000; with more than 75 topics 400 for each, 60,000 at
        most), then go on with all of them; what the topics of a run are is then found for all documents by
        the run's own mixture. ``"auto"``: from 100,000 documents or 2²⁵ values on.
    init : None
        There is no other start.
    n_components, tol, random_state, n_jobs, device, max_time, verbose, callback
        As for every estimator (``TopicEstimator``). EM ends before ``max_iter`` steps
        where at most ``tol`` of the memberships moved; after ``max_time`` no further run is begun. That many
        steps are the method: ``stopped_`` says ``"tol"`` after them too.

    Attributes
    ----------
    runs_ : array of shape (n_init, n_samples)
        The topic of every document in every run, each run with its own numbering; −1 for none.
    prior_ : array of shape (k,)
        p(topic).
    unit_ : array of shape (n_features,)
        What a word is in X, for each term: 1 / its weight for log counts, where a tenth or more of them are of
        words that occur once.
    sharpness_ : array of shape (1,)
        What posteriors' logarithms are multiplied by, so that they are as sure as the runs agree; 1 where
        only one run was made.
    others
        As of every estimator (``TopicEstimator``); ``objective_`` is the negative
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
    max_iter: int = 20
    last_iter: int = 4
    tol: float = 1e-4
    words: float = 2.5
    prior: float = 0.5
    smoothing: float = 0.1
    weigh: bool = True
    tau: float = 0.3
    dimensions: int = 100
    groups: int = 5
    sketch: int = 128
    nmf_every: int = 2
    coarse: bool | str = "auto"

    weighs_evidence = True
    takes_embeddings = True
    takes_seeds = True
    _embeddings: Any = field(default=None, init=False)  # while it fits
    _unit_topics = False
    _learnt: ClassVar[dict[str, tuple[int, ...]]] = {"prior_": (0,), "sharpness_": (), "unit_": ()}
    _topic_sizes = "prior_"

    def fit(
        self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None, *,
        embeddings: Any = None,
    ) -> Self:  # fmt: skip
        """Learn the topics of X.

        Parameters
        ----------
        X, y, W, H
            As for every estimator; there is no start to be given.
        embeddings : array of shape (n_samples, d), optional
            Vectors of the same documents by any model. Documents near each other by their words and by these
            then begin in one topic. What topics are, and which of them new documents belong to, stays a
            matter of words.
        """
        self.fit_transform(X, y, W, H, embeddings=embeddings)
        return self

    def fit_transform(
        self, X: Any, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None, *,
        embeddings: Any = None,
    ) -> Any:  # fmt: skip
        """Learn the topics of X and return W, the documents' weights on them.

        Parameters
        ----------
        X, y, W, H, embeddings
            As for :meth:`fit`.
        """
        if embeddings is None or isinstance(embeddings, KeptRows):
            self._embeddings = embeddings
        else:
            self._embeddings = checked_vectors(embeddings, X.shape[0])
        try:
            return super().fit_transform(X, y, W, H)
        finally:
            self._embeddings = None

    def transform(self, X: Any) -> Any:
        """Return the documents' lengths × their memberships; zeros for one without any term.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            Non-negative.
        """
        self._check_fitted()
        X = self._check_data(X, reset=False)
        mixture, sharpness = Mixture(self.components_, self.prior_), float(self.sharpness_[0])
        W = weights_on_topics(in_blocks(X, self._where, n_jobs=self.n_jobs), mixture, sharpness, self._reading())
        return finite_weights(beside(W, X), X, self)

    @property
    def most_steps(self) -> int:
        """Those of all runs, of their consensus, and of all documents after a sample."""
        return self.n_init * self.max_iter + 2 * self.last_iter

    @property
    def worth(self) -> NDArray[np.float64]:
        """What a 1 in X counts as, in words, for each term."""
        return 1 / self._units()

    def likely_topics(self, X: Any, lowest: int = 2, highest: int | None = None) -> int:
        """Return how many topics X seems to have: the first of :meth:`likely_cuts`.

        Parameters
        ----------
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            What ``fit`` is given; a sample of it is looked at.
        lowest, highest : int
            The range to choose from.
        """
        return self.likely_cuts(X, lowest, highest)[0]

    def likely_cuts(
        self, X: Any, lowest: int = 2, highest: int | None = None, passages: ArrayLike | None = None
    ) -> list[int]:
        """Return up to three good numbers of topics, the best supported one first.

        Topics that are there come back when they are learnt from other documents
        (:class:`quire.methods.ensemble.cuts.Halves`). Where none do, or documents are too few to tell, singular
        values are counted (:func:`quire.methods.ensemble.embedding.likely_topics`).

        Parameters
        ----------
        X, lowest, highest
            As for :meth:`likely_topics`.
        passages : array of int, optional
            Where rows are passages of longer documents: how many, one after the other, each document has. More
            topics are then expected, the subjects within documents.
        """
        X = as_rows(check_given(X, type(self).__name__))
        written = int((~silent_rows(X)).sum())
        most = min(_LOOKED_AT, max(_LOOKED_AT_VALUES * written // max(X.nnz, 1), 1))
        rows = drawn_rows(X, most, np.random.RandomState(0))
        cuts = self._cuts(brought(X, rows), lowest, highest, _passages(passages, X.shape[0], rows))
        self._agreement = {cut.k: cut.agreement for cut in cuts}  # what speaks for each, for who is to be told
        if cuts:
            return [cut.k for cut in cuts]
        rows = self._sample(X, 0, np.random.RandomState(0)) if self._is_coarse(X) else np.arange(X.shape[0])
        return [likely_topics(brought(X, rows), lowest, highest, self.tau, self.n_jobs, self._where)]

    @property
    def finest_cut(self) -> int:
        """The most topics that :meth:`at` can merge the groups of documents to; 0 where only one run was made."""
        made: Made | None = getattr(self, "_made", None)
        return 0 if made is None else made.finest

    def at(self, k: int, X: Any) -> Self:
        """Return a copy with another number of topics, from the runs of the fit: their groups are merged otherwise.

        It takes neither other runs nor other places, so little time; for the number that was fitted it is the fit.
        With more topics than that ``sharpness_`` is that of the fit: runs of fewer topics do not tell another.

        Parameters
        ----------
        k : int
            Topics, up to :attr:`finest_cut`.
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            What was fitted.

        Examples
        --------
        >>> import numpy as np
        >>> from quire import Ensemble
        >>> X = np.kron(np.eye(3), np.ones((9, 4)))
        >>> Ensemble(2, random_state=0).fit(X).at(3, X).n_components_
        3
        """
        self._check_fitted()
        most, whole = self.finest_cut, isinstance(k, numbers.Integral)
        if not whole or not 1 <= k <= most:
            why = f"ask for 1 to {most}, or fit that many" if most else "fit it here, with n_init=2 or more"
            raise ValueError(f"k={k!r} is no number of topics to cut at; {why}.")
        if np.shape(X) != (self.runs_.shape[1], self.n_features_in_):
            raise ValueError(f"X of shape {np.shape(X)} is not what was fitted: give that again.")
        other: Self = clone(self).set_params(n_components=int(k))
        other._made_before = self._made
        return other.fit(X)

    def begun(self, labels: NDArray[Any], X: Any) -> Self:
        """Return a copy whose topics begin as clusters of documents and settle from there: no runs are made.

        What each term counts for, and how sure memberships are, is as here.

        Parameters
        ----------
        labels : array of shape (n_samples,)
            The cluster of each document, numbered from 0; −1 for none.
        X : sparse or dense matrix of shape (n_samples, n_features), or Blocks
            The documents.

        Examples
        --------
        >>> import numpy as np
        >>> from quire import Ensemble
        >>> X = np.kron(np.eye(3), np.ones((9, 4)))
        >>> Ensemble(2, random_state=0).fit(X).begun(np.repeat([0, 1, 2], 9), X).n_components_
        3
        """
        self._check_fitted()
        k = int(np.max(labels, initial=-1)) + 1
        if np.shape(labels) != np.shape(X)[:1] or k < 1:
            raise ValueError(f"{np.size(labels):,} clusters are not for X of shape {np.shape(X)}: give one a document.")
        other: Self = clone(self).set_params(n_components=k)
        other._begun_from = (np.asarray(labels), self.unit_, float(self.sharpness_[0]))
        return other.fit(X)

    def growth(self, before: Blocks, came: Blocks, remembered: float) -> Callable[..., TopicEstimator]:
        """Return a function that lets the topics grow by documents that came, as for every estimator.

        Parameters
        ----------
        before, came, remembered
            As for every estimator.
        """
        self._check_fitted()
        wide = copy(self)
        wide.unit_, wide.n_features_in_ = widened(self._units(), before.sum(axis=0)), before.shape[1]
        mixture = Mixture(self.components_.astype(np.float64), self.prior_)
        how = (wide._reading(), self.smoothing, self.n_jobs, self._where)
        growth = MixtureGrowth(mixture, before, came, remembered, *how)

        def grown(groups: Sequence[NDArray[np.intp]], rounds: int = _GROWN) -> TopicEstimator:
            fit = growth.grown(groups, rounds, self.tol)
            other: Ensemble = clone(self).set_params(n_components=len(fit.mixture.sizes))
            learnt = {"components_": fit.mixture.terms.astype(came.dtype), "prior_": fit.mixture.sizes}
            other.restore({**learnt, "sharpness_": self.sharpness_, "unit_": wide.unit_})
            other.objective_, other.n_iter_, other.stopped_ = fit.trace[-1].objective, len(fit.trace), "tol"
            return other

        return grown

    def rescaled(self, by: NDArray[Any]) -> Self:
        """Return a copy for an X whose columns are multiplied by something: words are what they were.

        Parameters
        ----------
        by : array
            What each is multiplied by.
        """
        other = copy(self)
        other.unit_ = self._units() * by
        return other

    def settle(self, X: Any) -> Any:
        """Return the weights of the documents, and note how well topics explain them, as for every estimator.

        Parameters
        ----------
        X
            As for :meth:`transform`.
        """
        W = self.transform(X)
        rows = in_blocks(X, self._where, n_jobs=self.n_jobs)
        divergence = divergence_from(rows, rows.beside(W), self.components_, self._reading())
        self.reconstruction_err_ = math.sqrt(2 * max(divergence, 0.0))
        return W

    def _cuts(self, X: sp.csr_array, lowest: int, highest: int | None, of: Passages | None) -> list[Cut]:
        X = sp.csr_array(X[:, np.bincount(X.indices, minlength=X.shape[1]) > 1])
        written = ~silent_rows(X)
        X, of = sp.csr_array(X[written]), of and of._replace(document=of.document[written])
        if not X.nnz:
            return []
        reading = self._reading_in(np.full(X.shape[1], unit_of(X.data)))
        watch = Watch(lambda step: False, self.tol, None)
        starts = Starts(self.tau, 0, self.n_jobs, self._where, _STARTS_THERE)
        runs = Runs(1, _STEPS_THERE, 1, self.smoothing, 1, 0, self.n_jobs, self._where, watch, starts)
        places = partial(self._weights_and_places, dimensions=min(self.dimensions, _DIMENSIONS_THERE))
        return Halves(runs, reading.of_words(X.shape[1]), places).cuts(reading.in_words(X), lowest, highest, of)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.init is not None:
            raise ValueError(f"init={self.init!r} is no start for Ensemble: leave it out.")
        for name, least in (
            ("words", "above 0"),
            ("smoothing", "above 0"),
            ("tau", "0 or more"),
            ("prior", "0 or more"),
        ):
            value: Any = getattr(self, name)
            allowed = isinstance(value, numbers.Real) and 0 <= float(value) < math.inf
            if not allowed or (value == 0 and least == "above 0"):
                raise ValueError(f"{name}={value!r} must be a number, {least}.")
        for name, fewest in (("dimensions", 1), ("groups", 1), ("last_iter", 1), ("sketch", 0), ("nmf_every", 0)):
            value = getattr(self, name)
            if not isinstance(value, numbers.Integral) or value < fewest:
                raise ValueError(f"{name}={value!r} must be a whole number of at least {fewest}.")
        if self.coarse not in (True, False, "auto"):
            raise ValueError(f"coarse={self.coarse!r} must be True, False or 'auto'.")

    def _factorize(self, X: Any, W: ArrayLike | None, H: ArrayLike | None) -> Factorization:
        self._check_no_start(W, H)
        X = as_rows(X)
        written = np.flatnonzero(~silent_rows(X))
        k, rng = self._wanted(X, len(written)), check_random_state(self.random_state)
        watch = Watch(self._report, self.tol, self.max_time)
        if (begun := self.__dict__.pop("_begun_from", None)) is not None:
            return self._kept_fit(X, self._settled(X, begun, watch), watch, 1)
        nmf_every = self.nmf_every if self._embeddings is None else 0  # NMF does not see vectors
        led = self._embeddings is not None or self._guide is not None
        steps = min(self.max_iter, _LED) if led else self.max_iter
        starts = Starts(self.tau, nmf_every, self.n_jobs, self._where)
        runs = Runs(
            self.n_init, steps, self.last_iter, self.smoothing, self.groups, self.sketch, self.n_jobs,
            self._where, watch, starts, self._guide,
        )  # fmt: skip
        made: Made | None = self.__dict__.pop("_made_before", None)
        rows = made.rows if made else self._sample(X, k, rng) if self._is_coarse(X) else written
        part = brought(X, rows)
        places = self._places(part, k, made)
        if self._embeddings is not None:
            places = beside_vectors(places, self._embeddings[rows])
        start, runs, part = self._begun(runs, part, places, rows, k, made)
        if self._is_coarse(X):
            fit = runs.consensus_on_all(X, part, start, k, self._reading(), rng, self._keeper, made)
        else:
            fit = self._fit_at_once(runs, part, start, k, rng, made)
            topics = np.full((len(fit.topics), X.shape[0]), -1, np.int32)
            topics[:, rows] = fit.topics
            fit = fit._replace(topics=topics)
        if made is not None and k > made.k:  # runs of fewer topics do not say how sure more are
            fit = fit._replace(sharpness=made.sharpness)
        if made is None and (groups := fit.agreed.groups) is not None:
            agreed = fit.agreed
            made = Made(k, rows, self.unit_, agreed.labels, fit.topics, agreed.roots, groups, fit.sharpness)
        self._made = made
        return self._kept_fit(X, fit, watch, self.n_init)

    def _kept_fit(self, X: Any, fit: EnsembleFit, watch: Watch, runs: int) -> Factorization:
        self.runs_, self.prior_, self.sharpness_ = (fit.topics, fit.mixture.sizes, np.array([fit.sharpness]))
        W_fitted, H_fitted = self._with_documents(X, fit.mixture.terms.astype(X.dtype))
        error = math.sqrt(2 * max(divergence_from(self._blocks(X), W_fitted, H_fitted, self._reading()), 0.0))
        ended = watch.ended or ("tol" if len(self.runs_) == runs else "max_time")
        return Factorization(beside(W_fitted, X), H_fitted, fit.trace[-1].objective, error, fit.trace, ended)

    def _settled(self, X: Any, begun: tuple[NDArray[Any], NDArray[np.float64], float], watch: Watch) -> EnsembleFit:
        """Go on by EM from clusters of documents."""
        labels, self.unit_, sharpness = begun
        start = mixture_of_clusters(self._blocks(X), labels, self._reading(), self.smoothing)
        how = (self._reading(), self.smoothing, self.max_iter, watch.ends_in_time)
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            found = expectation_maximization(matrix, start, *how)
        none = Consensus(found.mixture, found.trace, labels[None], [])
        return EnsembleFit(found.mixture, found.trace, labels[None], sharpness, none)

    def _with_documents(self, X: Any, H: NDArray[Any]) -> tuple[KeptRows, NDArray[Any]]:
        """Return W and H of the topics that hold documents; EM may have starved others."""
        W = self._weights(X, H)
        labels = assign(W, H, unit_topics=False)[0]
        held = np.bincount(labels[labels >= 0], minlength=len(H)) > 0
        if held.all():
            return W, H
        text = f"{(~held).sum()} of {len(H)} topics lost all their documents and are left out: ask for fewer."
        warnings.warn(text, ConvergenceWarning, stacklevel=4)
        H, self.prior_ = np.ascontiguousarray(H[held]), self.prior_[held] / self.prior_[held].sum()
        if hasattr(self, "seeded_"):
            self.seeded_ = self.seeded_[held]
        return self._weights(X, H), H

    def _places(self, X: sp.csr_array, k: int, made: Made | None = None) -> NDArray[Any]:
        """Learn what a word is, and which words count; return where the documents are, if runs are to be made."""
        if made is not None:
            self.unit_ = made.unit
            return np.empty((0, 0))
        unit = unit_of(X.data)
        self.unit_ = np.full(X.shape[1], unit)
        weights, places = self._weights_and_places(self._reading().in_words(X), k, self.dimensions)
        self.unit_ = unit / weights
        return places

    def _begun(
        self, runs: Runs, part: sp.csr_array, places: NDArray[Any], rows: NDArray[np.intp], k: int, made: Made | None
    ) -> tuple[Start | None, Runs, sp.csr_array]:
        """Return where runs begin, how they are made, and documents in words; nothing begins where runs are there."""
        if self._guide is None:
            part = self._reading().in_words(part)
            return None if made is not None else runs.starts.of(places, part, k), runs, part
        start = runs.starts.guided(self._guide, places, part, rows, k)
        self._weigh_by(part, start.begun)
        self.seeded_ = np.where(np.arange(k) < len(self._guide), np.arange(k), -1)
        part = self._reading().in_words(part)
        return start, replace(runs, n_words=float(part.sum(dtype=np.float64))), part

    def _weigh_by(self, X: sp.csr_array, begun: NDArray[np.intp]) -> None:
        """Let words count by what they tell of the topics that documents begin in."""
        rows = np.flatnonzero(begun >= 0)
        if self.weigh and len(np.unique(begun[rows])) > 1:
            unit = unit_of(X.data)
            self.unit_ = np.full(X.shape[1], unit)
            apart = np.eye(begun.max() + 1)[begun[rows]]
            words = self._reading().in_words(sp.csr_array(X[rows]))
            self.unit_ = unit / term_weights(words, apart, self.n_jobs, self._where)

    def _weights_and_places(
        self, words: sp.csr_array, k: int, dimensions: int
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        where = (self.tau, dimensions, self.n_jobs, self._where)
        if not self.weigh:
            return np.ones(words.shape[1]), document_places(words, k, *where)
        return weights_and_places(words, k, *where)

    def _fit_at_once(
        self, runs: Runs, X: sp.csr_array, start: Start | None, k: int, rng: np.random.RandomState, made: Made | None
    ) -> EnsembleFit:
        reading = self._reading().of_words(X.shape[1])
        temper = reading.temper(X.sum(axis=1, dtype=np.float64))
        with as_matrix(X, self.n_jobs, device=self._where) as matrix:
            if made is not None:
                agreed = runs.cut(made, matrix, k, reading, rng)
            else:
                assert start is not None
                agreed = runs.consensus(start, matrix, reading, rng)
            sharpness = agreed.sharpness(agreed.mixture, matrix, reading, temper)
        return EnsembleFit(agreed.mixture, agreed.trace, agreed.labels, sharpness, agreed)

    def _blocks(self, X: Any) -> Blocks:
        return in_blocks(X, self._where, None if is_large(X) else X.shape[0], self.n_jobs)

    def _weights(self, X: Any, H: NDArray[Any]) -> KeptRows:
        mixture, sharpness = Mixture(H, self.prior_), float(self.sharpness_[0])
        return weights_on_topics(self._blocks(X), mixture, sharpness, self._reading())

    def _sample(self, X: Any, k: int, rng: np.random.RandomState) -> NDArray[np.intp]:
        """Draw the documents to learn from; how many does not grow with how many there are."""
        n_written = int((~silent_rows(X)).sum())
        most = min(max(_SAMPLE, _OF_TOPIC * k), _MOST, max(_VALUES * n_written // X.nnz, 1))
        return drawn_rows(X, most, rng)

    def _units(self) -> NDArray[np.float64]:
        return np.broadcast_to(self.unit_.astype(np.float64), (self.n_features_in_,))  # a first edition had one for all

    def _reading(self) -> Reading:
        return self._reading_in(self._units())

    def _reading_in(self, unit: NDArray[np.float64]) -> Reading:
        return Reading(unit, self.words, _POWER, _LEAST if self.weigh else 1.0, self.prior, self.n_jobs)


def _passages(passages: ArrayLike | None, n: int, rows: NDArray[np.intp]) -> Passages | None:
    """Return which documents some of n passages are of."""
    if passages is None:
        return None
    each = np.asarray(passages)
    if each.ndim != 1 or each.dtype.kind not in "iu" or (each < 0).any() or each.sum() != n:
        raise ValueError(f"passages must say how many of the {n:,} rows each document has, one after the other.")
    of = Passages.of(each.astype(np.int64))
    return of._replace(document=of.document[rows])


def unit_of(values: NDArray[Any]) -> float:
    """Return what is 1 in X: its small entries are words that occur once, log 2 of it."""
    some = values[values > 0]
    return float(np.partition(some, len(some) // 10)[len(some) // 10]) / math.log(2)
