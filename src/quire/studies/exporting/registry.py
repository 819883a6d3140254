"""All formats that a run can be exported to, a line each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from quire.messages import meant
from quire.runs.folder import check_file
from quire.runs.run import Run
from quire.studies.exporting.bertopic import write_bertopic
from quire.studies.exporting.pyldavis import write_pyldavis
from quire.studies.exporting.report import write_report
from quire.studies.exporting.tables import write_csv, write_json, write_parquet
from quire.studies.exporting.workbook import write_workbook


class Format(NamedTuple):
    """A format: what it is, how its file's name goes on after the run's (without a suffix: a folder), who writes it."""

    about: str
    ending: str
    write: Callable[[Run, Path], None]


EXPORTS = {
    "csv": Format("tables of documents, topics and time, in a folder", "-csv", write_csv),
    "xlsx": Format("the same as sheets of one workbook", ".xlsx", write_workbook),
    "json": Format("the same as one file of JSON", ".json", write_json),
    "parquet": Format("the same as Parquet, in a folder", "-parquet", write_parquet),
    "pyldavis": Format("what pyLDAvis.prepare takes, as JSON", "-pyldavis.json", write_pyldavis),
    "bertopic-like": Format("the two tables of BERTopic, in a folder", "-bertopic", write_bertopic),
    "html-report": Format("the topics as a document to read and to print", "-report.html", write_report),
}


def export_run(run: Run, to: str, out: str | Path) -> Path:
    """Write a run in a format; a file that is there already is replaced."""
    chosen, target = format_named(to), Path(out)
    if Path(chosen.ending).suffix:
        check_file(target)
    elif target.exists() and not target.is_dir():
        raise ValueError(f"{target} is no folder: name another one with --out.")
    chosen.write(run, target)
    return target


def format_named(to: str) -> Format:
    """Return a format; refuse one that is not known."""
    if to not in EXPORTS:
        raise ValueError(f"--to {to} is no format{meant(to, EXPORTS)}: use {', '.join(EXPORTS)}.")
    return EXPORTS[to]
