"""Quire as a user calls it."""

from __future__ import annotations

from functools import partial

from benchmarks.compare.task import TOP, Found, Task, Tool


def cluster(task: Task, recipe: str) -> Found:
    import quire

    run = quire.cluster(task.texts, task.k or "auto", recipe=recipe, random_state=task.seed)
    return Found([int(topic) for topic in run.labels], [words[:TOP] for words in run.topics["keywords"].to_list()])


TOOLS = [
    Tool(
        name, "Quire", ("quire-topics",), partial(cluster, recipe=recipe),
        f'quire.cluster(texts, k or "auto", recipe="{recipe}")', chooses_k=True,
    )
    for name, recipe in (("Quire", "default"), ("Quire tfidf", "tfidf"))
]  # fmt: skip
