"""The parts of the campaign: a new one is a module with ``cases`` and a line here."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Part:
    """A part, what is promised by it, and how much of the time it gets."""

    name: str
    share: float  # minutes of an hour
    noun: str  # what is tried
    goal: int  # of these, in an hour
    promise: str
    how: str
    least: float = 0.0  # seconds without which it cannot begin
    quick: int = 0  # cases that `make test` tries


_ALL = (
    Part(
        "crashes", 5, "crashes", 1_000,
        "A process that is killed, or whose machine loses its power, leaves the old run or the new one, whole; and "
        "nothing that is in the way of the next.",
        "A save, an update, a page, an index, a tree, a checkpoint, a choice, a name, an edit of topics and its "
        "undoing are written, with and without an older one, and killed at each of their file operations in turn; "
        "then, from a record of what was flushed, disks are made that lost the rest. Each is read, and written to "
        "again.",
        quick=4,
    ),
    Part(
        "mutations", 20, "mutations", 20_000,
        "A damaged or hostile file is read or refused with a sentence: no traceback, no crash, no hang. A run that was "
        "changed after it was written is never loaded as if it were sound.",
        "Every kind of input, files of seeds and of edits, every file of a run, its search index, its tree, its log of "
        "edits and the state that they led to, and what an unfinished run would go on from are changed in their bytes "
        "or their structure (JSON, TOML, NumPy headers, zip members, row pointers), or replaced by a bomb, runs with "
        "and without valid checksums (some lead out of their folder by a link, a name or a pipe), and read in a child "
        "under limits of memory and time. An index must find what a sound one finds, a run that goes on end in what it "
        "would have been, and one that is edited be read as it was made.",
        quick=150,
    ),
    Part(
        "resources", 3, "shortages", 300,
        "Where the disk is full, a file may not grow, memory or file handles are too few, or nothing may be written, "
        "there is a sentence, the older run is as it was, and the next one is made once there is room.",
        "All that writes, and runs from documents to folder, on a small disk that is full after any number of pages or "
        "is read-only, and under limits of file size, address space and file handles. Where a library panics for want "
        "of handles, or its allocator ends the process, that is counted apart; nothing may be lost then either.",
        quick=8,
    ),
    Part(
        "clusters", 8, "deaths", 40,
        "A killed Dask worker changes no bit of the result; where the scheduler or the driver is lost, or a worker is "
        "too small, there is a sentence and nothing stays behind: no process, no file, no half a run.",
        "Workers are killed in the middle of fits, which are compared with one that was left alone; commands on "
        "clusters of their own and of others lose their scheduler, are killed themselves, or get a worker of 120 to "
        "400 MB.",
        least=60.0,
    ),
    Part(
        "concurrency", 4, "scenes", 300,
        "Whoever reads while others write sees one whole run; of two writers one wins and the other gets a sentence; "
        "results do not depend on threads, forks or processes beside them.",
        "Writers and readers of one run, two who give names, who edit and undo topics while others read, three who "
        "build one index or page, fits in threads, after a fork and by joblib, each compared with what one process "
        "alone gives, bit for bit.",
        quick=5,
    ),
    Part(
        "pages", 10, "hostile documents", 500,
        "Nothing in a document, nor in what people called topics or noted of them, runs in the page, whatever view "
        "shows it, from a file or the server.",
        "Documents made of markup, scripts, controls and odd Unicode are gathered, their topics are named, noted and "
        "edited in such words, and every view, those of a choice, a comparison, a tree and edits among them, is opened "
        "in a real Chromium that reports scripts and errors.",
        least=60.0,
    ),
    Part(
        "server", 3, "requests", 5_000,
        "Whatever is asked, the server answers as its description says, never with 5xx, and goes on.",
        "Requests made from the OpenAPI description with odd values, edits that can and cannot be made among them, "
        "broken bytes on raw sockets, and 200 clients at once, against a process of its own that must end at once, and "
        "silently, at Ctrl-C. Another process edits the run meanwhile: of two who do, one is told.",
    ),
    Part(
        "estimators", 3, "fits", 5_000,
        "A fit ends with finite numbers or a sentence, whatever the matrix: no crash in compiled code.",
        "Every estimator with degenerate, extreme and damaged matrices, in memory and in row blocks, in float32 and "
        "float64, and what it learnt damaged before `transform`.",
        quick=200,
    ),
    Part(
        "fuzz", 4, "examples", 10_000,
        "The same as of damaged files; and compiled code finds the words that the regular expression finds, and a "
        "sparse matrix is accepted exactly if nothing in it leads outside.",
        "Searches by hypothesis: edits of files of every kind and values in the files of a run, led towards those that "
        "reach more lines of Quire; texts against the regular expression, led to more and longer terms; index arrays "
        "against a check in plain Python. What fails is made as small as it can be.",
    ),
)  # fmt: skip
PARTS = {part.name: part for part in _ALL}


def loaded(part: Part) -> ModuleType:
    """Return the module of a part."""
    return importlib.import_module(f"torture.{part.name}")
