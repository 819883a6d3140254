"""``quire page``: the page of a run, written again."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import OUTPUT, ChoiceFolder, Layout, OtherRun, RunFolder
from quire.cli.output import PAGE_FILE, live_stages, print_page
from quire.runs.folder import check_file, check_run, own_path


def page(
    run: RunFolder,
    *,
    choice: ChoiceFolder = None,
    compare: OtherRun = None,
    layout: Layout = "topics",
    limit: Annotated[float, Parameter(help="megabytes; what does not fit is left out")] = 25,
    out: Annotated[
        Path | None, Parameter(name=["--out", "-o"], group=OUTPUT, help="the file [default: page.html in the run]")
    ] = None,
) -> None:
    """Write the page of a run: one file that opens in any browser, without a network."""
    check_run(run)
    from quire.pages.file import write_page
    from quire.pages.payload import payload_of
    from quire.runs.load import load

    if not 0 < limit < math.inf:
        raise ValueError(f"--limit {limit:g} is no size: give the megabytes that the page may have.")
    target = out or own_path(run, PAGE_FILE)
    if out is not None:
        check_file(out)  # before any work is done
    with live_stages() as stages:
        with stages.stage("read"):
            loaded = load(run)
        with stages.stage("page") as update:
            payload = payload_of(loaded, run, choice=choice, other=compare, layout=layout, update=update)
            written = write_page(payload, target, round(limit * 1e6), update)
    print_page(target, written.left)
    if not payload.head["has"]["words"]:
        print("It cannot say which words put a document into its topic: the run keeps no counts of a matrix.")
