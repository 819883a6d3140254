"""What cannot be read: one sentence with the remedy, without a chain of tracebacks."""

import gzip
import re

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from quire.corpus.corpus import read_corpus

TEXTS = b"id,text,label\n1,one,x\n2,two,y\n"
BAD_FILES = {  # name: (content, arguments, what the sentence says)
    "png.csv": (b"\x89PNG\r\n\x1a\n" + bytes(99), {}, "is a PNG image, not csv"),
    "noise.csv": (bytes(range(256)) * 9, {}, "is binary, not csv"),
    "excel.csv": (b"PK\x03\x04", {}, "ZIP archive or an Office document"),
    "page.jsonl": (b"<!DOCTYPE html><html>", {}, "an HTML page"),
    "page.parquet": (b"<html><p>404</html>", {}, "an HTML page, not parquet"),
    "text.parquet": (TEXTS, {}, "not a Parquet file"),
    "cut.parquet": (b"PAR1 and nothing more", {}, "damaged Parquet"),
    "empty.csv": (b"", {}, "is empty"),
    "blank.csv": (b"\n \n", {}, "is empty"),
    "empty.jsonl": (b"", {}, "is empty"),
    "empty.parquet": (b"", {}, "is empty"),
    "empty.txt": (b"\n\n", {}, "is empty"),
    "empty.npz": (b"", {}, "save_npz"),
    "header.csv": (b"id,text\n", {}, "no rows"),
    "header2.csv": (b"id,text\n\n\n", {}, "no rows"),
    "no header.csv": (b"1,It was late,2020\n2,It was dark,2021\n", {}, "does not look like a header"),
    "no header2.csv": (b"It was a dark and a very stormy night,a\nAnd then,b\n", {}, "like a header"),
    "ragged.csv": (b"text\none, two\nthree, four\n", {}, "as many fields as its header"),
    "gone.csv": (TEXTS, {"text": "txet"}, "no column 'txet' for the text.*'id', 'text', 'label'.*mean 'text'"),
    "gone2.csv": (TEXTS, {"label": "zzz"}, "no column 'zzz' for the label"),
    "gone.jsonl": (b'{"text": "a"}\n', {"date": "when"}, "no column 'when' for the date.*are 'text'"),
    "ids.csv": (b"id,text\na,one\nb,two\na,three\n", {"id": "id"}, "'a' twice, in rows 1 and 3"),
    "ids2.csv": (b'id,text\na,one\n"",two\n', {"id": "id"}, "no id in row 2"),
    "dates.csv": (b"text,when\na,soon\nb,later\n", {"date": "when"}, r"no date.*\(row 1: 'soon'\).*YYYY-MM-DD"),
    "groups.csv": (b"text,who\na,\nb,\n", {"group": "who"}, "names no group"),
    "both.csv": (TEXTS, {"group": "label", "id": "id"}, "not both"),
    "numbers.jsonl": (b"1\n2\n", {}, "No line of .* is a JSON object"),
    "not.json": (b'[{"text": "a"},\n oops]', {}, r"not valid JSON \(line 2\)"),
    "no array.json": (b'{"data": []}', {}, "no list of records"),
    "no objects.json": (b"[1, 2]", {}, "no list of records"),
    "no rows.json": (b"[]", {}, "no rows"),
    "what.xyz": (b"abc", {}, "ending of .*what.xyz is not known: .*\\.csv"),
    "what": (b"abc", {}, "is not known"),
    "what.gz": (b"abc", {}, "is not known"),
    "one.html": (b"<p>a", {}, "into a folder"),
    "one.pdf": (b"%PDF", {}, "into a folder"),
    "bin.txt": (bytes(range(32)) * 9, {}, "is binary"),
    "cut.csv.gz": (gzip.compress(TEXTS * 99)[:60], {}, "gzip data end too early"),
    "cut.csv.zst": (b"\x28\xb5\x2f\xfd nothing", {}, "ecompress"),
    "lines.txt": (b"a\nb\n", {"label": "x"}, "no columns.*labels="),
    "lines2.txt": (b"a\nb\n", {"text": "x"}, "no columns.*leave it out"),
    "words.csv": (TEXTS, {"vocabulary": ["a"]}, "goes with a matrix"),
    "labels.csv": (TEXTS, {"labels": ["a"]}, "1 labels for 2 documents"),
    "encoding.csv": (TEXTS, {"fallback": "latin-99"}, "no encoding 'latin-99'"),
    "strict.csv": (b"id,text\n1,a\n2\n", {"strict": True}, "Line 3 of .*strict.csv is malformed"),
    "strict.jsonl": (b'{"text": "a"}\n{\n', {"strict": True}, "Line 2 of .* is malformed"),
    "utf8.csv": (b"id,text\n1,a\n2,\xe9\n", {"strict": True}, "not valid UTF-8 in line 3"),
    "utf8.txt": (b"a\n\xe9\n", {"strict": True}, "not valid UTF-8 in line 2"),
}


def refused(source, expected, **arguments):
    with pytest.raises(ValueError, match=f"(?s){expected}") as caught:
        read_corpus(source, **arguments)
    error = caught.value
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    message = str(error)
    assert "\n" not in message
    assert message[-1] in ".?", message
    return message


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file(tmp_path, name):
    raw, arguments, expected = BAD_FILES[name]
    (tmp_path / name).write_bytes(raw)
    message = refused(tmp_path / name, expected, **arguments)
    longest = 600 if "is not known" in message else 250  # it names all that are known
    assert len(re.sub(re.escape(str(tmp_path)), "", message)) < longest


def test_missing_and_empty_folders(tmp_path):
    refused(tmp_path / "nowhere.csv", "no file or folder .*nowhere.csv")
    refused(tmp_path, r"is empty: .*\.docx, \.eml, .*\.md, .*\.pdf, .*\.text, \.txt")
    (tmp_path / "a.xyz").write_text("a")
    refused(tmp_path, "holds no file to read among 1")
    refused(tmp_path, "no columns", text="body")
    (tmp_path / "a.txt").write_bytes(b"\0")
    refused(tmp_path, "None of the 1 files .* a.txt: binary")


@pytest.mark.parametrize(
    ("source", "arguments", "expected"),
    [
        ([], {}, "the list is empty"),
        (["a", 3], {}, "Text 2 of the list is of type int"),
        (["a", ["b", 3]], {}, "Text 2 of the list is of type list"),
        (b"text", {}, "cannot be read from bytes"),
        (7, {}, "cannot be read from int"),
        (np.zeros((2, 2, 2)), {}, "cannot be read from ndarray"),
        (["a", "b"], {"labels": ["x"]}, "1 labels for 2 documents"),
        (["a", "b"], {"dates": ["2020"] * 3}, "3 dates for 2 documents"),
        (["a", "b"], {"dates": ["x", "y"]}, "None of the dates"),
        (["a", "b"], {"ids": ["x", "x"]}, "'x' twice, in rows 1 and 2"),
        (["a", "b"], {"ids": ["x", None]}, "no id in row 2"),
        (["a"], {"text": "x"}, "A list of texts has no columns"),
        (pl.DataFrame({"n": [1]}), {}, "no column of strings"),
        (pl.DataFrame({"text": []}, schema={"text": pl.String}), {}, "no rows"),
        (sp.csr_array([[1, 2]]), {"vocabulary": ["a"]}, "1 terms but the matrix has 2 columns"),
        (sp.csr_array([[1.0, np.nan]]), {}, "nan in row 0, column 1"),
        (sp.csr_array([[1.0], [-1.0]]), {}, "-1.0 in row 1, column 0"),
        (sp.csr_array((0, 3)), {}, "0 rows and 3 columns"),
        (sp.csr_array([[1j]]), {}, "complex128, not numbers"),
    ],
)
def test_bad_objects(source, arguments, expected):
    refused(source, expected, **arguments)


def test_bad_matrices(tmp_path):
    path = tmp_path / "m.npz"
    np.savez(path, a=np.eye(2))
    refused(path, "no sparse matrix")
    np.savez(path, format=np.array({}, dtype=object), allow_pickle=True)
    refused(path, "no sparse matrix")
    path.write_bytes(b"PK\x03\x04 nothing")
    refused(path, "no sparse matrix")
    np.savez(path, format=b"csr", shape=(1, 2), data=[1.0], indices=[7], indptr=[0, 1])
    refused(path, "damaged")
    sp.save_npz(path, sp.csr_array(np.eye(2)))
    refused(path, "no columns", label="x")
    refused(path, "vocabulary .*terms.txt cannot be read", vocabulary=tmp_path / "terms.txt")
    (tmp_path / "terms.json").write_text('{"a": 1}')
    refused(path, "no JSON list", vocabulary=tmp_path / "terms.json")
