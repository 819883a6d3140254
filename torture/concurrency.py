"""Writers, readers, threads, forks and joblib at the same time: one run is seen, and the same bits come out."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import joblib
import numpy as np

import quire.pages.file
import quire.runs.pipeline
from quire.methods.registry import METHODS
from quire.pages.full_text import SEARCH, FullText
from quire.places.disk import DiskPlace
from quire.runs.editing import edit_run
from quire.runs.edits.entry import Edit, new_edit
from torture.aftermath import make_runs
from torture.case import FAILURES, SENTENCE, Case, WrongError
from torture.child import made_in_child
from torture.runs import digest
from torture.together import alone, at_once
from torture.warm import warm_kernels

NAME = "concurrency"
_TIMES = 6  # that each does what it does
_MADE = ("NMF", "PPC", "SimplexNMF", "KMeans", "LSI", "Ensemble")  # those whose steps differ most


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield scenes, in each of which several do something at once."""
    warm_kernels()
    made = made_in_child(Case("runs", make_runs, seconds=120), work / "made")
    if made.verdict in FAILURES:
        raise RuntimeError(f"The runs could not be made: {made.words}")
    names, number = list(_SCENES), 0
    while True:
        draw = random.Random(f"{seed} {number}")
        name, draws = names[(seed + number) % len(names)], draw.randrange(1 << 30)
        yield Case(f"{name}, {draws}", _scene(name, work / "made" / "in", draws), seconds=60.0)
        number += 1


def _scene(name: str, seeds: Path, draws: int) -> Callable[[Path], dict[str, int]]:
    return lambda folder: _SCENES[name](folder, seeds, random.Random(draws))


def _digest(folder: Path) -> dict[str, str]:
    return {"sum": digest(quire.load(folder))}


def _writers_and_readers(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    target = shutil.copytree(seeds / "old", folder / "run")
    sound = {alone(partial(_digest, seeds / name)).facts["sum"] for name in ("old", "new")}
    writers = [partial(_write, seeds / name, target) for name in draw.choices(("old", "new"), k=3)]
    readers = [lambda: _read(target, sound)] * 2
    outcomes = at_once([*writers, *readers])
    alone(lambda: _read(target, sound))
    left = sorted(path.name for path in folder.iterdir())
    if left != ["run"]:
        raise WrongError(f"there is {', '.join(left)}")
    return {name: sum(outcome.facts.get(name, 0) for outcome in outcomes) for name in ("saved", "refused", "read")}


def _write(source: Path, target: Path) -> dict[str, int]:
    run, saved = quire.load(source), 0
    for _ in range(_TIMES):
        try:
            run.save(target)
            saved += 1
        except ValueError as error:
            if "another process is writing it" not in str(error):
                raise
    return {"saved": saved, "refused": _TIMES - saved}


def _read(target: Path, sound: set[str]) -> dict[str, int]:
    for _ in range(2 * _TIMES):
        if digest(quire.load(target)) not in sound:
            raise WrongError("a run was read that nobody saved")
    return {"read": 2 * _TIMES}


def _names_of_two(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    target = shutil.copytree(seeds / "old", folder / "run")
    at_once([partial(_rename, target, topic) for topic in (0, 1)])
    names = quire.load(target).topics["name"].to_list()[:2]
    if names != [f"Name {_TIMES}"] * 2:
        raise WrongError(f"names were lost: {names}")
    return {"renamed": 2 * _TIMES}


def _rename(target: Path, topic: int) -> None:
    for number in range(_TIMES):
        _edit(target, new_edit("rename", topic=topic, name=f"Name {number + 1}"))


def _edit(target: Path, edit: Edit) -> None:
    while True:  # who comes second is told to look again
        try:
            edit_run(target, edit)
            return
        except ValueError as error:
            if "meanwhile" not in str(error):
                raise


def _edits_of_two(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    """Merge topics and undo it, give names, and read: who reads sees all of an edit or nothing."""
    target = shutil.copytree(seeds / "old", folder / "run")
    sound = {alone(partial(_digest_of, seeds / "old", k)).facts["sum"] for k in (1, 2)}
    at_once([lambda: _merge_and_undo(target), partial(_rename, target, 0), *[lambda: _read(target, sound)] * 2])
    run = quire.load(target)
    merged = [edit["what"] for edit in run.history].count("merge")
    left = sorted(path.name for path in target.iterdir() if path.name.startswith(("edited-", ".quire-")))
    if (len(run.topics), merged, left) != (2, _TIMES, []):
        raise WrongError(f"{len(run.topics)} topics after {merged} edits of them; left: {left}")
    return {"edited": 3 * _TIMES, "read": 4 * _TIMES}


def _digest_of(folder: Path, topics: int) -> dict[str, str]:
    run = quire.load(folder)
    return {"sum": digest(run if topics == 2 else run.merge(0, 1))}


def _merge_and_undo(target: Path) -> None:
    for _ in range(_TIMES):
        _edit(target, new_edit("merge", topics=[0, 1]))
        while len(quire.load(target).topics) == 1:  # a name may have come after it, and is undone first
            _edit(target, new_edit("undo"))


def _two_indices(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    target = shutil.copytree(seeds / "old", folder / "run")
    at_once([lambda: _index(target)] * 3)
    return {"indices": 3}


def _index(target: Path) -> None:
    index = FullText(target / SEARCH, quire.load(target).documents)
    if not index.wait(30) or not index.search("moon")["total"]:
        raise WrongError("an index that others build too finds nothing")
    index.close()


def _pages(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    at_once([partial(_page, seeds / name, folder / "page.html") for name in ("old", "new", "old")])
    if not (folder / "page.html").read_text().rstrip().endswith("</html>") or len(list(folder.iterdir())) > 1:
        raise WrongError("half a page, or something beside it")
    return {"pages": 3}


def _page(source: Path, target: Path) -> None:
    quire.pages.file.page(quire.load(source), target)


def _one_work_folder(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    place = DiskPlace(folder / "work")
    outcome = alone(lambda: DiskPlace(folder / "work").close())
    if outcome.verdict != SENTENCE:
        raise WrongError("two processes have one work folder")
    place.close()
    alone(lambda: DiskPlace(folder / "work").close())
    return {"refused": 1}


def _matrix(draw: random.Random) -> np.ndarray:
    return np.random.default_rng(draw.randrange(1 << 30)).poisson(0.5, (200, 60)).astype(np.float64)


def _fitted(method: str, X: np.ndarray, n_jobs: int = 1) -> bytes:
    model = METHODS[method](3, random_state=0)
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    return np.asarray(model.fit_transform(X)).tobytes()


def _threads(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    X, method = _matrix(draw), draw.choice(_MADE)
    sound = _fitted(method, X)
    with ThreadPoolExecutor(4) as pool:
        _expect_same(method, sound, pool.map(lambda n: _fitted(method, X, n), [1, 2, 1, 2, 3, 1]))
    return {"fits": 7}


def _forks(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    """Fit with threads, then fork: the child begins threads of its own."""
    X, method = _matrix(draw), draw.choice(_MADE)
    sound = _fitted(method, X, 2)

    def again() -> None:
        _expect_same(method, sound, [_fitted(method, X, n) for n in (2, 1)])

    at_once([again] * 3)
    return {"fits": 7}


def _joblib(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    X, method, backend = _matrix(draw), draw.choice(_MADE), draw.choice(["loky", "threading", "multiprocessing"])
    sound = _fitted(method, X)
    tasks = [joblib.delayed(_fitted)(method, X, n) for n in (1, 2, 1, 2)]
    _expect_same(method, sound, joblib.Parallel(2, backend=backend)(tasks))
    return {"fits": 5}


def _loads_in_threads(folder: Path, seeds: Path, draw: random.Random) -> dict[str, int]:
    """Load, save, assign and draw pages in threads of one process."""
    target, errors = shutil.copytree(seeds / "old", folder / "run"), []
    sound = {digest(quire.load(seeds / name)) for name in ("old", "new")}

    def work(number: int) -> None:
        try:
            _write(seeds / ("old", "new")[number % 2], target)
            _read(target, sound)
            _page(target, folder / f"{number % 2}.html")
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise WrongError(errors[0])
    return {"threads": 3}


def _expect_same(method: str, sound: bytes, results: object) -> None:
    if any(result != sound for result in results):  # type: ignore[attr-defined]
        raise WrongError(f"{method} gives other bits where others work beside it")


_SCENES: dict[str, Callable[[Path, Path, random.Random], dict[str, int]]] = {
    "writers and readers of one run": _writers_and_readers,
    "names given by two": _names_of_two,
    "topics edited by two": _edits_of_two,
    "an index that three build": _two_indices,
    "a page that three write": _pages,
    "a work folder for one": _one_work_folder,
    "fits in threads": _threads,
    "fits after a fork": _forks,
    "fits by joblib": _joblib,
    "runs in threads": _loads_in_threads,
}
