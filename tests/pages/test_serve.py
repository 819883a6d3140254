"""The server: what it answers, to whom, and with which headers."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest
from starlette.testclient import TestClient

import quire
from quire.cli.serve import serve
from quire.pages.full_text import SEARCH, FullText
from quire.pages.guard import loopback_hosts
from quire.pages.payload import payload_of
from quire.pages.server import make_app
from quire.runs.edits.log import LOG

HERE, TOKEN = "http://127.0.0.1:8765", "a-token-for-tests"
SAFE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
HOSTILE = "</script><script>alert('moon')</script>"
TEXTS = ["the moon orbits", "a moon in orbit", "goal and team", f"team goal {HOSTILE}"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A run with dates, labels and hostile text, as it was just made."""
    run = quire.cluster(
        TEXTS, 2, random_state=0, labels=["space", "space", "sport", HOSTILE],
        dates=["2020-01-01", "2020-02-01", "2021-01-01", "2021-06-01"],
    )  # fmt: skip
    return run, run.save(tmp_path_factory.mktemp("serve") / "run")


@pytest.fixture
def folder(saved):
    yield saved[1]
    (saved[1] / LOG).unlink(missing_ok=True)


@pytest.fixture
def app(saved, folder):
    payload = payload_of(quire.load(folder), title="moon", served=True)
    search = FullText(folder / SEARCH, saved[0].documents)
    assert search.wait(60)
    yield make_app(payload, folder, search, hosts=loopback_hosts(8765), token=TOKEN)
    search.close()


@pytest.fixture
def client(app):
    return TestClient(app, HERE)


EDIT = b'{"version": 0, "what": "rename", "topic": 0, "name": %s}'


def edited(client, what, token=TOKEN, version=None, **given):
    if version is None:
        version = client.get("/api/head").json()["edits"]["version"]
    body = {"version": version, "what": what, **given}
    return client.post("/api/edits", json=body, headers={"x-quire-token": token})


def named(client, topic, name, **more):
    return edited(client, "rename", topic=topic, name=name, **more)


def name_in(answer, topic):
    return answer.json()["topics"][topic]["name"]


def test_the_page_knows_where_it_is_and_its_token(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    source = re.findall(r'<script type="application/json" id="quire-source">(.*?)</script>', page.text)
    assert [json.loads(found) for found in source] == [{"kind": "http", "token": TOKEN}]
    assert TOKEN not in client.get("/api/head").text + client.get("/openapi.json").text


def test_the_policy_of_the_header_is_that_of_the_page(client):
    page = client.get("/")
    meta = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page.text)[1]
    assert page.headers["content-security-policy"] == f"{meta}; frame-ancestors 'none'"
    assert "connect-src 'self'" in meta
    assert "unsafe" not in meta


def test_resources_are_those_of_the_payload(client, saved):
    payload = payload_of(quire.load(saved[1]), title="moon", served=True)
    as_json = lambda data: json.loads(json.dumps(data))  # noqa: E731
    assert client.get("/api/head").json() == as_json(payload.head)
    assert client.get("/api/terms").json() == as_json(payload.terms)
    assert client.get("/api/time").json() == as_json(payload.time)
    points = client.get("/api/points")
    assert points.content == payload.points
    assert points.headers["content-type"] == "application/octet-stream"


def test_documents_come_in_the_order_asked_for(client):
    listed = client.get("/api/documents", params={"rows": "3,0,3"}).json()
    assert [document["row"] for document in listed] == [3, 0, 3]
    assert HOSTILE in listed[0]["snippet"]
    assert client.get("/api/documents?rows=").json() == client.get("/api/documents").json() == []
    assert client.get("/api/documents/2").json()["text"] == TEXTS[2]


def test_documents_come_with_their_texts_and_columns_where_that_is_asked_for(client):
    first, last = client.get("/api/documents?rows=3,0&full=1").json()
    assert (first["row"], last["row"]) == (3, 0)
    assert (first["text"], last["text"]) == (TEXTS[3], TEXTS[0])
    assert (last["label"], last["date"], last["url"], last["beside"]) == ("space", "2020-01-01", None, [])
    assert client.get("/api/documents?rows=&full=1").json() == []
    assert client.get("/api/documents?rows=9&full=1").status_code == 404


def test_search_finds_and_marks(client):
    found = client.get("/api/search", params={"q": "moon orb"}).json()
    assert {document["row"] for document in found["documents"]} == {0, 1}
    assert found["total"] == 2
    assert found["ready"] == 1
    assert "\x02moon\x03" in found["documents"][0]["passage"]
    assert client.get("/api/search").json()["documents"] == []
    assert len(client.get("/api/search?q=moon&limit=1").json()["documents"]) == 1


def test_every_document_that_holds_the_words_is_told_by_its_row(client):
    def rows(q):
        return sorted(np.frombuffer(client.get("/api/search/rows", params={"q": q}).content, "<u4").tolist())

    assert rows("moon") == [0, 1, 3]
    assert rows("moon in") == [1]
    assert rows("nothing") == rows("") == []


def test_one_of_the_words_is_enough_where_that_is_asked_for(client):
    def rows(path):
        return sorted(each["row"] for each in client.get(path).json()["documents"])

    assert rows("/api/search?q=moon+orbits+nothing") == []
    assert rows("/api/search?q=moon+orbits+nothing&any=1") == [0, 1, 3]
    assert client.get("/api/search?q=moon+orbits&any=1").json()["documents"][0]["row"] == 0
    assert rows("/api/search?q=&any=1") == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/documents/4", 404), ("/api/documents/-1", 404), ("/api/documents/x", 404),
        ("/api/documents/99999999999999999999", 404), ("/api/documents/٣", 404), ("/api/documents/1/", 404),
        ("/api/documents?rows=1,4", 404), ("/api/documents?rows=1,,2", 400), ("/api/documents?rows=-1", 400),
        ("/api/documents?rows=1e3", 400), ("/api/documents?rows=" + ",".join(["0"] * 501), 400),
        ("/api/search?q=" + "x" * 501, 400), ("/api/search/rows?q=" + "x" * 501, 400), ("/api/search?q=a&limit=0", 400),
        ("/api/search?q=a&limit=201", 400), ("/api/search?q=a&limit=x", 400), ("/nothing", 404),
        ("/api", 404), ("/api/head/", 404), ("/../../etc/passwd", 404), ("/api/edits", 405),
        ("/%00", 404),
    ],
)  # fmt: skip
def test_bad_questions_are_answered_with_one_sentence(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    said = answer.json()["error"]
    assert said.endswith(".")
    assert "\n" not in said
    assert {name: answer.headers[name] for name in SAFE} == SAFE


@pytest.mark.parametrize("path", ["/", "/api/head", "/api/documents?rows=1", "/nothing", "/api/points"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "TRACE"])
def test_every_answer_has_the_security_headers(client, path, method):
    answer = client.request(method, path)
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert not [name for name in answer.headers if name.startswith("access-control")]
    if method != "GET":
        assert answer.status_code == (404 if path == "/nothing" else 405)
        assert answer.json()["error"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "localhost:8766", ""]
)
def test_another_host_is_refused(app, host):
    answer = TestClient(app, HERE).get("/api/head", headers={"host": host})
    assert answer.status_code == 421
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    assert "topics" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"])
def test_this_machine_is_heard(app, host):
    assert TestClient(app, HERE).get("/api/head", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:9999"},
        {"origin": "https://127.0.0.1:8765"}, {"origin": "http://localhost:8765"},
        {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"sec-fetch-site": "?"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/head", "/api/search?q=moon"])
def test_another_page_is_refused_also_for_reading(client, headers, path):
    assert client.get(path, headers=headers).status_code == 403


def test_the_page_itself_is_heard(client):
    own = {"origin": HERE, "sec-fetch-site": "same-origin"}
    assert client.get("/api/head", headers=own).status_code == 200
    assert client.get("/", headers={"sec-fetch-site": "none"}).status_code == 200


def test_a_new_name_is_kept_and_shown_at_once(client, folder):
    own = client.get("/api/head").json()["topics"][1]["name"]
    answer = named(client, 1, "  Space <b>flight</b> ")
    assert name_in(answer, 1) == "Space <b>flight</b>"
    assert client.get("/api/head").json()["topics"][1]["name"] == "Space <b>flight</b>"
    assert quire.load(folder).topics["name"][1] == "Space <b>flight</b>"
    for nothing in ("", "   "):
        named(client, 1, "Something else")
        assert name_in(named(client, 1, nothing), 1) == own
    assert quire.load(folder).topics["name"][1] == own


def test_a_topic_named_before_gets_its_own_name_back(client, saved, folder):
    named(client, 0, "Given before")
    again = payload_of(quire.load(folder), served=True)
    search = FullText(folder / SEARCH, saved[0].documents)
    later = TestClient(make_app(again, folder, search, hosts=loopback_hosts(8765), token=TOKEN), HERE)
    assert later.get("/api/head").json()["topics"][0]["name"] == "Given before"
    assert name_in(named(later, 0, ""), 0) == saved[0].topics["name"][0]
    search.close()


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "ü"])
def test_nothing_changes_without_the_token(client, folder, token):
    headers = {b"x-quire-token": token.encode("latin-1")}
    body = {"version": 0, "what": "rename", "topic": 0, "name": "x"}
    assert client.post("/api/edits", json=body, headers=headers).status_code == 403
    assert client.post("/api/edits", json=body).status_code == 403
    assert not (folder / LOG).exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"[]", 400), (b"{}", 400), (b'{"version": 0}', 400), (b"\xff", 400),
        (EDIT % b'"a", "b": 1', 400), (EDIT % b'"a\\nb"', 400), (EDIT % b'"\\ud800"', 400), (EDIT % b"null", 400),
        (EDIT % (b'"' + b"x" * 201 + b'"'), 400), (b"[" * 9_000, 400), (b"9" * 9_000, 400),
        (EDIT % b'"a", "who": "eve"', 400), (EDIT % b'"a", "cut": 3', 400), (EDIT % b'"a", "words": ["\\ud800"]', 400),
        (b'{"version": false, "what": "rename", "topic": 0, "name": "a"}', 400),
        (b" " * 10_001, 413), (b"x" * 1_000_000, 413),
    ],
)  # fmt: skip
def test_a_bad_edit_is_refused(client, folder, body, status):
    answer = client.post("/api/edits", content=body, headers={"x-quire-token": TOKEN})
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")
    assert not (folder / LOG).exists()


@pytest.mark.parametrize("topic", [2, -1, "x", 10**20, True])
def test_a_topic_that_is_not_there_has_no_name(client, topic):
    assert named(client, topic, "x").status_code == 400


def test_a_name_that_cannot_be_kept_is_not_shown(client, folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("quire.runs.edits.log.write_file", full)
    assert named(client, 0, "Lost").status_code == 409
    assert "Lost" not in client.get("/api/head").text


def test_topics_are_merged_split_and_moved_and_that_is_undone(client, folder, saved):
    first = client.get("/api/head").json()
    other = next(row for row, topic in enumerate(saved[0].labels) if topic != saved[0].labels[0])
    target = int(saved[0].labels[0])
    moved = edited(client, "move", document=saved[0].documents["id"][other], topic=target).json()
    assert moved["topics"][target]["size"] == first["topics"][target]["size"] + 1
    whole = client.get(f"/api/documents/{other}").json()
    assert whole["memberships"][0][0] == target
    merged = edited(client, "merge", topics=[0, 1]).json()
    assert [len(merged["topics"]), merged["edits"]["version"], merged["cuts"]] == [1, 2, [1]]
    assert len(client.get("/api/terms").json()["words"]) > 0
    for _ in range(2):
        undone = edited(client, "undo").json()
    assert [undone["topics"], undone["edits"]["redo"]] == [first["topics"], 2]
    assert edited(client, "undo").json()["error"].startswith("There is nothing to undo")
    assert len(edited(client, "redo").json()["topics"]) == 2
    assert edited(client, "note", topic=0, note="to be read\nagain").json()["topics"][0]["note"] == "to be read\nagain"


def test_of_two_pages_the_one_that_does_not_know_the_others_edit_is_told(client, folder):
    seen = client.get("/api/head").json()["edits"]["version"]
    assert named(client, 0, "First", version=seen).status_code == 200
    late = edited(client, "merge", topics=[0, 1], version=seen)
    assert late.status_code == 409
    assert "edited meanwhile" in late.json()["error"]
    assert len(client.get("/api/head").json()["topics"]) == 2
    quire.load(folder).rename(1, "By hand").save(folder)  # as another process does
    assert edited(client, "undo", version=seen + 1).status_code == 409
    assert client.get("/api/head").json()["topics"][1]["name"] == "By hand"  # and it looked again


def test_the_description_knows_every_route(client, app):
    described = client.get("/openapi.json").json()["paths"]
    routes = {(route.path, method) for route in app._app.routes for method in route.methods - {"HEAD"}}
    assert {(path, method.upper()) for path, item in described.items() for method in item} == routes


# -- the command --------------------------------------------------------------------------------------------

SERVE = "from quire.cli.app import main; main()"


def started(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", str(folder), "--no-open", *arguments], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip


def test_the_command_serves_until_it_is_interrupted(folder):
    process = started(folder, "--port", "0")
    try:
        line = process.stdout.readline()
        url = re.fullmatch(r"Quire shows \S+ at (http://127\.0\.0\.1:\d+/) — press Ctrl-C to stop\.\n", line)[1]
        with urllib.request.urlopen(f"{url}api/head", timeout=30) as answer:
            assert json.load(answer)["n"] == 4
            assert "server" not in answer.headers
        request = urllib.request.Request(f"{url}api/head", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(request, timeout=30)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert said == "quire: Interrupted.\n"
    finally:
        process.kill()
        process.communicate()


def test_the_command_ends_though_a_client_asks_on_and_takes_no_answer(folder):
    process = started(folder, "--port", "0")
    try:
        port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            client.connect(("127.0.0.1", port))
            client.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * 50)
            assert client.recv(1)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said == "quire: Interrupted.\n"
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"host": "0.0.0.0"}, "SSH tunnel"),
        ({"host": "example.org"}, "SSH tunnel"),
        ({"port": 65536}, "from 1 to 65535"),
        ({"port": -1}, "from 1 to 65535"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(folder, how, words):
    with pytest.raises(ValueError, match=words):
        serve(folder, **how)


def test_a_port_in_use_is_one_sentence(folder):
    with socket.create_server(("127.0.0.1", 0)) as used, pytest.raises(ValueError, match="try --port 0"):
        serve(folder, port=used.getsockname()[1])


def test_without_starlette_it_is_said_what_to_install(folder, monkeypatch):
    monkeypatch.setattr("quire.cli.serve.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'quire-topics\[serve\]"):
        serve(folder)
