"""tomotopy: LDA, the hierarchical Dirichlet process that chooses its topics, and the model for short texts."""

from __future__ import annotations

import re
from typing import Any

from benchmarks.compare.task import TOP, Found, Task, Tool, numbered

ITERATIONS, BURN_IN = 1000, 100  # of its examples
SAID = (
    "lower-case words of 3 letters or more without stop words, min_df=5; "
    f"{ITERATIONS} iterations, burn_in={BURN_IN}, one worker"
)


def _trained(task: Task, model: Any) -> Found:
    stop_words = set(task.stop_words)
    given = []
    for number, text in enumerate(task.texts):
        words = [word for word in re.findall(r"[^\W\d_]{3,}", text.lower()) if word not in stop_words]
        if words:  # it takes no document without any
            model.add_doc(words)
            given.append(number)
    model.burn_in = BURN_IN
    model.train(ITERATIONS, workers=1)  # with more of them the seed would not settle the answer
    live = getattr(model, "is_live_topic", lambda topic: True)
    keywords = {t: [word for word, _ in model.get_topic_words(t, top_n=TOP)] for t in range(model.k) if live(t)}
    labels, known = [-1] * len(task.texts), len(model.used_vocabs)
    for number, document in zip(given, model.docs):
        if (document.words < known).any():
            labels[number] = document.get_topics(top_n=1)[0][0]
    return numbered(labels, keywords)


def lda(task: Task) -> Found:
    import tomotopy

    return _trained(task, tomotopy.LDAModel(k=task.k, min_df=5, seed=task.seed))


def hdp(task: Task) -> Found:
    import tomotopy

    return _trained(task, tomotopy.HDPModel(min_df=5, seed=task.seed))


def pt(task: Task) -> Found:
    import tomotopy

    return _trained(task, tomotopy.PTModel(k=task.k, min_df=5, seed=task.seed))


TOOLS = [
    Tool("tomotopy LDA", "tomotopy", ("tomotopy",), lda, f"{SAID}; LDAModel(k=k)"),
    Tool("tomotopy HDP", "tomotopy", ("tomotopy",), hdp, f"{SAID}; HDPModel()", takes_k=False, chooses_k=True),
    Tool("tomotopy PT", "tomotopy", ("tomotopy",), pt, f"{SAID}; PTModel(k=k), for short texts"),
]
