"""The stages of a run: count, weigh, factorize, describe."""

from __future__ import annotations

import datetime
import platform
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire._version import __version__
from quire.check import silent_rows
from quire.choosing.parse import parse_topics
from quire.corpus import Corpus
from quire.describe import document_table, topic_table
from quire.estimator import TopicEstimator
from quire.metrics import scores
from quire.options import Options
from quire.prepare import Terms, counted_terms, keywords_of, weighed
from quire.recipe import Recipe, recipe
from quire.run import Run
from quire.stages import Stages, Update
from quire.timeline import over_time
from quire.topics import abstained
from quire.trace import Step
from quire.weight import Weight
from quire.wording import counted

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "polars")


def run_of(
    corpus: Corpus,
    options: Options,
    stages: Stages | None = None,
    *,
    own_recipe: Recipe | dict[str, Any] | None = None,
    tokens: Callable[[str], list[str]] | None = None,
) -> Run:
    """Gather the documents of a corpus into topics, stage by stage.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    options : Options
        How.
    stages : Stages, optional
        Takes the time of each stage and shows how far it is.
    own_recipe : Recipe or dict, optional
        Instead of the recipe that the options name.
    tokens : callable, optional
        As for :func:`cluster`.

    Examples
    --------
    >>> from quire.options import Options
    >>> from quire.making import run_of
    >>> from quire.pipeline import read
    >>> options = Options(topics=1)
    >>> run_of(read(["a moon", "the moon"], options), options).topics["name"].to_list()
    ['moon']
    """
    stages = stages or Stages()
    chosen = options.resolved_recipe(None if own_recipe is None else recipe(own_recipe))
    with stages.stage("count") as update:
        terms = counted_terms(corpus, chosen, options, tokens, update)
    with ThreadPoolExecutor(1) as aside:  # hashing needs no lock, and has time until the topics are found
        fingerprint = aside.submit(corpus.fingerprint)
        with stages.stage("weigh"):
            weight, X = weighed(terms, chosen)
        with stages.stage("factorize") as update:
            estimator, W = _factorized(X, _n_topics(X, options, chosen), chosen, options, update)
    with stages.stage("describe"):
        info = _info(corpus, options, chosen, terms, estimator) | {"fingerprint": fingerprint.result()}
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
    shares, runs = estimator.memberships_, _runs(estimator)
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
    bin, timeline = _timeline(table, labels, len(H))
    known = table.get_column("label", default=None)
    found = {} if known is None else scores(known, labels, covered_only=bool(abstain))
    return Run(
        documents=table, topics=topics, timeline=timeline, W=W, H=H, totals=terms.totals, words=terms.words,
        counts=terms.counts, weight=weight, estimator=estimator, recipe=chosen,
        info=info | {"scores": found, "bin": bin, "timings": timings},
    )  # fmt: skip


def _n_topics(X: sp.csr_array, options: Options, chosen: Recipe) -> int:
    """Return how many topics; refuse more than there can be."""
    wanted = parse_topics(options.topics)
    documents = int((np.diff(X.indptr) > 0).sum())
    most, what = min((documents, "written document"), (X.shape[1], "term"))
    if most == 0:
        raise ValueError("There is nothing to gather: no document holds a term.")
    if isinstance(wanted, tuple):
        low, high = wanted
        if low > most and high is not None:
            raise ValueError(f"{low} topics or more cannot be found in {counted(most, what)}: ask for fewer.")
        estimator = chosen.make_estimator(low, options.seed, options.threads)
        return estimator.likely_topics(X, min(low, most), None if high is None else min(high, most))
    if wanted > most:
        raise ValueError(
            f"{wanted} topics cannot be found in {counted(most, what)}: ask for at most {most:,}."
        )
    return wanted


def _factorized(
    X: sp.csr_array, k: int, chosen: Recipe, options: Options, update: Update
) -> tuple[TopicEstimator, NDArray[Any]]:
    """Fit; put the largest topic first; then solve for W, as for any other documents."""
    steps = 0

    def show(step: Step) -> bool:
        nonlocal steps
        steps += 1
        update(min(steps, most - 1), most)
        return False

    estimator = chosen.make_estimator(k, options.seed, options.threads, show)
    most = estimator.n_init * estimator.max_iter
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the run says how it stopped
        W = estimator.fit_transform(X)
    estimator.callback = None
    labels = abstained(*estimator.assign(W, **chosen.assignment), options.abstain)
    sizes = np.bincount(labels[labels >= 0], minlength=estimator.n_components_)
    estimator.reorder(np.argsort(-sizes, kind="stable"))
    W = estimator.transform(X)
    estimator.labels_, estimator.memberships_ = estimator.assign(
        W, silent=silent_rows(X), **chosen.assignment
    )
    return estimator, W


def _runs(estimator: TopicEstimator) -> NDArray[Any] | None:
    """Return the topics of every document in every run; None where fewer than two were made."""
    runs: NDArray[Any] | None = getattr(estimator, "runs_", None)
    return None if runs is None or len(runs) < 2 else runs


def _timeline(table: pl.DataFrame, labels: NDArray[Any], k: int) -> tuple[str | None, pl.DataFrame | None]:
    if "date" not in table.columns or not table["date"].count():
        return None, None
    return over_time(labels, table["date"], k)


@cache
def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def _info(
    corpus: Corpus, options: Options, chosen: Recipe, terms: Terms, estimator: TopicEstimator
) -> dict[str, Any]:
    """Return what run.json says about how the run was made."""
    cut = {} if terms.counts is None else terms.counts.cut_
    language = None if terms.counts is None else terms.counts.lexicon_.language
    silent = int((np.diff(terms.matrix.indptr) == 0).sum())
    return {
        "quire": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "options": options.as_dict(),
        "recipe": chosen.as_dict(),
        "seed": options.seed,
        "n_topics": int(estimator.n_components_),
        "runs": None if (runs := _runs(estimator)) is None else len(runs),
        "versions": _versions(),
        "corpus": {**corpus.notes.as_dict(), "sentences": corpus.notes.sentences()},
        "terms": {"kept": len(terms.words), "cut": cut, "language": language, "documents_without": silent},
        "fit": {
            "objective": estimator.objective_,
            "error": estimator.reconstruction_err_,
            "iterations": estimator.n_iter_,
            "stopped": estimator.stopped_,
        },
    }
