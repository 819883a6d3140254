"""``quire explain``: why a document is in its topic."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import AnotherCut, Json, RunFolder, whole
from quire.cli.output import print_result
from quire.runs.folder import check_run

_AGAINST = "the topic to hold it against [default: its runner-up]"


def explain(
    run: RunFolder,
    document: Annotated[str, Parameter(allow_leading_hyphen=True, help="the id of a document of the run")],
    /,
    *,
    against: Annotated[int | None, Parameter(converter=whole, help=_AGAINST)] = None,
    topics: AnotherCut = None,
    json: Json = False,
) -> None:
    """Say why a document is in its topic: what its words add, and which words would have to change."""
    check_run(run)
    from quire.cli.reports.why import why_report
    from quire.runs.load import load_cut

    loaded = load_cut(run, topics)
    explanation = loaded.explain(document, against)
    print_result({"run": str(run), **explanation.as_dict()}, json, lambda width: why_report(loaded, explanation))
