"""All that is asked of a machine with many cores and a GPU, in one go: ``python benchmarks/device_session.py``.

A million generated documents, default and tfidf, on all cores, on a GPU, on two cores and on one; spans in which few
threads run (``spans.py``); the tests of the GPU. Prints a table; writes JSON to the folder that ``OUT`` names. What
there is no time for (``--minutes``) is left out; the most telling runs come first. ``QUIRE_DEPS``: packages.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STAGES = ("read", "count", "weigh", "factorize", "describe", "save", "page")
_LISTED = 14  # spans that are printed of each run


class Session:
    """Runs commands while there is time, and keeps what they took."""

    def __init__(self, out: Path, minutes: float, n: int) -> None:
        self.out, self.ends, self.n = out, time.monotonic() + 60 * minutes, n
        self.work = Path(os.environ.get("TMPDIR", "/tmp")) / "quire-session"
        self.work.mkdir(exist_ok=True)
        self.rows: dict[str, Any] = {}
        paths = [str(HERE.parent / "src"), str(HERE), os.environ.get("QUIRE_DEPS", "")]
        self.env = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, [*paths, os.environ.get("PYTHONPATH", "")]))
        }

    @property
    def left(self) -> float:
        """Seconds."""
        return self.ends - time.monotonic()

    def begun(self, *command: str, cores: list[int] | None = None, **env: str) -> subprocess.Popen[str]:
        """Begin a command on some cores."""
        pin = None if cores is None else lambda: os.sched_setaffinity(0, cores)
        return subprocess.Popen(
            [sys.executable, *command], env=self.env | env, cwd=HERE.parent, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, preexec_fn=pin,
        )  # fmt: skip

    def ended(self, name: str, process: subprocess.Popen[str], most: float) -> str:
        """Wait for a command; return what it printed."""
        try:
            said = process.communicate(timeout=max(1.0, min(most, self.left)))[0]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[0] + f"\n{name}: no time left"
        if process.returncode:
            self.rows[name] = {"failed": said[-1500:]}
            print(f"== {name}: {said[-600:]}", flush=True)
        return said

    def quire(self, *asked: str) -> list[str]:
        """Return a command of Quire."""
        return ["-c", "from quire.cli.app import main; main()", *asked]

    def cluster(
        self, name: str, recipe: str, device: str, cores: list[int] | None = None, **env: str
    ) -> tuple[str, Any]:
        """Begin to cluster, watched."""
        out, run = self.work / f"{name}.json", self.work / name
        asked = ["cluster", str(self.source), "--topics", "50", "--recipe", recipe, "--seed", "1", "--device", device]
        return name, self.begun(
            str(HERE / "spans.py"), str(out), *asked, "--out", str(run), "--replace", cores=cores, **env
        )

    def kept(self, name: str, process: subprocess.Popen[str], most: float = 240) -> None:
        """Keep what a clustering took, and print it."""
        self.ended(name, process, most)
        path = self.work / f"{name}.json"
        if process.returncode == 0 and path.exists():
            row = self.rows[name] = json.loads(path.read_text())
            stages = " ".join(f"{stage} {row['stages'].get(stage, 0):.1f}" for stage in STAGES)
            print(
                f"{name:<18} all {row['wall']:6.1f} s  cpu {row['cpu']:6.1f}  {row['gigabytes']:.2f} GB  {stages}",
                flush=True,
            )
        (self.out / "device_session.json").write_text(json.dumps(self.rows, indent=1))

    def prepare(self, gpu: bool) -> None:
        """Write the documents and compile, side by side."""
        began, self.source = time.monotonic(), self.work / "documents.parquet"
        jobs = {"documents": self.begun(str(HERE / "generated_texts.py"), str(self.source), "--documents", str(self.n))}
        jobs["warm"] = self.begun(*self.quire("warm"))
        for name, job in jobs.items():
            self.ended(name, job, 200)
        if gpu:
            self.ended("warm cuda", self.begun(*self.quire("warm", "--device", "cuda")), 100)
        print(f"prepared after {time.monotonic() - began:.0f} s", flush=True)


def spans(row: dict[str, Any]) -> str:
    """Say where few threads ran."""
    few = "  ".join(f"{stage} {seconds:.1f}" for stage, seconds in row["few_threads"].items() if seconds >= 0.05)
    lines = [f"   {seconds:6.2f} {where[:150]}" for where, seconds in row["spans"][:_LISTED] if seconds >= 0.08]
    return "\n".join([f"   at most two threads: {few}", *lines])


def measure(session: Session, gpu: bool, most: int) -> None:
    """Run what there is time for."""
    session.prepare(gpu)
    settings = [("default-cores", "default", "cpu"), ("tfidf-cores", "tfidf", "cpu")]
    if gpu:
        settings[1:1] = [("default-gpu", "default", "cuda")]
        settings += [("tfidf-gpu", "tfidf", "cuda"), ("default-gpu-again", "default", "cuda")]
    for name, recipe, device in settings:
        if session.left > 30:
            session.kept(*session.cluster(name, recipe, device))
            if "stages" in session.rows.get(name, {}):
                print(spans(session.rows[name]), flush=True)
    few: list[tuple[str, str, list[int], dict[str, str]]] = [
        ("default-2", "default", [0, 1], {}), ("tfidf-2", "tfidf", [2, 3], {}), ("default-1", "default", [4], {}),
        ("default-2-arenas", "default", [5, 6], {"MALLOC_ARENA_MAX": "2"}),
        ("tfidf-2-arenas", "tfidf", [7, 8], {"MALLOC_ARENA_MAX": "2"}),
    ]  # fmt: skip
    enough = most > 10 and session.left > 60
    begun = [session.cluster(name, recipe, "cpu", cores, **env) for name, recipe, cores, env in few if enough]
    if gpu and session.left > 60:
        asked = [
            "-m",
            "pytest",
            "-q",
            "-x",
            "-n",
            "0",
            "-k",
            "gpu or cuda or device",
            "tests/backends",
            "tests/methods",
        ]
        tests = session.begun(*asked, cores=list(range(min(9, most - 1), most)))
        said = session.ended("tests", tests, 150)
        session.rows["tests"] = said[-1500:]
        print("tests: " + said.strip()[-300:], flush=True)
    for name, process in begun:
        session.kept(name, process, session.left)
    rows = session.rows
    if all("stages" in rows.get(name, {}) for name in ("default-1", "default-cores")):
        ratio = rows["default-1"]["stages"]["factorize"] / rows["default-cores"]["stages"]["factorize"]
        print(f"factorize, 1 core → all: {ratio:.1f} times as fast", flush=True)


def main() -> None:
    """Take the options, and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--no-gpu", action="store_true")
    given = parser.parse_args()
    out = Path(os.environ.get("OUT", "."))
    measure(Session(out, given.minutes, given.documents), not given.no_gpu, len(os.sched_getaffinity(0)))


if __name__ == "__main__":
    main()
