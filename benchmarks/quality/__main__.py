"""Measure how good the topics are, and write docs/quality.md from what was measured.

``python -m benchmarks.quality``: results go to docs/quality, a JSON file a part; a run that was interrupted
goes on where it stopped. ``--quick``, to try it: 2 seeds, small corpora, results in quire-quality.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from types import ModuleType

from benchmarks.measure import DOCS
from benchmarks.quality import corpora
from benchmarks.quality.page import write_page
from benchmarks.quality.recipes import Visit
from benchmarks.quality.results import Results

PARTS = {"clusters": "clusters", "ablation": "ablation", "sure": "sure", "auto": "auto", "readable": "words",
         "embedded": "embedded", "novelty": "novelty", "tree": "tree", "update": "update",
         "seeds": "seeds", "papers": "papers"}  # fmt: skip


def main(given: list[str] | None = None) -> None:
    """Measure what is asked for, corpus by corpus, then write the page."""
    args = _arguments().parse_args(given)
    seeds = args.seeds or (2 if args.quick else 5)
    groups = args.corpora or (["small"] if args.quick else ["labelled", "short"])
    folder = args.into or (Path("quire-quality") / "results" if args.quick else DOCS / "quality")
    if not args.page:
        parts = {name: importlib.import_module(f"benchmarks.quality.{PARTS[name]}") for name in args.only}
        for name in corpora.names_of(groups):
            measure_corpus(name, parts, seeds, folder, args.again)
    print(f"Wrote {write_page(folder)}.")


def measure_corpus(name: str, parts: dict[str, ModuleType], seeds: int, folder: Path, again: bool) -> None:
    """Measure the cells of one corpus that are not there yet; each is written when it is done."""
    visit = Visit(name)
    for part, module in parts.items():
        results = Results(folder, part)
        cells = module.cells(name, seeds)
        missing = [cell for cell in cells if again or not results.has(cell)]
        began = time.perf_counter()
        for done, cell in enumerate(missing):
            _say(f"{name}: {part}, {done + 1} of {len(missing)}", over=True)
            results.put(cell, module.measure(visit, cell))
        if cells:
            spent = time.perf_counter() - began
            _say(f"{name}: {part}, {len(missing)} of {len(cells)} measured in {spent:.1f} s")


def _say(text: str, over: bool = False) -> None:
    """Print a line; on a terminal the next one may take its place."""
    terminal = sys.stdout.isatty()
    if over and not terminal:
        return
    print(("\r\x1b[K" if terminal else "") + text, end="" if over else "\n", flush=True)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="measure these parts")
    parser.add_argument("--corpora", nargs="+", help="names of corpora, or labelled, short, small")
    parser.add_argument("--seeds", type=int, help="how many seeds (5)")
    parser.add_argument("--quick", action="store_true", help="2 seeds, small corpora, into quire-quality")
    parser.add_argument("--again", action="store_true", help="measure also what is there already")
    parser.add_argument("--into", type=Path, help="folder of the results (docs/quality); its page lies beside it")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page from what is there")
    return parser


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"quality: {error}")
