"""A chain of updates on a corpus with dates, where it is on this machine."""

import numpy as np
import polars as pl
import pytest

import quire

BATCHES = 20


@pytest.mark.slow
def test_a_year_of_news_comes_in_twenty_pieces(data, tmp_path):
    """Reuters in the order of its dates: the first two of 22 pieces are a run, to which the others come."""
    table = pl.read_parquet(data / "reuters21578_single51.parquet").sort("date").select("text", "label", "date")
    pieces = np.array_split(np.arange(table.height), BATCHES + 2)
    run = quire.cluster(table[np.concatenate(pieces[:2])], 20, random_state=0)
    names = run.topics["name"].to_list()
    for number, rows in enumerate(pieces[2:]):
        before = run
        run = quire.load(run.update(table[rows]).save(tmp_path / f"run-{number % 2}"))
        assert run.topics["name"][: before.topics.height].to_list() == before.topics["name"].to_list()
    assert run.topics["name"][:20].to_list() == names
    assert len(run.documents) == table.height
    assert len(run.history) == BATCHES
    assert 20 <= len(run.H) <= 40
    assert run.documents["id"].is_unique().all()
    assert run.timeline["start"].max() >= pl.Series(["1987-10-01"]).str.to_date()[0]
    assert set(run.timeline["topic"]) == set(range(len(run.H)))
    assert run.scores["nmi"] > 0.45, run.scores
