"""Claim: the command answers at once: help and errors within 0.3 s of CPU time, ten documents within 1.5 s.

``python benchmarks/startup.py``: each command in fresh processes, after ``quire warm``; the CPU time of a process and
what it started, user and system. Wall-clock time is beside it, which other work on the machine lengthens.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from generated_texts import documents
from measure import machine, table, write_section

QUIRE = [sys.executable, "-c", "from quire.cli.app import main; main()"]
COMMANDS = {  # and the bar of each, seconds of CPU time
    "--help": 0.3,
    "show MISSING": 0.3,
    "cluster MISSING.csv": 0.3,
    "cluster ten.csv --topics 3 --replace": 1.5,
}


class Taken(NamedTuple):
    cpu: float
    wall: float


def taken(command: str, folder: Path) -> Taken:
    """Run a command in a process of its own."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*QUIRE, *command.split()], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 2), command
    return Taken(usage.ru_utime + usage.ru_stime, time.perf_counter() - began)


def measured(repeats: int) -> dict[str, list[Taken]]:
    """Time the commands in turn, the first time unseen: files come from the disk then."""
    with tempfile.TemporaryDirectory() as folder:
        documents(10, 3).write_csv(Path(folder) / "ten.csv")
        for command in ("warm", *COMMANDS):
            taken(command, Path(folder))
        times: dict[str, list[Taken]] = {command: [] for command in COMMANDS}
        for _ in range(repeats):
            for command, so_far in times.items():
                so_far.append(taken(command, Path(folder)))
    return times


def section(times: dict[str, list[Taken]], repeats: int) -> str:
    """Say it in a table."""
    rows = []
    for command, all_taken in times.items():
        cpu, wall = np.array(all_taken).T
        figures = [f"{value:.2f}" for value in (cpu.min(), np.median(cpu), wall.min(), np.median(wall))]
        rows.append([f"`quire {command}`", *figures, f"{COMMANDS[command]:g}"])
    headings = ["command", "CPU s, min", "median", "wall s, min", "median", "bar (CPU)"]
    return (
        f"### The command starts\n\n`python benchmarks/startup.py`: {repeats} processes each, after `quire warm`. "
        f"Other work on the machine lengthens wall-clock time. {machine()}.\n\n{table(headings, rows)}"
    )


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--print", action="store_true", help="write no page")
    given = parser.parse_args()
    text = section(measured(given.repeats), given.repeats)
    print(text)
    if not given.print:
        write_section("startup", text)


if __name__ == "__main__":
    main()
