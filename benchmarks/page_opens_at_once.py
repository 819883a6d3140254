"""Claim: the page of a run opens at once, from a file of 100,000 or a million documents and served with a million.

Generated documents of about 30 words with 50 planted topics; the runs are made with the recipe ``tfidf``.
A real Chromium, without a GPU, opens the pages; each figure is the median of several fresh browsers.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from generated_texts import documents
from measure import machine, table, write_section

WEB = Path(__file__).parents[1] / "web"
APP = WEB.parent / "src" / "quire" / "pages" / "app.html"
QUIRE = Path(sys.executable).with_name("quire")
WORD = "baba"  # among the most frequent of the generated words


def made(folder: Path, n: int) -> Path:
    """Return the run of so many generated documents; one that is there already is used again."""
    run = folder / f"run-{n}"
    if not (run / "run.json").exists():
        source = folder / f"{n}.parquet"
        documents(n).write_parquet(source)
        options = ("--topics", "50", "--recipe", "tfidf", "--quiet", "--out", run)
        subprocess.run([QUIRE, "cluster", source, *options], check=True)
    return run


@contextmanager
def served(run: Path) -> Iterator[str]:
    """Serve a run; give the address once all of it can be searched."""
    command = [QUIRE, "serve", run, "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        line = next(line for line in server.stdout if "http://" in line)
        address = re.search(r"http://\S+/", line)[0]
        try:
            wait_for_index(address)
            yield address
        finally:
            server.terminate()


def wait_for_index(address: str) -> None:
    import time
    from urllib.request import urlopen

    while json.load(urlopen(f"{address}api/search?q={WORD}"))["ready"] < 1:
        time.sleep(1)


def figures(pages: list[dict[str, Any]], repeats: int) -> list[dict[str, Any]]:
    """Open the pages in a real browser."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        told = {"QUIRE_MEASURE": json.dumps(pages), "QUIRE_FIGURES": str(out), "QUIRE_REPEATS": str(repeats)}
        command = ["npx", "vitest", "run", "--project", "measure"]
        subprocess.run(command, cwd=WEB, env=os.environ | told, check=True)
        return json.loads(out.read_text())


def row(found: dict[str, Any], size: int | None) -> list[str]:
    middle = {key: median(values) for key, values in found.items() if isinstance(values, list)}
    return [
        found["name"],
        "–" if size is None else f"{size / 1e6:.1f} MB",
        f"{middle['first'] / 1000:.2f} s",
        f"{middle['cpu']:.2f} s",
        f"{middle['map'] / 1000:.2f} s",
        f"{middle['frames']:.0f} / s, {middle['slowest']:.0f} ms",
        f"{middle['search']:.0f} ms",
        f"{found['memory']:.0f} MB",
    ]


def main() -> None:
    """Measure, and write the section of docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep the generated runs here, to use them again")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--served", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        demo = folder / "demo"
        if not demo.exists():
            subprocess.run([QUIRE, "demo", "--quiet", "--out", demo], check=True)
        files = {"the demo, a file": demo / "page.html"}
        files |= {f"{n:,}, a file": made(folder, n) / "page.html" for n in (100_000, given.served)}
        pages = [
            {"name": name, "address": f"file://{path.resolve()}", "word": word, "n": n}
            for (name, path), word, n in zip(files.items(), ("array", WORD, WORD), (1000, 100_000, given.served))
        ]
        with served(made(folder, given.served)) as address:
            served_page = {"name": f"{given.served:,}, served", "address": address, "word": WORD}
            pages.append(served_page | {"n": given.served})
            found = figures(pages, given.repeats)
        sizes = [path.stat().st_size for path in files.values()] + [None]
    write_section("page", text([row(each, size) for each, size in zip(found, sizes)], given.repeats))


def text(rows: list[list[str]], repeats: int) -> str:
    app = len(gzip.compress(APP.read_bytes()))
    headings = [
        "documents",
        "file",
        "first view",
        "its CPU time",
        "map drawn",
        "panning, longest frame",
        "search",
        "tab",
    ]
    return f"""### The page in a browser
`python benchmarks/page_opens_at_once.py`: headless Chromium with software rendering (no GPU), median of
{repeats} fresh browsers. The first view counts from the beginning of navigation (bars: 1 s served, 3 s from a
file of a million), its CPU time is the renderer's; a search
until its first document is listed; the tab's memory is the renderer's own after topics, map and search.
The app itself has {app / 1000:.0f} kB compressed. {machine()}

{table(headings, rows)}"""


if __name__ == "__main__":
    main()
