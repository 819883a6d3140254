"""What several experiments do: draw classes, fit by a recipe, run independent fits side by side."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire.backends.check import silent_rows
from quire.papers.experiment import Cell, Setting
from quire.places.machine import allowed_threads
from quire.runs.recipe import Recipe, recipe
from quire.text.trimming import Trimming, columns_kept

T = TypeVar("T")
DEFAULT = "default"  # the recipe that stands as “Quire” beside the papers' methods
Halt = Callable[[object], bool]
"""A callback of a fit: true once it should stop."""


def side_by_side(
    tasks: Sequence[Callable[[Halt], Any]], setting: Setting, what: str, before: int = 0, total: int | None = None
) -> list[Any]:
    """Do independent tasks in threads; return what they found, in the order of the tasks.

    What the journal of the setting knows is not done again.
    """
    stopped = threading.Event()
    total = total or len(tasks)
    chapter = setting.journal.chapter(len(tasks))
    answers = chapter.answers()
    setting.update(before + len(answers), total, what)
    with warnings.catch_warnings(), ThreadPoolExecutor(allowed_threads(setting.threads)) as pool:
        warnings.simplefilter("ignore", ConvergenceWarning)  # here, as filters belong to all threads
        left = [number for number in range(len(tasks)) if number not in answers]
        futures = {pool.submit(tasks[number], lambda _: stopped.is_set()): number for number in left}
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda one: one.exception() is not None):  # what is done is kept
                    answers[futures[future]] = future.result()  # the first error ends it all
                    chapter.keep(futures[future], future.result())
                setting.update(before + len(answers), total, what)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [answers[number] for number in range(len(tasks))]


def once(compute: Callable[[Setting], T]) -> Callable[[Setting], T]:
    """Make a function of a setting keep its answers, for tables that share their runs.

    The number of threads and who is told of the progress change no answer.
    """
    answers: dict[tuple[Path, bool, int], T] = {}

    @wraps(compute)
    def kept(setting: Setting) -> T:
        key = (setting.data, setting.full, setting.seed)
        if key not in answers:
            answers[key] = compute(
                replace(setting, journal=setting.journal.named(f"{compute.__module__}.{compute.__qualname__}"))
            )
        return answers[key]

    return kept


def drawn_classes(labels: NDArray[Any], k: int, draw: int, seed: int) -> NDArray[Any]:
    """Draw k classes at random; the same numbers draw the same ones."""
    names = np.unique(labels)
    return np.asarray(np.sort(np.random.default_rng([seed, k, draw]).permutation(names)[:k]))


def with_factorization(of: Recipe, **changes: Any) -> Recipe:
    """Return a recipe with other parameters of its third step."""
    return replace(of, factorization={**of.factorization, **changes})


def trimmed(counts: sp.csr_array, of: Recipe) -> sp.csr_array:
    """Return counts without the terms that a recipe cuts; all where none would be left."""
    known = ("min_count", "min_df", "max_df", "cut_common", "keep_share")
    steps = Trimming(**{name: value for name, value in of.counts.items() if name in known})
    kept = steps.kept(counts, np.ones(counts.shape[1], bool), {})
    return columns_kept(counts, kept) if kept.any() else counts


def clustered(counts: sp.csr_array, of: Recipe, k: int, seed: int, halt: Halt | None = None) -> NDArray[np.intp]:
    """Weigh counts and find each document's topic as a recipe says, on one thread."""
    return factored(of.make_weight().fit_csr(counts), of, k, seed, halt)


def by_default(
    counts: sp.csr_array, k: int, seed: int, halt: Halt | None = None, texts: bool = False
) -> NDArray[np.intp]:
    """Cluster as Quire does where nobody chooses a recipe: a matrix as it is, of texts the terms that it keeps."""
    of = recipe(DEFAULT)
    return clustered(trimmed(counts, of) if texts else counts, of, k, seed, halt)


def factored(X: sp.csr_array, of: Recipe, k: int, seed: int, halt: Halt | None = None) -> NDArray[np.intp]:
    """Find each document's topic in weighted counts as a recipe says, on one thread."""
    estimator = of.make_estimator(k, seed, 1, halt)
    W = estimator.fit_transform(X)
    return estimator.assign(W, silent=silent_rows(X), **of.assignment)[0]


def cell_of(row: str, column: str, paper: float | None, values: Sequence[float]) -> Cell:
    """Return a cell with the mean of several values, and their standard deviation."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Cell(row, column, paper, float(np.mean(values)), spread, len(values))
