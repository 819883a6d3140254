"""Repeats, peak memory, and a page's generated parts."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DOCS = Path(__file__).parents[1] / "docs"


def seconds(call: Callable[[], Any], repeats: int = 5) -> tuple[float, float]:
    """Minimum and median of several repeats."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times), float(np.median(times))


_PROCESS = """
import re
def megabytes(field):
    return int(re.search(field + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1]) / 1024
open("/proc/self/clear_refs", "w").write("5")  # forget the peak of reading the data
before = megabytes("VmRSS")
fit()
print(megabytes("VmHWM") - before)
"""
_ARRAYS = """
import tracemalloc
tracemalloc.start()
fit()
print(tracemalloc.get_traced_memory()[1] / 2**20)
"""


def peak_growth(code: str) -> tuple[float, float]:
    """Measure the megabytes that ``fit()``, defined by ``code``, takes at its peak, each in a fresh process.

    First what is allocated; then by how much the process grows (Linux), which counts what the allocator
    does not give back, threads and buffers of BLAS too.
    """
    here = str(Path(__file__).parent)

    def run(script: str) -> float:
        said = subprocess.run(
            [sys.executable, "-c", code + script], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONPATH": here},
        )  # fmt: skip
        return float(said.stdout.split()[-1])

    return run(_ARRAYS), float(np.median([run(_PROCESS) for _ in range(3)]))


def machine() -> str:
    """One line about where the figures come from."""
    import numba
    import scipy
    import sklearn

    cpu = platform.machine()
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        cpu = found[1] if found else cpu
    except OSError:
        pass
    modules = {"scikit-learn": sklearn, "numba": numba, "NumPy": np, "SciPy": scipy}
    versions = ", ".join(f"{name} {module.__version__}" for name, module in modules.items())
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}"


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Format a Markdown table."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def write_section(name: str, text: str, page: str = "benchmarks.md") -> None:
    """Replace what stands between the page's two markers of this name."""
    path = DOCS / page
    old = path.read_text() if path.exists() else "# Benchmarks\n"
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    block = f"{begin}\n{text.strip()}\n{end}"
    if begin in old:
        new = old[: old.index(begin)] + block + old[old.index(end) + len(end) :]
    else:
        new = f"{old.rstrip()}\n\n{block}\n"
    path.write_text(new)
