"""The recipes that are compared, and the corpus while it is being measured."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any

import numpy as np
from benchmarks.quality import corpora
from benchmarks.quality.baselines import ABOUT

import quire
from quire.runs.options import Options
from quire.runs.recipe import built_in, recipe
from quire.runs.run import Run
from quire.runs.terms import Terms, count_terms
from quire.scores.registry import class_scores

PLAIN: dict[str, Any] = {
    "name": "plain-nmf",
    "about": "What is commonly done: tf-idf with rows of unit length, one NMF from a random start.",
    "counts": {"stop_words": "auto", "min_df": "auto"},
    "weight": {"scheme": "tfidf"},
    "factorization": {"method": "NMF", "init": "random"},
    "assignment": {"unit_topics": True},
}


RECIPES: dict[str, str | dict[str, Any]] = {
    "default": "default",
    "default-0.1": "default-0.1",
    "plain-nmf": PLAIN,
    "nmf": "nmf",
    "tfidf": "tfidf",
    "spherical-kmeans": "spherical-kmeans",
}
BASELINES = tuple(ABOUT)
ON_SHORT = ("default", "default-0.1", "plain-nmf", *BASELINES)  # what is measured on short texts
KEPT = ("default", "plain-nmf")  # runs that several parts ask for


def about(name: str) -> str:
    """Return a sentence on a recipe."""
    if name in BASELINES:
        return ABOUT[name]
    return recipe(RECIPES[name]).about


class Visit:
    """A corpus while it is being measured: what several parts need of it is made once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._runs: dict[tuple[str, int], tuple[Run, float]] = {}

    @cached_property
    def corpus(self) -> Any:
        """The documents."""
        return corpora.read(self.name)

    @cached_property
    def labels(self) -> np.ndarray:
        """The class of each document."""
        found = self.corpus.documents["label"]
        if found.null_count():
            raise ValueError(f"The corpus {self.name} has documents without a label: leave them out.")
        return found.to_numpy()

    @cached_property
    def k(self) -> int:
        """How many classes there are."""
        return len(np.unique(self.labels))

    @cached_property
    def terms(self) -> Terms:
        """The terms that the default recipe counts."""
        return count_terms(self.corpus, built_in()["default"], Options())

    def run(self, name: str, seed: int) -> tuple[Run, float]:
        """Return a run with as many topics as there are classes, and the seconds it took."""
        if (name, seed) not in self._runs:
            made = timed_run(self, RECIPES[name], seed)
            if name not in KEPT:
                return made
            self._runs[name, seed] = made
        return self._runs[name, seed]


def timed_run(visit: Visit, chosen: Any, seed: int, topics: int | str | None = None) -> tuple[Run, float]:
    """Gather the documents; return the run and the seconds it took without the reading."""
    corpus, wanted = visit.corpus, visit.k if topics is None else topics
    began = time.perf_counter()
    run = quire.cluster(corpus, wanted, recipe=chosen, random_state=seed)
    return run, time.perf_counter() - began


def scored(visit: Visit, found: np.ndarray, seconds: float) -> dict[str, float]:
    """Return the three scores over all documents; those without a topic are a cluster, and never right."""
    score = class_scores(visit.corpus.documents["label"], found)
    return {"ari": score["ari"], "nmi": score["nmi"], "ac": score["accuracy"], "seconds": seconds}
