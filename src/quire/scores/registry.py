"""Every score by name, with what it means: ``quire evaluate``, ``run.scores`` and the page follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.scores import metrics
from quire.scores.fitted import Fitted

TOPICS, MEMBERSHIPS, FITTED = "classes and topics", "classes and memberships", "a fitted model"


@dataclass(frozen=True)
class Score:
    """A score: what it is called, what it means, and how it is had."""

    name: str
    meaning: str
    compute: Callable[..., Any]  # from what it takes; of a fitted model, None where it cannot be had
    takes: str = TOPICS
    lower_is_better: bool = False
    in_every_run: bool = False  # cheap, and told of a run as soon as it is made
    by_topic: bool = False  # computes a value a topic, whose mean is the score

    @property
    def word(self) -> str:
        """The name within a sentence."""
        return self.name.lower() if self.name.istitle() else self.name


SCORES: dict[str, Score] = {
    "coverage": Score("Coverage", "documents with a topic; others are not scored", metrics.coverage),
    "accuracy": Score(
        "Accuracy", "documents in the topic paired with their class", metrics.accuracy, in_every_run=True
    ),
    "mi_hat": Score("MI-hat", "as NMI, over the larger information instead", metrics.mi_hat),
    "nmi": Score(
        "NMI", "information shared by classes and topics, 0 to 1", metrics.nmi, in_every_run=True
    ),
    "homogeneity": Score(
        "Homogeneity", "1 where every topic is of one class", metrics.homogeneity, in_every_run=True
    ),
    "completeness": Score(
        "Completeness", "1 where every class is in one topic", metrics.completeness, in_every_run=True
    ),
    "soft_nmi": Score(
        "Soft NMI", "as NMI, with memberships instead of topics", metrics.soft_nmi, MEMBERSHIPS
    ),
    "ari": Score("ARI", "pairs rightly together or apart; 0 is chance", metrics.ari, in_every_run=True),
    "purity": Score(
        "Purity", "documents of the largest class of their topic", metrics.purity, in_every_run=True
    ),
    "entropy": Score(
        "Entropy", "mixture of classes within topics; 0 is best", metrics.entropy, lower_is_better=True
    ),
    "sparsity": Score("Sparsity", "zeros in W", lambda fitted: metrics.sparsity(fitted.W), FITTED),
    "diversity": Score(
        "Diversity", "different words among ten keywords of each topic",
        lambda fitted: metrics.diversity(fitted.keywords), FITTED,
    ),
    "npmi": Score(
        "Coherence, NPMI", "keywords in the same documents, from −1 to 1",
        lambda fitted: fitted.coherence("npmi"), FITTED, by_topic=True,
    ),
    "c_v": Score(
        "Coherence, C_v", "keywords with the same company, from 0 to 1",
        lambda fitted: fitted.coherence("c_v"), FITTED, by_topic=True,
    ),
    "error": Score("Error", "‖X − WH‖", lambda fitted: fitted.error, FITTED, lower_is_better=True),
    "relative_error": Score(
        "Relative error", "‖X − WH‖ / ‖X‖", lambda fitted: fitted.relative_error, FITTED,
        lower_is_better=True,
    ),
}  # fmt: skip


def class_numbers(classes: pl.Series) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of classes, sorted, and the number of each document's."""
    names = classes.unique().sort()
    return names.to_list(), classes.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def class_scores(
    classes: Sequence[str | None] | pl.Series,
    topics: NDArray[Any],
    memberships: Any = None,  # an array, or what gives rows of one
    *,
    covered_only: bool = False,
    in_every_run: bool = False,
    known_scores: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Return the scores against classes over the documents whose class is known; none where no class is.

    Documents without a topic count as a cluster of their own (and are wrong for the accuracy). With
    ``covered_only`` they are left out, and ``coverage`` is the share of the documents that have a topic.
    ``known_scores`` are taken as they are.
    """
    named = pl.Series(classes, dtype=pl.String)
    known = np.flatnonzero(named.is_not_null().to_numpy())
    if not len(known):
        return {}
    truth = class_numbers(named.drop_nulls())[1]  # numbers are compared sooner than names
    topics = np.asarray(topics)[known]
    scores: dict[str, float] = {}
    if covered_only:
        scores["coverage"] = SCORES["coverage"].compute(truth, topics)
        placed = topics >= 0
        truth, topics, known = truth[placed], topics[placed], known[placed]
    if not len(known):
        return scores
    takes = {TOPICS: topics}
    if memberships is not None:
        takes[MEMBERSHIPS] = memberships if len(known) == len(memberships) else memberships[known]
    for name, score in SCORES.items():
        wanted = score.takes in takes and (score.in_every_run or not in_every_run)
        if name != "coverage" and wanted:
            given = (known_scores or {}).get(name)
            scores[name] = float(score.compute(truth, takes[score.takes])) if given is None else given
    return scores


def model_scores(fitted: Fitted) -> tuple[dict[str, float], dict[str, list[float | None]]]:
    """Return the scores that need no classes, and those by topic, null where one could not be had."""
    scores: dict[str, float] = {}
    by_topic: dict[str, list[float | None]] = {}
    for name, score in SCORES.items():
        if score.takes != FITTED:
            continue
        value = score.compute(fitted)
        if score.by_topic:
            values = np.full(len(fitted.keywords), np.nan) if value is None else np.asarray(value, float)
            by_topic[name] = [None if np.isnan(one) else float(one) for one in values]
            value = float(np.nanmean(values)) if np.isfinite(values).any() else None
        if value is not None:
            scores[name] = float(value)
    return scores, by_topic
