"""THE pipeline: documents → counts → X → topics → a run, the same wherever the parts of a corpus lie."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from quire.backends.gpu.device import wake
from quire.corpus.corpus import Corpus, read_parts
from quire.messages import Stages
from quire.places.checkpoint import Checkpoint, LoopKeeper, checkpoint_of
from quire.places.machine import allowed_threads, meanwhile, threads_kept
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks
from quire.places.place import Place
from quire.places.portable import give_back_memory
from quire.runs.budget import check_topics, memory_of
from quire.runs.by import check_by
from quire.runs.copies import copies_in
from quire.runs.cut import Cut, Describer
from quire.runs.editing import replayed_on
from quire.runs.fit import check_vectors, factorized, n_topics, run_info, seen_to_choose, several_runs
from quire.runs.gathered import Gathered
from quire.runs.hearing import heard_sample
from quire.runs.load import load
from quire.runs.options import Options, merged
from quire.runs.progress import shown_stages
from quire.runs.recipe import Recipe
from quire.runs.recipe import recipe as find_recipe
from quire.runs.run import Run
from quire.runs.seeding import seeded
from quire.runs.terms import Terms, count_terms, weigh_terms
from quire.runs.tree_nodes import tree_of
from quire.runs.where import work_on
from quire.runs.words import sample_of
from quire.text.weight import Weight


def cluster(
    docs: Any,
    n_topics: int | str = "auto",
    *,
    recipe: str | Recipe | dict[str, Any] = "default",
    labels: Sequence[Any] | None = None,
    dates: Sequence[Any] | None = None,
    embeddings: Any = None,
    seeds: Any = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    tokens: str | Callable[[str], list[str]] | None = None,
    out: str | Path | None = None,
    **options: Any,
) -> Run:
    """Gather documents into topics.

    Parameters
    ----------
    docs : iterable of str, path, list of Path, table, sparse matrix of counts, or Corpus
        The documents, as for :func:`quire.read_corpus`.
    n_topics : int, "auto" or "A:B", default="auto"
        How many topics, or the range to choose from.
    recipe : str, Recipe or dict, default="default"
        The pipeline: a name that ``quire recipes`` lists, a TOML file, or a recipe as data.
    labels, dates : sequences, optional
        The documents' known classes, for scores, and dates, for topics over time.
    embeddings : array of shape (n, d), path or str, optional
        Vectors of the documents by any model, as for :func:`quire.read_corpus`: documents that are near each
        other by these and by their words are gathered; topics are still explained by words alone.
    seeds : dict, list of str or path, optional
        What some topics are to be about: words by name of the topic, ``{"hockey": ["puck", "goalie"]}``, or
        ``{"hockey": {"words": [...], "documents": [ids]}}``; names alone; or a TOML file of these. They steer, and do
        not force: ``run.info["seeds"]`` says which topic each one found.
    random_state : int, optional
        The same number gives the same run; where none is given one is drawn and kept in ``run.info["seed"]``.
    n_jobs : int, optional
        Threads; all that may be used by default. They do not change the result.
    tokens : str or callable, optional
        As for :class:`quire.Counts`, instead of the recipe's: a function from a text to its tokens, for one.
    out : path, optional
        A folder for the run. Needed where it is made in blocks: for a corpus larger than ``memory``, or with
        ``dask``. W and the texts then stay there (``quire.load(out)`` reads all).
    **options
        Any other option of ``quire cluster`` (``quire cluster --help``), such as ``text`` or ``min_count``.

    Returns
    -------
    Run
        The documents' topics, and the model to assign others by.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> quire.cluster(texts, 2, random_state=0).topics["size"].to_list()
    [2, 2]
    """
    if isinstance(docs, str) and (len(docs) > 1000 or "\n" in docs):
        raise ValueError("One string is taken as a path: put a text into a list, quire.cluster([text]).")
    own_recipe = find_recipe(recipe)
    named = recipe if isinstance(recipe, str) else own_recipe.name
    given = {
        "topics": n_topics, "recipe": named,
        "seed": secrets.randbelow(2**32) if random_state is None else random_state,
        "threads": None if n_jobs is None else allowed_threads(n_jobs),
        "tokens": tokens if isinstance(tokens, str) else None,
        "seeds": seeds, "embeddings": str(embeddings) if isinstance(embeddings, str | Path) else None,
    }  # fmt: skip
    chosen = merged(given, options)
    own_tokens = None if isinstance(tokens, str) else tokens
    folder = None if out is None else Path(out).expanduser()
    vectors = None if isinstance(embeddings, str | Path) else embeddings
    apart = labels is None and dates is None and vectors is None and not isinstance(docs, Corpus)
    source = docs if apart else read(docs, chosen, labels=labels, dates=dates, embeddings=vectors)
    work = work_on(source, chosen, folder, own_recipe, resumable=own_tokens is None)
    with threads_kept(), work.place:
        made = gather(source, work.options, work.place, recipe=own_recipe, tokens=own_tokens)
        if work.target is not None:
            return kept_run(made.write(work.target), chosen, own_tokens)
        run: Run = made.run()
    if chosen.edits is not None:
        run = replayed_on(run, chosen.edits)
    if folder is not None:
        run.save(folder)
    return run


def kept_run(
    folder: Path,
    options: Options,
    tokens: Callable[[str], list[str]] | None = None,
    tell: Callable[[str], object] = warnings.warn,
) -> Run:
    """Return a run that was written in blocks, with the edits that were asked for; tell which were left out."""
    if options.edits is not None:
        replayed_on(load(folder, tokens), options.edits, tell).save(folder)
    return load(folder, texts=False, tokens=tokens)


def read(source: Any, options: Options, **beside: Any) -> Corpus:
    """Read a corpus into memory as the options say, with sequences that were passed beside it."""
    return read_parts(source, options.request(**beside), MemoryPlace(n_jobs=options.threads))


def gather(
    source: Any,
    options: Options,
    place: Place,
    stages: Stages | None = None,
    *,
    recipe: Recipe | None = None,
    tokens: Callable[[str], list[str]] | None = None,
) -> Gathered:
    """Gather documents into topics, stage by stage, at a place; who made the place closes it."""
    stages = stages or shown_stages()
    if place.device != "cpu" and options.dask is None:
        wake()
    chosen = options.resolved_recipe(recipe)
    kept = checkpoint_of(place)
    corpus, terms, weight, X = (kept and kept.load("X")) or _weighed(
        source, options, chosen, tokens, place, stages, kept
    )
    seeds = seeded(options, corpus, terms, chosen)
    spare = allowed_threads(options.threads) if isinstance(place, MemoryPlace) else 1
    # What is told of documents whatever their topics are.
    beside = (corpus.fingerprint, partial(copies_in, corpus, terms), partial(sample_of, corpus, terms))
    with meanwhile(beside, spare) as told, stages.stage("factorize") as update:
        k, also, agreement = n_topics(X, terms, options, chosen, corpus.passages)
        guide = None if seeds is None else seeds.guiding()
        keeper = None if kept is None else LoopKeeper(kept)
        if kept is not None and options.dask is None:
            check_topics(memory_of(options.memory), k, X.shape[1])
        estimator, W = factorized(X, terms.matrix, k, chosen, options, update, keeper, corpus.vectors, guide)
        give_back_memory()
    with stages.stage("describe") as update:
        info = run_info(corpus.notes, options, chosen, terms)
        fingerprint, copies, sample = told()
        info |= {"fingerprint": fingerprint, "parts": len(corpus.sizes), "also": also}
        info |= {} if agreement is None else {"agreement": agreement}
        info["corpus"]["sentences"] += [] if copies is None else copies.sentences()
        describer = Describer(corpus, sample, heard_sample(corpus, terms), terms, weight, options, info)
        own = describer.cut(estimator, W, k, several_runs(estimator), update)
        own = own if seeds is None else seeds.told(own, terms)
        give_back_memory()
    others: list[Cut] = []
    if also:
        with stages.stage("cuts") as update:
            others = describer.others(own, also, X, chosen, update)
    tree = None
    if options.tree:
        with stages.stage("tree") as update:
            H, seen = own.estimator.components_, seen_to_choose(X, terms, chosen)
            how = (options.seed, None, options.threads, update)
            tree = tree_of(seen, terms.matrix, own.description.labels, H, terms.words, *how)
    return Gathered(corpus, terms, weight, X, own, others, chosen, stages, copies, Run, tree)


def _weighed(
    source: Any,
    options: Options,
    chosen: Recipe,
    tokens: Callable[[str], list[str]] | None,
    place: Place,
    stages: Stages,
    kept: Checkpoint | None,
) -> tuple[Corpus, Terms, Weight, Blocks]:
    """Read, count and weigh; a killed run need not do so again."""
    with stages.stage("read") as update:
        asked = Options() if isinstance(source, Corpus) else options  # of which columns it has been read
        request = asked.request(progress=lambda what, done, total: update(done, total))
        corpus = read_parts(source, request, place)
        check_vectors(chosen, corpus.vectors)
        if options.by is not None:
            check_by(corpus, options.by)
    with stages.stage("count") as update:
        terms = count_terms(corpus, chosen, options, tokens, update)
        give_back_memory()
    with stages.stage("weigh"):
        weight, X = weigh_terms(terms, chosen)
    if kept is not None and tokens is None:  # a function of the caller's cannot always be kept
        kept.save("X", (corpus, terms, weight, X))
    return corpus, terms, weight, X
