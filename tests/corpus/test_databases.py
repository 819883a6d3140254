"""SQLite databases and Arrow files: tables and queries, and what is damaged, something else or a trap."""

import gzip
import io
import sqlite3
import sys
import zipfile

import polars as pl
import pytest
from refusals import damaged, refused, tried
from tables import compared, table_of

from quire import read_corpus
from quire.runs.options import Options


def database(path, **tables):
    with sqlite3.connect(path) as connection:
        for name, frame in tables.items():
            connection.execute(f"create table {name} ({', '.join(frame.columns)})")
            marks = ", ".join("?" * frame.width)
            connection.executemany(f"insert into {name} values ({marks})", frame.rows())
    connection.close()
    return path


def test_the_only_table_is_read(tmp_path, place):
    path = database(tmp_path / "news.sqlite", news=table_of())
    corpus = compared(path, Options(id="key"), place)
    assert corpus.fingerprint() == read_corpus(table_of(), id="key").fingerprint()
    packed = tmp_path / "news.db.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_corpus(packed, id="key").fingerprint() == corpus.fingerprint()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(path, "news.db")
    assert read_corpus(tmp_path / "a.zip", id="key").fingerprint() == corpus.fingerprint()


def test_of_several_tables_one_is_named_or_a_query_given(tmp_path):
    path = database(tmp_path / "news.db", news=table_of(), other=pl.DataFrame({"text": ["x"], "n": [1.0]}))
    assert "has 2 tables (news, other): name one with --sql news" in refused(path)
    assert len(read_corpus(path, sql="news")) == 40
    corpus = read_corpus(path, sql="select key as id, upper(text) as text from news where label = 'a' limit 3")
    assert corpus.documents["id"].to_list() == ["k0", "k2", "k4"]
    assert "has no table 'new' (did you mean 'news'?)" in refused(path, sql="new")
    assert "no such column: nobody" in refused(path, sql="select nobody from news")
    assert read_corpus(path, sql="select text, n from other", text="n").documents["text"].to_list() == ["1"]


@pytest.mark.parametrize("query", ["drop table news", "delete from news", "attach database 'x.db' as x",
    "select load_extension('x')", "pragma writable_schema = on", "insert into news values (1)"])  # fmt: skip
def test_a_query_only_reads(tmp_path, query):
    path = database(tmp_path / "news.db", news=table_of()[:2, :1])
    before = path.read_bytes()
    sentence = refused(path, sql=query)
    assert "damaged" not in sentence
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["news.db"]


def test_a_database_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.corpus.expansion._FREE", 1 << 16)
    path = database(tmp_path / "a.db", news=table_of())
    endless = "with recursive n(text) as (select 'moon' union all select text || 'x' from n) select text from n"
    assert "expands to more than" in refused(path, sql=endless) or "too big" in refused(path, sql=endless)
    monkeypatch.setattr("quire.corpus.formats.sqlite._FRUITLESS", 3)
    fruitless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i as text from n where i < 0"
    assert "interrupted" in refused(path, sql=fruitless)


def test_a_damaged_database_is_read_or_refused(tmp_path):
    path = database(tmp_path / "a.db", news=table_of())
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    assert "is a damaged SQLite database" in refused(path)
    for wrong in (b"", b"text\nmoon\n", b"SQLite format 3\0" + bytes(84)):
        path.write_bytes(wrong)
        refused(path)
    for changed in damaged(raw, 60):
        path.write_bytes(changed)
        tried(path)


@pytest.mark.parametrize("where", [b"create table", b"news (key", b"key, "])
def test_names_that_are_no_text_are_refused(tmp_path, where):
    """SQLite repeats such bytes in what it says, and Python cannot read that."""
    path = database(tmp_path / "news.sqlite", news=table_of())
    raw = path.read_bytes()
    at = raw.lower().index(where) + 2
    path.write_bytes(raw[:at] + b"\xff\xfe" + raw[at + 2 :])
    assert "is a damaged SQLite database" in refused(path)


def arrow(frame, kind="file", **options):
    raw = io.BytesIO()
    (frame.write_ipc if kind == "file" else frame.write_ipc_stream)(raw, **options)
    return raw.getvalue()


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
def test_an_arrow_file_is_read(tmp_path, kind, compression, place):
    pytest.importorskip("pyarrow")
    path, frame = tmp_path / "a.feather", table_of().with_columns(pl.col("label").cast(pl.Categorical))
    path.write_bytes(arrow(frame, kind, compression=compression))
    corpus = compared(path, Options(id="key"), place)
    assert corpus.fingerprint() == read_corpus(table_of(), id="key").fingerprint()


def test_an_arrow_file_of_several_batches_is_read_in_parts(tmp_path, place):
    arrow = pytest.importorskip("pyarrow")
    path, table = tmp_path / "a.arrow", table_of().to_arrow()
    with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)
    corpus = compared(path, Options(id="key"), place)
    assert corpus.fingerprint() == read_corpus(table_of(), id="key").fingerprint()


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("compression", ["uncompressed", "zstd"])
def test_a_damaged_arrow_file_is_read_or_refused(tmp_path, kind, compression):
    pytest.importorskip("pyarrow")
    path, raw = tmp_path / "a.arrow", arrow(table_of().select("key", "text"), kind, compression=compression)
    path.write_bytes(raw[: len(raw) // 2])
    assert "is a damaged Arrow file" in refused(path)
    for wrong in (b"", b"text\nmoon\n", b"ARROW1\0\0", b"FEA1" + bytes(20)):
        path.write_bytes(wrong)
        refused(path)
    for changed in damaged(raw, 60):
        path.write_bytes(changed)
        tried(path)


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.arrow").write_bytes(b"ARROW1")
    assert "pip install 'quire-topics[arrow]'" in refused(tmp_path / "a.arrow")
