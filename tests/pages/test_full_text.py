"""Full-text search: words as people type them, an index that is complete, used again, or made anew."""

import re
import sqlite3
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pages import full_text
from quire.pages.full_text import RANKED, SEARCH, FullText
from quire.pages.full_text_file import is_kept, key_of, seal
from quire.pages.full_text_query import Query, passages

DOCUMENTS = pl.DataFrame(
    {
        "id": ["apollo", "b", "c", "d", "e"],
        "title": ["A walk", None, "Goals of the week", "Red planet", "Empty"],
        "text": [
            "The Moon orbits the Earth, and Apollo went to the moon.",
            "A late goal decided the match: the café was loud.",
            "The team scored; nobody looked at the moon.",
            "Mars is called so. The planet is red; a red giant is not a planet.",
            None,
        ],
    }
)


@pytest.fixture
def index(tmp_path):
    made = FullText(tmp_path / SEARCH, DOCUMENTS)
    assert made.wait(60)
    yield made
    made.close()


def rows(index, q, **how):
    return [found["row"] for found in index.search(q, **how)["documents"]]


def test_all_words_must_occur_and_the_last_may_be_a_beginning(index):
    assert set(rows(index, "moon")) == {0, 2}
    assert rows(index, "moon team") == [2]
    assert rows(index, "moon orb") == [0]
    assert rows(index, "orb moon") == []
    assert rows(index, "ear") == [0]
    assert rows(index, "MOON Orbits") == [0]


def test_letters_with_and_without_marks_are_the_same(index):
    assert rows(index, "cafe") == rows(index, "CAFÉ") == rows(index, "cafe\u0301") == [1]


def test_phrases_keep_their_order(index):
    assert rows(index, '"red giant"') == [3]
    assert rows(index, '"giant red"') == []
    assert rows(index, "giant red") == [3]
    assert rows(index, '"late goal') == [1]  # the closing quote is still to come


def test_titles_and_ids_are_searched_and_weigh_more(index):
    assert rows(index, "apollo")[0] == 0
    assert set(rows(index, "goal")) == {1, 2}
    assert rows(index, '"red planet"') == [3]
    documents = pl.DataFrame(
        {"id": ["a", "b", "whale"], "title": ["x", "whale", "x"], "text": ["a whale swims", "y z z", "y z z"]}
    )
    other = FullText(index._path.with_name("other"), documents)
    assert other.wait(60)
    assert rows(other, "whale") == [2, 1, 0]
    other.close()


def test_what_was_found_is_marked(index):
    found = index.search("moon team")["documents"][0]
    assert found["passage"] == "The \x02team\x03 scored; nobody looked at the \x02moon\x03."
    assert found["title"] == "Goals of the week"
    assert found["id"] == "c"
    assert index.search("empty")["documents"][0]["passage"] == ""


def test_nothing_is_found_for_nothing(index):
    for q in ("", "   ", '"', '""', "*", "+-:^()", "\0", "¡!"):
        assert index.search(q) == {"documents": [], "total": 0, "more": False, "ready": 1.0}, q


def test_limit_lists_fewer_than_there_are(index):
    found = index.search("the", limit=2)
    assert len(found["documents"]) == 2
    assert found["total"] == 4


WORDS = st.text(st.sampled_from("abmo \"'*-+:^(){}.,AND OR NOT NEAR/3\0\t\\é漢\u0301\u0002"), max_size=40)


@given(WORDS | st.text(max_size=60))
def test_no_query_is_an_error(q):
    query = Query.of(q)
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='unicode61 remove_diacritics 2')")
        for words in (query.all_of, query.any_of):
            if words:
                connection.execute("SELECT * FROM t WHERE t MATCH ?", (words,)).fetchall()
    (shown,) = passages(["Some moon, a b, \x03hostile\x02 AND more. " * 30], query)
    assert len(shown) <= 510
    assert re.fullmatch("[^\x02\x03]*(\x02[^\x02\x03]+\x03[^\x02\x03]*)*", shown)


def test_passages_are_short_even_of_huge_words():
    word = "x" * 400_000
    (shown,) = passages([f"{word} moon {word}"], Query.of("moon"))
    assert "\x02moon\x03" in shown
    assert len(shown) <= 510


def test_passages_are_found_far_inside():
    (shown,) = passages(["nothing here " * 5_000 + "the moon at last"], Query.of("moon"))
    assert "\x02moon\x03 at last" in shown


def test_an_index_that_fits_is_used_again(index, tmp_path):
    index.close()
    written = (tmp_path / SEARCH).stat().st_mtime_ns
    again = FullText(tmp_path / SEARCH, DOCUMENTS)
    assert again.wait(60)
    assert set(rows(again, "moon")) == {0, 2}
    again.close()
    assert (tmp_path / SEARCH).stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.iterdir()] == [SEARCH]


def test_two_at_once_use_one_file(index, tmp_path):
    """A complete index is locked for nobody, also not for another process."""
    code = (
        "import sqlite3, sys; c = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True, timeout=0); "
        "print(len(c.execute('SELECT key FROM about').fetchall()))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, tmp_path / SEARCH], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.stdout.strip() == "1", found.stderr


@pytest.mark.parametrize("damage", ["other documents", "no database", "foreign", "cut", "incomplete"])
def test_any_other_file_is_replaced(index, tmp_path, damage):
    index.close()
    path, documents = tmp_path / SEARCH, DOCUMENTS
    if damage == "other documents":
        documents = DOCUMENTS.with_columns(pl.col("title").str.replace("walk", "comet"))
    elif damage == "no database":
        path.write_bytes(b"not a database" * 1_000)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5_000])
    else:
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE about(key TEXT)" if damage == "incomplete" else "CREATE TABLE x(y)")
        connection.close()
    again = FullText(path, documents)
    assert again.wait(60)
    assert rows(again, "comet") == ([0] if damage == "other documents" else [])
    assert set(rows(again, "moon")) == {0, 2}
    again.close()
    reused = FullText(path, documents)
    assert reused.wait(60)
    assert set(rows(reused, "moon")) == {0, 2}
    reused.close()


def test_damage_noticed_late_is_mended(tmp_path):
    documents = pl.DataFrame(
        {"id": [str(i) for i in range(3_000)], "text": [f"moon {i} of {i * 7}" for i in range(3_000)]}
    )
    first = FullText(tmp_path / SEARCH, documents)
    assert first.wait(60)
    first.close()
    data = bytearray((tmp_path / SEARCH).read_bytes())
    data[5 * 8192 :] = b"\xff" * (len(data) - 5 * 8192)
    (tmp_path / SEARCH).write_bytes(data)
    seal(tmp_path / SEARCH)  # as if it happened while the index is in use
    again = FullText(tmp_path / SEARCH, documents)
    again.wait(60)
    again.search("moon")  # must not raise
    assert again.wait(60)
    assert again.search("moon")["total"] == 3_000
    again.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE words_config SET v = 0",
        "DROP TABLE words_data",
        "DELETE FROM words_config",
        "UPDATE about SET key = CAST(x'ff' AS TEXT)",
    ],
)
def test_an_index_that_says_nonsense_is_made_anew(index, tmp_path, damage):
    index.close()
    with sqlite3.connect(tmp_path / SEARCH) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(damage)
    connection.close()
    seal(tmp_path / SEARCH)
    again = FullText(tmp_path / SEARCH, DOCUMENTS)
    again.wait(60)
    again.search("moon")  # must not raise
    assert again.wait(60)
    assert set(rows(again, "moon")) == {0, 2}
    again.close()


def test_rows_that_are_not_there_are_damage(index, tmp_path):
    index.close()
    again = FullText(tmp_path / SEARCH, DOCUMENTS[:2])  # its own index, in which more documents are then found
    assert again.wait(60)
    again.close()
    with sqlite3.connect(tmp_path / SEARCH) as connection:
        connection.execute("INSERT INTO words(rowid, id, title, text) VALUES (7, 'x', 'x', 'moon')")
    connection.close()
    seal(tmp_path / SEARCH)
    again = FullText(tmp_path / SEARCH, DOCUMENTS[:2])
    again.wait(60)
    assert rows(again, "moon") == []  # until it is made anew
    assert again.wait(60)
    assert rows(again, "moon") == [0]
    again.close()


def test_a_wrong_bit_anywhere_is_noticed_before_it_answers(index, tmp_path):
    index.close()
    path, key = tmp_path / SEARCH, key_of(index._documents)
    whole = path.read_bytes()
    assert is_kept(path, key)
    places = np.random.default_rng(0).integers(len(whole), size=60)
    words = [at for at in range(len(whole)) if whole.startswith(b"moon", at)][:1]
    for at in [*places.tolist(), *words, len(whole) - 1]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert not is_kept(path, key), at
    again = FullText(path, DOCUMENTS)
    assert again.wait(60)
    assert set(rows(again, "moon")) == {0, 2}
    again.close()
    assert is_kept(path, key)


def test_where_nothing_can_be_written_search_works_all_the_same(tmp_path):
    made = FullText(tmp_path / "no" / "such" / "folder" / SEARCH, DOCUMENTS)
    assert made.wait(60)
    assert set(rows(made, "moon")) == {0, 2}
    made.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_another_process_is_building_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / SEARCH) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("CREATE TABLE about(key TEXT)")
    before = (tmp_path / SEARCH).read_bytes()
    made = FullText(tmp_path / SEARCH, DOCUMENTS)
    assert made.wait(60)
    assert set(rows(made, "moon")) == {0, 2}
    made.close()
    assert (tmp_path / SEARCH).read_bytes() == before
    other.close()


def test_search_answers_while_the_index_is_built(tmp_path, monkeypatch):
    monkeypatch.setattr(full_text, "_BATCH", 1)
    held = iter(range(100))
    waits = [threading.Event() for _ in range(100)]
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: waits[next(held)].wait(60))
    monkeypatch.setattr(full_text, "time", clock)  # of this module alone: the watch of searches keeps its own
    made = FullText(tmp_path / SEARCH, DOCUMENTS)
    while made.ready < 0.2:
        pass
    found = made.search("moon")
    assert found["ready"] == 0.2
    assert [document["row"] for document in found["documents"]] == [0]
    for event in waits:
        event.set()
    assert made.wait(60)
    assert set(rows(made, "moon")) == {0, 2}
    made.close()


def test_closing_breaks_off_and_the_next_one_begins_again(tmp_path, monkeypatch):
    monkeypatch.setattr(full_text, "_BATCH", 1)
    made = FullText(tmp_path / SEARCH, DOCUMENTS)
    made._closed = True
    made.close()
    again = FullText(tmp_path / SEARCH, DOCUMENTS)
    assert again.wait(60)
    assert set(rows(again, "moon")) == {0, 2}
    again.close()


def test_more_matches_than_are_ranked_are_said_so(tmp_path):
    documents = pl.DataFrame({"id": [str(i) for i in range(RANKED + 5)]}).with_columns(text=pl.lit("moon"))
    made = FullText(tmp_path / SEARCH, documents)
    assert made.wait(60)
    found = made.search("moon")
    assert (found["total"], found["more"]) == (RANKED, True)
    found = made.search(str(RANKED))
    assert (found["total"], found["more"]) == (1, False)
    made.close()


@pytest.mark.parametrize("documents", [DOCUMENTS.select("id"), DOCUMENTS.select("id", "text"), DOCUMENTS.clear()])
def test_what_is_not_known_is_not_missed(tmp_path, documents):
    made = FullText(tmp_path / SEARCH, documents)
    assert made.wait(60)
    found = made.search("apollo")
    assert [document["title"] for document in found["documents"]] == [None] * min(1, len(documents))
    made.close()
