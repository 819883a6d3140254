"""How good the topics of a run are: scores with and without known classes, and where each class went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.corpus.strings import listed
from quire.messages import counted, were
from quire.runs.run import Run
from quire.scores.fitted import Fitted
from quire.scores.registry import class_numbers, class_scores, model_scores
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
    notes : tuple of str
        What was left out, and why.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> evaluation = quire.evaluate(quire.cluster(texts, 2, labels=["a", "a", "b", None], random_state=0))
    >>> evaluation.n_labelled, evaluation.notes
    (3, ('1 document without a label was left out of the scores against classes.',))
    """

    n_documents: int
    n_labelled: int
    source: str | None
    against: dict[str, float]
    alone: dict[str, float]
    topics: pl.DataFrame
    classes: pl.DataFrame
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as data for JSON."""
        return {
            "documents": self.n_documents, "labelled": self.n_labelled, "labels": self.source,
            "scores": self.against | self.alone, "topics": self.topics.to_dicts(),
            "classes": self.classes.to_dicts(), "notes": list(self.notes),
        }  # fmt: skip


def evaluate(run: Run, labels: Labels | Sequence[Any] | pl.Series | None = None) -> Evaluation:
    """Score the topics of a run.

    Parameters
    ----------
    run : Run
        What to score.
    labels : sequence or Labels, optional
        The documents' classes, None where unknown; by default those that the run was made with.

    Returns
    -------
    Evaluation
        The scores, where each class went, and what was left out.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> run = quire.cluster(texts, 2, random_state=0)
    >>> quire.evaluate(run, ["space", "space", "sport", "sport"]).against["accuracy"]
    1.0
    """
    known = _labels(run, labels)
    notes = list(known.notes)
    alone, by_topic = model_scores(_fitted(run, notes))
    topics = run.topics.select("topic", "name", "size").with_columns(
        pl.Series(name, values, dtype=pl.Float64) for name, values in by_topic.items()
    )
    classes = known.values
    n_labelled, n = classes.count(), len(run.documents)
    if not n_labelled:
        notes.append("No class is known: name a file with --labels for scores against classes.")
    elif n_labelled < n:
        silent = n - n_labelled
        notes.append(
            f"{counted(silent, 'document')} without a label {were(silent)} left out of the scores against classes."
        )
    source = known.source if n_labelled else None
    against = scores_of(run, classes)
    table = class_table(classes, run.labels, len(run.H))
    return Evaluation(n, n_labelled, source, against, alone, topics, table, tuple(notes))


def scores_of(run: Run, classes: pl.Series, known: Mapping[str, float] | None = None) -> dict[str, float]:
    """Score a run against classes; where it abstains, over the documents that have a topic."""
    covered_only = bool(run.info["options"].get("abstain"))
    return class_scores(classes, run.labels, _Memberships(run), covered_only=covered_only, known_scores=known)


class _Memberships:
    """The memberships of a run, made of W for some documents at a time: all of them are as large as W itself."""

    def __init__(self, run: Run) -> None:
        self._run, self.shape = run, run.W.shape

    def __len__(self) -> int:
        return len(self._run.W)

    def __getitem__(self, rows: slice | NDArray[Any]) -> NDArray[Any]:
        return self._run.memberships_of(rows)


def _labels(run: Run, labels: Labels | Sequence[Any] | pl.Series | None) -> Labels:
    n = len(run.documents)
    if isinstance(labels, Labels):
        return labels
    if labels is None:
        own = run.documents.get_column("label", default=None)
        return Labels(pl.Series([None] * n, dtype=pl.String) if own is None else own, "run")
    given = listed(labels, "The labels")
    if len(given) != n:
        raise ValueError(f"There are {len(given):,} labels for {n:,} documents: give one a document.")
    values = pl.Series([None if value is None else str(value) for value in given], dtype=pl.String)
    return Labels(values, "given")


def _fitted(run: Run, notes: list[str]) -> Fitted:
    """Return what there is to score without classes; add what is left out to ``notes``."""
    keywords = [words[:N_KEYWORDS] for words in run.topics["keywords"].to_list()]
    error, counts = float(run.info["fit"]["error"]), _counted(run, notes)
    if counts is None:
        return Fitted(run.W, run.H, keywords, error)
    held, words = _with_phrases(run, counts, keywords)
    return Fitted(run.W, run.H, keywords, error, run.weight.csr(counts), held, tuple(words))


def _counted(run: Run, notes: list[str]) -> sp.csr_array | None:
    """Return the counts, which a run does not keep, from the texts, which it does; None where it cannot."""
    try:
        return run.recount()
    except ValueError as error:  # made from a matrix, or with tokens from a function, which is not stored
        notes.append(f"Coherence is left out. {error}")
        return None


def _with_phrases(run: Run, counts: sp.csr_array, keywords: list[list[str]]) -> tuple[sp.csr_array, list[str]]:
    """Add the counts of those keywords that are phrases rather than terms."""
    known = set(run.words)
    phrases = sorted({w for row in keywords for w in row if w not in known and w.count(" ") == 1})
    texts = Corpus.of(run.documents).texts() if phrases else []
    more = [count_phrases(texts, phrases, run.counts)] if phrases else []
    return sp.csr_array(sp.hstack([counts, *more], "csr")), [*run.words, *phrases]


def class_table(classes: pl.Series, clusters: NDArray[Any], k: int) -> pl.DataFrame:
    """Count the documents of each class in each topic, classes in the order of their main topics.

    So the largest numbers of the table go from its upper left to its lower right.
    """
    known, present = classes.is_not_null().to_numpy(), classes.drop_nulls()
    names, row = class_numbers(present)
    cells = row * (k + 1) + np.asarray(clusters)[known] % (k + 1)  # −1 is the last column
    table = np.bincount(cells, minlength=len(names) * (k + 1)).reshape(len(names), k + 1)
    main = table[:, :k].argmax(axis=1) if k and len(names) else np.zeros(0, np.int64)
    largest = table[:, :k].max(axis=1, initial=0)
    main = np.where(largest > 0, main, -1)
    order = np.lexsort((-largest, np.where(main < 0, k, main)))
    columns = {
        "class": pl.Series([str(names[i]) for i in order], dtype=pl.String),
        "documents": pl.Series(table[order].sum(axis=1)),
        "main_topic": pl.Series(main[order].astype(np.int64)),
        "topics": pl.Series(table[order, :k].tolist(), dtype=pl.List(pl.Int64)),
        "unassigned": pl.Series(table[order, k]),
    }
    return pl.DataFrame(columns)
