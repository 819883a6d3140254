"""``quire update``: a run with more documents, in a folder of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from quire.cli.options import (
    OUTPUT,
    AnotherCut,
    Documents,
    Json,
    Quiet,
    Replace,
    RunFolder,
    WithPage,
    takes_options_of_a_run,
)
from quire.cli.output import PAGE_FILE, live_stages, print_json, print_page, source_of, tell
from quire.cli.replace import check_replacing
from quire.runs.folder import check_run, check_target

if TYPE_CHECKING:
    import polars as pl

    from quire.messages import Stages
    from quire.runs.options import Options
    from quire.runs.run import Run
    from quire.runs.update import Wanted

_NEW = "how many new topics to look for: auto, 0 or a number"
_FORGET = "what the documents so far still count for once as many have come; 1 forgets nothing"
_OUT = "folder for the new run [default: RUN-2, then RUN-3 …]"
_AT_ONCE = 4096  # documents that are read of a run


@takes_options_of_a_run("update")
def update(
    run: RunFolder,
    /,
    *paths: Documents,
    new_topics: Annotated[str, Parameter(help=_NEW)] = "auto",
    forget: Annotated[float, Parameter(help=_FORGET)] = 0.7,
    topics: AnotherCut = None,
    out: Annotated[Path | None, Parameter(group=OUTPUT, help=_OUT)] = None,
    replace: Replace = False,
    with_page: WithPage = True,
    json: Json = False,
    quiet: Quiet = False,
    **given: Any,
) -> None:
    """Add documents to a run: topics keep numbers and names, new ones are found; the result is another run."""
    check_run(run)
    source = source_of(paths, "update")
    from quire.runs.load import load
    from quire.runs.update import Wanted, reading_options

    wanted = Wanted(int(new_topics) if new_topics.isdigit() else new_topics, forget)
    before = load(run, texts=False)
    before = before if topics is None else before.at(topics)
    options = reading_options(before, given)
    folder = out or next_folder(run, len(before.updates))
    if not replace:
        check_replacing(folder, None, options, ask=not (json or quiet))
    check_target(folder)
    with live_stages(quiet) as stages:
        made, left = _made(before, run, source, options, wanted, folder, stages, with_page)
    if json:
        print_json({"run": str(folder), **made.info, "topics": made.topics.to_dicts()})
    elif quiet:
        print(folder)
    else:
        _print_update(made, folder)
        if with_page and (folder / PAGE_FILE).exists():
            print_page(folder / PAGE_FILE, left)


def next_folder(run: Path, updates: int) -> Path:
    """Return the folder of a run that was updated once more: news, news-2, news-3."""
    name = run.resolve().name
    base = re.sub(r"-\d+$", "", name) if updates else name
    return run.resolve().parent / f"{base}-{updates + 2}" if run.is_absolute() else run.parent / f"{base}-{updates + 2}"


def _made(
    before: Run, folder: Path, source: Any, options: Options, wanted: Wanted, out: Path, stages: Stages, page: bool
) -> tuple[Run, Any]:
    """Make the new run and save it, with its page where that fits."""
    from quire.cli.cluster import page_fits_here, write_its_page
    from quire.runs.edits.replay import held_on
    from quire.runs.load import load
    from quire.runs.need import Need
    from quire.runs.run import Run
    from quire.runs.update import updated
    from quire.runs.where import work_on

    texts = folder / "documents.parquet"
    known = Need.of(len(before.documents), 3 * texts.stat().st_size, len(before.H))
    work = work_on(source, options, out, before.recipe, resumable=False, beside=known)
    frames = None if before.counts is None else _documents(texts)
    with work.place:
        made = updated(before, source, options, work.place, stages, wanted, Run, frames)
        if work.target is not None:
            made.write(out)
            changed = held_on(run := load(out, texts=before.edits is not None), before, tell)
            if changed is not run:
                changed.save(out)
            run = load(out, texts=False)
        else:
            run = held_on(made.run(), before, tell)
            with stages.stage("save"):
                run.save(out)
    if not page or (work.target is not None and not page_fits_here(run, out, options)):
        return run, None
    with stages.stage("page") as show:
        return run, write_its_page(load(out) if work.target is not None else run, out, show)


def _documents(path: Path) -> Iterator[pl.DataFrame]:
    """Give the documents of a run with their texts, some at a time."""
    import polars as pl

    from quire.corpus.formats.parquet_pages import scan_parquet

    stored = scan_parquet(path)
    rows = stored.select(pl.len()).collect().item()
    return (stored.slice(at, _AT_ONCE).collect() for at in range(0, rows, _AT_ONCE))


def _print_update(run: Run, folder: Path) -> None:
    from quire.cli.reports.history import update_report
    from quire.cli.terminal import clean_console

    console = clean_console()
    console.print(update_report(run))
    console.print(f"The run is in {folder}", highlight=False, markup=False, soft_wrap=True)
