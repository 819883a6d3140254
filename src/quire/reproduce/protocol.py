"""What several experiments do: draw classes, fit by a recipe, run independent fits side by side."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire.check import silent_rows
from quire.ops.threads import allowed_threads
from quire.recipe import Recipe
from quire.reproduce.experiment import Cell, Setting
from quire.trim import Trimming, columns_kept

Halt = Callable[[object], bool]
"""A callback of a fit: true once it should stop."""


def side_by_side(
    tasks: Sequence[Callable[[Halt], Any]],
    setting: Setting,
    what: str,
    before: int = 0,
    total: int | None = None,
) -> list[Any]:
    """Do independent tasks in threads; return what they found, in the order of the tasks.

    Parameters
    ----------
    tasks : sequence of callable
        Each uses one thread; it is given a callback that tells a fit to stop early when Ctrl-C was pressed.
    setting : Setting
        Says how many threads, and is told how many tasks are done.
    what : str
        What the tasks are.
    before, total : int
        Tasks done before these, and of how many in all.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.reproduce.experiment import Setting
    >>> from quire.reproduce.protocol import side_by_side
    >>> side_by_side([lambda halt: 1, lambda halt: 2], Setting(Path("data")), "adding")
    [1, 2]
    """
    stopped = threading.Event()
    total = total or len(tasks)
    setting.update(before, total, what)
    with warnings.catch_warnings(), ThreadPoolExecutor(allowed_threads(setting.threads)) as pool:
        warnings.simplefilter("ignore", ConvergenceWarning)  # here, as filters belong to all threads
        futures = [pool.submit(task, lambda _: stopped.is_set()) for task in tasks]
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()  # the first error ends it all
                setting.update(before + len(futures) - len(waiting), total, what)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]


def drawn_classes(labels: NDArray[Any], k: int, draw: int, seed: int) -> NDArray[Any]:
    """Draw k classes at random; the same numbers draw the same ones.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.reproduce.protocol import drawn_classes
    >>> len(drawn_classes(np.array(["a", "b", "b", "c"]), 2, 0, 0))
    2
    """
    names = np.unique(labels)
    return np.asarray(np.sort(np.random.default_rng([seed, k, draw]).permutation(names)[:k]))


def with_factorization(of: Recipe, **changes: Any) -> Recipe:
    """Return a recipe with other parameters of its third step.

    Examples
    --------
    >>> from quire.recipe import recipe
    >>> from quire.reproduce.protocol import with_factorization
    >>> with_factorization(recipe("xu2003"), n_init=3).factorization["n_init"]
    3
    """
    return replace(of, factorization={**of.factorization, **changes})


def trimmed(counts: sp.csr_array, of: Recipe) -> sp.csr_array:
    """Return counts without the terms that a recipe cuts; all where none would be left.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.recipe import recipe
    >>> from quire.reproduce.protocol import trimmed
    >>> trimmed(sp.csr_array(np.eye(3)), recipe("nmf")).shape
    (3, 3)
    """
    known = ("min_count", "min_df", "max_df", "cut_common", "keep_share")
    steps = Trimming(**{name: value for name, value in of.counts.items() if name in known})
    kept = steps.kept(counts, np.ones(counts.shape[1], bool), {})
    return columns_kept(counts, kept) if kept.any() else counts


def clustered(
    counts: sp.csr_array, of: Recipe, k: int, seed: int, halt: Halt | None = None
) -> NDArray[np.intp]:
    """Weigh counts and find each document's topic as a recipe says, on one thread.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.recipe import recipe
    >>> from quire.reproduce.protocol import clustered
    >>> found = clustered(sp.csr_array(np.kron(np.eye(2), np.ones((3, 2)))), recipe("conroy2023-nl"), 2, 0)
    >>> len(set(found[:3])), len(set(found))
    (1, 2)
    """
    X = of.make_weight().fit_transform(counts)
    estimator = of.make_estimator(k, seed, 1, halt)
    W = estimator.fit_transform(X)
    return estimator.assign(W, silent=silent_rows(X), **of.assignment)[0]


def cell_of(row: str, column: str, paper: float | None, values: Sequence[float]) -> Cell:
    """Return a cell with the mean of several values, and their standard deviation.

    Examples
    --------
    >>> from quire.reproduce.protocol import cell_of
    >>> cell_of("k = 2", "NMF", 0.9, [0.8, 1.0]).ours
    0.9
    """
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Cell(row, column, paper, float(np.mean(values)), spread)
