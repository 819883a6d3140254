"""Parquet whose headers claim what cannot be: refused with a sentence, where Polars would end the process."""

import io

import polars as pl
import pytest
from problems import stories

import quire
from quire.corpus.formats import parquet_pages
from quire.corpus.formats.parquet_pages import Thrift, check_content

FRAME = pl.DataFrame(
    {
        "id": [str(i) for i in range(60)],
        "text": [None if i % 7 == 3 else f"moon rocket {i % 5}" for i in range(60)],
        "age": range(60),
        "words": [["a"] * (i % 3) for i in range(60)],
        "even": [i % 2 == 0 for i in range(60)],
    }
)


def written(**how):
    file = io.BytesIO()
    FRAME.write_parquet(file, **how)
    return file.getvalue()


def varint(n):
    n, out = n << 1, bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def claiming(raw, n):
    """Return a file in which the first page of texts claims n values; offsets behind it are as they were."""
    footer = Thrift(raw, len(raw) - 8 - int.from_bytes(raw[-8:-4], "little"), len(raw) - 8).struct()
    column = footer[4][0][1][1][3]
    at = column[9]
    end = Thrift(raw, at, len(raw))
    header = end.struct()
    old = raw[at : end.at]
    assert header[5][1] == 60
    place = old.index(varint(60), old.index(b"\x2c"))  # the struct of a data page follows, as field 5
    return raw[: at + place] + varint(n) + raw[at + place + 1 :]


@pytest.mark.parametrize(
    "how", [{}, {"compression": "uncompressed", "row_group_size": 13}, {"compression": "gzip", "data_page_size": 100},
            {"use_pyarrow": True, "pyarrow_options": {"data_page_version": "2.0"}},
            {"use_pyarrow": True, "pyarrow_options": {"use_dictionary": False, "data_page_size": 64}}],
)  # fmt: skip
def test_sound_files_are_read(how):
    if how.get("use_pyarrow"):
        pytest.importorskip("pyarrow")
    raw = written(**how)
    check_content(raw, "sound")
    assert pl.read_parquet(io.BytesIO(raw)).equals(FRAME)


def test_no_rows():
    file = io.BytesIO()
    FRAME.clear().write_parquet(file)
    check_content(file.getvalue(), "empty")


@pytest.mark.parametrize("n", [61, 63])
def test_a_page_with_more_values_than_its_column(tmp_path, n):
    path = tmp_path / "d.parquet"
    path.write_bytes(claiming(written(compression="uncompressed"), n))
    with pytest.raises(ValueError, match=r"is a damaged Parquet file: write or download it anew\.$"):
        quire.read_corpus(path)


def test_every_byte_of_the_headers_may_be_any_other():
    """Whatever stands there, it is read or refused, and never leads outside."""
    raw = written(compression="uncompressed")
    start = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    for at in range(start, len(raw)):
        for value in (0, 0x7F, 0x80, 0xFF, raw[at] ^ 1, raw[at] ^ 16):
            try:
                check_content(raw[:at] + bytes([value]) + raw[at + 1 :], "changed")
            except (pl.exceptions.ComputeError, ValueError):
                continue


def test_a_column_of_more_values_than_would_fit(monkeypatch):
    monkeypatch.setattr(parquet_pages, "_BYTES_OF_VALUE", 1 << 40)
    with pytest.raises(ValueError, match="as a decompression bomb does: if it is none, set QUIRE_EXPANSION="):
        check_content(written(), "bomb")


@pytest.mark.parametrize("raw", [b"", b"PAR1", b"PAR1" * 4, b"PAR1" + b"\xff" * 4 + b"PAR1", b"PAR1\0\0\0\0\0\0PAR1"])
def test_what_is_too_short(tmp_path, raw):
    path = tmp_path / "d.parquet"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=r"\.$"):
        quire.read_corpus(path)


def test_of_a_run(tmp_path):
    folder = quire.cluster(stories()[0], 3, random_state=0).save(tmp_path / "run")
    from sealed import seal

    path = folder / "documents.parquet"
    raw = path.read_bytes()
    path.write_bytes(raw[:-8] + (len(raw)).to_bytes(4, "little") + raw[-4:])
    seal(folder)
    with pytest.raises(ValueError, match=r"does not hold what it should \(its footer is longer than it is\)"):
        quire.load(folder)
