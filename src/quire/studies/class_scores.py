"""Scores against known classes, where each class went, and what every score means."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.runs.run import Run
from quire.scores import metrics

_HARD = {
    "accuracy": metrics.accuracy, "mi_hat": metrics.mi_hat, "nmi": metrics.nmi, "purity": metrics.purity,
    "entropy": metrics.entropy, "ari": metrics.ari,
}  # fmt: skip
SCORES = {  # names, and one-line meanings
    "coverage": ("Coverage", "documents with a topic; others are not scored"),
    "accuracy": ("Accuracy", "documents in the topic paired with their class"),
    "mi_hat": ("MI-hat", "as NMI, over the larger information instead"),
    "nmi": ("NMI", "information shared by classes and topics, 0 to 1"),
    "soft_nmi": ("Soft NMI", "as NMI, with memberships instead of topics"),
    "purity": ("Purity", "documents of the largest class of their topic"),
    "entropy": ("Entropy", "mixture of classes within topics; 0 is best"),
    "ari": ("ARI", "pairs rightly together or apart; 0 is chance"),
    "sparsity": ("Sparsity", "zeros in W"),
    "diversity": ("Diversity", "different words among ten keywords of each topic"),
    "npmi": ("Coherence, NPMI", "keywords in the same documents, from −1 to 1"),
    "c_v": ("Coherence, C_v", "keywords with the same company, from 0 to 1"),
    "error": ("Error", "‖X − WH‖"),
    "relative_error": ("Relative error", "‖X − WH‖ / ‖X‖"),
}
LOWER = {"entropy", "error", "relative_error"}  # of which less is better


def against_classes(run: Run, classes: pl.Series) -> dict[str, float]:
    """Score the topics of a run against known classes; nothing where no class is known."""
    known = classes.is_not_null().to_numpy()
    if not known.any():
        return {}
    coverage = {}
    if run.info["options"].get("abstain"):  # then the scores are those of the documents that have a topic
        coverage["coverage"] = float((run.labels[known] >= 0).mean())
        known &= run.labels >= 0
    if not known.any():
        return coverage
    truth = classes.filter(known).rank("dense").to_numpy()  # numbers are compared sooner than names
    found = {name: score(truth, run.labels[known]) for name, score in _HARD.items()}
    soft = metrics.soft_nmi(truth, run.memberships[known])
    order = ("accuracy", "mi_hat", "nmi", "soft_nmi", "purity", "entropy", "ari")
    return coverage | {name: soft if name == "soft_nmi" else found[name] for name in order}


def class_table(classes: pl.Series, clusters: NDArray[Any], k: int) -> pl.DataFrame:
    """Count the documents of each class in each topic, classes in the order of their main topics.

    So the largest numbers of the table go from its upper left to its lower right.
    """
    known, present = classes.is_not_null().to_numpy(), classes.drop_nulls()
    names, row = present.unique().sort().to_list(), present.rank("dense").to_numpy().astype(np.int64) - 1
    table = np.zeros((len(names), k + 1), np.int64)
    np.add.at(table, (row, np.asarray(clusters)[known]), 1)  # −1 is the last column
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
