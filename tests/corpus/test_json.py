"""JSON in the forms that people have it in."""

import json
import lzma

import pytest
from refusals import damaged, refused, tried
from tables import compared

from quire import read_corpus
from quire.runs.options import Options

ROWS = [{"id": "a", "text": "one moon"}, {"id": "b", "text": "two goals"}]
FORMS = {
    "records": ROWS,
    "data": {"meta": {"page": 1}, "data": ROWS},
    "any name": {"version": 2, "things": ROWS},
    "a usual name among others": {"users": [{"id": 7}], "items": ROWS},
    "columns": {"id": ["a", "b"], "text": ["one moon", "two goals"]},
    "records by id": {"a": {"text": "one moon"}, "b": {"text": "two goals"}},
    "pandas": {"id": {"0": "a", "1": "b"}, "text": {"0": "one moon", "1": "two goals"}},
    "pandas, split": {"columns": ["id", "text"], "index": [0, 1], "data": [["a", "one moon"], ["b", "two goals"]]},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_read(tmp_path, name, indent, place):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(FORMS[name], indent=indent))
    assert compared(path, Options(), place).documents.rows() == [("a", "one moon"), ("b", "two goals")]


def test_a_list_of_texts_and_json_lines(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(["one", "two"]))
    assert read_corpus(path).documents.rows() == [("1", "one"), ("2", "two")]
    path.write_text("\n".join(map(json.dumps, ROWS)))
    assert list(read_corpus(path).texts()) == ["one moon", "two goals"]


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_text_a_line(tmp_path, ending, place):
    path = tmp_path / f"a{ending}"
    path.write_text('"one\\nmoon"\n\n"two"\n')
    assert compared(path, Options(), place).documents.rows() == [("1", "one\nmoon"), ("2", "two")]


def test_records_one_after_another_need_no_line_each(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("\n".join(json.dumps(row, indent=1) for row in ROWS))
    assert list(read_corpus(path).texts()) == ["one moon", "two goals"]
    path.write_text(path.read_text()[:-3])
    refused(path)


def test_a_path_leads_to_the_records(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"a": {"b": ROWS, "c": ROWS[:1]}, "pages": [{"posts": ROWS[:1]}, {"posts": ROWS[1:]}]}))
    assert len(read_corpus(path, records="a.b")) == 2
    assert len(read_corpus(path, records="a.c")) == 1
    assert list(read_corpus(path, records="pages.posts").texts()) == ["one moon", "two goals"]
    assert "has no 'd' under 'a'; the keys there are 'b', 'c'." in refused(path, records="a.d")
    assert "has no 'page' at its top (did you mean 'pages'?)" in refused(path, records="page.posts")
    (tmp_path / "a.csv").write_text("text\nmoon\n")
    assert "Option records goes with JSON or XML" in refused(tmp_path / "a.csv", records="a")


def test_records_further_inside_are_found_and_told(tmp_path):
    path = tmp_path / "a.json"
    hits = [{"_id": row["id"], "_source": row} for row in ROWS]
    path.write_text(json.dumps({"hits": {"total": {"value": 2}, "hits": hits}}))
    assert "has its records under 'hits.hits': read with --records hits.hits." in refused(path)
    for records in ("hits", "hits.hits"):
        told = refused(path, records=records)
        assert told.endswith("has texts inside '_source' of its records: read with --records hits.hits._source.")
    assert list(read_corpus(path, records="hits.hits._source").texts()) == ["one moon", "two goals"]
    path.write_text(json.dumps({"a": {"b": ROWS}, "c": 1}))
    assert "under 'a.b': read with --records a.b." in refused(path)
    assert len(read_corpus(path, records="a")) == 2  # the one list that is there


def test_a_large_one_says_that_it_was_read_whole(tmp_path, monkeypatch):
    path, packed = tmp_path / "a.json", tmp_path / "a.jsonl.xz"
    path.write_text(json.dumps(ROWS))
    packed.write_bytes(lzma.compress("\n".join(map(json.dumps, ROWS)).encode()))
    monkeypatch.setattr("quire.corpus.formats.format._LARGE", 10)
    for one in (path, packed):
        assert read_corpus(one).notes.remarks == (f"{one} was read whole, as files of its kind are.",)
    plain = tmp_path / "a.jsonl"
    plain.write_text("\n".join(map(json.dumps, ROWS)))
    assert not read_corpus(plain).notes.remarks


WRONG = {
    "a number": 7,
    "a text": "moon",
    "one record": {"id": "a", "text": "moon"},
    "texts by id": {"a": "moon", "b": "goal"},
    "numbers": [1, 2, 3],
    "lists": [["a", "b"], ["c", "d"]],
    "nothing": [],
    "two lists": {"first": ROWS, "second": ROWS},
}


@pytest.mark.parametrize("name", WRONG)
def test_what_has_no_records_is_refused(tmp_path, name):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(WRONG[name]))
    sentence = refused(path)
    told = {"texts by id": 'holds texts by their names and no list of records: write [{"id": "a", "text": "…"}, …].'}
    assert told.get(name, "--records") in sentence or "no rows" in sentence


def test_truncated_deep_and_damaged(tmp_path):
    path, raw = tmp_path / "a.json", json.dumps(FORMS["data"]).encode()
    path.write_bytes(raw[:-10])
    assert "is not valid JSON (line 1)" in refused(path)
    path.write_text('{"data": ' + "[" * 200_000 + "]" * 200_000 + "}")
    refused(path)
    for changed in damaged(raw, 60):
        path.write_bytes(changed)
        tried(path)
