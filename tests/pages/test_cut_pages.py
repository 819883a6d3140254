"""Other cuts on the page: what each says, in the file and over HTTP, within the limit."""

import base64
import gzip
import json
import re

import numpy as np
import polars as pl
import pytest
from problems import THEMES
from starlette.testclient import TestClient

import quire
from quire.pages.file import page_html
from quire.pages.full_text import SEARCH, FullText
from quire.pages.guard import loopback_hosts
from quire.pages.payload import payload_of
from quire.pages.server import make_app

OWN, CUTS, TOKEN = 3, [2, 3, 5], "a-token-for-tests"


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(1)
    names = [list(THEMES)[i % 3] for i in range(90)]
    texts = [" ".join(rng.choice(THEMES[name].split(), 9)) for name in names]
    dates = [f"2020-{1 + i % 12:02d}-01" for i in range(90)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [OWN, 6, 2])
        run = quire.cluster(pl.DataFrame({"text": texts, "label": names, "date": dates}), random_state=0)
    assert run.cuts == CUTS
    return run


def blocks(html):
    return dict(re.findall(r'<script type="(?:text/plain|application/json)" id="([^"]+)">([^<]*)</script>', html))


def unpacked(block):
    return gzip.decompress(base64.b64decode(block))


def column(data, head, name):
    place = next(one for one in head["columns"] if one["name"] == name)
    kind = {"i16": "<i2", "u16": "<u2", "u32": "<u4", "u8": "<u1"}[place["type"]]
    return np.frombuffer(data, kind, head["n"], place["offset"])


def test_every_cut_has_what_the_page_shows(run):
    payload = payload_of(run)
    assert payload.head["cuts"] == CUTS
    for k in CUTS:
        cut = payload.at(k)
        assert cut is payload.at(k)
        assert len(cut.head["topics"]) == k
        assert cut.head["cuts"] == CUTS
        assert cut.head["n"] == payload.head["n"]
        np.testing.assert_array_equal(column(cut.points, cut.head, "topic"), run.at(k).labels)
        assert cut.time["bins"]["month"]["counts"][k - 1]
        assert max(t for topics in cut.terms["topics"] for t, _ in topics) == k - 1
        assert sum(map(sum, cut.head["classes"]["matrix"])) == 90


def test_the_file_holds_each_cut_once_and_texts_once(run):
    held = blocks(page_html(payload_of(run)).html)
    head = json.loads(held["quire-head"])
    documents = json.loads(unpacked(held["quire-docs-0"]))
    assert head["cuts"] == CUTS
    for k in (2, 5):
        cut = json.loads(unpacked(held[f"quire-head-{k}"]))
        points = unpacked(held[f"quire-points-{k}"])
        assert {one["name"] for one in cut["columns"]}.isdisjoint({"label", "date", "chunk"})
        np.testing.assert_array_equal(column(points, cut, "topic"), run.at(k).labels)
        assert len(points) < len(unpacked(held["quire-points"]))
        assert json.loads(unpacked(held[f"quire-terms-{k}"]))["words"]
        assert json.loads(unpacked(held[f"quire-time-{k}"]))["bins"]
        reasons = json.loads(unpacked(held[f"quire-why-0-{k}"]))
        whole = payload_of(run).at(k)
        for one, (memberships, why) in list(zip(documents, reasons, strict=True))[:20]:
            said = whole.whole(one["row"])
            assert memberships == [list(pair) for pair in said["memberships"]]
            assert (why["topic"], why["score"]) == (said["why"]["topic"], said["why"]["score"])
    assert not any("text" in reason for reason in map(str, reasons))
    assert len([name for name in held if name.startswith("quire-docs")]) == 1


def test_the_limit_holds_and_what_is_left_out_is_told(run):
    payload = payload_of(run)
    whole = page_html(payload)
    assert whole.left is None
    app = len(page_html(payload, limit=1).html)
    for limit in np.linspace(app, len(whole.html), 6).astype(int).tolist()[1:]:
        made = page_html(payload, limit=limit)
        assert len(made.html.encode()) <= limit
        held, head = blocks(made.html), json.loads(blocks(made.html)["quire-head"])
        for k in CUTS:
            there = k == OWN or f"quire-points-{k}" in held
            assert (k in head["cuts"]) == there
            assert there or str(k) in made.left["sentence"]
    least = page_html(payload, limit=1)
    assert json.loads(blocks(least.html)["quire-head"])["cuts"] == [OWN]
    assert "in 2 and 5 topics" in least.left["sentence"]


def test_a_run_with_one_cut_says_so():
    run = quire.cluster(["the moon", "a moon", "goal", "a goal"], 2, random_state=0)
    made = page_html(payload_of(run))
    assert json.loads(blocks(made.html)["quire-head"])["cuts"] == [2]
    assert not any(re.search(r"-\d+$", name) for name in blocks(made.html) if not name.startswith("quire-docs"))


@pytest.fixture
def served(run, tmp_path):
    folder = run.save(tmp_path / "run")
    search = FullText(folder / SEARCH, run.documents)
    assert search.wait(60)
    payload = payload_of(quire.load(folder), folder, served=True)
    app = make_app(payload, folder, search, hosts=loopback_hosts(8765), token=TOKEN)
    yield TestClient(app, base_url="http://127.0.0.1:8765"), folder
    search.close()


def test_the_server_answers_at_the_cut_asked_for(run, served):
    client, _ = served
    assert len(client.get("/api/head").json()["topics"]) == OWN
    for k in CUTS:
        head = client.get(f"/api/head?cut={k}").json()
        assert len(head["topics"]) == k
        points = client.get(f"/api/points?cut={k}").content
        np.testing.assert_array_equal(column(points, head, "topic"), run.at(k).labels)
        assert client.get(f"/api/terms?cut={k}").json() == json.loads(json.dumps(payload_of(run.at(k)).terms))
        assert len(client.get(f"/api/time?cut={k}").json()["bins"]["month"]["counts"]) == k
        assert client.get(f"/api/documents/7?cut={k}").json()["why"]["topic"] == run.at(k).labels[7]


@pytest.mark.parametrize("cut", ["4", "", "-1", "5.0", "five", "99999999999999999999", "05"])
def test_a_cut_that_is_not_there_is_refused(cut, served):
    client, _ = served
    for path in ("head", "terms", "time", "points", "documents/0"):
        answer = client.get(f"/api/{path}", params={"cut": cut})
        assert answer.status_code == 404
        assert answer.json()["error"].endswith("there are 2, 3, 5.")


def test_names_are_given_to_topics_of_a_cut(run, served):
    client, folder = served
    own = client.get("/api/head").json()["topics"][0]["name"]
    body, headers = {"version": 0, "what": "rename", "topic": 0, "name": "Flight"}, {"x-quire-token": TOKEN}
    answer = client.post("/api/edits?cut=5", json=body, headers=headers)
    assert answer.json()["topics"][0]["name"] == "Flight"
    assert client.get("/api/head?cut=5").json()["topics"][0]["name"] == "Flight"
    assert client.get("/api/head").json()["topics"][0]["name"] == own
    assert quire.load(folder).at(5).topics["name"][0] == "Flight"
    gone = client.post("/api/edits", json={**body, "version": 1, "topic": 4}, headers=headers)
    assert gone.status_code == 400  # of the five, but not of the three
    merged = {"version": 1, "what": "merge", "topics": [0, 1]}
    assert "a run of its own" in client.post("/api/edits?cut=5", json=merged, headers=headers).json()["error"]
    undone = client.post("/api/edits?cut=5", json={"version": 1, "what": "undo"}, headers=headers).json()
    assert undone["topics"][0]["name"] != "Flight"
