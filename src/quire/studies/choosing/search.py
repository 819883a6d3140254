"""What is asked of a search for the number of topics, checked, and how a single run is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from quire.messages import counted, meant
from quire.methods.estimator import TopicEstimator
from quire.runs.options import parse_topics
from quire.runs.recipe import Recipe

WAYS = ("all", "returning", "consensus", "elbow", "nmi")
_USUAL = range(2, 16)
_WITHOUT_STARTS = ("LSI", "AffinityPropagation")  # every run would be the same


@dataclass(frozen=True)
class Search:
    """What to look for, and with how much effort: the arguments of :func:`choose`, checked."""

    ks: Sequence[int]
    by: str = "all"
    runs: int = 10
    seed: int = 0
    budget: float | None = None
    cache: str | Path | None = None
    threads: int | None = None
    device: str = "cpu"
    dask: str | None = None
    open: bool = False  # nobody said how many to try: a good number beyond ks is tried, too

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise ValueError(f"by={self.by!r} is no way to choose{meant(self.by, WAYS)}: use {', '.join(WAYS)}.")
        if self.runs < 2 and self.by in ("all", "consensus"):
            raise ValueError(f"runs={self.runs} cannot be compared: make 2 or more.")
        if self.budget is not None and not self.budget > 0:
            raise ValueError(f"budget={self.budget} must be a positive number of minutes.")
        ks = sorted({int(k) for k in self.ks})
        if not ks or ks[0] < 1 or any(int(k) != k for k in self.ks):
            raise ValueError(f"k={list(self.ks)[:5]} must be numbers of topics from 1 on, such as range(2, 16).")
        object.__setattr__(self, "ks", ks)


def numbers_to_try(topics: Iterable[int] | str | None) -> list[int]:
    """Return the numbers of topics that ``A:B``, a number, ``auto`` or an iterable stands for."""
    if topics is None:
        return list(_USUAL)
    if not isinstance(topics, str | int):
        return list(topics)
    parsed = parse_topics(topics)
    if isinstance(parsed, int):
        return [parsed]
    return list(_USUAL) if parsed[1] is None else list(range(parsed[0], parsed[1] + 1))


def one_start(recipe: Recipe, device: str = "cpu") -> Callable[[int, int], TopicEstimator]:
    """Return the function that makes the recipe's estimator for one random start on one thread."""
    options = dict(recipe.factorization)
    method = str(options.get("method", "NMF"))
    if method in _WITHOUT_STARTS:
        raise ValueError(
            f"{method} gives the same topics in every run, so runs cannot be compared: choose by elbow, or "
            "with another recipe."
        )
    options["n_init"] = 1
    if str(options.get("init", "nndsvd" if method == "NMF" else "")).startswith("nndsvd"):
        options["init"] = "random"  # all others differ from seed to seed by themselves
    single = replace(recipe, factorization=options)
    return lambda k, seed: single.make_estimator(k, seed, 1, device=device)


def within(X: Any, search: Search) -> Search:
    """Leave out numbers of topics that cannot be."""
    written = int((np.diff(X.indptr) > 0).sum()) if sp.issparse(X) else X.shape[0]
    most = min(written, X.shape[1])
    possible = [k for k in search.ks if k <= most]
    if not possible:
        raise ValueError(
            f"{search.ks[0]} topics cannot be found in {counted(written, 'document')} with terms and "
            f"{counted(X.shape[1], 'term')}: ask for fewer."
        )
    return replace(search, ks=possible)
