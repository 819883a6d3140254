"""How good the topics of a run are: scores with and without known classes, and where each class went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import counted, were
from quire.runs.run import Run
from quire.scores import metrics
from quire.studies.class_scores import against_classes, class_table
from quire.studies.labels_file import Labels
from quire.text.phrases import count_phrases

N_KEYWORDS = 10  # of each topic, for diversity and coherence


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of a run, as plain data.

    Attributes
    ----------
    n_documents, n_labelled : int
        Documents, and those whose class is known: the only ones that the scores against classes count.
    source : str or None
        Where the classes are from: ``"run"``, or a file; None where there are none.
    against : dict
        Scores against the classes; empty where there are none.
    alone : dict
        Scores that need no classes.
    topics : DataFrame
        Coherence by topic, null where it could not be had.
    classes : DataFrame
        A row per class: documents, main topic, documents in each topic, and in none.
    said : tuple of str
        What was left out, and why.

    Examples
    --------
    >>> import quire
    >>> from quire.studies.evaluate import evaluate
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> found = evaluate(quire.cluster(texts, 2, labels=["a", "a", "b", None], random_state=0))
    >>> found.n_labelled, found.said
    (3, ('1 document without a label was left out of the scores against classes.',))
    """

    n_documents: int
    n_labelled: int
    source: str | None
    against: dict[str, float]
    alone: dict[str, float]
    topics: pl.DataFrame
    classes: pl.DataFrame
    said: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as data for JSON.

        Examples
        --------
        >>> import quire
        >>> from quire.studies.evaluate import evaluate
        >>> run = quire.cluster(["the moon", "a moon", "goal", "a goal"], 2, random_state=0)
        >>> evaluate(run).as_dict()["scores"]["diversity"]
        1.0
        """
        return {
            "documents": self.n_documents, "labelled": self.n_labelled, "labels": self.source,
            "scores": self.against | self.alone, "topics": self.topics.to_dicts(),
            "classes": self.classes.to_dicts(), "notes": list(self.said),
        }  # fmt: skip


def evaluate(run: Run, labels: Labels | Sequence[Any] | pl.Series | None = None) -> Evaluation:
    """Score the topics of a run.

    Parameters
    ----------
    run : Run
        What to score.
    labels : sequence or Labels, optional
        The documents' classes, None where unknown; by default those that the run was made with.

    Examples
    --------
    >>> import quire
    >>> from quire.studies.evaluate import evaluate
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> run = quire.cluster(texts, 2, random_state=0)
    >>> evaluate(run, ["space", "space", "sport", "sport"]).against["accuracy"]
    1.0
    """
    known = _labels(run, labels)
    said = list(known.said)
    alone, topics = _alone(run, said)
    classes = known.values
    n_labelled, n = classes.count(), len(run.documents)
    if not n_labelled:
        said.append("No class is known: name a file with --labels for scores against classes.")
    elif n_labelled < n:
        silent = n - n_labelled
        said.append(
            f"{counted(silent, 'document')} without a label {were(silent)} left out of the scores against "
            "classes."
        )
    source = known.source if n_labelled else None
    against = against_classes(run, classes)
    table = class_table(classes, run.labels, len(run.H))
    return Evaluation(n, n_labelled, source, against, alone, topics, table, tuple(said))


def _labels(run: Run, labels: Labels | Sequence[Any] | pl.Series | None) -> Labels:
    n = len(run.documents)
    if isinstance(labels, Labels):
        return labels
    if labels is None:
        own = run.documents.get_column("label", default=None)
        return Labels(pl.Series([None] * n, dtype=pl.String) if own is None else own, "run")
    if len(labels) != n:
        raise ValueError(f"There are {len(labels):,} labels for {n:,} documents: give one a document.")
    values = pl.Series([None if value is None else str(value) for value in labels], dtype=pl.String)
    return Labels(values, "given")


def _alone(run: Run, said: list[str]) -> tuple[dict[str, float], pl.DataFrame]:
    """Return the scores that need no classes, and coherence by topic; add what is left out to ``said``."""
    keywords = [words[:N_KEYWORDS] for words in run.topics["keywords"].to_list()]
    found = {"sparsity": metrics.sparsity(run.W), "diversity": metrics.diversity(keywords)}
    topics = run.topics.select("topic", "name", "size")
    counts = _counted(run, said)
    held, words = (None, []) if counts is None else _with_phrases(run, counts, keywords)
    for measure in ("npmi", "c_v"):
        values: list[float | None] = [None] * len(keywords)
        if counts is not None:
            coherence = metrics.coherence(keywords, held, words, measure, N_KEYWORDS)
            values = [None if math.isnan(value) else float(value) for value in coherence.topics]
            if not math.isnan(coherence.mean):
                found[measure] = coherence.mean
        topics = topics.with_columns(pl.Series(measure, values, dtype=pl.Float64))
    found["error"] = float(run.info["fit"]["error"])
    if counts is not None:  # in ‖·‖, also where the method minimised another divergence
        X = run.weight.transform(counts)
        found["relative_error"] = _relative_error(X, run.W, run.H)
        found["error"] = found["relative_error"] * math.sqrt(float(np.sum(X.data.astype(np.float64) ** 2)))
    return found, topics


def _counted(run: Run, said: list[str]) -> sp.csr_array | None:
    """Return the counts, which a run does not keep, from the texts, which it does; None where it cannot."""
    try:
        return run.recount()
    except ValueError as error:  # made from a matrix, or with tokens from a function, which is not stored
        said.append(f"Coherence is left out. {error}")
        return None


def _with_phrases(
    run: Run, counts: sp.csr_array, keywords: list[list[str]]
) -> tuple[sp.csr_array, list[str]]:
    """Add the counts of those keywords that are phrases rather than terms."""
    known = set(run.words)
    phrases = sorted({w for row in keywords for w in row if w not in known and w.count(" ") == 1})
    texts = Corpus.of(run.documents).texts() if phrases else []
    more = [count_phrases(texts, phrases)] if phrases else []
    return sp.csr_array(sp.hstack([counts, *more], "csr")), [*run.words, *phrases]


def _relative_error(X: sp.csr_array, W: NDArray[Any], H: NDArray[Any]) -> float:
    """Return ‖X − WH‖ / ‖X‖, X being read once and WH never made."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    total = float(np.square(X.data, dtype=np.float64).sum())
    fitted = float(((W.T @ W) * (H @ H.T)).sum()) - 2 * float(((X @ H.T) * W).sum())
    return math.sqrt(max(0.0, total + fitted) / total) if total else 0.0
