"""A search has bounded work and time, several are made at once, and none keeps the server alive."""

import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import polars as pl
import pytest
from problems import MAIN, PLAIN
from starlette.testclient import TestClient

import quire
from quire.pages import full_text_readers
from quire.pages.full_text import SEARCH, FullText
from quire.pages.full_text_query import Query, passages
from quire.pages.full_text_readers import BusyError, Readers, TooMuchWorkError, within_time
from quire.pages.payload import payload_of
from quire.pages.server import make_app

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
TEXTS = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]


@pytest.fixture
def index(tmp_path):
    made = FullText(tmp_path / SEARCH, pl.DataFrame({"id": list("abcd"), "text": TEXTS}))
    assert made.wait(60)
    yield made
    made.close()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    run = quire.cluster(TEXTS, 2, recipe=PLAIN, random_state=0)
    return run, run.save(tmp_path_factory.mktemp("bounded") / "run")


@pytest.fixture
def client(saved):
    run, folder = saved
    search = FullText(folder / SEARCH, run.documents)
    assert search.wait(60)
    yield TestClient(make_app(payload_of(run, served=True), folder, search, hosts={"testserver"}, token="t"))
    search.close()


def test_a_word_that_comes_again_adds_nothing():
    assert Query.of("a " * 249).all_of == '"a"'
    assert Query.of('Moon "a goal" moon MOON "A goal" .').all_of == '"Moon" "a goal"'
    many = Query.of(" ".join(f"w{i}" for i in range(100)))
    assert many.all_of.count('"') == 200
    assert many.any_of.count('"') < 100  # marked are the first ones only


def test_a_search_that_takes_too_long_is_broken_off(index, monkeypatch):
    monkeypatch.setattr(full_text_readers, "SECONDS", -1.0)
    with pytest.raises(TooMuchWorkError, match="fewer words"):
        index.search("moon")
    monkeypatch.undo()
    assert index.search("moon")["total"] == 2


def test_a_statement_under_way_is_broken_off_and_the_next_one_is_not():
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
        for _ in range(3):
            with pytest.raises(TooMuchWorkError), within_time(connection, time.monotonic() + 0.05):
                connection.execute(ENDLESS).fetchall()
            with within_time(connection, time.monotonic() + 60):
                assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_server_says_so_in_a_sentence(client, monkeypatch):
    monkeypatch.setattr(full_text_readers, "SECONDS", -1.0)
    answer = client.get("/api/search?q=moon")
    assert answer.status_code == 400
    assert "fewer words" in answer.json()["error"]


def test_many_words_found_many_times_take_no_square():
    """A text with a quarter of a million places would take snippet() of SQLite an hour."""
    text = "x " * 6_000 + "a " * 240_000 + "the moon at last"
    (passage,) = passages([text], Query.of("a moon"))
    assert passage.count("\x02") > 10
    (passage,) = passages([text], Query.of("moon"))
    assert passage.endswith("the \x02moon\x03 at last")


def test_the_passage_has_most_different_words():
    text = "moon moon moon moon. " + "filler words here " * 60 + "a moon and a goal and a team. " + "more " * 100
    (passage,) = passages([text], Query.of("moon goal team"))
    assert passage.startswith("…")
    assert passage.endswith("…")
    assert {word for word in ("moon", "goal", "team") if f"\x02{word}\x03" in passage} == {"moon", "goal", "team"}


def test_passages_without_time_left_are_beginnings():
    assert passages(["the moon", "a moon"], Query.of("moon"), deadline=0.0) == ["the moon", "a moon"]


def test_several_search_at_once(index):
    with index._readers.lent(), ThreadPoolExecutor(1) as other:
        assert other.submit(index.search, "moon").result(30)["total"] == 2


def test_while_all_are_taken_a_search_is_told_to_come_again(client, monkeypatch):
    search = client.app._app.routes[7].endpoint.__self__._search
    monkeypatch.setattr(full_text_readers, "PATIENCE", 0.01)
    lent = [search._readers.lent() for _ in search._readers._all]
    for one in lent:
        one.__enter__()
    answer = client.get("/api/search?q=moon")
    for one in lent:
        one.__exit__(None, None, None)
    assert answer.status_code == 429
    assert answer.json()["error"].endswith(".")
    assert client.get("/api/search?q=moon").json()["total"] == 2


def test_what_is_searched_for_again_is_searched_for_once(client, monkeypatch):
    monkeypatch.setattr("quire.pages.server._ANSWERS", 2)
    first = client.get("/api/search?q=moon").json()
    asked = []
    search = client.app._app.routes[7].endpoint.__self__._search
    monkeypatch.setattr(search, "search", lambda query, limit: asked.append(query) or first)
    assert client.get("/api/search?q=moon%20").json() == client.get("/api/search?q=%20moon").json() == first
    assert asked == []
    for q in ("goal", "team", "moon"):  # of two answers that are kept, the oldest goes
        client.get(f"/api/search?q={q}")
    assert len(asked) == 3


def test_closing_breaks_off_what_is_under_way():
    readers, began, errors = Readers(), threading.Event(), []
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.create_function("began", 0, lambda: began.set() or 1)
    readers.add(connection)

    def search():
        try:
            with readers.lent() as lent, within_time(lent, float("inf")):
                lent.execute(ENDLESS.replace("SELECT 1", "SELECT began()")).fetchall()
        except TooMuchWorkError as error:
            errors.append(error)

    thread = threading.Thread(target=search, daemon=True)
    thread.start()
    assert began.wait(30)
    readers.close()
    thread.join(30)
    assert not thread.is_alive()
    assert len(errors) == 1
    with pytest.raises(BusyError), readers.lent(30):
        pass


def test_ctrl_c_ends_the_server_whatever_clients_do(saved):
    """A request that never ends and one that is answered to nobody keep nothing alive, and print nothing."""
    process = subprocess.Popen(
        [*MAIN, "serve", str(saved[1]), "--no-open", "--port", "0"], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    try:
        port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        host = f"Host: 127.0.0.1:{port}\r\n"
        requests = [
            f"POST /api/edits HTTP/1.1\r\n{host}Content-Length: 10\r\n\r\n{{",
            f"GET /api/head HTTP/1.1\r\n{host}",
            f"GET /api/search?q=moon HTTP/1.1\r\n{host}\r\n",
            f"GET /api/head HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        ]
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in requests]
        for client, request in zip(clients, requests):
            client.sendall(request.encode())
        for client in clients[2:]:
            client.recv(10)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=30)
        assert process.returncode == 130
        assert printed.strip() == "quire: Interrupted."
        for client in clients:
            client.close()
    finally:
        process.kill()
        process.communicate()
