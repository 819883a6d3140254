"""The page as one file: nothing a document says is markup, everything comes back, and the limit holds."""

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import themed

import quire
import quire.pages.file as page
from quire.pages import layout, periods, texts
from quire.pages.encoding import json_block
from quire.pages.payload import payload_of
from quire.pages.texts import LONGEST

STUB = (
    "<!doctype html><html><head><!--quire:csp--><style>p{color:red}</style></head><body><!--quire:data-->"
    '<script type="module">const a = "<p>";\r\nstart(a)</script></body></html>'
)
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!-- <script> --!> ]]> <!--quire:data--> <!--quire:csp-->",
    "<img src=x onerror=alert(1)> & &lt; &#60; \\u003c \\ \" '",
    "\u202eevil\u202c \u2066x\u2069 \u0000 \u0007 \u001b[31m \u2028 \u2029 \ufeff \U0001f600 ｡",
    "w" * 1_000_000,
]
KINDS = {"u8": "u1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4"}


class Elements(HTMLParser):
    """Collects the elements of a page, and what scripts hold."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.scripts, self.policy, self._inside = [], {}, None, None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, tuple(attrs)))
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag == "script":
            self._inside = attrs.get("id", "")
            self.scripts[self._inside] = ""

    def handle_endtag(self, tag):
        if tag == "script":
            self._inside = None

    def handle_data(self, data):
        if self._inside is not None:
            self.scripts[self._inside] += data


def unpacked(text):
    return gzip.decompress(base64.b64decode(text, validate=True))


def contents(html):
    """Everything that a page holds, read as the app reads it."""
    scripts = Elements(html).scripts
    head = json.loads(scripts["quire-head"])
    points = unpacked(scripts["quire-points"])
    columns = {c["name"]: np.frombuffer(points, KINDS[c["type"]], head["n"], c["offset"]) for c in head["columns"]}
    rest = {name: json.loads(unpacked(text)) for name, text in scripts.items() if name.startswith("quire-")
            and name not in ("quire-head", "quire-points")}  # fmt: skip
    documents = {}
    for name in sorted(rest):
        if name.startswith("quire-docs-"):
            number = int(name.removeprefix("quire-docs-"))
            for document in rest[name]:
                assert columns["chunk"][document["row"]] == number
                documents[document["row"]] = document
    return head, columns, rest, documents


@pytest.fixture(autouse=True)
def stub(monkeypatch):
    monkeypatch.setattr(page, "_app", lambda: STUB.replace("\r\n", "\n"))


@pytest.fixture(scope="module")
def payload():
    return payload_of(quire.cluster(themed(4, 60), 4, random_state=0), title="news", folder="kept/my news")


@pytest.fixture(scope="module")
def hostile():
    texts = [f"{said} moon orbit {i}" for i, said in enumerate(HOSTILE)] + ["goal team", "team goal </script>"]
    names = [*HOSTILE[:4], "long", "five", "six"]
    frame = {"id": [f"{name}{i}" for i, name in enumerate(names)], "title": names, "label": names, "text": texts}
    run = quire.cluster(pl.DataFrame(frame), 2, text="text", id="id", label="label", random_state=0)
    topics = run.topics.with_columns(pl.Series("name", HOSTILE[:2]), pl.Series("keywords", [HOSTILE[:5], HOSTILE[:2]]))
    run.info["corpus"] |= {"source": "</script>\udcff.csv", "kind": "csv"}
    object.__setattr__(run, "topics", topics)
    return run


def test_whatever_documents_say_the_page_has_its_own_elements_only(hostile):
    html = page.page_html(payload_of(hostile, title="</title><script>\udcff")).html
    html.encode()  # half a character would be an error
    found = Elements(html)
    own = Elements(STUB)
    blocks = ["quire-head", "quire-points", "quire-terms", "quire-index", "quire-docs-0"]
    extra = [("script", ("type", "id"))] * len(blocks) + [("meta", ("http-equiv", "content"))]
    assert sorted(found.tags) == sorted(own.tags + extra)
    assert set(found.scripts) == {*blocks, ""}
    assert found.scripts[""] == own.scripts[""].replace("\r\n", "\n")


def test_hostile_strings_come_back_as_they_were(hostile):
    head, _, rest, documents = contents(page.page_html(payload_of(hostile, title="a <b> & c")).html)
    table = hostile.documents
    assert head["title"] == "a <b> & c"
    assert rest["quire-index"] == {"ids": table["id"].to_list(), "titles": table["title"].to_list()}
    assert sorted(head["labels"]) == sorted(table["label"].drop_nulls().unique())
    assert [word for word, _ in head["topics"][0]["keywords"]][:4] == HOSTILE[:4]
    assert head["about"]["command"].startswith("quire cluster '</script>?.csv'")
    for row, text in enumerate(table["text"]):
        assert documents[row]["text"] == text[:LONGEST]
        assert documents[row]["length"] == len(text)
    assert len(json.dumps(head)) < 100_000  # no word of a million letters


def test_the_policy_names_the_apps_own_scripts_and_nothing_else():
    html = page.app_with([json_block("quire-source", {"kind": "http", "token": "<t>"})], "'self'")
    policy = dict(part.split(" ", 1) for part in Elements(html).policy.split("; "))
    script = re.search(r'<script type="module">(.*?)</script>', html, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy["script-src"] == f"'sha256-{digest}'"
    assert policy["style-src"].startswith("'sha256-")
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert "unsafe" not in Elements(html).policy
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_a_page_without_limits_holds_everything(payload):
    made = page.page_html(payload)
    head, columns, rest, documents = contents(made.html)
    assert made.left is None
    assert head["left"] is None
    assert len(documents) == 240
    assert rest["quire-terms"]["words"] == payload.terms["words"]
    assert "quire-time" not in rest
    assert rest["quire-index"]["titles"] is None
    assert columns["topic"].tolist() == payload.run.labels.tolist()
    whole = payload.whole(17)
    for name in ("id", "title", "text", "length", "label", "date"):
        assert documents[17][name] == whole[name]
    assert documents[17]["why"]["score"] == whole["why"]["score"]
    assert "chunk" not in [column["name"] for column in payload.head["columns"]]  # the payload is as it was


def test_past_the_limit_the_most_typical_documents_of_each_topic_stay(payload):
    whole = len(page.page_html(payload).html)
    limit = whole - 15_000
    made = page.page_html(payload, limit=limit)
    assert limit - 10_000 < len(made.html.encode()) <= limit
    head, columns, rest, documents = contents(made.html)
    assert 0 < len(documents) < 240
    assert head["left"]["kept"] == len(documents) == (columns["chunk"] >= 0).sum()
    assert f"{len(documents):,} of 240 documents" in head["left"]["sentence"]
    assert head["left"]["command"] == "quire serve 'kept/my news'"
    kept = columns["chunk"] >= 0
    most = max(columns["rank"][kept]) + 1
    for t in range(4):
        ranks = sorted(columns["rank"][kept & (columns["topic"] == t)])
        assert ranks == list(range(len(ranks)))
        assert len(ranks) in (most, most - 1)
    assert len(rest["quire-index"]["ids"]) == 240
    assert columns["x"].max() > columns["x"].min()


def test_names_go_where_they_would_take_most_of_the_room():
    ids = [hashlib.sha256(str(i).encode()).hexdigest() * 4 for i in range(240)]
    run = quire.cluster(pl.DataFrame({"id": ids, "text": themed(4, 60)}), 4, id="id", text="text", random_state=0)
    payload = payload_of(run)
    limit = len(page.page_html(payload).html) - 60_000
    made = page.page_html(payload, limit=limit)
    assert len(made.html.encode()) <= limit
    _, columns, rest, _ = contents(made.html)
    named = np.array([id is not None for id in rest["quire-index"]["ids"]])
    assert np.array_equal(named, columns["chunk"] >= 0)
    assert "without a name" in made.left["sentence"]


def test_a_limit_that_nothing_fits_into_leaves_the_points(payload):
    made = page.page_html(payload, limit=1)
    _, columns, _, documents = contents(made.html)
    assert documents == {}
    assert (columns["chunk"] == -1).all()


def test_the_same_run_gives_the_same_bytes(payload):
    again = payload_of(quire.cluster(themed(4, 60), 4, random_state=0), title="news")
    again.head["about"] |= {name: payload.head["about"][name] for name in ("created", "timings")}
    assert page.page_html(again).html == page.page_html(payload).html


@pytest.mark.parametrize("limit", [1_000_000, 25_000])
def test_threads_change_no_byte(payload, limit, monkeypatch):
    monkeypatch.setattr(texts, "_CHUNK", 2000)
    monkeypatch.setattr(texts, "_BATCH", 7)
    pages = []
    for n_threads in (1, 5):
        for module in (texts, periods, layout):
            monkeypatch.setattr(module, "allowed_threads", lambda n_threads=n_threads: n_threads)
        pages.append(page.page_html(payload_of(payload.run), limit=limit))
    assert pages[0] == pages[1]
    assert (pages[0].left is None) == (limit > 100_000)


def test_a_page_is_written_whole_or_not_at_all(payload, tmp_path, monkeypatch):
    target = tmp_path / "page.html"
    page.write_page(payload, target)
    assert target.read_text("utf-8") == page.page_html(payload).html
    with pytest.raises(ValueError, match=r"a folder that is not there: make .*nowhere first"):
        page.write_page(payload, tmp_path / "nowhere" / "page.html")
    before = target.read_bytes()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(ValueError, match="No space left"):
        page.write_page(payload, target)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_an_app_without_its_marks_is_refused(monkeypatch):
    monkeypatch.setattr(page, "_app", lambda: "<html></html>")
    with pytest.raises(ValueError, match="once: build it anew"):
        page.app_with([], "'none'")


def test_the_app_that_is_installed_has_its_marks():
    app = (page.files("quire") / "pages" / "app.html").read_text("utf-8")
    assert app.count("<!--quire:csp-->") == app.count("<!--quire:data-->") == 1
    assert app.index("<!--quire:csp-->") < app.index("<script")


def test_a_matrix_has_a_page_without_texts():
    run = quire.cluster(sp.csr_array(np.kron(np.eye(2), np.ones((6, 4)))), 2, random_state=0)
    head, _, _, documents = contents(page.page_html(payload_of(run)).html)
    assert head["has"]["text"] is False
    assert head["left"] is None
    assert documents[3]["text"] is None
    assert documents[3]["why"]["terms"]
