"""CorEx topic model; a document is of the topic that is likeliest in it."""

from __future__ import annotations

from benchmarks.compare.task import TOP, Found, Task, Tool


def corex(task: Task) -> Found:
    from corextopic import corextopic
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(stop_words="english", max_features=20_000, binary=True)
    X = vectorizer.fit_transform(task.texts)
    words = vectorizer.get_feature_names_out().tolist()
    model = corextopic.Corex(n_hidden=task.k, seed=task.seed)
    model.fit(X, words=words)
    keywords = [[str(pair[0]) for pair in model.get_topics(topic=t, n_words=TOP)] for t in range(task.k or 0)]
    empty = X.getnnz(axis=1) == 0
    labels = model.log_p_y_given_x.argmax(axis=1)
    return Found([-1 if none else int(t) for t, none in zip(labels, empty)], keywords)


TOOLS = [
    Tool(
        "CorEx", "CorEx", ("corextopic", "scikit-learn", "six"), corex,
        'CountVectorizer(stop_words="english", max_features=20000, binary=True); Corex(n_hidden=k)',
    )
]  # fmt: skip
