"""``quire.choose``: how many topics a corpus has, by several ways at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.check import check_given
from quire.corpus.corpus import Corpus
from quire.engine.elbow import Elbow, find_elbows
from quire.messages import Stages, counted
from quire.places.machine import allowed_threads
from quire.runs.fit import likely_cuts, seen_to_choose
from quire.runs.options import FACTORIZING, Options, merged
from quire.runs.pipeline import read
from quire.runs.progress import shown_stages
from quire.runs.recipe import Recipe
from quire.runs.recipe import recipe as find_recipe
from quire.runs.terms import count_terms, weigh_terms
from quire.studies.choosing.choice import SCHEMA, Choice
from quire.studies.choosing.measure import Measured, held_out_errors, measured, rounds
from quire.studies.choosing.runs import Crew, Runs
from quire.studies.choosing.search import Search, numbers_to_try, one_start, within
from quire.studies.choosing.verdict import consistent_topics, decided, flattening_topics


def choose(
    source: Any,
    k: Iterable[int] | str = "auto",
    by: str = "all",
    *,
    recipe: str | Recipe | dict[str, Any] | None = None,
    runs: int = 10,
    labels: Sequence[Any] | None = None,
    random_state: int = 0,
    budget: float | None = None,
    cache: str | Path | None = None,
    threads: int | None = None,
    stages: Stages | None = None,
    **options: Any,
) -> Choice:
    """Find out how many topics there are.

    Parameters
    ----------
    source : sparse matrix, Corpus, path, list of str or data frame
        A matrix is taken as X, weighed already; anything else is counted and weighed as the recipe says.
    k : iterable of int, "A:B" or "auto", default="auto"
        The numbers of topics to try; ``auto``: 2 to 15, and the one that is chosen.
    by : {"all", "returning", "consensus", "elbow", "nmi"}, default="all"
        ``returning``: where topics come back when they are learnt from other documents, which is what
        ``quire.cluster(..., "auto")`` takes. ``consensus``: the largest k at which runs from different starts
        agree (kim2008). ``elbow``: the singular values alone (conroy2023). ``nmi``: k and λ that best recover
        known classes (tsikhanovich2011). ``all``: the topics that come back decide; consensus, error on held-out
        documents and terms, elbow and coherence are measured beside them.
    recipe : str, Recipe or dict, optional
        As for :func:`quire.cluster`, but ``nmf`` by default; a run is one random start of its method.
    runs : int, default=10
        Runs of each k.
    labels : sequence, optional
        The documents' known classes, for ``by="nmi"``.
    random_state : int, default=0
        The same number gives the same choice, on any number of threads.
    budget : float, optional
        Minutes, after which no further run is begun; the choice is then made with what is there.
    cache : path, optional
        A folder in which runs are kept: a search that was stopped goes on where it was.
    threads : int, optional
        Runs at once; all cores by default.
    stages : Stages, optional
        Shows how far it is.
    **options
        Any other option of :func:`quire.cluster`, such as ``text`` or ``language``.

    Returns
    -------
    Choice
        The number, the reasons in words, and a table with a row a k.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> import quire
    >>> X = sp.csr_array(np.kron(np.eye(3), np.ones((8, 5))) + 0.01)
    >>> quire.choose(X, range(2, 5), by="consensus", runs=4, threads=1).k
    3
    """
    allowed = None if threads is None else allowed_threads(threads)
    where = {name: options[name] for name in ("device", "dask") if name in options}
    search = Search(numbers_to_try(k), by, runs, random_state, budget, cache, allowed, **where, open=k == "auto")
    stages = stages or shown_stages()
    chosen = find_recipe(FACTORIZING if recipe is None else recipe)
    if sp.issparse(source):
        return chosen_for(sp.csr_array(check_given(source, "quire.choose")), chosen, search, labels, stages)
    corpus = source if isinstance(source, Corpus) else _read(source, options, labels, stages)
    own = merged(options, {"threads": allowed, "recipe": chosen.name if isinstance(recipe, str) else None})
    return chosen_for_corpus(corpus, own, search, labels, stages, chosen)


def chosen_for_corpus(
    corpus: Corpus,
    options: Options,
    search: Search,
    labels: Sequence[Any] | None = None,
    stages: Stages | None = None,
    own_recipe: Recipe | None = None,
) -> Choice:
    """Count, weigh, and choose."""
    stages = stages or shown_stages()
    chosen = options.resolved_recipe(own_recipe)
    with stages.stage("count") as update:
        terms = count_terms(corpus, chosen, options, None, update)
    with stages.stage("weigh"):
        X = weigh_terms(terms, chosen)[1]
    if labels is None and "label" in corpus.documents.columns:
        labels = corpus.documents["label"].to_list()
    seen = partial(seen_to_choose, X, terms, chosen)
    return chosen_for(X.whole(), chosen, search, labels, stages, seen, corpus.passages)


def chosen_for(
    X: Any, recipe: Recipe, search: Search, labels: Sequence[Any] | None = None, stages: Stages | None = None,
    seen: Callable[[], Any] | None = None, passages: NDArray[np.int64] | None = None,
) -> Choice:  # fmt: skip
    """Choose for a matrix that is weighed already; ``seen`` gives what to look at for topics that come back.

    ``passages`` are those of each whole document, where rows are passages.
    """
    stages, search = stages or shown_stages(), within(X, search)
    if search.by == "nmi":
        return _by_classes(X, search, labels, stages)
    until = None if search.budget is None else time.monotonic() + 60 * search.budget
    cuts, elbow = list[int](), None
    if search.by in ("all", "returning"):
        with stages.stage("returning"):
            highest = None if search.open else search.ks[-1]
            looked_at, how = X if seen is None else seen(), (search.threads, search.device, passages)
            cuts, _ = likely_cuts(looked_at, search.ks[0], highest, *how)
            search = replace(search, ks=[*search.ks, cuts[0]]) if search.open else search
    if search.by in ("all", "elbow"):
        with stages.stage("elbow"):
            most = None if search.by == "all" else search.ks[-1]
            elbow = find_elbows(X, search.ks[0], most, search.threads)
    if search.by in ("elbow", "returning"):
        table = pl.DataFrame([{"k": k} for k in search.ks], {"k": pl.Int64})
        return _choice(search, Measured(_full(table), {}, True), elbow, cuts)
    return _choice(search, _measured(X, recipe, search, stages, until), elbow, cuts)


@contextmanager
def _crew(search: Search) -> Iterator[Crew | None]:
    """Give who makes the runs elsewhere, while they are made."""
    if search.dask is None:
        yield None
        return
    from quire.places.dask.cluster import DaskPlace

    with DaskPlace(search.dask, search.device) as place:
        yield place.crew()


def _measured(X: Any, recipe: Recipe, search: Search, stages: Stages, until: float | None) -> Measured:
    make, pairs = one_start(recipe, search.device), rounds(search.ks, search.runs, search.seed)
    with stages.stage("runs") as update, _crew(search) as crew:
        runs = Runs(X, make, search.cache, threads=search.threads, crew=crew, **recipe.assignment)
        runs.gather(pairs, update, until)
    held: dict[int, float] = {}
    if search.by == "all":
        with stages.stage("held_out") as update:
            held = held_out_errors(X, search.ks, search.cache, search.seed, search.threads, update, until)
    with stages.stage("compare"):
        return measured(X, search.ks, runs, pairs, held)


def _choice(search: Search, measurements: Measured, elbow: Elbow | None, cuts: list[int]) -> Choice:
    best = measurements.table.filter(pl.col("coherence").is_not_null())
    proposals = {
        "returning": cuts[0] if cuts else None,
        "consensus": consistent_topics(measurements.table),
        "held_out": flattening_topics(measurements.table),
        "elbow": None if elbow is None else elbow.k,
        "coherence": int(best["k"][int(best["coherence"].arg_max() or 0)]) if best.height else None,
    }
    says = {name: k for name, k in proposals.items() if k is not None and search.by in ("all", name)}
    if search.by == "elbow" and not says:
        raise ValueError("The matrix has too few singular values for an elbow: choose by consensus.")
    k, verdict = decided(search.by, says, measurements.table, elbow, cuts[1:])
    if not measurements.whole:
        made, asked = int(measurements.table["runs"].sum()), search.runs * len(search.ks)
        verdict.append(
            f"The budget of {search.budget:g} minutes was used up after {made} of {counted(asked, 'run')}: "
            "this is what they say; with a cache the search can go on."
        )
    return Choice(measurements.table, k, None, verdict, search.by, elbow, measurements.consensus, says, also=cuts[1:])


def _by_classes(X: Any, search: Search, labels: Sequence[Any] | None, stages: Stages) -> Choice:
    """Search k and λ by known classes (tsikhanovich2011 §4.2)."""
    if labels is None:
        raise ValueError("To choose by NMI the classes must be known: name their column with --label.")
    from quire.studies.choosing.lambdas import search_lambda

    with stages.stage("lambda") as update:
        optimum = search_lambda(
            X, labels, search.ks, starts=search.runs, seed=search.seed, n_jobs=search.threads,
            update=lambda done, total, message: update(done, total),
        )  # fmt: skip
    table = _full(pl.DataFrame([{"k": k} for k in search.ks], {"k": pl.Int64}))
    says = {"nmi": optimum.k}
    return Choice(table, optimum.k, optimum.lam, list(optimum.sentences), "nmi", None, {}, says, optimum)


def _full(table: pl.DataFrame) -> pl.DataFrame:
    """Add the columns that were not measured."""
    more = [pl.lit(None, kind).alias(name) for name, kind in SCHEMA.items() if name not in table.columns]
    return table.with_columns(more).select(list(SCHEMA))


def _read(source: Any, options: dict[str, Any], labels: Sequence[Any] | None, stages: Stages) -> Corpus:
    if isinstance(source, str) and (len(source) > 1000 or "\n" in source):
        raise ValueError("One string is taken as a path: put a text into a list, quire.choose([text]).")
    with stages.stage("read"):
        return read(source, merged(options), labels=labels)
