"""Damaged tables and other encodings: what can be read is read, the rest is counted; and round trips."""

import contextlib
import csv
import io
import json
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.corpus.content import what_it_is
from quire.corpus.corpus import read_corpus
from quire.corpus.encodings import decode
from quire.corpus.formats.csv_rows import csv_rows
from quire.corpus.formats.rows import json_lines

# Any text that UTF-8 can hold, and texts of what tables use as marks.
texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=8)
nasty = st.lists(st.text('a,;"\n\r\t|\x00\x0c\u2028é', max_size=12), min_size=1, max_size=8)


def written(name, raw):
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / name
    path.write_bytes(raw)
    return folder, path


def read_bytes(name, raw, **arguments):
    folder, path = written(name, raw)
    with folder:
        return read_corpus(path, **arguments)


def as_csv(rows, **options):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, **options).writerows(rows)
    return buffer.getvalue()


@given(texts | nasty)
def test_round_trip(values):
    frame = pl.DataFrame({"id": [f"0{i}" for i in range(len(values))], "text": values})
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    raws = {
        "a.parquet": buffer.getvalue(),
        "a.csv": frame.write_csv(quote_style="always").encode(),
        "a.jsonl": frame.write_ndjson().encode(),
        "b.jsonl": "".join(json.dumps(row) + "\n" for row in frame.to_dicts()).encode(),
        "a.json": json.dumps(frame.to_dicts(), ensure_ascii=False).encode(),
    }
    prints = {read_corpus(frame).fingerprint()}
    for name, raw in raws.items():
        corpus = read_bytes(name, raw)
        assert list(corpus.texts()) == values, name
        prints.add(corpus.fingerprint())
    assert len(prints) == 1


@given(texts | nasty, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]))
def test_round_trip_through_pythons_csv(values, separator, ending):
    rows = [["id", "text", "label"], *([f"0{i}", value, "x"] for i, value in enumerate(values))]
    raw = as_csv(rows, delimiter=separator, lineterminator=ending, quoting=csv.QUOTE_ALL).encode()
    assert list(read_bytes("a.csv", raw).texts()) == values


@given(nasty, st.sampled_from(",;\t|"))
def test_the_tolerant_reader_agrees_on_sound_tables(values, separator):
    rows = [["id", "text"], *([str(i), value] for i, value in enumerate(values))]
    raw = as_csv(rows, delimiter=separator, quoting=csv.QUOTE_ALL)
    bad = []
    assert [row["text"] for row in csv_rows(raw, separator)(bad.append)] == values
    lines = "".join(json.dumps({"text": value}, ensure_ascii=False) + "\n" for value in values)
    assert [row["text"] for row in json_lines(lines)(bad.append)] == values
    assert bad == []


@given(st.binary(max_size=200))
def test_any_bytes_end_in_documents_or_a_sentence(raw):
    for name in ("a.csv", "a.jsonl", "a.json", "a.txt", "a.parquet", "a.npz", "a.csv.gz"):
        with contextlib.suppress(ValueError):
            corpus = read_bytes(name, raw)
            assert corpus.documents["text"].null_count() == 0
            assert all(isinstance(sentence, str) for sentence in corpus.notes.sentences())


@given(st.text('ab,"\n', max_size=60))
def test_any_csv_keeps_its_sound_rows(middle):
    """Whatever stands in the middle, a sound row before it is kept."""
    corpus = read_bytes("a.csv", f'id,text\nfirst,"sound, row"\n{middle}\n'.encode())
    assert corpus.documents["text"][0] == "sound, row"


@pytest.mark.parametrize(
    ("raw", "rows", "lines"),
    [
        ("id,text,label\n1,a,x\n2,b\n3,c,z\n", ["a", "c"], (3,)),
        ("id,text,label\n1,a,x\n2,b,y,w\n3,c,z\n", ["a", "c"], (3,)),
        ('id,text,label\n1,"a\nb",x\n2,b\n3,c,z\n', ["a\nb", "c"], (4,)),
        ('id,text,label\n1,a,x\n2,"never closed,y\n3,c,z\n', ["a", "c"], (3,)),
        ('id,text\n1,a\n2,"never closed\n3,c\n', ["a", "c"], (3,)),
        ("id,text,label\n1,a,x\n\n2,b,y\n\n", ["a", "b"], ()),
        ("id,text,label\n1,a,x\n2,b,\n", ["a", "b"], ()),
        ('id,text\n1,a "quoted" word\n2,"b"d\n', ['a "quoted" word', "bd"], ()),
        ("id,text\r1,a\r2,b\r", ["a", "b"], ()),
        ("text\na\rb\n\nc\n", ["c"], (2,)),
        ("id,text\n1,a\x00\x01\x0cb\n2,c\n", ["a\x00\x01\x0cb", "c"], ()),
    ],
)
def test_damaged_csv(raw, rows, lines):
    corpus = read_bytes("a.csv", raw.encode())
    assert list(corpus.texts()) == rows
    assert (corpus.notes.malformed_lines, corpus.notes.malformed) == (lines, len(lines))
    if lines:
        assert f"1 malformed row was left out: line {lines[0]}." in corpus.notes.sentences()
        with pytest.raises(ValueError, match=f"Line {lines[0]} of"):
            read_bytes("a.csv", raw.encode(), strict=True)


def test_a_file_full_of_stray_quotes_ends():
    rows = "".join(f'{i},"x\n' for i in range(4001))
    corpus = read_bytes("a.csv", f"id,text,label\n1,a,b\n{rows}".encode())
    assert list(corpus.texts()) == ["a"]
    assert corpus.notes.malformed > 1000
    assert len(corpus.notes.malformed_lines) == 10


def test_damaged_json_lines():
    lines = ['{"text": "a", "id": 1}', "{oops", '["no object"]', "", '{"text": "b", "id": 2.50}', "null", '{"id": 3}']
    corpus = read_bytes("a.jsonl", "\n".join(lines).encode())
    assert corpus.documents.rows() == [("1", "a"), ("2.50", "b"), ("3", "")]
    assert (corpus.notes.malformed, corpus.notes.malformed_lines) == (3, (2, 3, 6))


def test_json_values_of_any_type_are_text():
    lines = '{"text": 1, "id": true}\n{"text": [1, "é"], "id": {"x": null}}\n{"text": null, "id": "z"}\n'
    assert read_bytes("a.jsonl", lines.encode()).documents.rows() == [
        ("true", "1"),
        ('{"x": null}', '["1", "é"]'),
        ("z", ""),
    ]


def test_half_a_surrogate_pair_is_replaced():
    corpus = read_bytes("a.jsonl", b'{"text": "a\\ud83d"}\n{"text": "\\ud83d\\ude00"}\n')
    assert list(corpus.texts()) == ["a\ufffd", "😀"]
    assert (corpus.notes.replaced_characters, corpus.notes.replaced_in) == (1, 1)
    assert "1 character of 1 document was replaced by U+FFFD." in corpus.notes.sentences()
    assert list(read_corpus(["\udfff"]).texts()) == ["\ufffd"]


def test_keys_that_only_late_rows_have():
    lines = [json.dumps({"text": f"t{i}"}) for i in range(1500)] + ['{"text": "last", "topic": "x"}']
    corpus = read_bytes("a.jsonl", "\n".join(lines).encode(), label="topic")
    assert corpus.documents["label"].drop_nulls().to_list() == ["x"]


def test_ids_stay_as_they_are_written():
    raw = b"id,text\n007,a\n1e5,b\n1.50,c\nNA,d\n"
    assert read_bytes("a.csv", raw).documents["id"].to_list() == ["007", "1e5", "1.50", "NA"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.txt"])
def test_encodings_that_show(name, encoding):
    words = ["naïve words", "plain words", "日本 and 😀"]
    text = {
        "a.csv": "text\n" + "\n".join(words),
        "a.jsonl": "\n".join(json.dumps({"text": word}, ensure_ascii=False) for word in words),
        "a.json": json.dumps([{"text": word} for word in words], ensure_ascii=False),
        "a.txt": "\n".join(words),
    }[name]
    corpus = read_bytes(name, text.encode(encoding), strict=True)
    assert list(corpus.texts()) == words


@pytest.mark.parametrize(
    ("raw", "fallback", "text", "replaced"),
    [
        (b"caf\xe9 \x93x\x94", "cp1252", "café “x”", 3),
        (b"a\x81b", "cp1252", "a\ufffdb", 1),
        ("да".encode("koi8-r"), "koi8-r", "да", 2),
        ("日本 é é é".encode() + b"\x92s", "cp1252", "日本 é é é’s", 1),  # UTF-8 with a stray byte
        ("日本 é é é".encode() + b"\xe2\x80", "cp1252", "日本 é é é\ufffd", 1),  # cut within a character
        ("日本".encode("shift_jis"), "shift_jis", "日本", 2),
        (b"\xff\xfea\x00\x00\xd8", "cp1252", "a\ufffd", 1),  # UTF-16 with half a pair
        (b"plain", "cp1252", "plain", 0),
        (b"", "cp1252", "", 0),
    ],
)
def test_fallback(raw, fallback, text, replaced):
    decoded = decode(raw, fallback)
    assert (decoded.text, decoded.replaced) == (text, replaced)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf8_is_never_touched(text):
    if not text.startswith("\ufeff") and "\0" not in text:
        assert decode(text.encode()).text == text


def test_control_characters_are_text_where_all_else_is_utf8():
    raw = "\x01é日😀".encode() * 9
    for cut in range(1, 12):  # the end of what is looked at may fall within a character
        assert what_it_is(raw[:-cut]) is None
    assert what_it_is(raw[:-1] + b"\xff" + raw) == "binary"


def test_other_encodings_in_tables():
    raw = "id;text;label\n1;café;x\n2;naïve;y\n".encode("cp1252")
    corpus = read_bytes("a.csv", raw)
    assert list(corpus.texts()) == ["café", "naïve"]
    assert corpus.notes.sentences()[-1] == (
        "2 characters of 1 file were not valid UTF-8 and were read as windows-1252."
    )


def test_a_long_document():
    document = "word \n" * 2_000_000
    rows = f'id,text\n1,"{document}"\n2\n'  # the short row sends it through the tolerant reader
    before = csv.field_size_limit()
    assert list(read_bytes("a.csv", rows.encode()).texts()) == [document]
    assert csv.field_size_limit() == before
