"""How unlike the documents of a run another one is: 0 as like them as any, 1 unlike all of them.

What each sign (``likeness``) counts for is learnt from the run itself: its topics are left out in turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.indices import check_indices
from quire.places.machine import allowed_threads, in_order
from quire.runs.likeness import SIGNS, Heard, Profile, Signs

_EXAMPLES = 1500  # documents that others are held against, at most
_LEFT_OUT = 20  # topics that are left out in turn, at most
_FARTHEST = 6.0  # standard deviations beyond which nothing is more unusual
_SAME = 1e-6  # the spread of a sign that is the same of all documents: it tells nothing
_RIDGE, _STEPS = 10.0, 25  # of the regression
_LENGTHS, _OF_A_LENGTH, _LEVELS = 4, 100, 101  # groups of like length, documents each needs, quantiles of each


@dataclass(frozen=True, eq=False)
class Novelty:
    """What a run learnt of how unlike each other its own documents are: small, and kept with it."""

    profile: Profile
    scale: NDArray[np.float64]  # of each sign (columns) mean, standard deviation and weight
    lengths: NDArray[np.float64]  # between groups of documents of like length
    quantiles: NDArray[np.float64]  # of the scores of the run's own documents, a row per group

    @classmethod
    def learnt(
        cls, held: sp.csr_array, documents: NDArray[np.int64], heard: Heard, topics: NDArray[Any]
    ) -> Self | None:
        """Learn it from some of the run's documents, whose topics these are; None where none has a topic.

        ``held``: how many documents of each topic hold each term; ``documents``: how many it has.
        """
        there = np.unique(topics[topics >= 0])
        if not len(there):
            return None
        rows = np.flatnonzero(topics >= 0)
        rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _EXAMPLES)).astype(np.intp)]
        profile = Profile(held, documents, heard.counts[rows], topics[rows].astype(np.int64))
        example = np.full(len(topics), -1, np.intp)
        example[rows] = np.arange(len(rows))
        left_out = set(there[:: -(-len(there) // _LEFT_OUT)].tolist()) if len(documents) > 1 else set()

        def of_topic(t: int) -> tuple[Signs, list[NDArray[np.float64]]]:
            mine = np.flatnonzero(topics == t)
            some = heard.at(mine)
            as_new = [profile.without(t).signs(some).values] if t in left_out else []
            return profile.signs(some, t, example[mine]), as_new

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
        some = self.profile.examples
        examples = {"times": some.data, "example_terms": some.indices.astype(np.int32), "whose": self.profile.whose}
        pointers = {"topics": held.indptr.astype(np.int64), "examples": some.indptr.astype(np.int64)}
        return {**counts, **pointers, **beside, "quantiles": self.quantiles, **examples}

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[Any]], k: int, n_terms: int) -> Self | None:
        """Return what :meth:`state` was taken of; None where a run has none, as it is older."""
        if "examples" not in state:
            return None
        held = _restored(state["held"].astype(np.float64), state["terms"], state["topics"], n_terms)
        examples, whose = _restored(state["times"], state["example_terms"], state["examples"], n_terms), state["whose"]
        shapes = held.shape[0] == k and state["documents"].shape == (k,) and state["scale"].shape == (3, SIGNS)
        shapes &= whose.shape == examples.shape[:1] and bool(
            ((whose >= 0) & (whose < k)).all() and (examples.data >= 0).all()
        )
        shapes &= state["quantiles"].shape == (len(state["lengths"]) + 1, _LEVELS)
        shapes &= state["lengths"].ndim == 1 and bool((held.data > 0).all() and (examples.data >= 0).all())
        shapes &= bool((state["documents"] >= 0).all())
        if not shapes or not all(np.isfinite(array).all() for array in state.values()):
            raise TypeError("what is known of unlike documents is not whole")
        profile = Profile(held, state["documents"], examples, whose)
        return cls(profile, state["scale"], state["lengths"], state["quantiles"])


def _restored(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], width: int) -> sp.csr_array:
    """Return a sparse matrix whose parts were kept, once they were found sound."""
    matrix = sp.csr_array((len(indptr) - 1, width), dtype=data.dtype)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    try:
        check_indices(matrix, "the run")
    except ValueError as error:
        raise TypeError(str(error)) from None
    return matrix


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
