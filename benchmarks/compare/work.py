"""In a tool's environment: find the topics of a task and write them, with what that took, beside it.

``python -m benchmarks.compare.work TOOL TASK.json``. The process is all the tool's: its CPU seconds and its memory are
those of the tool with its imports.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import resource
import sys
import warnings
from pathlib import Path
from typing import Any

from benchmarks.compare.task import Found, Task


def main(tool_name: str, source: Path) -> None:
    """Do the task of a file; the answer is TASK.told."""
    given: dict[str, Any] = json.loads(source.read_text("utf-8"))
    limit = int(given["limit"])
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10))
    warnings.simplefilter("ignore")
    texts = json.loads(Path(given["texts"]).read_text("utf-8"))
    vectors = Path(given["vectors"]) if given["vectors"] else None
    if tool_name == "sentences":
        from benchmarks.compare.sentences import encode

        told = encode(texts, source.with_suffix(".npy"))
    else:
        from benchmarks.compare.tools.registry import TOOLS

        tool = TOOLS[tool_name]
        found = tool.find(Task(texts, given["k"], given["seed"], given["stop_words"], vectors))
        _check(found, len(texts))
        told = {"labels": found.labels, "keywords": found.keywords}
        told["version"] = importlib.metadata.version(tool.packages[0])
    source.with_suffix(".told").write_text(json.dumps({**spent(), **told}), "utf-8")


def spent() -> dict[str, float]:
    """Return the CPU seconds and the peak memory (MB) of this process and of those that it started."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    peak = max(own.ru_maxrss, others.ru_maxrss) / 1024
    try:  # on Linux ru_maxrss begins with the memory of whoever started the process
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        peak = max(int(found[1]), others.ru_maxrss) / 1024 if found else peak
    except OSError:
        pass
    return {"cpu": own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime, "memory": peak}


def _check(found: Found, n: int) -> None:
    if len(found.labels) != n or max(found.labels, default=-1) >= len(found.keywords):
        raise ValueError(f"{len(found.labels)} labels up to {max(found.labels)} for {n} texts and "
                         f"{len(found.keywords)} topics")  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
