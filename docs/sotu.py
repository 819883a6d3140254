"""Draw docs/sotu_streams.svg: topics of the State of the Union over time, of whole speeches and of their passages.

It needs the corpus (``sotu.parquet`` in the folder that QUIRE_DATA names) and matplotlib.
"""

import os
from pathlib import Path

import quire
from quire.papers.tsikhanovich2011.streams import streamgraph
from quire.runs.calendar import over_time
from quire.runs.run import Run

SPEECHES = Path(os.environ["QUIRE_DATA"]) / "sotu.parquet"


def shares(run: Run):
    """Return the first days of decades, each topic's share of their documents, and the topics' names."""
    _, table = over_time(run.labels, run.documents["date"], len(run.H), "decade")
    days = table["start"].unique().sort().to_list()
    names = [name.split(",")[0] for name in run.topics["name"].to_list()]
    return days, table["share"].to_numpy().reshape(len(run.H), len(days)), names


if __name__ == "__main__":
    whole = quire.cluster(SPEECHES, random_state=0)
    passages = quire.cluster(SPEECHES, random_state=0, split="words:300")
    drawn = {"Whole speeches: a topic a period": shares(whole), "Passages of 300 words: subjects": shares(passages)}
    (Path(__file__).parent / "sotu_streams.svg").write_text(streamgraph(drawn), "utf-8")
