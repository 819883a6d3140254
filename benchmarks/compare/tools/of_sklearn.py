"""scikit-learn; words are prepared as in its example "Topic extraction with NMF and LDA", without its cap of 1,000.

The example's penalties go with that cap (they grow with the number of words) and are left out with it.
"""

from __future__ import annotations

from typing import Any

from benchmarks.compare.task import Found, Task, Tool, by_weight, strongest

WORDS = {"stop_words": "english", "min_df": 2, "max_df": 0.95}
PREPARED = 'stop_words="english", min_df=2, max_df=0.95'


def _factorized(task: Task, model: Any) -> Found:
    """Return the topics of a factorization of tf-idf weights; rows of H may differ in length, which W makes up for."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(**WORDS)
    W = model.fit_transform(vectorizer.fit_transform(task.texts))
    H = model.components_
    return Found(strongest(W * np.linalg.norm(H, axis=1)), by_weight(vectorizer.get_feature_names_out(), H))


def nmf(task: Task) -> Found:
    from sklearn.decomposition import NMF

    return _factorized(task, NMF(task.k, max_iter=500, random_state=task.seed))


def minibatch_nmf(task: Task) -> Found:
    from sklearn.decomposition import MiniBatchNMF

    return _factorized(task, MiniBatchNMF(task.k, random_state=task.seed))


def lda(task: Task) -> Found:
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(**WORDS)
    X = vectorizer.fit_transform(task.texts)
    model = LatentDirichletAllocation(task.k, max_iter=20, random_state=task.seed)
    shares = model.fit_transform(X)
    labels = [topic if words else -1 for topic, words in zip(strongest(shares), X.getnnz(axis=1))]
    return Found(labels, by_weight(vectorizer.get_feature_names_out(), model.components_))


def _tool(name: str, find: Any, settings: str) -> Tool:
    return Tool(f"scikit-learn {name}", "scikit-learn", ("scikit-learn",), find, settings)


TOOLS = [
    _tool("NMF", nmf, f"TfidfVectorizer({PREPARED}); NMF(k, max_iter=500)"),
    _tool("MiniBatchNMF", minibatch_nmf, f"TfidfVectorizer({PREPARED}); MiniBatchNMF(k)"),
    _tool("LDA", lda, f"CountVectorizer({PREPARED}); LatentDirichletAllocation(k, max_iter=20)"),
]
