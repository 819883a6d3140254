"""Known classes for the documents of a run, from a file beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from quire.corpus.content import HEAD, content, head, what_it_is
from quire.corpus.encodings import decode, looks_like_utf16
from quire.corpus.formats.csv_rows import csv_rows
from quire.corpus.formats.lines import decoded_lines
from quire.corpus.formats.parquet_pages import scan_parquet
from quire.corpus.formats.rows import TolerantTable, json_lines
from quire.corpus.formats.scan import SEPARATORS
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.corpus.roles import choose
from quire.corpus.sources import kind_of
from quire.corpus.strings import as_strings, blank_to_null
from quire.corpus.tables import SAMPLE, Table
from quire.messages import counted, meant, were
from quire.runs.run import Run

_NO_TEXT = "\0"  # the name of a column that stands for the text, which a file with labels need not have


class Labels(NamedTuple):
    """The classes of a run's documents, null where unknown, where they are from, and what there is to say."""

    values: pl.Series
    source: str
    notes: tuple[str, ...] = ()


def read_labels(path: str | Path, run: Run, label: str | None = None, id: str | None = None) -> Labels:
    r"""Read the classes of a run's documents."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"There is no file {path} to read labels from: check the path.")
    kind = kind_of(path) or "lines"
    if kind == "lines":
        if label or id:
            raise ValueError(f"{path} has a label a line and no columns: leave --label and --id out.")
        lines = decoded_lines(str(path), content(path), Request(), Notes())[0]
        return _in_order(path, lines.str.strip_chars(), run, "lines")
    if kind not in ("csv", "tsv", "jsonl", "parquet"):
        raise ValueError(
            f"{path} cannot be read as labels: give a CSV, TSV, JSONL or Parquet file with ids and labels, "
            "or a text file with a label a line."
        )
    return _from_table(path, *_opened(path, kind), run, label, id)


def _opened(path: Path, kind: str) -> tuple[Table, Callable[[], int]]:
    """Return the table, and what tells after reading how many malformed lines were left out."""
    start = head(path)
    if not start.strip():
        raise ValueError(f"{path} is empty: there is nothing to read.")
    if kind == "parquet":
        sample = _parquet(path, lambda frame: frame.head(SAMPLE))
        table = Table(str(path), sample, lambda names, _: [_parquet(path, lambda f: f.select(names))])
        return table, lambda: 0
    other = None if looks_like_utf16(start) else what_it_is(start[:HEAD])
    if other is not None:
        raise ValueError(f"{path} is {other}, not {kind}: give it the ending of what it holds, or convert it.")
    text = decode(content(path)).text.replace("\r\n", "\n")
    separator = "\t" if kind == "tsv" else max(SEPARATORS, key=text.partition("\n")[0].count)
    rows = json_lines(text) if kind == "jsonl" else csv_rows(text, separator)
    tolerant = TolerantTable(str(path), rows, strict=False)
    return tolerant.table([]), lambda: tolerant.malformed


def _parquet(path: Path, part: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
    try:
        return part(scan_parquet(path)).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise ValueError(f"{path} is no sound Parquet file: write or download it anew.") from None


def _from_table(
    path: Path, table: Table, malformed: Callable[[], int], run: Run, label: str | None, id: str | None
) -> Labels:
    if not table.sample.height:
        raise ValueError(f"{path} has no row that can be read: give each document's id and label in one.")
    label, id = _columns(path, table.sample.columns, table.sample, run, label, id)
    frame = pl.concat(table.batches(list(dict.fromkeys([label, id or label])), SAMPLE))
    labels = blank_to_null(as_strings(frame[label]))
    if not labels.count():
        raise ValueError(f"Column {label!r} of {path} holds no label: name another with --label.")
    if id is None:
        aligned = _in_order(path, labels, run, "rows")
        notes: tuple[str, ...] = (f"{path} has no column of ids: its rows are taken in the documents' order.",)
    else:
        aligned = _joined(path, id, as_strings(frame[id]), labels, run)
        notes = aligned.notes
    lost = malformed()
    if lost:
        notes += (f"{counted(lost, 'malformed line')} of {path} {were(lost)} left out.",)
    return aligned._replace(notes=notes)


def _columns(
    path: Path, names: list[str], sample: pl.DataFrame, run: Run, label: str | None, id: str | None
) -> tuple[str, str | None]:
    """Return the columns of labels and of ids (None where there is none), guessed where not named."""
    shown = ", ".join(map(repr, names[:20]))
    for role, name in (("label", label), ("id", id)):
        if name is not None and name not in names:
            hint = meant(name, names) or f" among {shown}"
            raise ValueError(f"{path} has no column {name!r}{hint}: name another with --{role}.")
    if id is None:
        made = run.info["corpus"].get("columns", {})
        id = next((name for role in ("group", "id") if (name := made.get(role)) in names), None)
        id = None if id == label else id
    named = {"label": label, "id": id, "text": _NO_TEXT}
    stand_in = sample.with_columns(pl.lit("").alias(_NO_TEXT))
    guess = choose(stand_in, {r: c for r, c in named.items() if c is not None}, str(path)).columns
    others = [name for name in names if name != guess.get("id")]
    column = guess.get("label") or (others[0] if len(others) == 1 else None)
    if column is None:
        raise ValueError(f"No column of {path} looks like labels ({shown}): name it with --label.")
    return column, guess.get("id")


def _in_order(path: Path, labels: pl.Series, run: Run, what: str) -> Labels:
    if len(labels) != len(run.documents):
        remedy = "a label a line, blank where unknown" if what == "lines" else "ids in a column, and --id"
        raise ValueError(
            f"{path} has {len(labels):,} {what} but the run has {counted(len(run.documents), 'document')}: "
            f"give {remedy}."
        )
    labels = blank_to_null(labels)
    if not labels.count():
        raise ValueError(f"{path} holds no label: write one a line.")
    return Labels(labels, str(path))


def _joined(path: Path, column: str, ids: pl.Series, labels: pl.Series, run: Run) -> Labels:
    pairs = pl.DataFrame({"id": ids, "label": labels}).drop_nulls().unique(maintain_order=True)
    twice = pairs.filter(pl.col("id").is_duplicated())
    if twice.height:
        first, *others = twice.filter(pl.col("id") == twice["id"][0])["label"]
        raise ValueError(
            f"{path} gives the document {twice['id'][0]!r} two labels, {first!r} and {others[0]!r}: keep one."
        )
    aligned = run.documents.select("id").join(pairs, on="id", how="left", maintain_order="left")["label"]
    strays = pairs.height - aligned.count()
    if not aligned.count():
        raise ValueError(
            f"No id in column {column!r} of {path} (such as {str(ids[0])[:40]!r}) is one of the run's (such "
            f"as {run.documents['id'][0][:40]!r}): name another column with --id, or give a text file with a "
            "label a line."
        )
    belong = "belongs" if strays == 1 else "belong"
    note = f"{counted(strays, 'label')} in {path} {belong} to no document of the run."
    return Labels(aligned, str(path), (note,) if strays else ())
