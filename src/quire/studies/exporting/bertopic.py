"""The tables that BERTopic's ``get_topic_info`` and ``get_document_info`` return, for programs that read these."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from quire.runs.run import Run
from quire.studies.exporting.tables import for_spreadsheet, write_tables

_WORDS, _IN_NAME = 10, 4


def write_bertopic(run: Run, folder: Path) -> None:
    """Write topic_info.csv and document_info.csv; documents without a topic are in topic −1."""
    tables = {"topic_info": topic_info(run), "document_info": document_info(run)}
    write_tables(tables, folder, ".csv", lambda table, path: for_spreadsheet(table).write_csv(path))


def topic_info(run: Run) -> pl.DataFrame:
    """Return a row per topic: Topic, Count, Name, Representation, Representative_Docs."""
    words = {row["topic"]: row["keywords"][:_WORDS] for row in run.topics.iter_rows(named=True)}
    text = "text" if "text" in run.documents.columns else "id"
    texts = dict(run.documents.select("id", text).iter_rows()) if text == "text" else {}
    rows = [
        {
            "Topic": row["topic"], "Count": row["size"], "Name": _name(row["topic"], words[row["topic"]]),
            "Representation": words[row["topic"]],
            "Representative_Docs": [texts.get(id) or id for id in row["typical"]],
        }
        for row in run.topics.iter_rows(named=True)
    ]  # fmt: skip
    left = int((run.labels < 0).sum())
    none = {"Topic": -1, "Count": left, "Name": "-1", "Representation": [], "Representative_Docs": []}
    kinds = {"Topic": pl.Int64, "Count": pl.Int64, "Name": pl.String}
    lists = dict.fromkeys(("Representation", "Representative_Docs"), pl.List(pl.String))
    return pl.DataFrame([none] * bool(left) + rows, schema={**kinds, **lists})


def document_info(run: Run) -> pl.DataFrame:
    """Return a row per document: Document, Topic, Name, Top_n_words, Probability, Representative_document."""
    info = topic_info(run)
    names = dict(info.select("Topic", "Name").iter_rows())
    joined = {topic: " - ".join(words) for topic, words in info.select("Topic", "Representation").iter_rows()}
    typical = run.topics["typical"].explode().drop_nulls()
    topic, text = run.documents["topic"], "text" if "text" in run.documents.columns else "id"
    return run.documents.select(
        pl.col(text).alias("Document"),
        pl.col("topic").alias("Topic"),
        topic.replace_strict(names, default=None, return_dtype=pl.String).alias("Name"),
        topic.replace_strict(joined, default=None, return_dtype=pl.String).alias("Top_n_words"),
        pl.col("membership").alias("Probability"),
        pl.col("id").is_in(typical.to_list()).alias("Representative_document"),
    )


def _name(topic: int, words: list[str]) -> str:
    return "_".join([str(topic), *words[:_IN_NAME]])
