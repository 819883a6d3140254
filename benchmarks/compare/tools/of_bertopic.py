"""BERTopic with its default model of sentences; stop words are left out of the words, as its documentation advises."""

from __future__ import annotations

from typing import Any

from benchmarks.compare.sentences import PACKAGE, embedded
from benchmarks.compare.task import TOP, Found, Task, Tool, numbered

UMAP_SETTINGS = {"n_neighbors": 15, "n_components": 5, "min_dist": 0.0, "metric": "cosine"}  # its defaults
SAID = 'all-MiniLM-L6-v2; CountVectorizer(stop_words="english"); UMAP with its defaults and random_state'


def _gathered(task: Task, **changed: Any) -> Found:
    from bertopic import BERTopic
    from sklearn.feature_extraction.text import CountVectorizer
    from umap import UMAP

    model = BERTopic(
        umap_model=UMAP(**UMAP_SETTINGS, random_state=task.seed),
        vectorizer_model=CountVectorizer(stop_words="english"),
        **changed,
    )
    labels, _ = model.fit_transform(task.texts, embedded(task.vectors, task.texts))
    words = {topic: [word for word, _ in own[:TOP] if word] for topic, own in model.get_topics().items() if topic >= 0}
    return numbered(labels, words)


def hdbscan(task: Task) -> Found:
    return _gathered(task, nr_topics=task.k + 1 if task.k else None)  # it counts the outliers as a topic


def kmeans(task: Task) -> Found:
    from sklearn.cluster import KMeans

    return _gathered(task, hdbscan_model=KMeans(n_clusters=task.k, random_state=task.seed))


TOOLS = [
    Tool(
        "BERTopic", "BERTopic", ("bertopic", PACKAGE), hdbscan,
        f"{SAID}; HDBSCAN with its defaults; where k is given, nr_topics=k+1 (the outliers are one)",
        chooses_k=True, needs_vectors=True,
    ),
    Tool(
        "BERTopic k-means", "BERTopic", ("bertopic", PACKAGE), kmeans, f"{SAID}; KMeans(n_clusters=k)",
        needs_vectors=True,
    ),
]  # fmt: skip
