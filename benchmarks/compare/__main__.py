"""Measure Quire beside other programs, and write docs/compare.md from what was measured.

``python -m benchmarks.compare``: results go to docs/compare, a JSON file a corpus, cell by cell: what was interrupted
goes on where it stopped. ``--quick``, to try it: BBC News and tweets, one seed, results in quire-compare/results.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.compare import cells, corpora, installs
from benchmarks.compare.page import write_page
from benchmarks.compare.process import OTHERS
from benchmarks.compare.tools.registry import TOOLS
from benchmarks.measure import DOCS
from benchmarks.quality.results import Results, Row

SCRATCH = Path("quire-compare")  # texts, sentence embeddings, and the topics of each seed


def main(given: list[str] | None = None) -> None:
    """Measure what is asked for and not there yet, then write the page."""
    args = _arguments().parse_args(given)
    folder = args.into or (SCRATCH / "results" if args.quick else DOCS / "compare")
    names = [name for name in TOOLS if not args.tools or name in args.tools]
    seeds = args.seeds or (1 if args.quick else 2)
    if not args.page:
        if not OTHERS.exists():
            raise ValueError(f"The other programs are not installed in {OTHERS.parents[1].name}: run `make compare`.")
        installs.measure_sizes(folder)
        if args.installs:
            installs.measure_all(folder, names, SCRATCH)
        else:
            for corpus in args.corpora or (corpora.NAMES[:2] if args.quick else corpora.NAMES):
                measure_corpus(corpus, seeds, names, folder, round(60 * args.minutes))
    print(f"Wrote {write_page(folder)}.")


def measure_corpus(corpus: str, seeds: int, names: list[str], folder: Path, limit: int) -> None:
    """Measure the cells of one corpus that are not there yet; each is written when it is done."""
    visit = corpora.Visit(corpus, SCRATCH.absolute())
    results = Results(folder, corpus, lambda row: not cells.is_quires(TOOLS[row["tool"]]))
    wanted = cells.cells(corpus, seeds, names)
    missing = [cell for cell in wanted if not _is_there(results, cell, limit)]
    for done, cell in enumerate(missing):
        row = cells.measure(visit, cell, limit)
        results.put(cell, [row])
        said = row.get("failed") or f"{row['cpu']:.0f} CPU s"
        print(f"{corpus} {done + 1}/{len(missing)}: {cell['tool']}, {cell['choice']}, seed {cell['seed']}, "
              f"{cell['part']}: {said}", flush=True)  # fmt: skip


def _is_there(results: Results, cell: Row, limit: int) -> bool:
    rows = [row for row in results.rows if all(row.get(name) == value for name, value in cell.items())]
    return bool(rows) and not cells.may_be_tried(rows[0], limit)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__.split("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=corpora.NAMES, help="measure these (all, the small ones first)")
    parser.add_argument("--tools", nargs="+", choices=list(TOOLS), metavar="TOOL", help="measure these (all)")
    parser.add_argument("--seeds", type=int, help="how many seeds (2)")
    parser.add_argument("--minutes", type=float, default=20, help="CPU minutes that a cell may take (20)")
    parser.add_argument("--installs", action="store_true", help="install each program anew, and time its first result")
    parser.add_argument("--quick", action="store_true", help="two small corpora, one seed, into quire-compare")
    parser.add_argument("--into", type=Path, help="folder of the results (docs/compare); its page lies beside it")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page from what is there")
    return parser


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"compare: {error}")
