"""``quire assign``: the topics of other documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from quire.cli.options import OUTPUT, AnotherCut, Documents, Json, RunFolder, takes_options_of_a_run
from quire.cli.output import live_stages, print_result, source_of
from quire.runs.folder import check_run

_OUT = "write a table here: .parquet, .csv or .json [default: print a summary]"


@takes_options_of_a_run("assign")
def assign(
    run: RunFolder,
    /,
    *paths: Documents,
    topics: AnotherCut = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], group=OUTPUT, help=_OUT)] = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Say which topics of a run other documents are in, how sure that is, and how unlike anything seen they are."""
    check_run(run)
    source = source_of(paths, "assign")
    from quire.cli.reports.assigned import assigned_report
    from quire.runs.assign_file import assign_file, check_table
    from quire.runs.load import load_cut

    if out is not None:
        check_table(out)  # before any work is done
    loaded = load_cut(run, topics)
    with live_stages() as stages:
        tally, tables = assign_file(loaded, source, given, out, stages, keep=json and out is None)
    documents = {"documents": [row for table in tables for row in table.to_dicts()]} if json and out is None else {}
    data = {"run": str(run), "out": None if out is None else str(out), "summary": tally.as_dict(), **documents}
    print_result(data, json, lambda width: assigned_report(loaded, tally, out))
