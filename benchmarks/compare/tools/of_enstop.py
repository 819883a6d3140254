"""enstop: pLSA, and the ensemble of pLSA runs that chooses how many topics it keeps.

It calls names that NumPy has removed, which it is given back.
"""

from __future__ import annotations

from typing import Any

from benchmarks.compare.task import Found, Task, Tool, by_weight

SAID = 'CountVectorizer(stop_words="english", min_df=5)'


def _found(task: Task, model: Any) -> Found:
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words="english", min_df=5)
    X = vectorizer.fit_transform(task.texts).astype(np.float32)
    held = np.flatnonzero(X.getnnz(axis=1))  # it takes no document without words
    shares = model.fit_transform(X[held])
    labels = np.full(len(task.texts), -1)
    labels[held] = np.asarray(shares).argmax(axis=1)
    return Found(labels.tolist(), by_weight(vectorizer.get_feature_names_out(), np.asarray(model.components_)))


def plsa(task: Task) -> Found:
    from benchmarks.old_numpy import old_numpy

    with old_numpy():
        import enstop

        return _found(task, enstop.PLSA(task.k, random_state=task.seed))


def ensemble(task: Task) -> Found:
    from benchmarks.old_numpy import old_numpy

    with old_numpy():
        import enstop

        return _found(task, enstop.EnsembleTopics(task.k or 20, random_state=task.seed))


TOOLS = [
    Tool("enstop PLSA", "enstop", ("enstop",), plsa, f"{SAID}; PLSA(k)"),
    Tool(
        "enstop EnsembleTopics", "enstop", ("enstop",), ensemble,
        f"{SAID}; EnsembleTopics(k, or 20 a run where it chooses), which keeps the stable topics", chooses_k=True,
    ),
]  # fmt: skip
