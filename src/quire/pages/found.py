"""Search in a run from Python: the same index as the page's, kept as long as the run is."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, finalize

import polars as pl

from quire.pages.full_text import MOST, FullText
from quire.pages.full_text_query import BEGIN, END
from quire.runs.run import Run

_INDICES: WeakKeyDictionary[Run, FullText] = WeakKeyDictionary()
_SCHEMA: dict[str, Any] = {
    "id": pl.String, "title": pl.String, "topic": pl.Int64, "name": pl.String, "passage": pl.String
}  # fmt: skip


def found_documents(run: Run, words: str, limit: int = 50) -> pl.DataFrame:
    """Return the documents in which all of these words occur, best first, with the passage that holds most of them."""
    if not 1 <= limit <= MOST:
        raise ValueError(f"limit={limit} must be a number of documents from 1 to {MOST}.")
    if "text" not in run.documents.columns:
        raise ValueError("The run was made from a matrix and has no texts to search.")
    if run.documents["text"].null_count() == len(run.documents):
        raise ValueError("The run was loaded without its texts: load it with texts=True.")
    index = _index_of(run)
    index.wait()
    names = run.topics["name"].to_list()
    rows = [
        {"id": one["id"], "title": one["title"], "topic": topic, "name": names[topic] if topic >= 0 else None,
         "passage": one["passage"].replace(BEGIN, "").replace(END, "")}
        for one in index.search(words, limit)["documents"]
        for topic in [int(run.documents["topic"][one["row"]])]
    ]  # fmt: skip
    table = pl.DataFrame(rows, schema=_SCHEMA)
    return table if "title" in run.documents.columns else table.drop("title")


def _index_of(run: Run) -> FullText:
    if run not in _INDICES:
        _INDICES[run] = index = FullText(None, run.documents)
        finalize(run, index.close)
    return _INDICES[run]
