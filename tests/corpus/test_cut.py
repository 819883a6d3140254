"""How documents are cut into parts, and what is decided from all of these."""

import numpy as np
import polars as pl
import pytest
from tables import compared, table_of, written

import quire.corpus.cut
from quire.corpus.corpus import read_parts
from quire.corpus.cut import cut_frames, cuts
from quire.corpus.decision import decide, repeated_rows
from quire.corpus.facts import Facts
from quire.corpus.notes import Notes
from quire.corpus.roles import Roles
from quire.runs.options import Options


def test_blocks_are_cut_by_rows_and_bytes(monkeypatch):
    monkeypatch.setattr(quire.corpus.cut, "BYTES", 10)
    monkeypatch.setattr(quire.corpus.cut, "ROWS", 3)
    assert cuts(np.array([5, 5, 1, 30, 1, 1, 1, 1])) == [0, 2, 3, 4, 7, 8]
    assert cuts(np.zeros(0, np.int64)) == [0]
    texts = pl.DataFrame({"text": ["x" * size for size in (5, 5, 1, 30, 1, 1, 1, 1)]})
    for size in (1, 2, 5, 8):
        frames = (texts.slice(start, size) for start in range(0, 8, size))
        assert [frame.height for frame in cut_frames(frames, "text")] == [2, 1, 1, 3, 1]


def test_long_texts_make_smaller_blocks(place, tmp_path, monkeypatch):
    monkeypatch.setattr(quire.corpus.cut, "BYTES", 100)
    sizes = [
        compared(written(table_of(), tmp_path / f"a{ending}"), Options(), place).sizes.tolist()
        for ending in (".parquet", ".csv", ".jsonl")
    ]
    assert sizes[0] == sizes[1] == sizes[2]
    assert len(sizes[0]) > 7


def test_ids_with_one_hash_are_not_taken_for_one_id():
    ids = np.array([1, 2, 3, 2], np.uint64)
    roles, facts = Roles({"text": "t", "id": "key"}, {"id"}), [Facts(2, ids=ids[:2]), Facts(2, ids=ids[2:])]
    for values, kept in (("abcd", True), ("abcb", False)):
        decision, _ = decide(facts, roles, "a.csv", Notes(), lambda row, _, values=values: values[row])
        assert ("id" in decision.roles.columns) == kept


def test_the_first_repeated_id_is_found_by_one_scan():
    class Counted(np.ndarray):
        scans = 0

        def __eq__(self, other):
            Counted.scans += 1
            return np.asarray(self) == other

    hashes = np.repeat(np.arange(500, dtype=np.uint64), 2)
    assert next(iter(repeated_rows(hashes.view(Counted)))) == (0, 1)
    assert Counted.scans == 1
    assert list(repeated_rows(hashes)) == [(row, row + 1) for row in range(0, 1000, 2)]
    assert not list(repeated_rows(hashes[::2]))


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_progress_is_told(place, tmp_path, ending):
    told = []
    path = written(table_of(), tmp_path / f"a{ending}")
    request = Options().request(progress=lambda what, done, total: told.append((done, total)))
    parted = read_parts(path, request, place)
    assert told[-1] == (12, 12)
    assert len(told) >= len(parted.sizes)
