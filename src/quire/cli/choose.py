"""``quire choose``: how many topics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from quire.cli.cluster import read
from quire.cli.options import OUTPUT, Documents, Json, takes_options_of_a_run, whole
from quire.cli.output import default_folder, live_stages, print_json, source_of
from quire.cli.terminal import clean_console


@takes_options_of_a_run("choose")
def choose(
    *paths: Documents,
    topics: Annotated[str | None, Parameter(help="the numbers to try, as in 2:30 [default: 2:15 and the best]")] = None,
    by: Annotated[
        str, Parameter(help="all, returning, consensus, elbow, or nmi, which also finds λ and needs known classes")
    ] = "all",
    runs: Annotated[int, Parameter(converter=whole, help="runs of each number")] = 10,
    budget: Annotated[float | None, Parameter(help="minutes, after which no further run is begun")] = None,
    cache: Annotated[
        Path | None,
        Parameter(group=OUTPUT, help="folder for the runs, so that a search can go on [default: beside --out]"),
    ] = None,
    out: Annotated[
        Path | None, Parameter(group=OUTPUT, help="folder for choice.csv, choice.json and choice.svg")
    ] = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Find out how many topics there are, in several ways, and say where they disagree."""
    source = source_of(paths, "choose")
    from quire.cli.reports.choice import choice_report
    from quire.runs.options import options_of
    from quire.studies.choosing.choose import chosen_for_corpus
    from quire.studies.choosing.search import Search, numbers_to_try

    options = options_of("choose", given)
    kept = cache or Path(f"{out or default_folder(paths[0])}-choice")
    where = options.threads, options.device, options.dask
    search = Search(numbers_to_try(topics), by, runs, options.seed, budget, kept, *where, open=topics is None)
    with live_stages() as stages:
        choice = chosen_for_corpus(read(source, options, stages), options, search, None, stages)
    files = [] if out is None else choice.save(out)
    if json:
        print_json(choice.as_dict())
        return
    console = clean_console()
    console.print(choice_report(choice))
    if files:
        names = ", ".join(file.name for file in files)
        console.print(f"In {out}: {names}", markup=False, soft_wrap=True)
