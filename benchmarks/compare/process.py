"""A tool in a process and an environment of its own, with a limit on its CPU time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OTHERS = ROOT / ".venv-compare" / "bin" / "python"
OUT_OF_TIME = (-24, 152)  # SIGXCPU
# Threads that wait for each other on a busy machine burn CPU time: every tool has one, so that CPU seconds are work.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)
WALL = 12  # so many times the limit on CPU time, a busy machine or one that waits is given


class UnfinishedError(Exception):
    """A tool that failed or did not come to an end, with the reason in a line."""


def call(
    tool: str, task: dict[str, Any], into: Path, python: Path | None = None, settings: dict[str, str] | None = None
) -> dict[str, Any]:
    """Let a tool do a task; return what it told, and the seconds on the clock. ``settings`` are of its environment."""
    source = into.with_suffix(".task")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(json.dumps(task), "utf-8")
    answer = source.with_suffix(".told")
    answer.unlink(missing_ok=True)
    began = time.perf_counter()
    command = [str(python or python_of(tool)), "-m", "benchmarks.compare.work", tool, str(source)]
    done = _run(command, task["limit"], settings or {})
    told = _answer(answer) if done.returncode == 0 else None
    source.unlink()
    if done.returncode in OUT_OF_TIME:
        raise UnfinishedError(f"more than {task['limit'] / 60:g} CPU minutes")
    if told is None:
        raise UnfinishedError(reason(done.stderr) or f"the process ended with {done.returncode}")
    return {"wall": time.perf_counter() - began, **told}


def python_of(tool: str) -> Path:
    """Return the interpreter of a tool's environment."""
    return Path(sys.executable) if tool.startswith("Quire") else OTHERS


def _run(command: list[str], limit: int, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    fixed = {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}
    environment = os.environ | ONE_THREAD | fixed | settings
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=WALL * limit, env=environment, cwd=ROOT)
    except subprocess.TimeoutExpired:
        raise UnfinishedError(f"more than {WALL * limit / 60:g} minutes on the clock") from None


def _answer(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(path.read_text("utf-8"))
    path.unlink()
    return told


def reason(stderr: str) -> str:
    """Return the last line of a traceback, short, without names of folders."""
    lines = [line for line in stderr.strip().splitlines() if re.match(r"[\w.]+(Error|Exception|Interrupt)\b", line)]
    return re.sub(r"(?:/[\w.+-]+)+/", "…/", lines[-1])[:200] if lines else ""
