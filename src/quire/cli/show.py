"""``quire show``: a run, or one of its documents, printed again."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import FLAG, AnotherCut, Json, RunFolder
from quire.cli.output import print_result, print_run
from quire.cli.tree import tree as print_tree
from quire.runs.folder import check_run


def show(
    run: RunFolder,
    *,
    topics: AnotherCut = None,
    document: Annotated[str | None, Parameter(help="the id of a document: print what is known of it")] = None,
    by: Annotated[str | None, Parameter(help="compare topics by these columns, as in age_group,region")] = None,
    tree: Annotated[bool, Parameter(help="print the tree of topics, as `quire tree` does", **FLAG)] = False,
    json: Json = False,
) -> None:
    """Print a run again: what was read, its topics, its scores; one document; topics by columns; or their tree."""
    check_run(run)
    from rich.console import Group

    from quire.cli.reports.by import by_report, compared_by
    from quire.cli.reports.document import document_report, document_row
    from quire.runs.load import load_cut

    if by is not None and document is not None:
        raise ValueError("Topics are compared by columns, or one document is shown: leave --by or --document out.")
    if tree:
        if by is not None or document is not None or topics is not None:
            raise ValueError("The tree is that of all topics: leave --by, --document and --topics out.")
        print_tree(run, json=json)
        return
    loaded = load_cut(run, topics)
    if by is not None:
        tables = compared_by(loaded, by)
        compared = {"run": str(run), "by": [one.as_dict() for one in tables]}
        print_result(compared, json, lambda width: Group(*(by_report(loaded, one, width) for one in tables)))
        return
    if document is None:
        print_run(loaded, run, as_json=json, quiet=False)
        return
    row = document_row(loaded, document)
    data = {"run": str(run), "runs": loaded.info.get("runs"), **row}
    print_result(data, json, lambda width: document_report(loaded, row))
