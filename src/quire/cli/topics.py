"""``quire topics``: the topics of a run, or what tells two of them apart."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import AnotherCut, Json, RunFolder
from quire.cli.output import print_result
from quire.runs.folder import check_run


def topics(
    run: RunFolder,
    *,
    diff: Annotated[
        tuple[int, int] | None,
        Parameter(help="two topics: the words that tell them apart, and documents on the border", negative=""),
    ] = None,
    topics: AnotherCut = None,
    json: Json = False,
) -> None:
    """Print the topics of a run, or hold two of them against each other."""
    check_run(run)
    from quire.cli.reports.diff import diff_report
    from quire.cli.reports.run import topic_table
    from quire.runs.load import load_cut

    loaded = load_cut(run, topics)
    if diff is None:
        print_result({"run": str(run), "topics": loaded.topics.to_dicts()}, json, lambda width: topic_table(loaded))
        return
    apart = loaded.diff(*diff)
    print_result({"run": str(run), **apart.as_dict()}, json, lambda width: diff_report(apart))
