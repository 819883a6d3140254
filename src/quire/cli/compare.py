"""``quire compare``: two runs over the same documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import OUTPUT, AnotherCut, Json, RunFolder, whole
from quire.cli.output import print_page, print_result
from quire.messages import counted
from quire.runs.folder import check_file, check_run


def compare(
    run: RunFolder,
    other: Annotated[Path, Parameter(help="the folder of another, over the same documents")],
    /,
    *,
    topics: AnotherCut = None,
    other_topics: Annotated[int | None, Parameter(converter=whole, help="the same, of the other run")] = None,
    out: Annotated[
        Path | None,
        Parameter(name=["--out", "-o"], group=OUTPUT, help="write the page of RUN here, with the comparison"),
    ] = None,
    json: Json = False,
) -> None:
    """Compare two runs: which topics are the same, and which documents moved."""
    check_run(run)
    check_run(other)
    from quire.cli.reports.comparison import comparison_report
    from quire.runs.load import load_cut
    from quire.studies.compare import compare as compared

    if out is not None:
        check_file(out)  # before any work is done
    here, there = load_cut(run, topics), load_cut(other, other_topics)
    comparison = compared(here, there)
    names = run.resolve().name, other.resolve().name
    if names[0] == names[1] and len(here.cuts) > 1:
        many = [counted(len(run.H), "topic") for run in (here, there)]
        names = f"{names[0]}, {many[0]}", f"{names[1]}, {many[1]}"
    left = None
    if out is not None:
        from quire.pages.file import write_page
        from quire.pages.payload import payload_of

        left = write_page(payload_of(here, run, other=comparison.as_section(names[1])), out).left
    shown = names if names[0] != names[1] else (str(run), str(other))
    data = {"run": str(run), "other": str(other), **comparison.as_dict()}
    print_result(data, json, lambda width: comparison_report(comparison, shown, width))
    if out is not None and not json:
        print_page(out, left)
