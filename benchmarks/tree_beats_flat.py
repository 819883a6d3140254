"""Claim: with many topics, cutting them from a tree takes less than looking for so many at once.

``python benchmarks/tree_beats_flat.py``: commands in processes of their own, on 100,000 generated documents of 100
planted topics, after ``quire warm``. One way is ``quire cluster --topics 100``; the other makes 32 topics and their
tree, then ``quire tree --cut 100``. What is compared is the CPU time of whole processes, user and system, in turn, so
that other work on the machine matters little; and how well the planted topics are found.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from generated_texts import documents
from measure import machine, table, write_section
from sklearn.metrics import normalized_mutual_info_score

QUIRE = [sys.executable, "-c", "from quire.cli.app import main; main()"]


def cpu_seconds(*asked: str) -> float:
    """Run a command of Quire; return its CPU time."""
    process = subprocess.Popen([*QUIRE, *asked], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said[-500:]
    return usage.ru_utime + usage.ru_stime


def measured(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Make the topics in both ways, one after the other, as often as asked."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source, flat, few, cut = (str(Path(folder) / name) for name in ("documents.parquet", "flat", "few", "cut"))
        documents(given.documents, given.topics).write_parquet(source)
        cpu_seconds("warm")
        for seed in range(given.repeats):
            how = ("--no-page", "--replace", "--seed", str(seed), "--out")
            row = {"flat": cpu_seconds("cluster", source, "--topics", str(given.topics), *how, flat)}
            row["few"] = cpu_seconds("cluster", source, "--topics", str(given.few), "--tree", *how, few)
            row["cut"] = cpu_seconds("tree", few, "--cut", str(given.topics), "--out", f"{cut}{seed}")
            rows.append(row | {"flat_nmi": _nmi(flat), "cut_nmi": _nmi(f"{cut}{seed}")})
            print(rows[-1], flush=True)
    return rows


def _nmi(run: str) -> float:
    table = pl.read_parquet(Path(run) / "documents.parquet", columns=["topic", "label"])
    return float(normalized_mutual_info_score(table["label"], table["topic"]))


def section(given: argparse.Namespace, rows: list[dict[str, Any]]) -> str:
    """Say it in a table, a line a way."""

    def line(way: str, seconds: list[float], scores: list[float]) -> list[str]:
        return [way, *(f"{s:.1f}" for s in (min(seconds), _median(seconds))), f"{_median(scores):.3f}"]

    both = [row["few"] + row["cut"] for row in rows]
    flat = line(f"`--topics {given.topics}`", [row["flat"] for row in rows], [row["flat_nmi"] for row in rows])
    cut = line(f"`--topics {given.few} --tree`, cut at {given.topics}", both, [row["cut_nmi"] for row in rows])
    least, usual = (float(cut[column]) / float(flat[column]) for column in (1, 2))
    body = [flat, cut, ["ratio", f"**{least:.2f}**", f"{usual:.2f}", ""]]
    parts = f"of it the tree's run {min(row['few'] for row in rows):.1f}, the cut {min(row['cut'] for row in rows):.1f}"
    return (
        "### Many topics, cut from a tree\n\n`python benchmarks/tree_beats_flat.py`: CPU seconds of whole commands, "
        f"from texts to folders, on {given.documents:,} generated documents of {given.topics} planted topics, "
        f"{len(rows)} times in turn (bar: below 1); {parts}. {machine()}.\n\n"
        f"{table(['topics', 'CPU s, min', 'median', 'NMI with the planted'], body)}"
    )


def _median(values: list[float]) -> float:
    return float(pl.Series(values).median() or 0.0)  # type: ignore[arg-type]


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--few", type=int, default=32, help="topics of the run whose tree is cut")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    write_section("tree", section(given, measured(given)))


if __name__ == "__main__":
    main()
