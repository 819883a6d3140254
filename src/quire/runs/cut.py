"""One cut: the topics of a fit at one number of them, and all that is said of the documents there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Update, were
from quire.methods.ensemble.votes import merged_runs
from quire.methods.estimator import TopicEstimator
from quire.places.parts import KeptRows
from quire.runs.budget import memory_of, topics_fit
from quire.runs.fit import cut_at, fit_info, several_runs
from quire.runs.hearing import HeardSample, learnt_novelty
from quire.runs.novelty import Novelty
from quire.runs.options import Options
from quire.runs.recipe import Recipe
from quire.runs.state import topic_arrays
from quire.runs.tables import Described, described, time_and_scores
from quire.runs.terms import Terms
from quire.runs.tongues import told_of_topics
from quire.runs.words import Sample
from quire.runs.write import CutFiles, Streamed
from quire.text.weight import Weight


@dataclass(frozen=True, eq=False)
class Cut:
    """Topics, their weights in every document, what is known of both, and what ``run.json`` says."""

    asked: int  # topics that were asked for; EM may leave fewer
    estimator: TopicEstimator
    W: KeptRows
    description: Described
    timeline: pl.DataFrame | None
    info: dict[str, Any]
    novelty: Novelty | None

    @property
    def n_topics(self) -> int:
        """How many topics it has."""
        return int(self.estimator.n_components_)

    def columns(self) -> Iterator[pl.DataFrame]:
        """Give what goes beside the documents, one part after the other."""
        place = self.W.place
        return (place.fetch(columns) for columns in self.description.columns)

    def files(self, info: dict[str, Any], run: dict[str, Any]) -> CutFiles:
        """Return what is written of it beside the run whose ``run.json`` is the second."""
        arrays: dict[str, Any] = {"W": self.W, **topic_arrays(self.estimator, self.novelty)}
        found = Streamed(self.columns(), 0)
        return CutFiles.of(arrays, found, self.description.topics, self.timeline, info, run)


@dataclass(frozen=True, eq=False)
class Describer:
    """Says what there is to say of the topics of a corpus, the same for every cut."""

    corpus: Corpus
    sample: Sample
    heard: HeardSample
    terms: Terms
    weight: Weight
    options: Options
    info: dict[str, Any]  # what ``run.json`` says whatever the topics

    def cut(
        self,
        estimator: TopicEstimator,
        W: KeptRows,
        k: int,
        runs: NDArray[Any] | None,
        update: Update = lambda done, total: None,
    ) -> Cut:
        """Describe topics, of which k were asked for, and say how sure they are where runs can tell."""
        abstain = self.options.abstain
        description = described(self.corpus, self.sample, self.terms, self.weight, estimator, runs, abstain, update)
        lost = _lost(k, estimator.n_components_)
        languages = told_of_topics(self.terms, description.labels, estimator.n_components_)
        sentences = [*self.info["corpus"]["sentences"], *languages, *lost]
        timeline, outcome = time_and_scores(description, estimator.n_components_, bool(abstain))
        info = self.info | fit_info(estimator) | outcome | {"runs": None if runs is None else len(runs)}
        info["terms"] = info["terms"] | {"left_out": description.notes}
        info["corpus"] = info["corpus"] | {"sentences": sentences}
        held = description.held if abstain is None else None  # else it knows nothing of topics that are unsure
        labels = np.asarray(estimator.labels_)
        novelty = learnt_novelty(self.heard, self.terms.matrix, labels, estimator.n_components_, held)
        return Cut(k, estimator, W, description, timeline, info, novelty)

    def others(self, own: Cut, numbers: Iterable[int], X: Any, chosen: Recipe, update: Update) -> list[Cut]:
        """Cut the same fit at other numbers, and describe that; those that it cannot be cut at are left out."""
        memory = memory_of(self.options.memory)
        wanted = [k for k in numbers if k <= own.estimator.finest_cut and topics_fit(memory, k, X.shape[1])]
        cuts = {own.n_topics: own}  # EM may leave fewer topics than were asked for, and so one number twice
        for done, k in enumerate(sorted(wanted)):
            update(done, len(wanted))
            estimator, W = cut_at(own.estimator, X, self.terms.matrix, k, chosen, self.options)
            if estimator.n_components_ not in cuts:
                runs = several_runs(estimator)
                if runs is not None:  # those of fewer topics do not say how sure more are
                    fewer = k < own.n_topics
                    runs = merged_runs(runs, estimator.labels_, estimator.n_components_) if fewer else None
                cuts[int(estimator.n_components_)] = self.cut(estimator, W, k, runs)
        return [cuts[k] for k in sorted(cuts) if k != own.n_topics]


_NO_DOCUMENT = "topics would hold no document and"


def _lost(wanted: int, there: int) -> list[str]:
    lost = wanted - there
    return [f"{lost} of {wanted} {_NO_DOCUMENT} {were(lost)} left out."] if lost > 0 else []


def is_of_lost_topics(sentence: str) -> bool:
    """Say whether a sentence tells that topics were left out: of another cut it would not hold."""
    return _NO_DOCUMENT in sentence
