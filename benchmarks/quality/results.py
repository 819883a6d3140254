"""Measured cells as JSON files, one a part; a cell that is there is not measured again."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import machine

from quire import __version__
from quire.runs.recipe import built_in

Row = dict[str, Any]


class Results:
    """The rows of one part, in memory and in FOLDER/PART.json; with another default recipe only those of ``stays``."""

    def __init__(self, folder: Path, part: str, stays: Callable[[Row], bool] | None = None) -> None:
        self.path = folder / f"{part}.json"
        self.default = built_in()["default"].as_dict()
        found = read(folder, part)
        self.rows: list[Row] = found["rows"]
        if found["rows"] and found["default"] != self.default:
            self.rows = [row for row in self.rows if (stays or _needs_no_default)(row)]
            print(f"{part}: the default recipe has changed; what hangs on it is measured anew.", flush=True)

    def has(self, key: Row) -> bool:
        """Say whether a cell has been measured."""
        return any(_matches(row, key) for row in self.rows)

    def put(self, key: Row, rows: list[Row]) -> None:
        """Keep the rows of a cell in place of older ones, and write the file, whole or not at all."""
        self.rows = [row for row in self.rows if not _matches(row, key)]
        self.rows += [{**key, **_rounded(row)} for row in rows]
        head = {
            "quire": __version__,
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "machine": machine(),
            "default": self.default,
        }
        lines = ",\n ".join(json.dumps(row, ensure_ascii=False) for row in self.rows)
        text = json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}") + f',\n "rows": [\n {lines}\n ]\n}}\n'
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".tmp")
        beside.write_text(text, "utf-8")
        beside.replace(self.path)


def read(folder: Path, part: str) -> dict[str, Any]:
    """Return what the file of a part holds; no rows where there is none."""
    path = folder / f"{part}.json"
    if not path.exists():
        return {"rows": []}
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


def _matches(row: Row, key: Row) -> bool:
    return all(row.get(name) == value for name, value in key.items())


def _needs_no_default(row: Row) -> bool:
    """Say whether a row was made by another recipe alone; the baselines count words as the default does."""
    from benchmarks.quality.recipes import BASELINES

    return row.get("recipe") not in (None, "default", *BASELINES)


def _rounded(row: Row) -> Row:
    """Give numbers as many digits as the page can need, so that the file stays readable."""
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in row.items()}
