"""Claim: ``quire cluster`` uses the machine: from texts to the page, on some cores and on a GPU.

``python benchmarks/whole_command.py --cores 2 16 --devices cpu cuda``: the command in processes of its own, on a
million generated documents in 50 topics, after ``quire warm``. Seconds of stages, by the clock and of CPU time on all
cores, those of the process, and its peak memory; ``--memory 4GB`` is passed on. Results go to docs/whole_command.json;
runs on other machines add theirs to it. ``--busy``: others use the machine too, so that only CPU time and memory tell
something; such rows stand beside those of a quiet machine and replace none of them. What a quiet machine gave is drawn
in docs/whole_command.svg.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

from generated_texts import documents
from measure import DOCS, machine, table, write_section

from quire.studies.figures import new_figure, svg_of

QUIRE = [sys.executable, "-c", "from quire.cli.app import main; main()"]
RESULTS, PLOT = DOCS / "whole_command.json", DOCS / "whole_command.svg"
STAGES = ("read", "count", "weigh", "factorize", "describe", "save", "page")
BARS = {  # seconds
    ("default", "cpu", 2, 1_000_000, None): 45, ("default", "cpu", 16, 1_000_000, None): 15,
    ("default", "cuda", 16, 1_000_000, None): 8, ("default", "cuda", 16, 10_000_000, None): 90,
    ("default", "cpu", 2, 10_000_000, "4GB"): 720,
    ("tfidf", "cpu", 2, 1_000_000, None): 25, ("tfidf", "cpu", 16, 1_000_000, None): 9,
    ("tfidf", "cuda", 16, 1_000_000, None): 5,
}  # fmt: skip
WATCHED = """
import json, os, sys
from contextlib import contextmanager
from pathlib import Path
from quire.cli.app import main
from quire.messages import Stages

told, plain, cpu, system = Path(sys.argv.pop(1)), Stages.stage, {}, {}

@contextmanager
def stage(stages, name):
    began = os.times()
    with plain(stages, name) as update:
        yield update
    ended = os.times()
    cpu[name], system[name] = sum(ended[:2]) - sum(began[:2]), ended.system - began.system
    told.write_text(json.dumps({"stages": stages.seconds, "cpu_of_stages": cpu, "system_of_stages": system}))

Stages.stage = stage
main()
"""  # the command, which tells in a file what its stages took


def kind(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what was measured: recipe, device, cores, documents, memory allowed, whether others used the machine."""
    return row["recipe"], row["device"], row["cores"], row["documents"], row.get("memory"), "load" in row


def hardware(one: tuple[Any, ...]) -> str:
    """Return what a kind of run was made on."""
    _, device, cores, _, memory, _ = one
    return f"{cores} cores" + (" + GPU" if device == "cuda" else "") + (f", --memory {memory}" if memory else "")


def taken(source: Path, recipe: str, device: str, cores: int, memory: str | None) -> dict[str, Any]:
    """Run the command; return what its stages took, and the process."""
    with tempfile.TemporaryDirectory() as folder:
        out, of_stages = Path(folder) / "run", Path(folder) / "stages.json"
        asked = ["--topics", "50", "--recipe", recipe, "--device", device, "--out", str(out)]
        asked += [] if memory is None else ["--memory", memory]
        allowed = sorted(os.sched_getaffinity(0))[:cores]
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", WATCHED, str(of_stages), "cluster", str(source), *asked], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, allowed),
        )  # fmt: skip
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, said[-500:]
        wall, stages = time.perf_counter() - began, json.loads(of_stages.read_text())
    cpu = usage.ru_utime + usage.ru_stime
    return {**stages, "wall": wall, "cpu": cpu, "gigabytes": usage.ru_maxrss * 1024 / 1e9}


def measured(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Run each setting in turn, so that a busy hour hits all of them."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        sources = {n: (given.sources or Path(folder)) / f"{n}.parquet" for n in given.documents}
        for n, source in sources.items():
            if not source.exists():
                documents(n, 50).write_parquet(source)
        subprocess.run([*QUIRE, "warm"], check=True, capture_output=True)
        if "cuda" in given.devices:
            subprocess.run([*QUIRE, "warm", "--device", "cuda"], check=True, capture_output=True)
        settings = list(product(given.documents, given.devices, given.cores, given.recipes))
        for repeat in range(given.repeats):
            for n, device, cores, recipe in settings:
                what = {"recipe": recipe, "device": device, "cores": cores, "documents": n}
                what |= {"memory": given.memory, "machine": machine()}
                what |= {"load": os.getloadavg()[0]} if given.busy else {}
                rows.append(what | taken(sources[n], recipe, device, cores, given.memory))
                print(repeat, rows[-1], flush=True)
    return rows


def section(rows: list[dict[str, Any]]) -> str:
    """Say it in a table: of each setting the quickest run, and the median of all."""
    body = []
    for one in dict.fromkeys(map(kind, rows)):
        recipe, _, _, n, _, busy = one
        of = [row for row in rows if kind(row) == one]
        best, walls = min(of, key=lambda row: row["wall"]), sorted(row["wall"] for row in of)
        where = hardware(one) + (f", busy (load {best['load']:.1f})" if busy else "")
        stages = [f"{best['stages'].get(name, 0):.1f}" for name in STAGES]
        figures = [f"{best['wall']:.1f}", f"{walls[len(walls) // 2]:.1f}", str(len(of)), str(BARS.get(one[:-1], ""))]
        body.append([f"{n:,}", recipe, where, *stages, *figures, f"{best['cpu']:.0f}", f"{best['gigabytes']:.1f}"])
        for of_stages, what in (("cpu_of_stages", "CPU time"), ("system_of_stages", "of the system")):
            if taken_by := best.get(of_stages):
                body.append(["", "", what, *(f"{taken_by.get(name, 0):.1f}" for name in STAGES), *[""] * 6])
    headings = ["documents", "recipe", "on", *STAGES, "all, min", "median", "of", "bar", "CPU s", "GB"]
    machines = "; ".join(dict.fromkeys(f"{r['cores']} cores: {r['machine']}" for r in rows))
    return (
        "### The whole command\n\n`python benchmarks/whole_command.py`: `quire cluster` on generated documents, "
        f"50 topics, from texts to the page; seconds. The bars are the project's aims. "
        f"Of a busy machine only CPU time and memory tell something. {machines}.\n\n"
        f"{table(headings, body)}\n\n![Seconds against documents, by recipe and hardware](whole_command.svg)"
    )


def plotted(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the seconds of the quickest runs on quiet machines against documents, a line a recipe and hardware."""
    quickest: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        *_, n, _, busy = one = kind(row)
        if not busy:
            line = quickest.setdefault((row["recipe"], hardware(one)), {})
            line[n] = min(row["wall"], line.get(n, row["wall"]))
    figure, ((axes,),) = new_figure(width=7.2)
    machines = dict.fromkeys(where for _, where in quickest)
    for (recipe, where), line in quickest.items():
        sizes, at = sorted(line), list(machines).index(where)
        axes.loglog(
            sizes, [line[n] for n in sizes], marker="os^vDP"[at % 6], color=f"C{at}",
            linestyle="-" if recipe == "default" else "--", label=f"{recipe}, {where}",
        )  # fmt: skip
    axes.set(xlabel="documents", ylabel="seconds, texts to page")
    axes.legend(frameon=False, fontsize=8)
    path.write_text(svg_of(figure), "utf-8")


def main() -> None:
    """Measure, keep it beside what other machines gave, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", nargs="+", type=int, default=[1_000_000])
    parser.add_argument("--recipes", nargs="+", default=["default", "tfidf"])
    parser.add_argument("--cores", nargs="+", type=int, default=[os.cpu_count() or 1])
    parser.add_argument("--devices", nargs="+", default=["cpu"])
    parser.add_argument("--memory", help="what the command may take, as its own option")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--busy", action="store_true", help="others use the machine too")
    parser.add_argument("--sources", type=Path, help="a folder that keeps the documents for another time")
    parser.add_argument("--into", type=Path, default=RESULTS)
    parser.add_argument("--add", type=Path, help="measure nothing: take what --into wrote on another machine")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page from what is there")
    given = parser.parse_args()
    before = json.loads(given.into.read_text()) if given.into.exists() else []
    new = json.loads(given.add.read_text()) if given.add else [] if given.page else measured(given)
    kinds = set(map(kind, new))
    rows = [row for row in before if kind(row) not in kinds] + new
    given.into.write_text(json.dumps(rows, indent=1) + "\n")
    plotted(rows, PLOT)
    write_section("whole_command", section(rows))


if __name__ == "__main__":
    main()
