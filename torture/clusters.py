"""Dask: workers, the scheduler and the driver are killed, and workers are too small: the same bits, or a sentence."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import scipy.sparse as sp

from torture.case import Case, WrongError
from torture.seeds import texts

NAME = "clusters"
_KILLS, _ITERATIONS = 5, 30  # workers that are killed in a case; of a fit
_PATIENCE = 60.0  # seconds until all that was started has ended
_MEMORY = 1 << 40  # workers share the limit of a case
_QUIRE = [sys.executable, "-c", "from quire.cli.app import main; main()"]
_RECIPE = 'name = "long"\n[factorization]\nmethod = "NMF"\nmax_iter = 400\ntol = 0\n'


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield scenes, in each of which something of a cluster dies."""
    names, number = ["workers killed", *_SCENES], 0  # the first twice: it is what is promised most
    while True:
        name, draws = names[number % len(names)], random.Random(f"{seed} {number}").randrange(1 << 30)
        tried = _KILLS if name == "workers killed" else 1
        yield Case(f"{name}, {draws}", _scene(name, draws), tried, seconds=300.0, memory=_MEMORY)
        number += 1


def _scene(name: str, draws: int) -> Callable[[Path], dict[str, Any]]:
    return lambda folder: _SCENES[name](folder, random.Random(draws))


def _workers_killed(folder: Path, draw: random.Random) -> dict[str, Any]:
    """Kill a worker in the middle of each of some fits: all end in the bits of one that was left alone."""
    from quire.places.dask.cluster import DaskPlace
    from quire.places.parts import Blocks

    rng = np.random.default_rng(draw.randrange(1 << 30))
    X = sp.csr_array(rng.poisson(0.3, (400, 50)).astype(np.float32))
    with DaskPlace("local:2") as place:
        blocks = Blocks.split(X, place, 100)
        alone = _fitted(place, blocks, None, draw)
        for _ in range(_KILLS):
            if _fitted(place, blocks, draw.randrange(1, _ITERATIONS - 3), draw) != alone:
                raise WrongError("a fit whose worker was killed gives other bits")
    return {"workers killed": _KILLS}


def _fitted(place: Any, blocks: Any, kill_at: int | None, draw: random.Random) -> bytes:
    from quire.methods.nmf import NMF

    def callback(step: Any) -> None:
        if step.iteration == kill_at:
            victim = draw.choice(sorted(place._client.run(os.getpid).values()))
            threading.Timer(draw.uniform(0, 0.1), os.kill, (victim, signal.SIGKILL)).start()

    model = NMF(3, random_state=0, tol=0, max_iter=_ITERATIONS, coarse=False, callback=callback)
    return np.asarray(model.fit_transform(blocks)).tobytes() + np.asarray(model.components_).tobytes()


def _driver_killed(folder: Path, draw: random.Random) -> dict[str, Any]:
    """Kill who asked: its workers end, its files go, and the next run of that folder is made."""
    with _started(folder, ["--dask", "local:2"]) as driver:
        time.sleep(draw.uniform(1, 10))
        below = psutil.Process(driver.pid).children(recursive=True) if driver.poll() is None else []
        driver.kill()
        driver.wait()
    _, alive = psutil.wait_procs(below, _PATIENCE)
    if alive:
        raise WrongError(f"{len(alive)} processes live on: {' '.join(alive[0].cmdline())[:150]}")
    _expect_empty(folder / "tmp")
    with _started(folder, ["--replace"]) as driver:
        _expect_end(driver, (0,))
    return {"drivers killed": 1, "with processes of theirs": len(below)}


def _scheduler_killed(folder: Path, draw: random.Random) -> dict[str, Any]:
    with _cluster(folder, "auto") as (address, scheduler), _started(folder, ["--dask", address]) as driver:
        time.sleep(draw.uniform(3, 12))
        scheduler.kill()
        _expect_end(driver, (0, 2))
    counts = {"schedulers killed": 1, "of these, while the command ran": int(driver.returncode == 2)}
    if (folder / ".run.unfinished").exists():  # what is left goes on elsewhere, as the sentence says
        on = _popen(folder, [*_QUIRE, "cluster", "--resume", "run", "--no-page", "--dask", "local:1"], subprocess.PIPE)
        _expect_end(on, (0,))
        counts["of these, gone on elsewhere"] = 1
    _expect_nothing_half(folder)
    return counts


def _small_worker(folder: Path, draw: random.Random) -> dict[str, Any]:
    limit = f"{draw.randrange(120, 400)}MB"
    with _cluster(folder, limit) as (address, _), _started(folder, ["--dask", address]) as driver:
        _expect_end(driver, (0, 2), 240)
    _expect_nothing_half(folder)
    return {"small workers": 1, "that held all the same": int(driver.returncode == 0)}


@contextmanager
def _started(folder: Path, more: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a run of some documents into ``run``."""
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "long.toml").write_text(_RECIPE)
    (folder / "documents.txt").write_text("\n".join(row[0] for row in texts(3000)))
    command = [*_QUIRE, "cluster", "documents.txt", "--topics", "5", "--recipe", "long.toml", "--seed", "1"]
    process = _popen(folder, [*command, "--no-page", "--out", "run", *more], subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _cluster(folder: Path, memory: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a scheduler and a worker, as others do; give the address."""
    (folder / "theirs").mkdir()
    file, here = folder / "theirs" / "scheduler.json", ["--host", "127.0.0.1", "--no-dashboard"]
    scheduler = [*here, "--port", "0", "--scheduler-file", str(file)]
    worker = [*here, "--scheduler-file", str(file), "--nworkers", "1", "--nthreads", "1", "--memory-limit", memory]
    with ExitStack() as stack:
        processes = []
        for name, options in (
            ("scheduler", scheduler),
            ("worker", [*worker, "--local-directory", str(folder / "theirs")]),
        ):
            command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *options]
            processes.append(_popen(folder, command, subprocess.DEVNULL))
            stack.callback(_end, processes[-1])
            while name == "scheduler" and not (file.exists() and '"address"' in file.read_text()):
                time.sleep(0.1)
        address = file.read_text().split('"address": "')[1].split('"')[0]
        yield address, processes[0]


def _popen(folder: Path, command: list[str], output: int) -> subprocess.Popen[str]:
    env = os.environ | {"TMPDIR": str(folder / "tmp"), "NO_COLOR": "1"}
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=output, text=True)


def _end(process: subprocess.Popen[str]) -> None:
    below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    for one in (*below, process):
        one.kill()
    process.wait()


def _expect_end(driver: subprocess.Popen[str], codes: tuple[int, ...], seconds: float = 120) -> None:
    """Wait for a command: it ends, with a sentence where it does not succeed."""
    try:
        errors = driver.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        raise WrongError(f"the command still runs after {seconds:.0f} s") from None
    lines = [line for line in errors.splitlines() if line.strip()]
    if driver.returncode not in codes or "Traceback" in errors:
        raise WrongError(f"the command ended with {driver.returncode}: {errors[-1500:]}")
    if driver.returncode and not (lines and lines[-1].startswith("quire: ") and lines[-1].endswith(".")):
        raise WrongError(f"no sentence: {errors[-1500:]}")


def _expect_nothing_half(folder: Path) -> None:
    _expect_empty(folder / "tmp")
    left = {path.name for path in folder.iterdir()} - {"tmp", "theirs", "documents.txt", "long.toml", "run"}
    if left or ((folder / "run").exists() and not (folder / "run" / "run.json").exists()):
        raise WrongError(f"left behind: {', '.join(sorted(left)) or 'half a run'}")


def _expect_empty(folder: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while names := [path.name for path in folder.iterdir() if path.name.startswith((".quire", "quire"))]:
        if time.monotonic() > until:
            raise WrongError(f"left behind: {', '.join(names)}")
        time.sleep(0.5)


_SCENES: dict[str, Callable[[Path, random.Random], dict[str, Any]]] = {
    "workers killed": _workers_killed,
    "driver killed": _driver_killed,
    "scheduler killed": _scheduler_killed,
    "a worker too small": _small_worker,
}
