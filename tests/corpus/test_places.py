"""The documents of a source are the same at every place, and in whatever parts they are read."""

import datetime
import gzip

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from polars.testing import assert_frame_equal
from tables import ROWS, N, compared, parts_at, table_of, texts_of, whole, written

import quire.corpus.cut
import quire.corpus.formats.tables
from quire.corpus.corpus import read_parts
from quire.corpus.request import Request
from quire.places.dask.cluster import DaskPlace
from quire.runs.options import Options
from quire.runs.pipeline import read


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv", ".jsonl", ".json"])
def test_a_table_gives_the_same_documents(place, tmp_path, ending):
    parted = compared(written(table_of(), tmp_path / f"news{ending}"), Options(id="key"), place)
    assert parted.sizes.tolist() == [ROWS] * 5 + [5]
    assert parted.notes.n_empty == 9
    assert parted.notes.n_duplicates == 1


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
@pytest.mark.parametrize(
    "changed",
    [
        {"key": None},  # numbers for ids
        {"key": ["k"] * N},
        {"id": ["a", "b"] * (N // 2)},  # a guess that does not hold, and none that does
        {"id": [f"k{i % (N - 1)}" for i in range(N)]},  # the last of all ids is the first
        {"id": [f"k{i}" if i < N - 1 else " " for i in range(N)]},
        {"label": [str(i) for i in range(N)]},  # too many to be classes
        {"label": [str(i) if i < N // 2 else "0" for i in range(N)]},  # just few enough
        {"label": [None] * (N - 1) + ["a"]},
        {"date": ["03/04/2020"] * N},  # either order
        {"date": [*["03/04/2020"] * (N - 1), "31/12/2020"]},  # the last block decides
        {"date": [*["03/04/2020 10:00"] * (N - 1), "12/31/2020"]},
        {"date": [*["2020-01-01"] * (N - 1), "2020-01-01T10:30:00"]},  # a time of day in the last row
        {"date": [*["soon"] * (N // 2), *["2020-01-01"] * (N // 2)]},  # a guess that does not hold
        {"date": ["", *["2020-01-01"] * (N - 2), "soon"]},
    ],
    ids=str,
)
def test_what_whole_columns_decide(place, tmp_path, ending, changed):
    compared(written(table_of(**changed), tmp_path / f"news{ending}"), Options(), place)


@pytest.mark.parametrize(
    "changed",
    [
        {"id": [float(i) for i in range(N)]},  # "0", "1", …
        {"id": [*map(float, range(N - 1)), 0.5]},  # "0.0", "1.0", …
        {"label": [float(i % 3) for i in range(N)], "date": [1998.0 + i for i in range(N)]},
        {"date": [*[1998.0] * (N - 1), 1998.5]},  # not years, then
        {"date": [1.5e9 + i for i in range(N)]},
        {"date": [datetime.datetime(2020, 1, 1, 5) + datetime.timedelta(days=i) for i in range(N)]},
        {"text": [["two", "words"], None] * (N // 2)},
        {"text": [b"na\xc3\xafve", None] * (N // 2)},
        {"title": [float(i) if i else None for i in range(N)]},
        {"who": [float(i // 3) if i else None for i in range(N)]},
        {"who": [float(i // 3) if i else 0.5 for i in range(N)]},
    ],
    ids=str,
)
def test_columns_of_other_types(place, tmp_path, changed):
    path = written(table_of(**changed), tmp_path / "news.parquet")
    compared(path, Options(), place)
    if "who" in changed:
        compared(path, Options(group="who"), place)
    if "label" in changed:
        compared(path, Options(label="label", date="date", text="text", id="key"), place)


def test_parquet_files_of_a_folder_and_a_pattern_are_one_table(place, tmp_path):
    frame, folder = table_of(), tmp_path / "news"
    folder.mkdir()
    for start in (0, 3, 20):
        stop = {0: 3, 3: 20, 20: N}[start]
        written(frame[start:stop], folder / f"part-{start:02d}.parquet")
    (folder / "_SUCCESS").touch()
    whole = compared(written(frame, tmp_path / "all.parquet"), Options(id="key"), place)
    for source in (folder, folder / "part-*.parquet", str(folder / "**" / "*.parquet")):
        parted = compared(source, Options(id="key"), place)
        assert parted.sizes.tolist() == whole.sizes.tolist()
        assert parted.fingerprint() == whole.fingerprint()


def test_a_text_file(place, tmp_path):
    path = tmp_path / "lines.txt"
    for raw in (
        "\n".join(texts_of()),
        "\n".join(texts_of()) + "\n",
        "\ufeffone\r\ntwo\r\n\r\nthree\r",
        "old\rMacintosh\rlines",
        "été\n" * 30,
    ):
        path.write_bytes(raw.encode())
        compared(path, Options(), place)
    path.write_bytes("été\n".encode("cp1252") * 30)
    assert compared(path, Options(), place).notes.encoding == "cp1252"
    path.write_bytes("ab\ncd\n".encode("utf-16"))
    compared(path, Options(), place)
    table = tmp_path / "utf16.csv"
    table.write_bytes(table_of().write_csv().encode("utf-16"))
    compared(table, Options(), place)


@pytest.mark.parametrize("in_folders", [True, False])
def test_a_folder(place, tmp_path, in_folders):
    root = tmp_path / "mail"
    for i, text in enumerate(texts_of()):
        folder = root / ("ab"[i % 2] if in_folders or i < N - 1 else "")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:02d}.txt").write_bytes(text.encode())
    (root / "a" / "bad.txt").write_bytes(b"\0\1\2" * 100)
    (root / "a" / "old.txt").write_bytes("déjà".encode("cp1252"))
    parted = compared(root, Options(), place)
    assert ("label" in parted.documents.columns) == in_folders
    assert parted.notes.n_skipped == 1


def test_what_must_be_read_whole(place, tmp_path):
    frame = table_of()
    compared(texts_of(), Options(), place)
    compared(frame, Options(id="key"), place)
    compared(read(texts_of(), Options()), Options(), place)
    written(frame, tmp_path / "a.parquet")
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    compared(packed, Options(id="key"), place)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(frame.write_csv().encode() + 'k99,naïve,a,,"un\n'.encode("cp1252"))
    assert compared(latin, Options(), place).notes.encoding == "cp1252"


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("size", [2, 9, 30])
def test_rows_are_grouped(place, tmp_path, monkeypatch, ending, size):
    rng = np.random.default_rng(size)
    who = [None if i % 13 == 5 else " " if i == 8 else f"a{rng.integers(size)}" for i in range(N)]
    dates = [f"2020-01-{rng.integers(1, 28):02d}" for _ in range(N)]
    labels = [None if i < 10 else "abc"[rng.integers(3)] for i in range(N)]
    path = written(table_of(who=who, date=dates, label=labels), tmp_path / f"a{ending}")
    corpus, options = whole(path, Options(group="who")), Options(group="who")
    monkeypatch.setattr(quire.corpus.formats.tables, "content", None)
    parted = parts_at(path, options, place)
    assert_frame_equal(parted.documents, corpus.documents)
    assert parted.notes == corpus.notes
    assert parted.notes.n_ungrouped == 4
    assert parted.sizes.max() <= ROWS
    assert len(parted.sizes) > (size > ROWS)
    assert parted.fingerprint() == corpus.fingerprint()
    monkeypatch.setattr(quire.corpus.cut, "BYTES", 400)
    parted = parts_at(path, options, place)
    assert_frame_equal(parted.documents, corpus.documents)
    blocks = [place.fetch(one)["text"].str.len_bytes() for one in parted.parts]
    assert all(block.sum() <= 400 or len(block) == 1 for block in blocks)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "txt"])
def test_compressed_files(place, tmp_path, ending):
    frame, path = table_of(title=[*["a"] * (N - 1), None]), tmp_path / f"a.{ending}.gz"
    raw = {"csv": frame.write_csv(), "jsonl": frame.write_ndjson(), "txt": "\n".join(texts_of())}[ending]
    path.write_bytes(gzip.compress(raw.encode()))
    assert len(compared(path, Options(), place).sizes) == 6
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"is damaged") as expected:
        whole(path, Options())
    with pytest.raises(ValueError, match=r"is damaged") as found:
        parts_at(path, Options(), place)
    assert str(found.value) == str(expected.value)


def test_a_lazy_frame_is_read_in_batches(place, tmp_path):
    lazy = pl.scan_parquet(written(table_of(), tmp_path / "a.parquet")).with_columns(pl.col("label").str.to_uppercase())
    compared(lazy, Options(id="key"), place)


def test_one_document_is_a_block_of_one_row(place, tmp_path):
    assert compared(written(table_of()[:1], tmp_path / "a.parquet"), Options(), place).sizes.tolist() == [1]
    assert compared(written(table_of()[: ROWS + 1], tmp_path / "b.csv"), Options(), place).sizes.tolist() == [ROWS, 1]


def test_the_workers_of_a_cluster_read_the_same(place, tmp_path):
    distributed = pytest.importorskip("distributed")
    frame = table_of(who=[f"a{i % 9}" for i in range(N)])
    with distributed.Client(processes=False, dashboard_address=":0") as client, DaskPlace(client) as workers:
        for ending in (".parquet", ".csv"):
            path = written(frame, tmp_path / f"a{ending}")
            for options in (Options(id="key"), Options(group="who")):
                there, here = compared(path, options, workers), compared(path, options, place)
                assert there.sizes.tolist() == here.sizes.tolist()


def test_a_corpus_is_brought_to_another_place(place):
    corpus = read(_matrix(), Options())
    for source in (read(table_of(), Options(id="key")), corpus):
        moved = parts_at(source, Options(), place)
        assert moved.place is place
        assert len(moved.parts) == len(source.parts) > 1
        assert_frame_equal(moved.documents, source.documents)
        assert moved.fingerprint() == source.fingerprint()
    assert (moved.counts != corpus.counts).nnz == 0
    assert (moved.counts != _matrix()).nnz == 0
    labels = ["a", None] * (N // 2)
    labelled = read_parts(moved, Request(labels=labels), place)
    assert labelled.documents["label"].to_list() == labels
    assert labelled.matrix is moved.matrix
    assert parts_at(moved, Options(), place) is moved


def _matrix():
    return sp.random_array((N, 6), density=0.3, rng=np.random.default_rng(0), format="csr")
