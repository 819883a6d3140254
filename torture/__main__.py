"""``python -m torture --minutes 60 --seed 1``: run the campaign, keep what failed, write docs/reliability.md."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from pathlib import Path

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(_name, "1")  # cases are what runs side by side; and a parent with threads cannot be forked

from torture import page, results  # noqa: E402
from torture.campaign import Tally, run_part  # noqa: E402
from torture.parts import PARTS, Part, loaded  # noqa: E402

KEPT = Path("quire-torture")
_AS_LONG_AS_IT_TAKES = 3600.0
_LONG = 10.0  # minutes from which on a campaign is told in the docs


def main(given: list[str] | None = None) -> int:
    """Run the parts that are asked for, each for its share of the time; 1 where anything failed."""
    args = _arguments().parse_args(given)
    into = args.into or (results.DOCS if args.minutes >= _LONG and args.case is None else KEPT / "results")
    if args.page:
        print(f"Wrote {page.write(into)}.")
        return 0
    seed = secrets.randbelow(1 << 31) if args.seed is None else args.seed
    parts = [PARTS[name] for name in args.only if PARTS[name].quick or not args.quick]
    print(f"torture: seed {seed}, {args.minutes:g} minutes, {', '.join(part.name for part in parts)}", flush=True)
    shares = sum(part.share for part in parts)
    failed = False
    for part in parts:
        seconds = 60 * args.minutes * part.share / shares
        if args.quick:
            seconds = _AS_LONG_AS_IT_TAKES
        elif seconds < part.least and args.case is None and len(parts) > 1:
            print(f"{part.name}: left out, it needs {part.least:.0f} s and has {seconds:.0f} s")
            continue
        tally = run_part(
            loaded(part), seed, seconds, args.jobs, args.kept, args.case, part.quick if args.quick else None
        )
        _tell(tally, part)
        failed |= bool(tally.failures)
        if args.case is None:
            results.add(into, tally, args.minutes)
    if args.case is None:
        print(f"Wrote {page.write(into)}.")
    return int(failed)


def _tell(tally: Tally, part: Part) -> None:
    verdicts = ", ".join(f"{n:,} {verdict}" for verdict, n in sorted(tally.verdicts.items()))
    facts = "".join(f", {name} {value}" for name, value in tally.facts.items())
    print(f"{tally.part}: {tally.tried:,} {part.noun} in {tally.seconds:.0f} s: {verdicts}{facts}", flush=True)
    for failure in tally.failures:
        print(f"  {failure['verdict']}: {failure['name']}: {failure['words'][:200]}\n    {failure['repeat']}")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="in all, shared out among the parts")
    parser.add_argument("--seed", type=int, help="the same seed gives the same cases (drawn, and printed)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="run these parts")
    parser.add_argument("--case", type=int, help="run one case again, by its number")
    parser.add_argument("--quick", action="store_true", help="a fixed number of cases of the parts that need little")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="cases at a time")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where cases that failed are kept")
    parser.add_argument("--into", type=Path, help="folder of the results (docs/reliability); its page lies beside it")
    parser.add_argument("--page", action="store_true", help="run nothing: write the page from what is there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
