"""Hostile documents in every view of the page, from a file and from the server, in a real Chromium."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torture import hostile
from torture.case import Case, WrongError
from torture.server import Server

NAME = "pages"
WEB = Path(__file__).parents[1] / "web"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_DOCUMENTS = 40  # of a case
_VIEWS = (
    "topics", "topics?as=table", "topics?as=chart", "topic/0", "topic/1", "time", "map", "classes", "by", "about",
    "choose", "compare", "tree", "edits", "section-history", "section-seeds", "search?q=moon",
)  # fmt: skip
_MAKE = """
import json, quire, polars as pl
from pathlib import Path
from quire.pages.payload import payload_of
from quire.runs.tree_file import keep_tree

asked = json.load(open("documents.json"))
names, frame = asked["names"], pl.DataFrame(asked["rows"])
how = {"recipe": {"name": "plain", "factorization": {"method": "NMF"}}, "random_state": 0}
how |= {"text": "text", "id": "id", "label": "label", "date": "date"}
seeds = {names[0]: ["moon", names[1]], names[1]: ["goal"]}
folder = quire.cluster(frame[:-4], 3, seeds=seeds, **how).update(frame[-4:], 0).save("run")
keep_tree(folder, quire.load(folder).tree(leaves=8))
run = quire.load(folder)
for topic, name in enumerate(names):
    run = run.rename(topic, name).note(topic, asked["note"])
run.merge(0, 1).undo().save(folder)
quire.cluster(frame, 2, **how).rename(0, names[2]).save("other")
how = {"choice": Path("choice"), "other": Path("other")}
quire.page(quire.load(folder), "page.html", **how)
head = payload_of(quire.load(folder), folder, **how).head
there = [*(name for name in head if head[name]), *(table["name"] for table in head["tables"])]
lacking = {"by", "classes", "choice", "compare", "tree", "spark", "history", "seeds"} - {*there}
assert not lacking, f"views without anything to show: {lacking}"
"""


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield corpora of hostile documents, each with all views of all of them."""
    browser = os.environ.get("QUIRE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None or not (WEB / "node_modules").is_dir():
        print("pages: left out, it needs Chromium and `npm ci` in web/", file=sys.stderr)
        return
    number = 0
    while True:
        yield _case(random.Random(f"{seed} {number}"), browser)
        number += 1


def _case(draw: random.Random, browser: str) -> Case:
    rows = hostile.documents(draw, _DOCUMENTS)
    words = [urllib.parse.quote(word, errors="replace") for word in hostile.words(draw)]
    views = [*_VIEWS, *(f"document/{row}" for row in range(_DOCUMENTS)), *(f"word/{word}" for word in words)]
    views += [f"search?q={word}" for word in words]
    views += [f"{view}?{what}=0:{words[0]}" for view in ("topics", "topic/0", "edits") for what in ("names", "notes")]
    asked_for = {"rows": rows, "names": hostile.names(draw, 3), "note": "\n".join(hostile.names(draw, 4))}
    views.append("topics")
    choice = hostile.choice(draw)

    def run(folder: Path) -> dict[str, Any]:
        (folder / "documents.json").write_text(json.dumps(asked_for))
        (folder / "choice").mkdir()
        (folder / "choice" / "choice.json").write_text(json.dumps(choice))
        done = subprocess.run([sys.executable, "-c", _MAKE], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongError(f"the page could not be made: {done.stderr[-800:]}")
        beside = ("--choice", str(folder / "choice"), "--compare", str(folder / "other"))
        server = Server(folder / "run", folder / "errors.txt", *beside)
        try:
            asked = {"addresses": [(folder / "page.html").as_uri(), f"http://{server.host}/"], "views": views}
            (folder / "asked.json").write_text(json.dumps(asked))
            return _seen(folder, browser)
        finally:
            server.stop()

    return Case(f"{_DOCUMENTS} hostile documents", run, tried=_DOCUMENTS, seconds=400, memory=1 << 50)


def _seen(folder: Path, browser: str) -> dict[str, Any]:
    names = {"QUIRE_CHROMIUM": browser, "QUIRE_TORTURE": str(folder / "asked.json")}
    command = ["npx", "vitest", "run", "--project", "torture"]
    done = subprocess.run(command, cwd=WEB, env=os.environ | names, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WrongError(f"the browser: {done.stdout[-1500:]} {done.stderr[-500:]}")
    found = json.loads((folder / "asked.json.seen").read_text())
    if found["seen"]:
        raise WrongError("; ".join(found["seen"][:5]) + f"\n{json.dumps(found['seen'], indent=1)[:5000]}")
    return {"views": found["views"]}
