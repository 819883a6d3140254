"""``quire choose``: how many topics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import (
    COLUMNS,
    OUTPUT,
    Column,
    Dask,
    Device,
    Encoding,
    Factorizing,
    GroupColumn,
    Json,
    Language,
    MinCount,
    Ngrams,
    Seed,
    Source,
    Stem,
    Strict,
    Threads,
    Tokens,
    Vocabulary,
    whole,
)
from quire.cli.output import default_folder, plain_console, print_json

_Tried = Annotated[str | None, Parameter(help="the numbers to try, as in 2:30 [default: 2:15]")]
_By = Annotated[
    str, Parameter(help="all, consensus, elbow, or nmi, which also finds λ and needs known classes")
]
_Runs = Annotated[int, Parameter(converter=whole, help="runs of each number")]
_Budget = Annotated[float | None, Parameter(help="minutes, after which no further run is begun")]
_Kept = Annotated[
    Path | None,
    Parameter(group=OUTPUT, help="folder for the runs, so that a search can go on [default: beside --out]"),
]
_Written = Annotated[
    Path | None, Parameter(group=OUTPUT, help="folder for choice.csv, choice.json and choice.svg")
]


def choose(
    path: Source,
    *,
    topics: _Tried = None,
    by: _By = "all",
    runs: _Runs = 10,
    recipe: Factorizing = None,
    budget: _Budget = None,
    seed: Seed = None,
    threads: Threads = None,
    device: Device = None,
    dask: Dask = None,
    text: Column = None,
    id: Column = None,
    label: Annotated[str | None, Parameter(group=COLUMNS, help="known classes, for --by nmi")] = None,
    group: GroupColumn = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    strict: Strict = None,
    language: Language = None,
    stem: Stem = None,
    tokens: Tokens = None,
    ngrams: Ngrams = None,
    min_count: MinCount = None,
    cache: _Kept = None,
    out: _Written = None,
    json: Json = False,
) -> None:
    """Find out how many topics there are, in several ways, and say where they disagree."""
    given = dict(locals()) | {"topics": None}  # before anything else has a name; the search has the topics
    from rich.console import Console

    from quire.cli.reports.choice import LiveSearch, choice_report
    from quire.runs.options import FACTORIZING, merged, options_among
    from quire.runs.pipeline import read
    from quire.studies.choosing.choose import chosen_for_corpus
    from quire.studies.choosing.search import Search, numbers_to_try

    options = merged({"recipe": FACTORIZING}, options_among(given))
    options.resolved_recipe()  # before any work is done
    kept = cache or Path(f"{out or default_folder(path)}-choice")
    where = options.threads, options.device, options.dask
    search = Search(numbers_to_try(topics), by, runs, options.seed, budget, kept, *where)
    with LiveSearch(Console(stderr=True)) as stages:
        with stages.stage("read") as update:
            corpus = read(path, options, progress=lambda _, done, n: update(done, n))
        choice = chosen_for_corpus(corpus, options, search, None, stages)
    files = [] if out is None else choice.save(out)
    if json:
        print_json(choice.as_dict())
        return
    console = plain_console()
    console.print(choice_report(choice))
    if files:
        names = ", ".join(file.name for file in files)
        console.print(f"In {out}: {names}", markup=False, soft_wrap=True)
