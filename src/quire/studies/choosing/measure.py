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

from quire import __version__
from quire.messages import Update
from quire.scores.coherence import coherence
from quire.studies.choosing.cache import Cache, as_key, fingerprint
from quire.studies.choosing.choice import SCHEMA
from quire.studies.choosing.consensus import Consensus, better_half, consensus_of
from quire.studies.choosing.heldout import held_out_error
from quire.studies.choosing.runs import OneRun, Runs


@dataclass(frozen=True)
class Measured:
    """The rows of all k, the consensus of those with two runs or more, and whether all was done."""

    table: pl.DataFrame
    consensus: dict[int, Consensus]
    whole: bool


def rounds(ks: Sequence[int], n_runs: int, seed: int) -> list[tuple[int, int]]:
    """Return k and seed of all runs: first one run of every k, then the next, so that all k are served."""
    return [(k, (seed + r) % 2**32) for r in range(n_runs) for k in ks]


def measured(X: Any, ks: Sequence[int], runs: Runs, pairs: list[tuple[int, int]], held: dict[int, float]) -> Measured:
    """Put the table together from the runs that are there."""
    consensus, rows = dict[int, Consensus](), []
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
            consensus[k] = consensus_of(labels, objectives, gain=gains[k])
            names = ("rho", "rho_best", "rho_near", "stability", "cophenetic", "pac")
            row |= {name: getattr(consensus[k], name) for name in names}
        rows.append(row)
    whole = all(runs.has(*pair) for pair in pairs)
    return Measured(pl.DataFrame(rows, SCHEMA, orient="row"), consensus, whole)


def topic_gains(lowest: dict[int, float]) -> dict[int, float]:
    """Return by how much the last topic of each k lowered the objective; for the first k, the next one."""
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
    """Return the held-out error of each k, from the folder where it is there."""
    cache = Cache(folder, as_key(__version__, fingerprint(X), "held out"))
    errors = dict[int, float]()
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
        errors[k] = float(kept["error"])
    return errors


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
