"""A run of documents in blocks: the stages of a run as sweeps, and its folder written block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from quire.corpus.corpus import Corpus, read_parts
from quire.messages import Stages, Update
from quire.methods.estimator import TopicEstimator
from quire.places.checkpoint import Checkpoint, LoopKeeper, checkpoint_of
from quire.places.parts import Blocks, KeptRows
from quire.places.place import Place
from quire.runs.block_count import PartedTerms, counted_parts
from quire.runs.block_describe import Described, described_documents, phrases_in_blocks
from quire.runs.block_weigh import weighed_parts
from quire.runs.budget import check_topics, memory_of, spare_memory
from quire.runs.describe import beside, topic_rows
from quire.runs.finding import factorized, n_topics, outcome, run_info, several_runs
from quire.runs.folder import check_target
from quire.runs.keywords import topic_keywords
from quire.runs.options import Options
from quire.runs.prepare import Terms
from quire.runs.recipe import Recipe, recipe
from quire.runs.run import Run, load, model_arrays, vocabulary_state
from quire.runs.write import Streamed, write_run
from quire.text.weight import Weight

_SWEEPS = 3  # of the description: documents, sampled texts, counts


def large_run(
    source: Any,
    options: Options,
    out: str | Path,
    stages: Stages | None = None,
    *,
    place: Place,
    own_recipe: Recipe | dict[str, Any] | None = None,
    tokens: Callable[[str], list[str]] | None = None,
) -> Path:
    """Gather documents into topics in row blocks, and write the run's folder.

    The folder holds what ``run_of`` and ``save`` would put there for the
    same factors. Neither all texts nor all of X or W are in memory at any time.
    """
    stages = stages or Stages()
    target = check_target(out)  # before any work is done
    spare_memory()
    chosen = options.resolved_recipe(None if own_recipe is None else recipe(own_recipe))
    chosen.make_estimator(1, options.seed, options.threads).check_blocks()
    kept = checkpoint_of(place)
    parted, terms, weight, X = (kept and kept.load("X")) or _weighed(
        source, options, chosen, tokens, place, stages, kept
    )
    with stages.stage("factorize") as update:
        k, keeper = n_topics(X, options, chosen), None if kept is None else LoopKeeper(kept)
        if kept is not None:
            check_topics(memory_of(options.memory), k, X.shape[1])
        estimator, W = factorized(X, k, chosen, options, update, keeper)
    del X
    return written_run(target, parted, terms, weight, estimator, W, chosen, options, stages)


def _weighed(
    source: Any,
    options: Options,
    chosen: Recipe,
    tokens: Callable[[str], list[str]] | None,
    place: Place,
    stages: Stages,
    kept: Checkpoint | None,
) -> tuple[Corpus, PartedTerms, Weight, Blocks]:
    """Read, count and weigh; a killed run need not do so again."""
    with stages.stage("read") as update:
        request = options.request(progress=lambda what, done, total: update(done, total))
        parted = read_parts(source, request, place)
    with stages.stage("count") as update:
        terms = counted_parts(parted, chosen, options, tokens, update)
    with stages.stage("weigh"):
        weight, X = weighed_parts(terms, chosen)
    if kept is not None and tokens is None:  # a function of the caller's cannot always be kept
        kept.save("X", (parted, terms, weight, X))
    return parted, terms, weight, X


def run_without_texts(out: str | Path) -> Run:
    """Read what :func:`large_run` wrote, but for W and all texts that a report of it does not show."""
    return load(out, texts=False)


def written_run(
    out: Path,
    parted: Corpus,
    terms: PartedTerms,
    weight: Weight,
    estimator: TopicEstimator,
    W: KeptRows,
    chosen: Recipe,
    options: Options,
    stages: Stages,
) -> Path:
    """Describe what was found, and write it."""
    held = Terms(terms.counts, terms.words, terms.totals, terms.transformer)
    with stages.stage("describe") as update:
        info = run_info(parted.notes, options, chosen, held, estimator)
        info |= {"fingerprint": parted.fingerprint(), "blocks": len(parted.sizes)}
        found, topics = _described(parted, held, weight, estimator, W, options.abstain, update)
        k, covered_only = W.shape[1], bool(options.abstain)
        timeline, more = outcome(found.topics, found.labels, found.dates, k, covered_only)
    with stages.stage("save") as update:
        tables = Streamed(_tables(parted, found, update), found.n_bytes / max(len(W), 1))
        return write_run(
            out,
            info | more | {"timings": stages.seconds},
            arrays={"W": W, **model_arrays(estimator.components_, held.totals, weight, estimator)},
            vocabulary=vocabulary_state(held.counts, held.words),
            documents=tables,
            topics=topics,
            timeline=timeline,
            subwords=getattr(held.counts, "subword_model_", None),
        )


def _described(
    parted: Corpus,
    terms: Terms,
    weight: Weight,
    estimator: TopicEstimator,
    W: KeptRows,
    abstain: float | None,
    update: Update,
) -> tuple[Described, pl.DataFrame]:
    """Return what is known of the documents, and the table of topics."""
    sweep = count()

    def follow() -> Update:
        past = next(sweep)
        return lambda done, total: update(past * (total or 1) + done, _SWEEPS * (total or 1))

    labels, shares = estimator.labels_, cast(KeptRows, estimator.memberships_)
    runs = several_runs(estimator)
    found = described_documents(parted.parts, W, labels, shares, runs, abstain, follow())
    place, H = parted.place, weight.unscaled_topics(np.maximum(estimator.components_, 0))
    phrases = phrases_in_blocks(parted.parts, parted.sizes, place, found.n_bytes, terms.counts, follow())
    keywords = topic_keywords(terms.matrix, found.topics, H, terms.totals, terms.words, phrases)
    lists = found.typical, found.borderline
    return found, topic_rows(H, found.topics, terms.words, terms.totals, *lists, runs, keywords)


def _tables(parted: Corpus, found: Described, update: Update) -> Iterator[pl.DataFrame]:
    """Give the documents' tables, one block after the other; say how far it is."""
    place, total = parted.place, len(parted.parts)
    for done, (documents, columns) in enumerate(zip(parted.parts, found.columns, strict=True)):
        yield beside(place.fetch(documents), place.fetch(columns))
        update(done + 1, total)
