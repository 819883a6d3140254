"""From documents to a run, in one call."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from quire.corpus.corpus import Corpus, read_corpus
from quire.messages import Stages
from quire.places.threads import allowed_threads
from quire.runs.block_making import large_run
from quire.runs.making import run_of
from quire.runs.options import Options, merged
from quire.runs.recipe import Recipe
from quire.runs.recipe import recipe as find_recipe
from quire.runs.run import Run, load
from quire.runs.where import fits, work_on


def cluster(
    docs: Any,
    n_topics: int | str = "auto",
    *,
    recipe: str | Recipe | dict[str, Any] = "default",
    labels: Sequence[Any] | None = None,
    dates: Sequence[Any] | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    tokens: str | Callable[[str], list[str]] | None = None,
    out: str | Path | None = None,
    **options: Any,
) -> Run:
    """Gather documents into topics.

    Parameters
    ----------
    docs : list of str, path, pandas or polars DataFrame or Series, sparse matrix of counts, or Corpus
        The documents.
    n_topics : int, "auto" or "A:B", default="auto"
        How many topics, or the range to choose from.
    recipe : str, Recipe or dict, default="default"
        The pipeline: a name that ``quire recipes`` lists, a TOML file, or a recipe as data.
    labels, dates : sequences, optional
        The documents' known classes, for scores, and dates, for topics over time.
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
    found = find_recipe(recipe)
    named = recipe if isinstance(recipe, str) else found.name
    given = {
        "topics": n_topics, "recipe": named,
        "seed": secrets.randbelow(2**32) if random_state is None else random_state,
        "threads": None if n_jobs is None else allowed_threads(n_jobs),
        "tokens": tokens if isinstance(tokens, str) else None,
    }  # fmt: skip
    chosen = merged(given, options)
    own_tokens = None if isinstance(tokens, str) else tokens
    stages, how = Stages(), dict[str, Any](own_recipe=found, tokens=own_tokens)
    if not fits(docs, chosen):
        source = docs if labels is None and dates is None else read(docs, chosen, labels=labels, dates=dates)
        return _in_blocks(source, chosen, stages, how, out)
    with stages.stage("read"):
        corpus = read(docs, chosen, labels=labels, dates=dates)
    run = run_of(corpus, chosen, stages, **how)
    if out is not None:
        run.save(Path(out).expanduser())
    return run


def _in_blocks(
    source: Any, options: Options, stages: Stages, how: dict[str, Any], out: str | Path | None
) -> Run:
    """Make a run in blocks: into a folder, from which it is read."""
    if out is None:
        why = "takes more memory than it may" if options.dask is None else "is made on a cluster"
        raise ValueError(f"A run that {why} is written block by block: name a folder for it with out=.")
    folder = Path(out).expanduser()
    work = work_on(source, options, folder, how["own_recipe"], resumable=how["tokens"] is None)
    assert work is not None  # the corpus does not fit
    with work.place:
        large_run(source, options, folder, stages, place=work.place, **how)
    return load(folder, texts=False, tokens=how["tokens"])


def read(docs: Any, options: Options, progress: Any = None, **columns: Any) -> Corpus:
    """Read a corpus as the options say."""
    return read_corpus(
        docs, text=options.text, id=options.id, label=options.label, date=options.date, group=options.group,
        vocabulary=options.vocabulary, fallback=options.encoding, strict=options.strict, progress=progress,
        **columns,
    )  # fmt: skip
