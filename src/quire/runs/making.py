"""The stages of a run: count, weigh, factorize, describe."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Stages
from quire.methods.estimator import TopicEstimator
from quire.runs.describe import document_table, topic_table
from quire.runs.finding import factorized, n_topics, outcome, run_info, several_runs
from quire.runs.options import Options
from quire.runs.prepare import Terms, counted_terms, keywords_of, weighed
from quire.runs.recipe import Recipe, recipe
from quire.runs.run import Run
from quire.text.weight import Weight


def run_of(
    corpus: Corpus,
    options: Options,
    stages: Stages | None = None,
    *,
    own_recipe: Recipe | dict[str, Any] | None = None,
    tokens: Callable[[str], list[str]] | None = None,
) -> Run:
    """Gather the documents of a corpus into topics, stage by stage."""
    stages = stages or Stages()
    chosen = options.resolved_recipe(None if own_recipe is None else recipe(own_recipe))
    with stages.stage("count") as update:
        terms = counted_terms(corpus, chosen, options, tokens, update)
    with ThreadPoolExecutor(1) as aside:  # hashing needs no lock, and has time until the topics are found
        fingerprint = aside.submit(corpus.fingerprint)
        with stages.stage("weigh"):
            weight, X = weighed(terms, chosen)
        with stages.stage("factorize") as update:
            estimator, W = factorized(X, n_topics(X, options, chosen), chosen, options, update)
    with stages.stage("describe"):
        info = run_info(corpus.notes, options, chosen, terms, estimator) | {
            "fingerprint": fingerprint.result()
        }
        run = _described(corpus, chosen, terms, weight, estimator, W, info, stages.seconds)
    return replace(run, X=X)


def _described(
    corpus: Corpus,
    chosen: Recipe,
    terms: Terms,
    weight: Weight,
    estimator: TopicEstimator,
    W: NDArray[Any],
    info: dict[str, Any],
    timings: dict[str, float],
) -> Run:
    """Put the run together: tables, scores, topics over time."""
    H = estimator.components_
    shares, runs = estimator.memberships_, several_runs(estimator)
    abstain = info["options"].get("abstain")
    table = document_table(corpus.documents, estimator.labels_, shares, runs, abstain)
    labels = table["topic"].to_numpy()  # a document that is left unassigned is typical of nothing either
    unscaled = weight.unscaled_topics(np.maximum(H, 0))
    topics = topic_table(
        W if abstain is None else np.where(labels[:, None] < 0, 0, W),
        unscaled,
        labels,
        shares,
        terms.words,
        terms.totals,
        table["id"].to_list(),
        runs,
        keywords_of(corpus, terms, labels, unscaled),
    )
    known, dates = (table.get_column(name, default=None) for name in ("label", "date"))
    timeline, more = outcome(labels, known, dates, len(H), bool(abstain))
    return Run(
        documents=table, topics=topics, timeline=timeline, W=W, H=H, totals=terms.totals, words=terms.words,
        counts=terms.counts, weight=weight, estimator=estimator, recipe=chosen,
        info=info | more | {"timings": timings},
    )  # fmt: skip
