"""From nothing to the first result: what each program brings along, its installation, and its first run after that."""

from __future__ import annotations

import datetime
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.compare.cells import task_of
from benchmarks.compare.corpora import Visit
from benchmarks.compare.process import ROOT, UnfinishedError, call, python_of
from benchmarks.compare.task import Tool
from benchmarks.compare.tools.registry import TOOLS
from benchmarks.quality.results import Results, Row

PART, CORPUS, LIMIT = "installs", "bbc", 1200
TORCH = ROOT / "requirements" / "compare-torch.txt"


def measure_all(folder: Path, names: list[str], scratch: Path) -> None:
    """Measure the families of the tools named that are not there yet, each by its first tool."""
    results = Results(folder, PART, lambda row: row["family"] != "Quire")
    first: dict[str, Tool] = {}
    for name in names:
        if TOOLS[name].takes_k:
            first.setdefault(TOOLS[name].family, TOOLS[name])
    for family, tool in first.items():
        if not any(row["family"] == family and "install_wall" in row for row in results.rows):
            row = {**sizes(tool), **from_nothing(tool, scratch)}
            results.put({"family": family}, [{"date": _today(), "tool": tool.name, **row}])
            print(f"{family}: {row}", flush=True)


def measure_sizes(folder: Path) -> None:
    """Keep the size of every family that has none yet; nothing is installed for it."""
    results = Results(folder, PART, lambda row: row["family"] != "Quire")
    for tool in TOOLS.values():
        if not results.has({"family": tool.family}):
            results.put({"family": tool.family}, [{"date": _today(), **sizes(tool)}])


def sizes(tool: Tool) -> Row:
    """Return how many packages a tool needs, and their megabytes."""
    command = [str(python_of(tool.name)), "-m", "benchmarks.compare.size", *tool.packages]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    found: Row = json.loads(done.stdout)
    return found


def from_nothing(tool: Tool, scratch: Path) -> Row:
    """Install a tool in a new environment and gather BBC News with it, every cache empty."""
    with tempfile.TemporaryDirectory() as folder:
        began, before = time.perf_counter(), _children()
        python = _installed(tool, Path(folder))
        row: Row = {"install_wall": time.perf_counter() - began, "install_cpu": _children() - before}
        caches = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"), folder)
        visit = Visit(CORPUS, scratch.absolute())
        cell = {"part": "whole", "choice": "classes", "seed": 0}
        try:
            told = call(tool.name, task_of(visit, cell, LIMIT), Path(folder) / "first.cell", python, caches)
        except UnfinishedError as why:
            return {**row, "failed": str(why)}
        return {**row, "first_wall": told["wall"], "first_cpu": told["cpu"]}


def _installed(tool: Tool, folder: Path) -> Path:
    """Install the versions of the lock file, and no others; return the interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    lock = "dev" if tool.family == "Quire" else "compare"
    versions = folder / "versions.txt"
    versions.write_text(_versions(ROOT / "requirements" / f"{lock}.lock"), "utf-8")
    if tool.needs_vectors:
        subprocess.run([*pip, "-r", str(TORCH)], check=True, capture_output=True)
    wanted = [str(ROOT) if one == "quire-topics" else one for one in tool.packages]
    subprocess.run([*pip, "-c", str(versions), *wanted], check=True, capture_output=True)
    return python


def _versions(lock: Path) -> str:
    """Return the lines of a lock file that name a version, without hashes."""
    lines = (line.removesuffix("\\").strip() for line in lock.read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if "==" in line and not line.startswith(("#", "--"))) + "\n"


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
