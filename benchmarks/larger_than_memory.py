"""Claim: a million short documents become a run on 2 cores in under 10 minutes and under 4 GB.

Generated documents of about 30 words with 50 planted topics (``generated_texts.py``), or a Parquet file that
is named. Each figure is one ``quire cluster`` in a process of its own, from the file to the saved run:
seconds, and the peak of the process's resident memory as the system counted it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import polars as pl
from generated_texts import documents
from measure import DOCS, machine, table, write_section

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "quire"  # the same picture for the same figures
SIZES = (10_000, 100_000, 1_000_000)
QUIRE = Path(sys.executable).with_name("quire")


def source(folder: Path, n: int) -> Path:
    """Return a file of so many generated documents; one that is there already is used again."""
    path = folder / f"{n}.parquet"
    if not path.exists():
        documents(n).write_parquet(path)
    return path


def measured(path: Path, *options: str) -> dict[str, Any]:
    """Make a run in a process of its own; return its seconds, its peak in bytes, and what its run says."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        out = Path(folder) / "run"
        command = [QUIRE, "cluster", path, "--topics", "50", "--no-page", "--quiet", "--out", out, *options]
        began = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"quire cluster {path} ended with {process.returncode}.")
        info = json.loads((out / "run.json").read_text())
    return {
        "seconds": seconds, "peak": used.ru_maxrss * 1024, "nmi": info["scores"].get("nmi"),
        "timings": info["timings"], "in_blocks": "blocks" in info,
    }  # fmt: skip


def growth(figures: list[dict[str, Any]]) -> str:
    """Say how time and memory grew from one size to the next."""
    said = []
    for small, large in pairwise(figures):
        times = large["documents"] / small["documents"]
        said.append(
            f"{times:.0f} times the documents took {large['seconds'] / small['seconds']:.1f} times as long "
            f"and {large['peak'] / small['peak']:.2f} times the memory"
        )
    return "; ".join(said) + "."


def plotted(figures: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw seconds and peak memory against documents, both axes logarithmic."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for (name, found), marker in zip(figures.items(), "os^v"):
        n = [one["documents"] for one in found]
        axes[0].loglog(n, [one["seconds"] for one in found], marker=marker, label=name)
        axes[1].semilogx(n, [one["peak"] / 1e9 for one in found], marker=marker, label=name)
    axes[0].set(xlabel="documents", ylabel="seconds, text to run")
    axes[1].set(xlabel="documents", ylabel="peak memory, GB", ylim=(0, None))
    axes[0].legend()
    figure.savefig(path, metadata={"Date": None})


def row(name: str, found: dict[str, Any]) -> list[str]:
    stages = ", ".join(f"{stage} {seconds:.0f}" for stage, seconds in found["timings"].items())
    nmi = "–" if found["nmi"] is None else f"{found['nmi']:.3f}"
    return [name, f"{found['documents']:,}", f"{found['seconds']:.0f} s", f"{found['peak'] / 1e9:.2f} GB",
            "blocks" if found["in_blocks"] else "memory", nmi, stages]  # fmt: skip


def written(figures: dict[str, list[dict[str, Any]]]) -> None:
    """Write the section and its picture."""
    headings = ["", "Documents", "Time", "Peak memory", "X in", "NMI with planted topics", "Seconds by stage"]
    rows = [row(name, one) for name, found in figures.items() for one in found]
    growths = "\n".join(f"- {name}: {growth(found)}" for name, found in figures.items() if len(found) > 1)
    plotted(figures, DOCS / "larger_than_memory.svg")
    text = (
        "### Larger than memory\n\n`python benchmarks/larger_than_memory.py`: one `quire cluster --topics 50 "
        "--no-page` a line, in a process of its own, on generated documents of about 30 words with 50 "
        f"planted topics. {machine()}.\n\n{table(headings, rows)}\n\n{growths}\n\n"
        "![Seconds and peak memory against documents](larger_than_memory.svg)"
    )
    write_section("larger", text)


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where generated files are kept, and used again")
    parser.add_argument("--file", type=Path, help="a Parquet file of your own: only printed")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--memory", default="1.5GB")
    parser.add_argument("--recipes", nargs="+", default=["default", "tfidf"])
    parser.add_argument("--json", type=Path, help="keep the figures here too")
    given = parser.parse_args()
    if given.file:
        found = measured(given.file, "--memory", given.memory, "--recipe", given.recipes[0])
        print(json.dumps(found | {"documents": pl.scan_parquet(given.file).select(pl.len()).collect().item()}))
        return
    figures: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        for recipe in given.recipes:
            name = f"{recipe}, --memory {given.memory}"
            for n in given.sizes:
                one = measured(source(folder, n), "--recipe", recipe, "--memory", given.memory)
                figures.setdefault(name, []).append(one | {"documents": n})
                print(name, n, f"{one['seconds']:.1f} s", f"{one['peak'] / 1e9:.2f} GB", one["nmi"], flush=True)
    if given.json:
        given.json.write_text(json.dumps(figures))
    written(figures)


if __name__ == "__main__":
    main()
