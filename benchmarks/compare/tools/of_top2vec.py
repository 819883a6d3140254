"""Top2Vec with its default model of sentences; every document is of the topic whose vector is nearest."""

from __future__ import annotations

from typing import Any

from benchmarks.compare.sentences import PACKAGE, embedded, encoder
from benchmarks.compare.task import TOP, Found, Task, Tool

MANY = 20_000  # texts, from which on its default for rare words is kept


def top2vec(task: Task) -> Found:
    import numpy as np
    from top2vec import Top2Vec

    vectors = embedded(task.vectors, task.texts)
    known = dict(zip(task.texts, vectors))
    model = encoder()

    def embed(texts: list[str]) -> Any:
        """Look the documents up, and encode words."""
        if all(text in known for text in texts):
            return np.stack([known[text] for text in texts])
        return model.encode(list(texts), show_progress_bar=False)

    settings = {"n_neighbors": 15, "n_components": 5, "metric": "cosine", "random_state": task.seed}
    fewest = 50 if len(task.texts) > MANY else 5  # its documentation asks for a smaller one where texts are few
    found = Top2Vec(task.texts, min_count=fewest, embedding_model=embed, umap_args=settings, verbose=False)
    reduced = task.k is not None and found.get_num_topics() > task.k
    if reduced:
        found.hierarchical_topic_reduction(task.k)
    words, _, _ = found.get_topics(reduced=reduced)
    labels = found.doc_top_reduced if reduced else found.doc_top
    return Found([int(topic) for topic in labels], [[str(word) for word in own[:TOP]] for own in words])


TOOLS = [
    Tool(
        "Top2Vec", "Top2Vec", ("top2vec", "sentence-transformers", PACKAGE), top2vec,
        "all-MiniLM-L6-v2; min_count=5 (50 from 20,000 texts on), UMAP's defaults with random_state; where k is given, "
        "hierarchical_topic_reduction(k)",
        chooses_k=True, needs_vectors=True,
    )
]  # fmt: skip
