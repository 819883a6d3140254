"""How long clients wait for ``quire serve``: many of them at once, each asking as the page does.

``python benchmarks/serve_under_load.py RUN``: starts the server on a run, lets each client ask for the head, lists
of documents, documents and searches in turn over one connection, and prints p50, p95, p99, what was answered, and
the CPU time of the server for a request, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil


class Answer(NamedTuple):
    seconds: float
    status: int
    kind: str


SERVE = [sys.executable, "-c", "from quire.cli.app import main; main()", "serve"]


@contextmanager
def server(run: Path) -> Iterator[tuple[tuple[str, int], psutil.Process]]:
    """Serve a run, wait until its texts are searched as a whole, and give host and port, and the process."""
    command = [*SERVE, str(run), "--no-open", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(re.search(r":(\d+)/ ", process.stdout.readline())[1])  # type: ignore[index]
        while json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/api/search"))["ready"] < 1:
            time.sleep(0.1)
        yield ("127.0.0.1", port), psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def paths(draw: random.Random, n: int, words: list[str]) -> Iterator[str]:
    """Yield what somebody who looks around asks for: a search, its documents, then one of these."""
    yield "/api/head"
    while True:
        query = " ".join(draw.choices(words, k=draw.choice([1, 1, 2, 3])))
        yield f"/api/search?q={urllib.parse.quote(query)}"
        yield "/api/documents?rows=" + ",".join(str(draw.randrange(n)) for _ in range(25))
        yield f"/api/documents/{draw.randrange(n)}"


async def client(at: tuple[str, int], asked: Iterator[str], until: float, measured: list[Answer]) -> None:
    reader, writer = await asyncio.open_connection(*at)
    try:
        while time.perf_counter() < until:
            path = next(asked)
            began = time.perf_counter()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {at[0]}:{at[1]}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = re.search(rb"content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
            kind = path.split("?")[0].rstrip("0123456789")
            measured.append(Answer(time.perf_counter() - began, int(head.split()[1]), kind))
    finally:
        writer.close()


async def load(at: tuple[str, int], clients: int, seconds: float, seed: int) -> list[Answer]:
    """Return seconds, status and kind of every request of so many clients at once."""
    about = json.load(urllib.request.urlopen(f"http://{at[0]}:{at[1]}/api/head"))
    terms = json.load(urllib.request.urlopen(f"http://{at[0]}:{at[1]}/api/terms"))["words"]
    until, measured = time.perf_counter() + seconds, list[Answer]()
    draws = [random.Random(f"{seed} {number}") for number in range(clients)]
    await asyncio.gather(*(client(at, paths(draw, about["n"], terms[:2000]), until, measured) for draw in draws))
    return measured


def summary(measured: list[Answer], seconds: float) -> dict[str, Any]:
    """Return how many requests were answered, how, and how long the slowest of a hundred took."""
    times = sorted(one.seconds for one in measured)
    kinds: dict[str, list[float]] = {}
    for one in measured:
        kinds.setdefault(one.kind, []).append(one.seconds)
    return {
        "requests": len(times),
        "per_second": round(len(times) / seconds, 1),
        **{f"p{p}": _percentile(times, p) for p in (50, 95, 99, 100)},
        "status": {str(code): n for code, n in sorted(Counter(one.status for one in measured).items())},
        "p99_of": {kind: _percentile(sorted(taken), 99) for kind, taken in sorted(kinds.items())},
    }


def _percentile(times: list[float], percent: int) -> float:
    return round(times[min(len(times) - 1, len(times) * percent // 100)], 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=Path, help="the folder of a run")
    parser.add_argument("--clients", type=int, default=200, help="at the same time")
    parser.add_argument("--seconds", type=float, default=20, help="that they ask for")
    parser.add_argument("--seed", type=int, default=0, help="of what they ask")
    given = parser.parse_args()
    with server(given.run) as (at, process):
        before = sum(process.cpu_times()[:2])
        measured = asyncio.run(load(at, given.clients, given.seconds, given.seed))
        used = sum(process.cpu_times()[:2]) - before
    each = {"cpu_ms_of_a_request": round(1000 * used / len(measured), 2)}
    print(json.dumps(summary(measured, given.seconds) | each, indent=1))


if __name__ == "__main__":
    main()
