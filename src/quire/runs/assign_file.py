"""A file of documents assigned by a run, part by part: however many there are, few are in memory at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus, read_parts
from quire.messages import Stages
from quire.places.atomic import whole_file
from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.places.place import Place
from quire.runs.assigning import assigned_table
from quire.runs.budget import memory_of, room_of
from quire.runs.folder import check_file, reason
from quire.runs.likeness import Heard
from quire.runs.need import need_of
from quire.runs.options import Options, declared_options, merged
from quire.runs.run import Run
from quire.runs.where import work_folder
from quire.runs.write import Streamed, sunk, write_documents

UNUSUAL = 0.95  # of the run's own documents one in twenty is above
_MOST_UNLIKE = 5  # documents that are named
_BATCH = 4096  # documents whose words are counted at a time


@dataclass
class Tally:
    """What is told of all documents that were assigned."""

    documents: int = 0
    topics: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # documents of each
    unusual: int = 0
    most_unlike: pl.DataFrame = field(default_factory=pl.DataFrame)
    sentences: list[str] = field(default_factory=list)

    @property
    def unassigned(self) -> int:
        """How many have no topic."""
        return self.documents - int(self.topics.sum())

    def add(self, table: pl.DataFrame) -> None:
        """Take some more documents."""
        topic = table["topic"].to_numpy()
        self.documents += table.height
        self.topics += np.bincount(topic[topic >= 0], minlength=len(self.topics))
        self.unusual += int((table["novelty"] > UNUSUAL).sum() or 0)
        some = pl.concat([self.most_unlike, table.filter(pl.col("novelty") > UNUSUAL)], how="diagonal")
        if some.height:
            self.most_unlike = some.sort("novelty", descending=True, maintain_order=True).head(_MOST_UNLIKE)

    def as_dict(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        told = {"documents": self.documents, "unassigned": self.unassigned, "topics": self.topics.tolist()}
        return {**told, "unusual": self.unusual, "most_unlike": self.most_unlike.to_dicts(), "notes": self.sentences}


def check_table(path: Path) -> Path:
    """Make sure, before any work is done, that a table can be written here."""
    if path.suffix.lower() not in WRITERS:
        raise ValueError(f"{path} is no table that could be written: end its name in {', '.join(WRITERS)}.")
    return check_file(path)


def assign_file(
    run: Run, source: Any, given: Mapping[str, Any], out: Path | None, stages: Stages, keep: bool = True
) -> tuple[Tally, list[pl.DataFrame]]:
    """Assign the documents of a source, read as the run's own were but for what is given; write a table, or return it.

    Returns what there is to tell of all, and the table's parts where none is written and they are to be kept.
    """
    options, kept = _reading(run, given), list[pl.DataFrame]()
    tally = Tally(topics=np.zeros(len(run.H), np.int64))
    with _place(source, options, out) as place:
        with stages.stage("read") as update:
            request = options.request(progress=lambda what, done, total: update(done, total))
            corpus = read_parts(source, request, place)
            tally.sentences = corpus.notes.sentences()
        with stages.stage("assign") as update:
            tables = _told(assigned_parts(run, corpus), tally, lambda done: update(done, len(corpus)))
            if out is not None:
                _write(tables, out)
            else:
                kept = [table for table in tables if keep]
    return tally, kept


def assigned_parts(run: Run, corpus: Corpus) -> Iterator[pl.DataFrame]:
    """Assign the documents of a corpus, a table after the other."""
    if (corpus.matrix is None) != (run.counts is not None):
        made, give = ("a matrix", "counts with the same columns") if run.counts is None else ("texts", "texts")
        raise ValueError(f"This run was made from {made}: give {give} to assign.")
    if corpus.matrix is not None and corpus.matrix.shape[1] != len(run.words):
        width = corpus.matrix.shape[1]
        raise ValueError(
            f"The matrix has {width:,} columns, the run's {len(run.words):,}: give counts of the same terms."
        )
    for number, part in enumerate(corpus.parts):
        documents = corpus.place.fetch(part)
        counts = None if corpus.matrix is None else corpus.place.fetch(corpus.matrix.handles[number])
        for start in range(0, documents.height, _BATCH):
            some = documents.slice(start, _BATCH)
            if counts is None:
                heard = run.heard(some["text"].to_list())
            else:
                heard = Heard(counts[start : start + _BATCH], np.zeros(some.height))
            yield assigned_table(run, some["id"], heard)


def _reading(run: Run, given: Mapping[str, Any]) -> Options:
    """Return the options by which the run's documents were read, with what is given in their place."""
    known, own = declared_options(command="assign"), run.info["options"]
    shared = {name: own[name] for name in (*known, "split", "each", "group") if own.get(name) is not None}
    return merged({"topics": len(run.H)}, shared, given)


@contextmanager
def _place(source: Any, options: Options, out: Path | None) -> Iterator[Place]:
    """Give the place to read documents to: memory where they fit, else files, which go in the end."""
    need, memory = need_of(source, options), memory_of(options.memory)
    with ExitStack() as stack:
        if need.memory <= memory:
            yield stack.enter_context(MemoryPlace(n_jobs=options.threads))
            return
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="quire-")) if out is None else None
        where = work_folder(out) if folder is None and out is not None else Path(str(folder)) / "parts"
        yield stack.enter_context(DiskPlace(where, room_of(memory, need.documents, need.text_bytes)))


def _told(tables: Iterable[pl.DataFrame], tally: Tally, update: Callable[[int], None]) -> Iterator[pl.DataFrame]:
    for table in tables:
        tally.add(table)
        yield table
        update(tally.documents)


def _write(tables: Iterable[pl.DataFrame], out: Path) -> None:
    try:
        with whole_file(check_table(out)) as made:
            WRITERS[out.suffix.lower()](made, tables)
    except OSError as error:
        raise ValueError(f"{out} could not be written: {reason(error)}.") from None


def _write_json(path: Path, tables: Iterable[pl.DataFrame]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        begin = "["
        for table in tables:
            file.write(begin + table.write_json()[1:-1])
            begin = ",\n"
        file.write("]\n" if begin != "[" else "[]\n")


WRITERS: dict[str, Callable[[Path, Iterable[pl.DataFrame]], None]] = {
    ".parquet": lambda path, tables: write_documents(path, Streamed(tables, 0)),
    ".csv": lambda path, tables: sunk(tables, lambda table: table.sink_csv(path)),
    ".json": _write_json,
}
