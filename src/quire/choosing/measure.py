"""What there is to know about each number of topics: a row of the table for each."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire._version import __version__
from quire.choosing.cache import Cache, as_key, fingerprint
from quire.choosing.choice import SCHEMA
from quire.choosing.consensus import Consensus, better_half, consensus_of
from quire.choosing.heldout import held_out_error
from quire.choosing.runs import OneRun, Runs
from quire.coherence import coherence
from quire.stages import Update


@dataclass(frozen=True)
class Measured:
    """The rows of all k, the consensus of those with two runs or more, and whether all was done.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.choosing.measure import Measured
    >>> Measured(pl.DataFrame({"k": [2]}), {}, True).whole
    True
    """

    table: pl.DataFrame
    consensus: dict[int, Consensus]
    whole: bool


def rounds(ks: Sequence[int], n_runs: int, seed: int) -> list[tuple[int, int]]:
    """Return k and seed of all runs: first one run of every k, then the next, so that all k are served alike.

    Examples
    --------
    >>> from quire.choosing.measure import rounds
    >>> rounds([2, 3], 2, 7)
    [(2, 7), (3, 7), (2, 8), (3, 8)]
    """
    return [(k, (seed + r) % 2**32) for r in range(n_runs) for k in ks]


def measured(
    X: Any, ks: Sequence[int], runs: Runs, pairs: list[tuple[int, int]], held: dict[int, float]
) -> Measured:
    """Put the table together from the runs that are there.

    Parameters
    ----------
    X : sparse matrix
        What the runs were made on.
    ks : sequence of int
        Rows of the table.
    runs : Runs
        The runs.
    pairs : list of (k, seed)
        Those that were wanted.
    held : dict
        k → held-out error, where measured.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire import NMF
    >>> from quire.choosing.measure import measured
    >>> from quire.choosing.runs import Runs
    >>> X = sp.csr_array(np.kron(np.eye(2), np.ones((3, 3))))
    >>> runs = Runs(X, lambda k, seed: NMF(k, init="random", random_state=seed, n_jobs=1), threads=1)
    >>> runs.gather([(2, 0), (2, 1)])
    True
    >>> measured(X, [2], runs, [(2, 0), (2, 1)], {}).table["rho"].to_list()
    [1.0]
    """
    found, rows = dict[int, Consensus](), []
    total = float(np.square(X.data if sp.issparse(X) else X, dtype=np.float64).sum())
    made = {k: [runs.get(k, s) for one, s in pairs if one == k and runs.has(k, s)] for k in ks}
    gains = topic_gains({k: min(run.objective for run in there) for k, there in made.items() if there})
    for k, there in made.items():
        row: dict[str, Any] = dict.fromkeys(SCHEMA)
        row |= {"k": k, "runs": len(there), "held_out": held.get(k)}
        if there:
            row |= _fit_columns(X, there, total)
        if len(there) > 1:
            labels, objectives = [run.labels for run in there], [run.objective for run in there]
            found[k] = consensus_of(labels, objectives, gain=gains[k])
            names = ("rho", "rho_best", "rho_near", "stability", "cophenetic", "pac")
            row |= {name: getattr(found[k], name) for name in names}
        rows.append(row)
    whole = all(runs.has(*pair) for pair in pairs)
    return Measured(pl.DataFrame(rows, SCHEMA, orient="row"), found, whole)


def topic_gains(lowest: dict[int, float]) -> dict[int, float]:
    """Return by how much the last topic of each k lowered the objective; for the first k, the next one.

    Examples
    --------
    >>> from quire.choosing.measure import topic_gains
    >>> topic_gains({2: 9.0, 3: 7.0, 5: 6.0})
    {2: 2.0, 3: 2.0, 5: 0.5}
    """
    ks = sorted(lowest)
    falls = [(lowest[a] - lowest[b]) / (b - a) for a, b in pairwise(ks)]
    return dict(zip(ks, [*falls[:1], *falls] if falls else [0.0]))


def held_out_errors(
    X: Any,
    ks: Sequence[int],
    folder: str | Path | None,
    seed: int,
    threads: int | None,
    update: Update = lambda done, total: None,
    until: float | None = None,
) -> dict[int, float]:
    """Return the held-out error of each k, from the folder where it is there.

    Parameters
    ----------
    X, ks, seed, threads
        As for :func:`quire.choose`.
    folder : path, optional
        Where errors are kept.
    update : callable, optional
        Is told how far it is.
    until : float, optional
        From this ``time.monotonic()`` on, no further k is begun.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.choosing.measure import held_out_errors
    >>> list(held_out_errors(sp.csr_array(np.kron(np.eye(2), np.ones((6, 6)))), [2], None, 0, 1))
    [2]
    """
    cache = Cache(folder, as_key(__version__, fingerprint(X), "held out"))
    found = dict[int, float]()
    for done, k in enumerate(ks):
        update(done, len(ks))
        name = f"held-{k}-{seed}"
        kept = cache.load(name)
        if kept is None:
            if until is not None and time.monotonic() >= until:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                kept = {"error": np.asarray(held_out_error(X, k, seed=seed, n_jobs=threads))}
            cache.save(name, kept)
        found[k] = float(kept["error"])
    return found


def _fit_columns(X: Any, there: list[OneRun], total: float) -> dict[str, Any]:
    best = min(there, key=lambda run: run.objective)
    half = sorted(there, key=lambda run: run.objective)[: better_half(len(there))]
    return {
        "used": float(np.mean([_n_used(run.labels) for run in half])),
        "error": best.error**2 / total if total > 0 else 0.0,
        "objective": best.objective,
        "coherence": _coherence(X, best.keywords),
        "seconds": float(np.mean([run.seconds for run in there])),
    }


def _n_used(labels: NDArray[Any]) -> int:
    return len(np.unique(labels[labels >= 0]))


def _coherence(X: Any, keywords: NDArray[Any]) -> float | None:
    """Return the mean NPMI; the columns of X stand for the words, and where a value is, the word occurs."""
    columns = np.unique(keywords[keywords >= 0])
    if not len(columns):
        return None
    lists = [[str(j) for j in row if j >= 0] for row in keywords]
    mean = coherence(lists, sp.csr_array(X)[:, columns], [str(j) for j in columns]).mean
    return mean if np.isfinite(mean) else None
