"""The documents of a run with the names of their topics, for tables that people read elsewhere."""

from __future__ import annotations

from typing import Any

import polars as pl


def named_documents(run: Any) -> pl.DataFrame:
    """Return the documents with the name of each one's topic behind its number; null where it has none."""
    names = dict(run.topics.select("topic", "name").iter_rows())
    column = "topic_name" if "name" in run.documents.columns else "name"
    named = run.documents["topic"].replace_strict(names, default=None, return_dtype=pl.String).alias(column)
    documents: pl.DataFrame = run.documents.clone()
    return documents.insert_column(documents.get_column_index("topic") + 1, named)
