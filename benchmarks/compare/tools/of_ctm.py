"""Contextualized topic models: CombinedTM on the 2,000 most frequent words, which its documentation advises."""

from __future__ import annotations

from benchmarks.compare.sentences import PACKAGE, embedded
from benchmarks.compare.task import TOP, Found, Task, Tool, strongest


def combined(task: Task) -> Found:
    import numpy as np
    import torch
    from contextualized_topic_models.models.ctm import CombinedTM
    from contextualized_topic_models.utils.data_preparation import TopicModelDataPreparation
    from sklearn.feature_extraction.text import CountVectorizer

    torch.manual_seed(task.seed)
    np.random.seed(task.seed)  # noqa: NPY002, what the package draws from
    vectorizer = CountVectorizer(stop_words=task.stop_words, max_features=2000)
    counts = vectorizer.fit_transform(task.texts)
    vocabulary, analyze = set(vectorizer.get_feature_names_out()), vectorizer.build_analyzer()
    words = [" ".join(word for word in analyze(text) if word in vocabulary) for text in task.texts]
    vectors = embedded(task.vectors, task.texts)
    held = np.flatnonzero(counts.getnnz(axis=1))  # it takes no document without words
    preparation = TopicModelDataPreparation()
    data = preparation.fit(
        text_for_contextual=[task.texts[i] for i in held], text_for_bow=[words[i] for i in held],
        custom_embeddings=vectors[held],
    )  # fmt: skip
    model = CombinedTM(
        bow_size=len(preparation.vocab),
        contextual_size=vectors.shape[1],
        n_components=task.k,
        num_data_loader_workers=0,
    )
    model.fit(data)
    labels = np.full(len(task.texts), -1)
    labels[held] = strongest(model.get_doc_topic_distribution(data, n_samples=20))
    topics = model.get_topic_lists(TOP)
    return Found(labels.tolist(), [[str(word) for word in own] for own in topics])


TOOLS = [
    Tool(
        "CombinedTM", "contextualized-topic-models", ("contextualized-topic-models", PACKAGE), combined,
        "all-MiniLM-L6-v2; the 2,000 most frequent words without stop words; CombinedTM(n_components=k) with its "
        "100 epochs; 20 samples of the shares", needs_vectors=True,
    )
]  # fmt: skip
