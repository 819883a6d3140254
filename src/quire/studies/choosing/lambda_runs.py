"""Many independent fits side by side, and the λ from which on nothing is left of W.

Where W dies depends on the start more than on X. The thesis updates W first, so a document's first weights
are what the random topics say about it: if no topic of the start gives it more than λ, the document is out.
Its p, the share of non-zeros in the first H, is not printed; here the first topics are as sparse as the
documents are: p is the share of non-zeros in X. (On TDT2, k = 31, W dies at nλ = 10 with p = 1, at 23 with
0.1, at 70 with 0.01; the thesis's figures end at 20. Were H updated first, W would live until nλ = 2,500, and
the four nodes would miss all that happens below 100.)
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire.engine.rules.simplex import onto_simplex
from quire.engine.start import sprinkled
from quire.methods.output import giving_arrays
from quire.methods.simplex import SimplexNMF
from quire.places.indices import as_csr
from quire.places.machine import allowed_threads
from quire.scores.metrics import purity, soft_nmi

Item = TypeVar("Item")
Answer = TypeVar("Answer")
_TOL, _MOST_ITERATIONS = 1e-3, 100  # both as in the thesis's program
_SHORT = 5  # iterations after which it shows whether W dies
_GONE = 0.99  # share of rows of zeros that counts as all
_DOUBLINGS, _BISECTIONS = 40, 5


class Score(NamedTuple):
    """What one fit came to, and the ``random_state`` that gives it again."""

    soft_nmi: float
    purity: float
    random_state: int


class SideBySide:
    """Threads that each run one fit at a time; an error or Ctrl-C ends the fits under way."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.stop = threading.Event()
        self._pool = ThreadPoolExecutor(allowed_threads(n_jobs), "quire-fit")

    def map(
        self, task: Callable[[Item], Answer], items: Iterable[Item], tell: Callable[[], None] = lambda: None
    ) -> list[Answer]:
        """Return the task's answers in the order of the items, calling ``tell`` as each is done."""
        tasks = [self._pool.submit(task, item) for item in items]
        for done in as_completed(tasks):
            done.result()
            tell()
        return [one.result() for one in tasks]

    def __enter__(self) -> SideBySide:
        # Filters belong to the process, so they are set here and not in the threads.
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("ignore", ConvergenceWarning)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()  # whatever still runs is not waited for to its end
        self._pool.shutdown(cancel_futures=True)
        self._warnings.__exit__(None, None, None)


class KnownClasses(NamedTuple):
    """Documents, and the classes of those whose class is known."""

    X: Any
    codes: NDArray[np.intp]
    """The classes as numbers, of the known ones only."""
    known: NDArray[np.bool_]

    def score(self, k: int, lam: float, random_state: int, stop: Callable[[Any], bool] | None = None) -> Score:
        """Fit once and compare with the classes."""
        model, W = fit_once(self.X, k, lam, random_state, stop)
        soft = soft_nmi(self.codes, W[self.known])
        return Score(soft, purity(self.codes, model.labels_[self.known]), random_state)


def known_classes(X: Any, labels: Sequence[Any] | NDArray[Any] | None) -> KnownClasses:
    """Check the labels, None where a class is not known, and number the classes."""
    X = as_csr(X, "the search for λ") if sp.issparse(X) else np.asarray(X)
    if labels is None:
        raise ValueError("The search for λ compares topics with known classes: give a label per document.")
    given = np.asarray(labels, object)
    if given.shape != (X.shape[0],):
        raise ValueError(f"There are {X.shape[0]:,} documents but {len(given):,} labels: give one for each.")
    known = np.array([label is not None and label == label for label in given], bool)
    names, codes = np.unique(given[known].astype(str), return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"The search for λ needs documents of at least two classes, and the labels name {len(names)}: "
            "choose another column of labels, or choose k without labels."
        )
    return KnownClasses(X, codes.astype(np.intp), known)


def fit_once(
    X: Any, k: int, lam: float, random_state: int, stop: Callable[[Any], bool] | None = None, *, short: bool = False
) -> tuple[SimplexNMF, NDArray[Any]]:
    """Fit from one start on one thread, W first; return the model and W. A short fit only shows whether W dies."""
    X = as_csr(X, "the search for λ") if sp.issparse(X) else np.asarray(X, np.float64)
    H = _first_topics(X, k, random_state)
    tol, most = (0.0, _SHORT) if short else (_TOL, _MOST_ITERATIONS)
    model = SimplexNMF(k, lam=lam, init="custom", n_init=1, n_jobs=1, tol=tol, max_iter=most, callback=stop)
    return model, giving_arrays(model).fit_transform(
        X, W=np.zeros((X.shape[0], k), X.dtype), H=H
    )  # W = 0: it comes first


def smallest_zeroing(X: Any, k: int, random_state: int, stop: Callable[[Any], bool] | None = None) -> float:
    """Return the smallest λ that leaves almost all rows of W zero, by bisection on short runs.

    The first look is at the λ that kills 99 % of the rows in the very first step, which needs no run; from
    there it is doubled or halved until the answer lies between, and the gap is bisected.
    """
    X = as_csr(X, "the search for λ") if sp.issparse(X) else np.asarray(X, np.float64)
    written = np.asarray(X.sum(axis=1)).ravel() > 0  # documents without a term do not count

    def gone(lam: float) -> bool:
        _, W = fit_once(X, k, lam, random_state, stop, short=True)
        return bool((W[written].sum(axis=1) == 0).mean() >= _GONE)

    first = np.array([onto_simplex(row) for row in _first_topics(X, k, random_state)])
    high = float(np.quantile((X @ first.T).max(axis=1)[written], _GONE)) or float(X.max())
    factor = 0.5 if gone(high) else 2.0
    for _ in range(_DOUBLINGS):
        if gone(high * factor) != (factor < 1):
            break
        high *= factor
    high = high if factor < 1 else 2 * high
    low = high / 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if gone(middle) else (middle, high)
    return high


def _first_topics(X: Any, k: int, random_state: int) -> NDArray[Any]:
    """Return a random H that is as sparse as X."""
    filled = (X.nnz if sp.issparse(X) else np.count_nonzero(X)) / (X.shape[0] * X.shape[1])
    return sprinkled(X, k, np.random.RandomState(random_state), max(filled, 1 / X.shape[1]))[1]
