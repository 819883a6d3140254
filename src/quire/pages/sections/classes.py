"""Where the documents of each known class went, as the page shows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from quire.messages import counted, short, were
from quire.pages.sections.section import Asked
from quire.runs.run import Run
from quire.scores.registry import SCORES
from quire.studies.compare import matched_pairs
from quire.studies.evaluate import class_table, scores_of

_MOST = 200  # classes in the matrix


def class_section(run: Run, asked: Asked) -> dict[str, Any] | None:
    """Return the classes of a run by topic, and the scores; None where no class is known."""
    # Rows and columns are in such an order that each class lies on the diagonal with the topic it is matched
    # with, one to one, as for the accuracy (among the 200 largest classes): the largest pairs first, then
    # classes and topics without a partner.
    classes = run.documents.get_column("label", default=None)
    if classes is None or not classes.count():
        return None
    k = run.topics.height
    every = class_table(classes, run.labels, k).sort("documents", descending=True, maintain_order=True)
    table = every.head(_MOST)
    counts = np.array(table["topics"].to_list(), np.int64).reshape(-1, k)
    pairs = matched_pairs(counts)
    partner = {topic: row for row, topic in pairs}
    topics = [*partner, *(topic for topic in range(k) if topic not in partner)]
    matched = [row for row, _ in pairs]
    rows = [*matched, *(row for row in range(table.height) if row not in set(matched))]
    names = [short(name) for name in table["class"].to_list()]
    return {
        "labels": [names[row] for row in rows],
        "topics": topics,
        "matrix": counts[np.ix_(rows, topics)].tolist(),
        "unassigned": table["unassigned"].gather(rows).to_list(),
        "matched": [names[partner[topic]] if topic in partner else None for topic in topics],
        "scores": _scores(scores_of(run, classes, run.scores)),
        "said": [*_guess(run), *_notes(classes, every)],
    }


def _guess(run: Run) -> list[str]:
    """Say so where nobody named the classes."""
    guess = run.guessed_classes
    if guess is None:
        return []
    return [
        f"The known classes are a guess, {short(guess)}: where they are none, scores mean nothing; --label names them."
    ]


def _scores(scores: dict[str, float]) -> list[dict[str, Any]]:
    return [
        {
            "key": key, "name": SCORES[key].name, "value": round(value, 6), "meaning": SCORES[key].meaning,
            "better": "lower" if SCORES[key].lower_is_better else "higher",
        }
        for key, value in scores.items()
    ]  # fmt: skip


def _notes(classes: pl.Series, table: pl.DataFrame) -> list[str]:
    """Say what is not in the matrix."""
    silent, small = classes.null_count(), table.slice(_MOST)
    notes = []
    if silent:
        notes.append(f"{counted(silent, 'document')} without a class {were(silent)} left out.")
    if small.height:
        notes.append(
            f"The matrix has the {_MOST} largest of {table.height:,} classes; the others have "
            f"{counted(int(small['documents'].sum()), 'document')}."
        )
    return notes
