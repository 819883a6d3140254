"""Claim: on one machine, two Dask workers take at most 1.3 times as long as the engine in memory.

Both fit NMF from the same start for the same iterations, in this one run: in memory with all cores, and on
``local:2``, a worker process with half of the cores each. Seconds of an iteration are those between two
callbacks, after the first few, in which kernels are loaded. X is built of generated documents once and kept.
Writes docs/benchmarks.md, and the figures that ``scale_page.py`` computes with.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from generated_texts import documents
from measure import machine, table, write_section

from quire import NMF
from quire.corpus.corpus import read_corpus
from quire.corpus.cut import ROWS
from quire.engine.start import first_factors
from quire.places.dask.cluster import DaskPlace
from quire.places.parts import Blocks
from quire.runs.options import Options
from quire.runs.terms import count_terms, weigh_terms

WARM = 4  # iterations that are not counted
BAR = 1.3


def matrix(folder: Path, n: int) -> sp.csr_array:
    """Return X of so many generated documents; one that is there already is used again."""
    path = folder / f"dask-{n}.npz"
    if not path.exists():
        options = Options()
        recipe = options.resolved_recipe(None)
        terms = count_terms(read_corpus(documents(n)), recipe, options, None, lambda done, of: None)
        sp.save_npz(path, weigh_terms(terms, recipe)[1].whole(), compressed=False)
    return sp.csr_array(sp.load_npz(path))


def fitted(X: Any, start: tuple[Any, Any], iterations: int) -> tuple[list[float], float]:
    """Return the seconds of each iteration, and the objective."""
    ends: list[float] = []
    model = NMF(
        len(start[1]), init="custom", coarse=False, tol=0, max_iter=iterations,
        callback=lambda step: ends.append(time.perf_counter()),
    )  # fmt: skip
    model.fit_transform(X, W=start[0], H=start[1])
    return np.diff(ends)[WARM - 1 :].tolist(), float(model.objective_)


def sent(place: DaskPlace, X: Blocks, start: tuple[Any, Any]) -> float:
    """Return the bytes of an iteration: what four more of them send, over four."""
    counts = []
    for iterations in (2, 6):
        before = place.bytes_sent
        fitted(X, start, iterations)
        counts.append(place.bytes_sent - before)
    return (counts[1] - counts[0]) / 4


def measured(X: sp.csr_array, k: int, iterations: int, repeats: int, rows: int) -> dict[str, Any]:
    """Time both sides in turn."""
    start = first_factors(X, k, "random", np.random.RandomState(0))
    here: list[float] = []
    there: list[float] = []
    with DaskPlace("local:2") as place:
        blocks = Blocks.split(X, place, rows)
        for _ in range(repeats):
            seconds, objective = fitted(X, start, iterations)
            here += seconds
            seconds, objective_there = fitted(blocks, start, iterations)
            there += seconds
        each = sent(place, blocks, start)
    found = {"documents": X.shape[0], "terms": X.shape[1], "nnz": int(X.nnz), "topics": k, "workers": 2,
             "blocks": len(blocks.handles), "iterations": iterations, "repeats": repeats,
             "cores": os.cpu_count(), "machine": machine(), "bytes": each,
             "objective_differs": abs(objective_there / objective - 1)}  # fmt: skip
    for name, times in (("memory", here), ("dask", there)):
        found[name] = {"min": min(times), "median": float(np.median(times))}
    return found


def section(found: dict[str, Any]) -> str:
    """Say it in words and a table."""
    here, there = found["memory"], found["dask"]
    rows = [[name, f"{one['min']:.3f}", f"{one['median']:.3f}"] for name, one in
            (("in memory, all cores", here), ("two Dask workers, half the cores each", there))]  # fmt: skip
    rows.append(["ratio", *(f"**{there[which] / here[which]:.2f}×**" for which in ("min", "median"))])
    k, d, workers = found["topics"], found["terms"], found["workers"]
    needed = 4 * k * d * 2 * workers
    return (
        f"### Two Dask workers on one machine\n\n`python benchmarks/dask_overhead.py`: NMF of "
        f"{found['documents']:,} generated documents × {d:,} terms ({found['nnz']:,} values), k = {k}, "
        f"{found['blocks']} blocks, {found['repeats']} × {found['iterations']} iterations from one start "
        f"(bar: {BAR}×). {machine()}.\n\n{table(['seconds an iteration', 'min', 'median'], rows)}\n\n"
        f"An iteration sent {found['bytes'] / 1e6:.1f} MB. H to each worker and one sum of XᵀW from each are "
        f"{needed / 1e6:.1f} MB; workers of one machine read H from one file, so it counts once. The "
        f"objectives differ by {found['objective_differs']:.0e}."
    )


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=ROWS, help="documents of a block")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where X is kept")
    parser.add_argument("--json", type=Path, help="keep the figures here, for scale_page.py")
    parser.add_argument("--print", action="store_true", help="write no page")
    given = parser.parse_args()
    X = matrix(given.folder, given.documents)
    found = measured(X, given.topics, given.iterations, given.repeats, given.rows)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2))
    print(section(found))
    if not given.print:
        write_section("dask overhead", section(found))


if __name__ == "__main__":
    main()
