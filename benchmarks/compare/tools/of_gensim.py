"""gensim, with the settings of its tutorials on LdaModel and Nmf; rare words are those in fewer than 5 documents."""

from __future__ import annotations

from typing import Any

from benchmarks.compare.task import TOP, Found, Task, Tool

PREPARED = "simple_preprocess without STOPWORDS, filter_extremes(no_below=5, no_above=0.5)"


def _bags(texts: list[str]) -> tuple[Any, list[Any]]:
    from gensim.corpora import Dictionary
    from gensim.parsing.preprocessing import STOPWORDS
    from gensim.utils import simple_preprocess

    words = [[word for word in simple_preprocess(text) if word not in STOPWORDS] for text in texts]
    dictionary = Dictionary(words)
    dictionary.filter_extremes(no_below=5, no_above=0.5)
    return dictionary, [dictionary.doc2bow(one) for one in words]


def _found(model: Any, bags: list[Any], shares: Any) -> Found:
    labels = [int(max(own, key=lambda pair: pair[1])[0]) if bag and own else -1 for bag, own in zip(bags, shares)]
    topics = model.show_topics(num_topics=-1, num_words=TOP, formatted=False)
    words = {int(topic): [word for word, _ in own] for topic, own in topics}
    return Found(labels, [words[topic] for topic in sorted(words)])


def lda(task: Task) -> Found:
    from gensim.models import LdaModel

    dictionary, bags = _bags(task.texts)
    model = LdaModel(
        bags, task.k, dictionary, chunksize=2000, passes=20, iterations=400, alpha="auto", eta="auto",
        eval_every=None, random_state=task.seed,
    )  # fmt: skip
    return _found(model, bags, [model.get_document_topics(bag) for bag in bags])


def nmf(task: Task) -> Found:
    from gensim.models import TfidfModel
    from gensim.models.nmf import Nmf

    dictionary, bags = _bags(task.texts)
    weighted = list(TfidfModel(bags)[bags])
    model = Nmf(
        weighted, num_topics=task.k, id2word=dictionary, chunksize=1000, passes=5, kappa=0.1,
        minimum_probability=0.01, w_max_iter=300, w_stop_condition=1e-4, h_max_iter=100, h_stop_condition=1e-3,
        eval_every=None, normalize=True, random_state=task.seed,
    )  # fmt: skip
    return _found(model, bags, [model.get_document_topics(bag) for bag in weighted])


TOOLS = [
    Tool(
        "gensim LDA", "gensim", ("gensim",), lda,
        f'{PREPARED}; LdaModel(chunksize=2000, passes=20, iterations=400, alpha="auto", eta="auto")',
    ),
    Tool(
        "gensim Nmf", "gensim", ("gensim",), nmf,
        f"{PREPARED}; TfidfModel; Nmf(chunksize=1000, passes=5, kappa=0.1, w_max_iter=300, w_stop_condition=1e-4, "
        "h_max_iter=100, h_stop_condition=1e-3, minimum_probability=0.01)",
    ),
]  # fmt: skip
