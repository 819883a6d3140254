"""turftopic's models with the same model of sentences; the vectorizer is its default, without English stop words."""

from __future__ import annotations

from typing import Any

from benchmarks.compare.sentences import PACKAGE, embedded, encoder
from benchmarks.compare.task import TOP, Found, Task, Tool, numbered, strongest


def _fitted(task: Task, model: Any) -> Found:
    """Return what a model finds that gives every document shares in all topics."""
    shares = model.fit_transform(task.texts, embeddings=embedded(task.vectors, task.texts))
    return Found(strongest(shares), _words(model))


def _words(model: Any) -> list[list[str]]:
    vocabulary = model.get_vocab()
    return [[str(vocabulary[j]) for j in (-row).argsort()[:TOP]] for row in model.components_]


def _common(task: Task) -> dict[str, Any]:
    return {"encoder": encoder(), "random_state": task.seed}


def keynmf(task: Task) -> Found:
    from turftopic import KeyNMF

    return _fitted(task, KeyNMF(task.k or "auto", **_common(task)))


def s3(task: Task) -> Found:
    from turftopic import SemanticSignalSeparation

    return _fitted(task, SemanticSignalSeparation(task.k, **_common(task)))


def gmm(task: Task) -> Found:
    from turftopic import GMM

    return _fitted(task, GMM(task.k or "auto", **_common(task)))


def clustering(task: Task) -> Found:
    from turftopic import ClusteringTopicModel

    model = ClusteringTopicModel(n_reduce_to=task.k, **_common(task))
    labels = model.fit_predict(task.texts, embeddings=embedded(task.vectors, task.texts))
    words = {int(c): own for c, own in zip(model.classes_, _words(model)) if c >= 0}
    return numbered((int(label) for label in labels), words)


def _tool(name: str, find: Any, settings: str, chooses_k: bool = True) -> Tool:
    return Tool(
        f"turftopic {name}", "turftopic", ("turftopic", "umap-learn", PACKAGE), find,
        f"all-MiniLM-L6-v2; {settings}", chooses_k=chooses_k, needs_vectors=True,
    )  # fmt: skip


TOOLS = [
    _tool("KeyNMF", keynmf, 'KeyNMF(k or "auto")'),
    _tool("S³", s3, "SemanticSignalSeparation(k); the topic of a document is its strongest component", False),
    _tool("GMM", gmm, 'GMM(k or "auto")'),
    _tool("clustering", clustering, "ClusteringTopicModel(n_reduce_to=k): its own reduction and clustering"),
]
