"""How many topics, the fit, and what ``run.json`` says of it."""

from __future__ import annotations

import datetime
import platform
import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire import __version__
from quire.backends.check import silent_rows
from quire.corpus.notes import Notes
from quire.engine.loop import Keeper
from quire.engine.trace import Step
from quire.messages import Update, counted, were
from quire.methods.assignment import abstained
from quire.methods.ensemble.estimator import Ensemble
from quire.methods.estimator import TopicEstimator
from quire.methods.guide import Guide
from quire.places.parts import Blocks, KeptRows
from quire.runs.budget import memory_of
from quire.runs.options import Options, parse_topics
from quire.runs.recipe import Recipe, recipe
from quire.runs.seeds import read_seeds
from quire.runs.terms import Terms, about_words, versions_of_segmenters, weigh_terms
from quire.runs.tongues import told_of_languages

_PER_VALUE = 16  # bytes of a value of X and its place, once as it is and once as the method sees it
_LONG = 1000  # counted words of a document that speaks of many subjects
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "polars")


def n_topics(
    X: Blocks, terms: Terms, options: Options, chosen: Recipe, passages: NDArray[np.int64] | None = None
) -> tuple[int, list[int] | None, dict[str, float] | None]:
    """Return how many topics, other good numbers, and what speaks for each (None where it was given).

    More than there can be are refused.

    ``passages`` are those of each whole document, where texts were split.
    Where there are seeds, there are at least as many topics, and no other numbers.
    """
    wanted = parse_topics(options.topics)
    seeds = 0 if options.seeds is None else len(read_seeds(options.seeds)["topics"])
    if isinstance(wanted, int) and wanted < seeds:
        asked = f"{wanted} {were(wanted)} asked for"
        raise ValueError(f"There are seeds of {counted(seeds, 'topic')}, and {asked}: ask for {seeds} or more.")
    documents = X.shape[0] - _without_terms(X)
    most, what = min((documents, "written document"), (X.shape[1], "term"))
    if most == 0:
        raise ValueError("There is nothing to gather: no document holds a term.")
    if isinstance(wanted, tuple):
        low, high = wanted
        if low > most and high is not None:
            raise ValueError(f"{low} topics or more cannot be found in {counted(most, what)}: ask for fewer.")
        within = min(low, most), None if high is None else min(high, most)
        seen = seen_to_choose(X, terms, chosen)
        (k, *also), agreement = likely_cuts(seen, *within, options.threads, options.device, passages)
        if seeds:
            return max(k, seeds), [], None
        return k, also, {str(number): round(value, 3) for number, value in agreement.items()}
    if wanted > most:
        raise ValueError(f"{wanted} topics cannot be found in {counted(most, what)}: ask for at most {most:,}.")
    return wanted, None, None


def likely_cuts(
    X: Any, lowest: int, highest: int | None, threads: int | None, device: str = "cpu",
    passages: NDArray[np.int64] | None = None,
) -> tuple[list[int], dict[int, float]]:  # fmt: skip
    """Return up to three good numbers of topics, the best supported one first, and how well topics agree at each.

    It is the one verdict of all commands; agreement is not known where singular values were counted.
    """
    estimator = Ensemble(n_jobs=threads, device=device)
    return estimator.likely_cuts(X, lowest, highest, passages), getattr(estimator, "_agreement", {})


def seen_to_choose(X: Blocks, terms: Terms, chosen: Recipe) -> Blocks:
    """Return what is looked at to say how many topics there are: log counts, whatever a recipe makes of them."""
    default = recipe("default")
    return X if chosen.weight == default.weight else weigh_terms(terms, default)[1]


def factorized(
    X: Blocks, parts: Blocks, k: int, chosen: Recipe, options: Options, update: Update, keeper: Keeper | None = None,
    vectors: KeptRows | None = None, guide: Guide | None = None,
) -> tuple[TopicEstimator, KeptRows]:  # fmt: skip
    """Fit; put the largest topic first; then solve for W, as for any other documents, in the parts of the corpus."""
    steps = 0

    def show(step: Step) -> bool:
        nonlocal steps
        steps += 1
        update(min(steps, most - 1), most)
        return False

    estimator = chosen.make_estimator(k, options.seed, options.threads, show, options.device)
    if keeper is not None:
        estimator._keeper = keeper
    most = estimator.most_steps
    held = held_for(X, estimator, options)
    estimator._guide = guide
    seen = held if guide is None or estimator.weighs_evidence else guide.with_rows(held, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the run says how it stopped
        W = estimator.fit_transform(seen, **({} if vectors is None else {"embeddings": vectors}))
    estimator.callback = estimator._keeper = estimator._guide = None
    if seen is not held:
        estimator.seeded_ = np.where(np.arange(k) < len(guide or ()), np.arange(k), -1)
        W = estimator.transform(held)
    return estimator, _in_order(estimator, X, parts, held, W, chosen, options)


def cut_at(
    estimator: TopicEstimator, X: Blocks, parts: Blocks, k: int, chosen: Recipe, options: Options
) -> tuple[TopicEstimator, KeptRows]:
    """Return what the same fit says with another number of topics, as :func:`factorized` does."""
    return _otherwise(lambda held: estimator.at(k, held), estimator, X, parts, chosen, options)


def settled_from(
    estimator: Ensemble, X: Blocks, parts: Blocks, labels: NDArray[Any], chosen: Recipe, options: Options
) -> tuple[TopicEstimator, KeptRows]:
    """Return topics that begin as clusters of the documents, as :func:`factorized` does."""
    return _otherwise(lambda held: estimator.begun(labels, held), estimator, X, parts, chosen, options)


def _otherwise(
    fit: Callable[[Any], TopicEstimator], estimator: TopicEstimator, X: Blocks, parts: Blocks, chosen: Recipe,
    options: Options,
) -> tuple[TopicEstimator, KeptRows]:  # fmt: skip
    """Return other topics of what an estimator was fitted to."""
    held = held_for(X, estimator, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        other = fit(held)
    return other, _in_order(other, X, parts, held, other.transform(held), chosen, options)


def _in_order(
    estimator: TopicEstimator, X: Blocks, parts: Blocks, held: Any, W: Any, chosen: Recipe, options: Options
) -> KeptRows:
    """Put the largest topic first, then solve for W."""
    labels = abstained(*estimator.assign(W, **chosen.assignment), options.abstain)
    del W, estimator.labels_, estimator.memberships_  # others follow
    sizes = np.bincount(labels[labels >= 0], minlength=estimator.n_components_)
    estimator.reorder(np.argsort(-sizes, kind="stable"))
    return with_weights(estimator, X, parts, estimator.transform(held), chosen)


def with_weights(estimator: TopicEstimator, X: Blocks, parts: Blocks, W: Any, chosen: Recipe) -> KeptRows:
    """Let an estimator know the topics of its documents, whose weights these are; return these in parts."""
    W = X.beside(W).cut(parts.sizes)
    estimator.labels_, shares = estimator.assign(W, silent=silent_rows(X), **chosen.assignment)
    estimator.memberships_ = cast(Any, parts.beside(shares))
    return cast(KeptRows, W)


def check_vectors(chosen: Recipe, vectors: KeptRows | None) -> None:
    """Refuse vectors that the method of a recipe would not look at."""
    if vectors is not None and not chosen.make_estimator(1, 0, 1).takes_embeddings:
        raise ValueError(f"The recipe {chosen.name} looks at words alone: take the default one, or no embeddings.")


def held_for(X: Blocks, estimator: TopicEstimator, options: Options) -> Any:
    """Return X as the estimator takes it: in parts, or whole where it needs that and there is room.

    A GPU takes what is in memory at once, rather than part by part in every step.
    """
    if estimator.takes_parts and (estimator._where == "cpu" or X.place.copies):
        return X
    check_whole(estimator, X.nnz, options)
    return X.whole()


def check_whole(estimator: TopicEstimator, n_values: int, options: Options) -> None:
    """Refuse a method that needs X in memory where X and what is made of it do not fit there."""
    if not estimator.takes_parts and _PER_VALUE * n_values > memory_of(options.memory):
        name = type(estimator).__name__
        raise ValueError(f"{name} needs X in memory: allow more with --memory, or take another recipe.")


def several_runs(estimator: TopicEstimator) -> NDArray[Any] | None:
    """Return the topics of every document in every run; None where fewer than two were made."""
    runs: NDArray[Any] | None = getattr(estimator, "runs_", None)
    return None if runs is None or len(runs) < 2 else runs


@cache
def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def run_info(notes: Notes, options: Options, chosen: Recipe, terms: Terms) -> dict[str, Any]:
    """Return what run.json says about how the run was made, whatever its topics."""
    cut = {} if terms.counts is None else terms.counts.cut_
    language = None if terms.counts is None else terms.counts.lexicon_.language
    silent = _without_terms(terms.matrix)
    about = (*told_of_languages(terms), *about_words(terms), *_not_counted(terms), *_too_long(terms, options))
    sentences = [*notes.sentences(), *about]
    return {
        "quire": __version__,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "options": options.as_dict(),
        "recipe": chosen.as_dict(),
        "seed": options.seed,
        "versions": _versions() | versions_of_segmenters(terms),
        "corpus": {**notes.as_dict(), "sentences": sentences},
        "terms": {"kept": len(terms.words), "cut": cut, "language": language, "documents_without": silent},
    }


def _not_counted(terms: Terms) -> list[str]:
    """Say which lines of the texts were not counted."""
    if terms.counts is None:
        return []
    repeated, about = terms.counts.repeated_, terms.counts.about_quotes(terms.matrix.shape[0])
    if repeated is not None and len(repeated.lines):  # of a run that was updated, hashes are left
        about.insert(0, repeated.sentence())
    return about


def _too_long(terms: Terms, options: Options) -> list[str]:
    """Suggest passages where documents are long: topics of long ones are those of times and authors, not subjects."""
    if terms.counts is None or options.split is not None:
        return []
    usual = float(np.median(terms.matrix.row_sums))
    how = "--split words:300 finds subjects within them, and more --topics finer ones"
    return [f"Documents are long ({usual:,.0f} counted words at the median): {how}."] if usual >= _LONG else []


def fit_info(estimator: TopicEstimator) -> dict[str, Any]:
    """Return what run.json says about how the topics of one cut were found."""
    return {
        "n_topics": int(estimator.n_components_),
        "fit": {
            "objective": estimator.objective_,
            "error": estimator.reconstruction_err_,
            "iterations": estimator.n_iter_,
            "stopped": estimator.stopped_,
        },
    }


def _without_terms(matrix: Blocks) -> int:
    """Count the documents that hold nothing."""
    return int((matrix.row_sums == 0).sum())
