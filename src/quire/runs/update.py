"""A run and documents that came later → a run of both: topics keep their numbers, names and meaning, and may be joined.

Nothing that was learnt is learnt again: terms that are new get columns behind those known, topics move by what the
documents that came say, and what they cannot explain makes new topics, behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.addition import added, source_told
from quire.corpus.corpus import Corpus, read_parts
from quire.corpus.cut import cut_frames, cut_matrix
from quire.corpus.notes import Notes
from quire.messages import Stages, part_of
from quire.methods.estimator import TopicEstimator
from quire.places.parts import Blocks, KeptRows
from quire.places.place import Place
from quire.runs.arrivals import Arrivals
from quire.runs.asked import Asked
from quire.runs.continuity import as_before
from quire.runs.copies import COLUMN, copies_in
from quire.runs.cut import Describer
from quire.runs.fit import held_for, run_info, with_weights
from quire.runs.gathered import Gathered
from quire.runs.hearing import heard_sample
from quire.runs.likeness import Heard
from quire.runs.novelty import Novelty
from quire.runs.options import Options, declared_options, merged
from quire.runs.terms import Terms
from quire.runs.words import sample_of
from quire.runs.write import FOUND
from quire.text.counting import fit_weight, grow_counts
from quire.text.counts import Counts
from quire.text.repeated import Repeated
from quire.text.weight import Weight

_ALSO = ("device", "abstain")  # options that hold for an update, though the command has them from the run alone
FORGET = 0.7  # what documents still count for once as many have come


@dataclass(frozen=True)
class Wanted:
    """What is asked of an update."""

    new_topics: int | str = "auto"
    forget: float = FORGET

    def __post_init__(self) -> None:
        whole = isinstance(self.new_topics, int | np.integer) and not isinstance(self.new_topics, bool)
        if self.new_topics != "auto" and not (whole and int(self.new_topics) >= 0):
            raise ValueError(f"new_topics={self.new_topics!r} is no number of new topics: use auto, 0, 1, 2 …")
        if not isinstance(self.forget, int | float | np.number) or not 0 <= self.forget <= 1:
            raise ValueError(f"forget={self.forget!r} must be a number from 0 to 1; 1 forgets nothing.")


def reading_options(run: Asked, given: Mapping[str, Any]) -> Options:
    """Return the options that the run was made with, but for those of reading that are given."""
    known = declared_options()
    stored = {name: value for name, value in run.info["options"].items() if name in known and not known[name].free}
    stored |= {"topics": len(run.H), "embeddings": None, "by": None}
    for name in given:  # no word of it would be heeded
        if name in known and name not in (*declared_options(command="update"), *_ALSO):
            raise ValueError(f"An update keeps {name!r} as the run was made: leave it out, or make another run.")
    return merged(stored, given)


def updated(
    run: Asked,
    source: Any,
    options: Options,
    place: Place,
    stages: Stages,
    wanted: Wanted,
    make: Callable[..., Any],
    documents: Iterable[pl.DataFrame] | None = None,
) -> Gathered:
    """Return a run with more documents; ``documents`` are those of the run with their texts, where it has none here."""
    with stages.stage("read") as update:
        asked = Options() if isinstance(source, Corpus) else options  # of which columns it has been read
        request = asked.request(progress=lambda what, done, total: update(done, total))
        before = documents_before(run, place, documents)
        came = read_parts(source, replace(request, vocabulary=None), place)
        _check_alike(run, came)
        corpus, parts_before = added(before, came)
    with stages.stage("count"):
        terms = _counted(run, corpus)
    with stages.stage("weigh"):
        weight = run.recipe.make_weight()
        Xs = fit_weight(weight, terms.matrix, parts_before)
        X = Blocks.of(place, [*Xs[0].handles, *Xs[1].handles])
    with stages.stage("factorize"):
        remembered = _remembered(run, Xs, wanted.forget)
        unlike = _novelty(run, corpus, parts_before, wanted)
        estimator, W = _grown(run, weight, Xs, X, terms, unlike, remembered / Xs[0].shape[0], wanted, options)
    with stages.stage("describe") as update:
        info = run_info(corpus.notes, options, run.recipe, terms)
        info |= {"fingerprint": corpus.fingerprint(), "parts": len(corpus.sizes), "also": None}
        copies = copies_in(corpus, terms)
        info["corpus"]["sentences"] += [] if copies is None else copies.sentences()
        sample, heard = sample_of(corpus, terms, part_of(update, 0, 2)), heard_sample(corpus, terms)
        describer = Describer(corpus, sample, heard, terms, weight, options, info)
        cut = describer.cut(estimator, W, int(estimator.n_components_), None, part_of(update, 1, 2))
        cut = as_before(run, cut, source_told(came.notes), remembered + Xs[1].shape[0])
    return Gathered(corpus, terms, weight, X, cut, [], run.recipe, stages, copies, make)


def documents_before(run: Asked, place: Place, documents: Iterable[pl.DataFrame] | None = None) -> Corpus:
    """Return the documents of a run as the corpus that they were read as."""
    corpus = {name: value for name, value in run.info["corpus"].items() if name in Notes.__dataclass_fields__}
    lists = {name: tuple(value) for name, value in corpus.items() if isinstance(value, list)}
    notes = Notes(**{**corpus, **lists, "skipped": tuple(map(tuple, corpus.get("skipped", ())))})
    given = [run.documents] if documents is None else documents
    frames = (frame.select(pl.exclude(*FOUND, COLUMN)) for frame in given)
    if run.counts is None:
        table = pl.concat(list(frames))
        matrix = cut_matrix(_counts_of(run), place)
        ends = np.cumsum(matrix.sizes)
        handles = [place.put(table[end - size : end]) for end, size in zip(ends.tolist(), matrix.sizes.tolist())]
        return Corpus(place, handles, matrix.sizes, notes, matrix, list(run.words))
    parts, sizes = [], []
    for frame in cut_frames(frames, "text"):
        if frame["text"].null_count():
            raise ValueError("The run was loaded without its texts: load it with texts=True.")
        parts.append(place.put(frame))
        sizes.append(frame.height)
    return Corpus(place, parts, np.array(sizes, np.int64), notes)


def _counts_of(run: Asked) -> sp.csr_array:
    """Return the counts of a run that was made from a matrix, where it still has X."""
    if run.X is None:
        raise ValueError(
            "A run of a matrix keeps no counts, so that only one that was just made can be updated: make a run of all "
            "rows instead."
        )
    counts = sp.csr_array(run.weight.inverse_transform(run.X))
    near = np.rint(counts.data)
    whole = np.abs(counts.data - near) < 1e-3 * np.maximum(near, 1)
    counts.data = np.where(whole, near, counts.data)
    return counts


def _check_alike(run: Asked, came: Corpus) -> None:
    """Refuse documents of another kind than those of the run."""
    if (came.matrix is None) != (run.counts is not None):
        made, give = ("a matrix", "counts with the same columns") if run.counts is None else ("texts", "texts")
        raise ValueError(f"This run was made from {made}: give {give} to update it with.")
    if came.matrix is not None and came.matrix.shape[1] != len(run.words):
        raise ValueError(
            f"The matrix has {came.matrix.shape[1]:,} columns, the run's {len(run.words):,}: give counts of the same "
            "terms."
        )


def _counted(run: Asked, corpus: Corpus) -> Terms:
    if corpus.matrix is not None:
        return Terms(corpus.matrix, list(run.words), corpus.matrix.sum(axis=0), None)
    assert run.counts is not None
    counts, matrix, spoken = grow_counts(run.counts, corpus)
    if counts.repeated_ is not None:  # as it is once a run was read from its folder
        counts.repeated_ = Repeated.restored(counts.repeated_.state())
    return Terms(matrix, counts.shown_, matrix.sum(axis=0), counts, spoken)


def _remembered(run: Asked, Xs: list[Blocks], forget: float) -> float:
    """Return as how many documents those before still count: of as many as come, ``forget`` of them are left."""
    before, came = Xs[0].shape[0], Xs[1].shape[0]
    history = run.info.get("history") or [{"remembered": float(before)}]
    known = max(float(history[-1]["remembered"]), 1.0)
    return float(known * forget ** (came / known))


def _novelty(run: Asked, corpus: Corpus, parts_before: int, wanted: Wanted) -> NDArray[np.float64]:
    """Return how unlike the run each document is that came."""
    n = int(corpus.sizes[parts_before:].sum())
    if wanted.new_topics == 0:
        return np.zeros(n)
    if run.novelty is None:
        raise ValueError(
            "This run is of an older Quire and does not know what is new: make it anew, or take --new-topics 0."
        )
    if corpus.matrix is not None:
        handles = corpus.matrix.handles[parts_before:]
        return np.concatenate(corpus.place.sweep(_unlike_counts, handles, args=(run.novelty,))[1])
    parts = corpus.parts[parts_before:]
    return np.concatenate(corpus.place.sweep(_unlike_texts, parts, args=(run.novelty, run.counts))[1])


def _unlike_texts(frame: pl.DataFrame, novelty: Novelty, counts: Counts) -> tuple[None, list[NDArray[np.float64]]]:
    return None, [novelty.of(Heard(*counts.heard(frame["text"].to_list())))]


def _unlike_counts(block: sp.csr_array, novelty: Novelty) -> tuple[None, list[NDArray[np.float64]]]:
    return None, [novelty.of(Heard(block, np.zeros(block.shape[0])))]


def _grown(
    run: Asked, weight: Weight, Xs: list[Blocks], X: Blocks, terms: Terms, unlike: NDArray[np.float64],
    remembered: float, wanted: Wanted, options: Options,
) -> tuple[TopicEstimator, KeptRows]:  # fmt: skip
    """Let the topics grow by what came; solve for all documents."""
    old = run.weight.column_scale_
    by = np.divide(weight.column_scale_[: len(old)], old, out=np.ones(len(old)), where=old > 0)
    model = run.estimator.rescaled(by)
    model.n_jobs, model.device = options.threads, options.device
    grown = model.growth(Xs[0], Xs[1], remembered)
    topics = run.documents["topic"].to_numpy()
    groups = Arrivals(model, grown, Xs[0], topics, Xs[1], unlike, options.threads).groups(wanted.new_topics)
    estimator = grown(groups)
    W = estimator.settle(held_for(X, estimator, options))
    return estimator, with_weights(estimator, X, terms.matrix, W, run.recipe)
