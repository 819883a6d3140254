"""What came of campaigns: docs/reliability, a JSON file a part with a record a campaign."""

from __future__ import annotations

import json
import os
import platform
from datetime import date
from pathlib import Path
from typing import Any

from quire import __version__
from torture.campaign import Tally

DOCS = Path(__file__).parents[1] / "docs" / "reliability"
_RECORDS = 20  # campaigns that are kept


def read(into: Path, part: str) -> list[dict[str, Any]]:
    """Return the records of a part, the newest last."""
    path = into / f"{part}.json"
    return list(json.loads(path.read_text("utf-8"))) if path.exists() else []


def add(into: Path, tally: Tally, minutes: float) -> None:
    """Add a record."""
    record = {
        "date": date.today().isoformat(),
        "quire": __version__,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "seed": tally.seed,
        "minutes": minutes,
        "seconds": round(tally.seconds, 1),
        "cases": tally.cases,
        "tried": tally.tried,
        "verdicts": dict(sorted(tally.verdicts.items())),
        "slowest": round(tally.slowest, 2),
        "facts": tally.facts,
        "failures": tally.failures,
    }
    into.mkdir(parents=True, exist_ok=True)
    records = [*read(into, tally.part), record][-_RECORDS:]
    (into / f"{tally.part}.json").write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", "utf-8")
