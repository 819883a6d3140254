"""From documents to a run, in one call."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from quire.corpus import Corpus, read_corpus
from quire.making import run_of
from quire.options import Options
from quire.recipe import Recipe
from quire.run import Run
from quire.stages import Stages


def cluster(
    docs: Any,
    n_topics: int | str = "auto",
    *,
    recipe: str | Recipe | dict[str, Any] = "default",
    labels: Sequence[Any] | None = None,
    dates: Sequence[Any] | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    tokens: Callable[[str], list[str]] | None = None,
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
    tokens : callable, optional
        A function from a text to its tokens, instead of the recipe's.
    **options
        Any other option of ``quire cluster``: ``text``, ``id``, ``label``, ``date``, ``group`` (names of
        columns), ``language``, ``stem``, ``ngrams``, ``min_count``, ``encoding``, ``strict``.

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
    seed = secrets.randbelow(2**32) if random_state is None else int(random_state)
    named = recipe if isinstance(recipe, str) else "default"
    chosen = Options(topics=n_topics, recipe=named, seed=seed, threads=n_jobs, **options)
    own = None if isinstance(recipe, str) else recipe
    stages = Stages()
    with stages.stage("read"):
        corpus = read(docs, chosen, labels=labels, dates=dates)
    return run_of(corpus, chosen, stages, own_recipe=own, tokens=tokens)


def read(docs: Any, options: Options, progress: Any = None, **columns: Any) -> Corpus:
    """Read a corpus as the options say.

    Examples
    --------
    >>> from quire.options import Options
    >>> from quire.pipeline import read
    >>> len(read(["a moon", "a goal"], Options()))
    2
    """
    return read_corpus(
        docs, text=options.text, id=options.id, label=options.label, date=options.date, group=options.group,
        vocabulary=options.vocabulary, fallback=options.encoding, strict=options.strict, progress=progress,
        **columns,
    )  # fmt: skip
