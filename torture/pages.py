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
    "topics",
    "topics?as=table",
    "topics?as=chart",
    "topic/0",
    "topic/1",
    "time",
    "map",
    "classes",
    "by",
    "about",
    "search?q=moon",
)
_MAKE = """
import json, sys, quire, polars as pl
rows = json.load(open("documents.json"))
recipe = {"name": "plain", "factorization": {"method": "NMF"}}
columns = {"text": "text", "id": "id", "label": "label", "date": "date"}
run = quire.cluster(pl.DataFrame(rows), 3, recipe=recipe, random_state=0, **columns)
run.save("run")
quire.page(run, "page.html")
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
    views += [f"search?q={word}" for word in words] + ["topics"]

    def run(folder: Path) -> dict[str, Any]:
        (folder / "documents.json").write_text(json.dumps(rows))
        done = subprocess.run([sys.executable, "-c", _MAKE], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongError(f"the page could not be made: {done.stderr[-800:]}")
        server = Server(folder / "run", folder / "errors.txt")
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
