"""How unlike the documents of a run another one is: 0 as like them as any, 1 unlike all of them.

Three things speak for a document being new: words that the run does not know, words that tell little of any topic,
and few of a topic's usual words among its own. What each of them counts for is learnt from the run itself: its topics
are left out in turn. Of the run's own documents all is computed as if each were not in it: else they would be too
much like it (as their memberships are, which therefore say nothing here).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.indices import check_indices
from quire.places.machine import allowed_threads, in_order

_PRIOR = 1000.0  # words of the whole run that every topic holds to begin with
_RARE = 0.1  # how often every term is there to begin with
_LEFT_OUT = 20  # topics that are left out in turn, at most
_FARTHEST = 6.0  # standard deviations beyond which nothing is more unusual
_SAME = 1e-6  # the spread of a sign that is the same of all documents: it tells nothing
_RIDGE, _STEPS = 10.0, 25  # of the regression
_LENGTHS, _OF_A_LENGTH, _LEVELS = 4, 100, 101  # groups of like length, documents each needs, quantiles of each


class Heard(NamedTuple):
    """Documents as they are heard: how often each known term is in them, and how much there is of others."""

    counts: sp.csr_array
    unknown: NDArray[np.float64]  # Σ log(1 + how often)

    def at(self, rows: NDArray[Any]) -> Heard:
        """Return some of them."""
        return Heard(self.counts[rows], self.unknown[rows])


class _Signs(NamedTuple):
    """What speaks for documents being new (columns), and how long they are, in log counts."""

    values: NDArray[np.float64]
    lengths: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Profile:
    """In how many documents of each topic each term is."""

    held: sp.csr_array  # topics × terms
    documents: NDArray[np.int64]  # of each topic

    @cached_property
    def anywhere(self) -> NDArray[np.float64]:
        """In how many documents each term is."""
        return np.asarray(np.bincount(self.held.indices, self.held.data, self.held.shape[1]), np.float64)

    @cached_property
    def least(self) -> float:
        """In how many documents a term is at least, to be known: what counting dropped is in fewer."""
        return float(self.anywhere[self.anywhere > 0].min(initial=np.inf))

    def without(self, topic: int) -> Profile:
        """Return what was known if there had never been a topic."""
        rest = np.arange(len(self.documents)) != topic
        profile = Profile(self.held[rest], self.documents[rest])
        profile.__dict__["least"] = self.least
        return profile

    def signs(self, heard: Heard, own: int | None = None) -> _Signs:
        """Return the signs of documents; of the run's ``own`` ones of a topic, as if each were not in it yet."""
        n, (_, width) = int(self.documents.sum()), heard.counts.shape
        row = np.repeat(np.arange(len(heard.unknown)), np.diff(heard.counts.indptr))
        column, times = heard.counts.indices, np.log1p(heard.counts.data.astype(np.float64))

        def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(np.bincount(row, values, len(heard.unknown)), np.float64)

        def entries(values: NDArray[np.float64]) -> sp.csr_array:
            return sp.csr_array((values, column, heard.counts.indptr), heard.counts.shape)

        others = self.anywhere[column] - (own is not None)
        known = others >= self.least
        unknown = heard.unknown + sums(times * ~known)
        times = times * known
        lengths = sums(times) + unknown
        gain = (entries(times) @ self._gains).toarray() + sums(times)[:, None] * self._offsets
        rare = times * np.log((n + 1) / (np.maximum(others, 0) + 0.5))
        cosine = (entries(rare) @ self._directions).toarray()
        if own is not None:
            held = np.maximum(self.held[[own]].toarray()[0][column] - 1, 0)
            usual = (np.maximum(others, 0) + _RARE) / (self._sizes.sum() + _RARE * width)
            rest = np.maximum(self._sizes[own] - np.diff(heard.counts.indptr), 0)[row] + _PRIOR
            gain[:, own] = sums(times * np.log((held + _PRIOR * usual) / (rest * usual)))
            cosine[:, own] -= sums(rare * self._rarity[column]) / max(self._norms[own], np.finfo(float).tiny)
        norm = np.sqrt(sums(rare**2) + np.log(2) * unknown * np.log(n + 1) ** 2)
        parts = (unknown, lengths), (-gain.max(axis=1), lengths), (-cosine.max(axis=1), norm)
        return _Signs(np.column_stack([_ratio(*part) for part in parts]), lengths)

    @cached_property
    def _sizes(self) -> NDArray[np.float64]:
        return np.asarray(self.held.sum(axis=1, dtype=np.float64)).ravel()

    @cached_property
    def _rarity(self) -> NDArray[np.float64]:
        return np.asarray(np.log((self.documents.sum() + 1) / (self.anywhere + 0.5)))

    @cached_property
    def _gains(self) -> sp.csr_array:
        """What a term (row) says for a topic against all, log p(term | topic) / p(term), beyond ``_offsets``."""
        usual = (self.anywhere + _RARE) / (self._sizes.sum() + _RARE * self.held.shape[1])
        return sp.csr_array(self._like(np.log1p(self.held.data / (_PRIOR * usual[self.held.indices]))).T)

    @cached_property
    def _offsets(self) -> NDArray[np.float64]:
        return np.asarray(np.log(_PRIOR / (self._sizes + _PRIOR)))

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        squares = self._like((self.held.data * self._rarity[self.held.indices]) ** 2)
        return np.asarray(np.sqrt(squares.sum(axis=1))).ravel()

    @cached_property
    def _directions(self) -> sp.csr_array:
        """The topics' usual terms (rows), rare ones counting more, of unit length."""
        by = np.repeat(_ratio(np.ones(len(self._norms)), self._norms), np.diff(self.held.indptr))
        return sp.csr_array(self._like(self.held.data * self._rarity[self.held.indices] * by).T)

    def _like(self, values: NDArray[np.float64]) -> sp.csr_array:
        return sp.csr_array((values, self.held.indices, self.held.indptr), self.held.shape)


@dataclass(frozen=True, eq=False)
class Novelty:
    """What a run learnt of how unlike each other its own documents are: small, and kept with it."""

    profile: Profile
    scale: NDArray[np.float64]  # of each sign (columns) mean, standard deviation and weight
    lengths: NDArray[np.float64]  # between groups of documents of like length
    quantiles: NDArray[np.float64]  # of the scores of the run's own documents, a row per group

    @classmethod
    def learnt(cls, profile: Profile, heard: Heard, topics: NDArray[Any]) -> Self | None:
        """Learn it from some of the run's documents, whose topics these are; None where none has a topic."""
        there = np.unique(topics[topics >= 0])
        if not len(there):
            return None
        left_out = set(there[:: -(-len(there) // _LEFT_OUT)].tolist()) if len(profile.documents) > 1 else set()

        def of_topic(t: int) -> tuple[_Signs, list[NDArray[np.float64]]]:
            some = heard.at(np.flatnonzero(topics == t))
            as_new = [profile.without(t).signs(some).values] if t in left_out else []
            return profile.signs(some, own=t), as_new

        first = of_topic(int(there[0]))  # by itself: what the profile keeps is made once
        rest = in_order(of_topic, [(t,) for t in there[1:].tolist()], allowed_threads(None))
        own, told = zip(first, *rest)
        new = [values for one in told for values in one]
        signs = np.concatenate([one.values for one in own])
        spread = signs.std(axis=0)
        scale = np.stack([signs.mean(axis=0), np.maximum(spread, _SAME), (spread > _SAME).astype(np.float64)])
        if new:
            seen, unseen = ([_standard(one, scale) for one in some] for some in ([one.values for one in own], new))
            scale[2] *= _telling_apart(seen, unseen)
        return cls(profile, scale, *_by_length(_scores(signs, scale), np.concatenate([one.lengths for one in own])))

    def of(self, heard: Heard) -> NDArray[np.float64]:
        """Return the share of the run's own documents of like length that are less unlike the rest than each of these.

        NaN for a document that says nothing.
        """
        signs = self.profile.signs(heard)
        scores, group = _scores(signs.values, self.scale), np.searchsorted(self.lengths, signs.lengths, side="right")
        levels, shares = np.linspace(0, 1, self.quantiles.shape[1]), np.full(len(scores), np.nan)
        for number, quantiles in enumerate(self.quantiles):
            mine = (group == number) & (signs.lengths > 0)
            shares[mine] = np.interp(scores[mine], quantiles, levels)
        return shares

    def state(self) -> dict[str, NDArray[Any]]:
        """Return it as arrays."""
        held = self.profile.held
        counts = {"held": held.data.astype(np.int32), "terms": held.indices.astype(np.int32)}
        beside = {"documents": self.profile.documents, "scale": self.scale, "lengths": self.lengths}
        return {**counts, "topics": held.indptr.astype(np.int64), **beside, "quantiles": self.quantiles}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[Any]], k: int, n_terms: int) -> Self | None:
        """Return what :meth:`state` was taken of; None where a run has none, as it is older."""
        if not state:
            return None
        held = sp.csr_array((k, n_terms), dtype=np.float64)
        held.data, held.indices, held.indptr = state["held"].astype(np.float64), state["terms"], state["topics"]
        try:
            check_indices(held, "the run")
        except ValueError as error:
            raise TypeError(str(error)) from None
        shapes = state["documents"].shape == (k,) and state["scale"].shape == (3, 3)
        shapes &= state["quantiles"].shape == (len(state["lengths"]) + 1, _LEVELS)
        shapes &= state["lengths"].ndim == 1 and bool((held.data > 0).all() and (state["documents"] >= 0).all())
        if not shapes or not all(np.isfinite(array).all() for array in state.values()):
            raise TypeError("what is known of unlike documents is not whole")
        return cls(Profile(held, state["documents"]), state["scale"], state["lengths"], state["quantiles"])


def _ratio(values: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(values, by, out=np.zeros(len(values)), where=by > 0)


def _standard(signs: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(scale[2] > 0, np.clip((signs - scale[0]) / scale[1], -_FARTHEST, _FARTHEST), 0.0)


def _scores(signs: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((_standard(signs, scale) * scale[2]).sum(axis=1))


def _telling_apart(seen: list[NDArray[np.float64]], unseen: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the weights, none below 0, that tell unseen documents from seen ones: a logistic regression.

    Topics count alike. Sums are made by einsum, whose order does not hang on the number of threads, as BLAS's does.
    """
    signs = np.concatenate([*seen, *unseen])
    signs = np.column_stack([np.ones(len(signs)), signs])
    new = np.repeat([0.0, 1.0], [sum(map(len, seen)), sum(map(len, unseen))])
    weight = np.concatenate([np.full(len(one), 1 / len(one)) for one in (*seen, *unseen)])
    weight = weight / weight.mean()
    ridge = np.diag([1e-6] + [_RIDGE] * (signs.shape[1] - 1))
    beta = np.zeros(signs.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(np.einsum("ij,j->i", signs, beta), -30, 30)))
        gradient = np.einsum("ij,i->j", signs, weight * (p - new)) + np.einsum("ij,j->i", ridge, beta)
        curve = np.einsum("ij,i,ik->jk", signs, weight * np.maximum(p * (1 - p), 1e-6), signs) + ridge
        step = np.linalg.solve(curve, gradient)
        beta = beta - step
        if np.abs(step).max() < 1e-10:
            break
    weights = np.maximum(beta[1:], 0.0)
    return weights / weights.sum() if weights.any() else np.ones(len(weights))


def _by_length(scores: NDArray[np.float64], lengths: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return where groups of documents of like length meet, and the quantiles of the scores of each."""
    n = min(max(len(scores) // _OF_A_LENGTH, 1), _LENGTHS)
    between = np.unique(np.quantile(lengths, np.arange(1, n) / n))
    group = np.searchsorted(between, lengths, side="right")
    between = between[np.isin(np.arange(len(between)), group)]  # none of them is empty
    group, levels = np.searchsorted(between, lengths, side="right"), np.linspace(0, 1, _LEVELS)
    return between, np.stack([np.quantile(scores[group == g], levels) for g in range(len(between) + 1)])
