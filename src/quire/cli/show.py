"""``quire show``: a run, or one of its documents, printed again."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import AnotherCut, Json, RunFolder
from quire.cli.output import print_result, print_run
from quire.runs.folder import check_run


def show(
    run: RunFolder,
    *,
    topics: AnotherCut = None,
    document: Annotated[str | None, Parameter(help="the id of a document: print what is known of it")] = None,
    json: Json = False,
) -> None:
    """Print a run again: what was read, its topics, its scores; or one of its documents."""
    check_run(run)
    from quire.cli.reports.document import document_report, document_row
    from quire.runs.load import load_cut

    loaded = load_cut(run, topics)
    if document is None:
        print_run(loaded, run, as_json=json, quiet=False)
        return
    row = document_row(loaded, document)
    data = {"run": str(run), "runs": loaded.info.get("runs"), **row}
    print_result(data, json, lambda width: document_report(loaded, row))
