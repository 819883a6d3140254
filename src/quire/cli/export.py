"""``quire export``: a run for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import OUTPUT, AnotherCut, RunFolder
from quire.cli.terminal import clean_console
from quire.runs.folder import check_run

_TO = "csv, xlsx, json, parquet, pyldavis, bertopic-like or html-report"
_OUT = "the file or folder [default: named after the run, here]"


def export(
    run: RunFolder,
    *,
    to: Annotated[str, Parameter(help=_TO)],
    topics: AnotherCut = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"], group=OUTPUT, help=_OUT)] = None,
) -> None:
    """Write a run for other programs: tables, a workbook, what pyLDAvis and BERTopic's users read, a report."""
    check_run(run)
    from quire.runs.load import load_cut
    from quire.studies.exporting.registry import export_run, format_named

    target = out or Path(f"{run.resolve().name}{format_named(to).ending}")
    written = export_run(load_cut(run, topics), to, target)
    clean_console().print(f"Wrote {written}", markup=False, soft_wrap=True)
