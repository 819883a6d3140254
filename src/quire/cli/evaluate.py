"""``quire evaluate``: the scores of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quire.cli.options import COLUMNS, AnotherCut, Json, RunFolder
from quire.cli.output import print_result
from quire.runs.folder import check_run

_LABELS = (
    "known classes: a CSV, TSV, JSONL or Parquet file with ids, or a text file with one a line, "
    "in the order of the documents [default: the run's own labels]"
)


def evaluate(
    run: RunFolder,
    *,
    topics: AnotherCut = None,
    labels: Annotated[Path | None, Parameter(help=_LABELS)] = None,
    label: Annotated[str | None, Parameter(group=COLUMNS, help="the classes, in the file of --labels")] = None,
    id: Annotated[str | None, Parameter(group=COLUMNS, help="the documents' ids, in that file")] = None,
    json: Json = False,
) -> None:
    """Score a run, with known classes and without, and show where each class went."""
    check_run(run)
    from quire.cli.reports.evaluation import evaluation_report
    from quire.runs.load import load_cut
    from quire.studies.evaluate import evaluate as evaluation_of
    from quire.studies.labels_file import read_labels

    if labels is None and (label or id):
        raise ValueError("--label and --id name columns of the file with the labels: add --labels FILE.")
    loaded = load_cut(run, topics)
    evaluation = evaluation_of(loaded, None if labels is None else read_labels(labels, loaded, label, id))
    print_result({"run": str(run), **evaluation.as_dict()}, json, lambda width: evaluation_report(evaluation, width))
