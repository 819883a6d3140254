"""Writes docs/scale.md: what a billion documents on 100 workers would need, computed from measured figures.

``python benchmarks/scale_page.py FIGURES.json``, with what ``dask_overhead.py --json FIGURES.json`` wrote.
No number of the page is typed: change an assumption here, or measure again.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import DOCS, table

from quire.corpus.cut import ROWS as BLOCK
from quire.places.dask.cluster import DEPTH
from quire.places.dask.written import MOST

FACTOR = INDEX = 4  # bytes of a number of W, H or X, and of a column's number
POINTER = 8  # bytes of where a row begins


@dataclass(frozen=True)
class Assumed:
    """What nobody measured."""

    documents: int = 1_000_000_000
    workers: int = 100
    cores: int = 16
    """Of a worker."""
    efficiency: float = 0.6
    """Of these cores, against that many times one core: the products wait for memory."""
    network: float = 1.25e9
    """Bytes a second into or out of one machine (10 Gbit/s)."""
    iterations: int = 100
    text: int = 200
    """Bytes of a document's text."""
    hop: float = 0.005
    """Seconds of one message between scheduler and worker."""


@dataclass(frozen=True)
class Needed:
    """What follows."""

    values: float
    """Of X, a document."""
    X: float
    W: float
    H: float
    worker_memory: float
    core_seconds: float
    """A document and iteration, on one core."""
    compute: float
    steps: int
    transfer: float
    latency: float
    iteration: float
    moved: float
    blocks: int


def needed(found: dict[str, Any], given: Assumed) -> Needed:
    """Do the arithmetic.

    Parameters
    ----------
    found : dict
        What was measured.
    given : Assumed
        What is assumed.
    """
    values = found["nnz"] / found["documents"]
    k, d = found["topics"], found["terms"]
    X = given.documents * (values * (FACTOR + INDEX) + POINTER)
    W = given.documents * k * FACTOR
    H = k * d * FACTOR
    cores = found["cores"]
    core_seconds = found["dask"]["median"] * cores / found["documents"]
    compute = core_seconds * given.documents / (given.workers * given.cores * given.efficiency)
    depth = (given.workers - 1).bit_length()
    steps = 2 * depth + 4  # H by the scheduler to a worker and on; sums up and by the scheduler to the driver
    transfer, latency = steps * H / given.network, steps * given.hop
    # W of this iteration and of the one before, H and its sums for each core, and half again to be safe
    memory = 1.5 * ((X + 2 * W) / given.workers + given.cores * 2 * H)
    moved = 2 * given.workers * H
    blocks = -(-given.documents // BLOCK)
    return Needed(values, X, W, H, memory, core_seconds, compute, steps, transfer, latency,
                  compute + transfer + latency, moved, blocks)  # fmt: skip


def size(n: float) -> str:
    """Write bytes as people read them."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= unit:
            return f"{n / unit:,.3g} {name}"
    return f"{n:.0f} bytes"


def span(seconds: float) -> str:
    """Write seconds as people read them."""
    for unit, name in ((3600.0, "hours"), (60.0, "minutes")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.2f} seconds"


PAGE = """# A billion documents

What {documents:,} documents on {workers} workers would need. **Nobody has run this**: the page is arithmetic
on figures measured on one machine, done by `benchmarks/scale_page.py`, and every assumption is named.

## Measured

By `benchmarks/dask_overhead.py` on {machine}.

{measured}

## Assumed

{assumed}

## What follows

{follows}

## What would limit it

- **The driver** sends H out, gets one sum back, and makes the half step on H alone. None of that grows with
  the documents; the levels of the tree grow with the logarithm of the workers.
- **The scheduler** sees groups of blocks, not blocks: a few hundred tasks a sweep. It remembers the chain of
  sweeps back to where W was last written down, {chain} at the most, and with each its H: {remembered}. With a
  folder that all workers can reach, H and W are left there, and it remembers only where.
- **Without such a folder** W would have to come to the driver to be written down, which is not done where it
  is more than {most}: then the chain, and what a lost worker costs, grow with the iterations.
- **A worker that is lost** costs its share again: its {share} of text are read, counted and weighed anew, and
  its W is made from where it was written down. The others wait, or take its blocks.
- **Labels and row sums** of all documents do come to the driver, {here}: that, and not the factorization, is
  what it needs memory for.
- **The fingerprint** in `run.json` is made of all texts in their order, so they pass through the driver:
  {text} in {passing} at the assumed network. So do the tables of the run, which it writes.
"""


def page(found: dict[str, Any], given: Assumed) -> str:
    """Return the page."""
    need = needed(found, given)
    return PAGE.format(
        documents=given.documents,
        workers=given.workers,
        machine=found["machine"],
        measured=table(["", ""], measured(found, need)),
        assumed=table(["", ""], assumed(found, given)),
        follows=table(["", "", "how"], follows(found, given, need)),
        chain=DEPTH,
        remembered=size(DEPTH * need.H),
        most=size(MOST),
        share=size(given.documents * given.text / given.workers),
        here=size(given.documents * 16),
        text=size(given.documents * given.text),
        passing=f"{given.documents * given.text / given.network / 60:.1f} minutes",
    )


def measured(found: dict[str, Any], need: Needed) -> list[list[str]]:
    """Return the rows of what was measured."""
    here, there = (found[name]["median"] for name in ("memory", "dask"))
    return [
        ["documents × terms, topics", f"{found['documents']:,} × {found['terms']:,}, {found['topics']}"],
        ["values of X a document", f"{need.values:.1f}"],
        ["seconds an iteration", f"{there:.3f} with two workers, {here:.3f} in memory"],
        ["so a document and iteration on one core", f"{need.core_seconds * 1e6:.2f} µs"],
        ["bytes sent an iteration, two workers", size(found["bytes"])],
        ["documents of a block", f"{BLOCK:,} at most"],
    ]


def assumed(found: dict[str, Any], given: Assumed) -> list[list[str]]:
    """Return the rows of what is assumed."""
    return [
        ["documents", f"{given.documents:,}, as long as those measured; {given.text} bytes of text each"],
        ["vocabulary", f"as measured, {found['terms']:,} terms: rarer ones are trimmed"],
        ["workers", f"{given.workers} machines of {given.cores} cores"],
        ["a core among the others", f"{given.efficiency:.0%} of a core measured among two"],
        ["network", f"{size(given.network)} a second into or out of a machine, whatever the others do"],
        ["H on its way", "each worker that has it hands it on, so that twice as many have it at each step"],
        ["a message", f"{given.hop * 1000:.0f} ms"],
        ["iterations", f"{given.iterations}"],
    ]


def follows(found: dict[str, Any], given: Assumed, need: Needed) -> list[list[str]]:
    """Return the rows of what was computed."""
    k, d = found["topics"], found["terms"]
    fit = need.iteration * given.iterations
    return [
        ["X", size(need.X), f"{need.values:.1f} × {FACTOR + INDEX} + {POINTER} bytes a document"],
        ["W", size(need.W), f"{k} × {FACTOR} bytes a document"],
        ["H, and each sum of XᵀW", size(need.H), f"{k} × {d:,} × {FACTOR} bytes"],
        ["**memory of a worker**", f"**{size(need.worker_memory)}**", "its X, W of two iterations, H and a "
         "sum for each core, and half as much again"],
        ["blocks", f"{need.blocks:,}", f"{need.blocks / given.workers:.0f} a worker"],
        ["work of an iteration", span(need.compute), "documents × µs ÷ cores ÷ their efficiency"],
        ["its network", span(need.transfer), f"{need.steps} steps of {size(need.H)}"],
        ["its messages", span(need.latency), f"{need.steps} one after another"],
        ["**an iteration**", f"**{span(need.iteration)}**", f"{need.compute / need.iteration:.0%} is work"],
        ["**a fit**", f"**{span(fit)}**", f"{given.iterations} iterations"],
        ["bytes sent an iteration", size(need.moved), "H to each worker and one sum from each"],
        ["text, read once", size(given.documents * given.text), "by the workers, each its own share"],
    ]  # fmt: skip


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path, help="what dask_overhead.py --json wrote")
    parser.add_argument("--documents", type=int, default=Assumed.documents)
    parser.add_argument("--workers", type=int, default=Assumed.workers)
    given = parser.parse_args()
    found = json.loads(given.figures.read_text())
    chosen = Assumed(documents=given.documents, workers=given.workers)
    (DOCS / "scale.md").write_text(page(found, chosen))


if __name__ == "__main__":
    main()
