"""Claim: ``quire cluster`` uses the machine: from texts to the page, on some cores and on a GPU.

``python benchmarks/whole_command.py --cores 2 16 --devices cpu cuda``: the command in processes of its own, on a
million generated documents in 50 topics, after ``quire warm``. Seconds of stages, wall and CPU time of the process, its
peak memory. Results go to docs/whole_command.json; runs on other machines add theirs to it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from generated_texts import documents
from measure import DOCS, machine, table, write_section

QUIRE = [sys.executable, "-c", "from quire.cli.app import main; main()"]
RESULTS = DOCS / "whole_command.json"
STAGES = ("read", "count", "weigh", "factorize", "describe", "save", "page")
BARS = {  # seconds for a million documents
    ("default", "cpu", 2): 45, ("default", "cpu", 16): 15, ("default", "cuda", 16): 8,
    ("tfidf", "cpu", 2): 25, ("tfidf", "cpu", 16): 9, ("tfidf", "cuda", 16): 5,
}  # fmt: skip


def taken(source: Path, recipe: str, device: str, cores: int) -> dict[str, Any]:
    """Run the command; return what its stages took, and the process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        asked = ["--topics", "50", "--recipe", recipe, "--device", device, "--out", str(out)]
        allowed = sorted(os.sched_getaffinity(0))[:cores]
        began = time.perf_counter()
        process = subprocess.Popen(
            [*QUIRE, "cluster", str(source), *asked], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, allowed),
        )  # fmt: skip
        assert process.stdout is not None
        said = " ".join(process.stdout.read().split())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, said[-500:]
        wall = time.perf_counter() - began
        told = said[said.rindex("read ") :].split("The run is")[0].split(",")
        stages = {name: float(value) for name, value, _ in (one.split() for one in told)}
    cpu = usage.ru_utime + usage.ru_stime
    return {"stages": stages, "wall": wall, "cpu": cpu, "gigabytes": usage.ru_maxrss * 1024 / 1e9}


def measured(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Run each setting in turn, so that a busy hour hits all of them."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "documents.parquet"
        documents(given.documents, 50).write_parquet(source)
        subprocess.run([*QUIRE, "warm"], check=True, capture_output=True)
        settings = [(r, d, c) for d in given.devices for c in given.cores for r in given.recipes]
        for repeat in range(given.repeats):
            for recipe, device, cores in settings:
                what = {"recipe": recipe, "device": device, "cores": cores, "documents": given.documents}
                rows.append(what | {"machine": machine()} | taken(source, recipe, device, cores))
                print(repeat, rows[-1], flush=True)
    return rows


def section(rows: list[dict[str, Any]]) -> str:
    """Say it in a table: of each setting the quickest run, and the median of all."""
    body = []
    for recipe, device, cores, n in dict.fromkeys((r["recipe"], r["device"], r["cores"], r["documents"]) for r in rows):
        of = [r for r in rows if (r["recipe"], r["device"], r["cores"], r["documents"]) == (recipe, device, cores, n)]
        best, walls = min(of, key=lambda r: r["wall"]), sorted(r["wall"] for r in of)
        bar = BARS.get((recipe, device, cores)) if n == 1_000_000 else None
        where = f"{cores} cores" + (" + GPU" if device == "cuda" else "")
        stages = [f"{best['stages'].get(name, 0):.1f}" for name in STAGES]
        figures = [f"{best['wall']:.1f}", f"{walls[len(walls) // 2]:.1f}", str(len(of)), str(bar or "")]
        body.append([f"{n:,}", recipe, where, *stages, *figures, f"{best['cpu']:.0f}", f"{best['gigabytes']:.1f}"])
    headings = ["documents", "recipe", "on", *STAGES, "all, min", "median", "of", "bar", "CPU s", "GB"]
    machines = "; ".join(dict.fromkeys(f"{r['cores']} cores: {r['machine']}" for r in rows))
    return (
        "### The whole command\n\n`python benchmarks/whole_command.py`: `quire cluster` on generated documents, "
        f"50 topics, from texts to the page; seconds. The bars are the project's aims. {machines}.\n\n"
        f"{table(headings, body)}"
    )


def main() -> None:
    """Measure, keep it beside what other machines gave, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--recipes", nargs="+", default=["default", "tfidf"])
    parser.add_argument("--cores", nargs="+", type=int, default=[os.cpu_count() or 1])
    parser.add_argument("--devices", nargs="+", default=["cpu"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--into", type=Path, default=RESULTS)
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page from what is there")
    given = parser.parse_args()
    before = json.loads(given.into.read_text()) if given.into.exists() else []
    new = [] if given.page else measured(given)
    kinds = {(r["recipe"], r["device"], r["cores"], r["documents"]) for r in new}
    rows = [r for r in before if (r["recipe"], r["device"], r["cores"], r["documents"]) not in kinds] + new
    given.into.write_text(json.dumps(rows, indent=1) + "\n")
    write_section("whole_command", section(rows))


if __name__ == "__main__":
    main()
