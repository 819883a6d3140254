"""``quire ls``: the runs that are here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import Json
from quire.cli.output import print_result


def ls(
    folder: Annotated[Path | None, Parameter(help="where to look [default: this folder]")] = None, *, json: Json = False
) -> None:
    """List the runs of a folder: documents, topics, when they were made, their largest topics."""
    from quire.cli.reports.found import found_report
    from quire.runs.found_runs import runs_in

    place = folder or Path()
    found = runs_in(place)
    print_result({"folder": str(place), "runs": [run._asdict() for run in found]}, json, lambda _: found_report(found))
