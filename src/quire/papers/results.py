"""Results as JSON files, as tables for a terminal and as a page."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from quire import __version__
from quire.papers.experiment import Cell, Claim, Experiment, Result, Setting, Unavailable
from quire.places.machine import allowed_threads
from quire.runs.folder import write_file

_BELOW = ("numpy", "scipy", "scikit-learn", "numba")  # what the numbers come from besides Quire


def save_result(folder: Path, of: Experiment, result: Result, setting: Setting, seconds: float) -> Path:
    """Write a result as NAME.json, its figures as SVG files beside it; return where."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = of.name.replace("/", "-") + ("-full" if setting.full else "")
    data: dict[str, Any] = asdict(result)
    for name, svg in data.pop("figures").items():
        write_file(folder / f"{stem}-{name}.svg", svg)
    data["figures"] = [f"{stem}-{name}.svg" for name in result.figures]
    data |= {
        "name": of.name,
        "title": of.title,
        "full": setting.full,
        "seed": setting.seed,
        "seconds": round(seconds, 1),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {allowed_threads(setting.threads)} threads",
        "quire": __version__,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _BELOW}},
    }
    path = folder / f"{stem}.json"
    write_file(path, json.dumps(data, ensure_ascii=False, indent=1))
    return path


def result_table(result: Result, width: int = 80) -> RenderableType:
    """Return tables for a terminal: the paper's number, ours, and the difference, cell by cell.

    A wide table is split by columns. A column without any number of the paper's shows ours alone.
    """
    rows = ["", "", *result.rows]
    left = max(map(len, rows))
    parts: list[list[list[str]]] = []
    used = width + 1
    for column in result.columns:
        lines = _block(result, column)
        used += 2 + len(lines[0])
        if used > width:
            parts.append([])
            used = left + 2 + len(lines[0])
        parts[-1].append(lines)
    texts = []
    for part in parts:
        shown = ("  ".join(line).rstrip() for line in zip([row.ljust(left) for row in rows], *part, strict=True))
        texts.append(Text("\n" + "\n".join(shown), no_wrap=True, overflow="ellipsis"))
    return Group(*texts)


def _block(result: Result, column: str) -> list[str]:
    """Return a column as lines of one width: its name, what its numbers are, and a line a row."""
    cells = {cell.row: cell for cell in result.cells if cell.column == column}
    compared = any(cell.paper is not None for cell in cells.values())
    table = [["paper", "ours", "diff"] if compared else ["ours"]]
    for row in result.rows:
        cell = cells.get(row)
        table.append(_three(cell, result.digits)[: 3 if compared else 2][0 if compared else 1 :])
    widths = [max(map(len, numbers)) for numbers in zip(*table, strict=True)]
    lines = [" ".join(n.rjust(w) for n, w in zip(numbers, widths, strict=True)) for numbers in table]
    width = max(len(column), len(lines[0]))
    return [line.rjust(width) for line in (column, *lines)]


def _three(cell: Cell | None, digits: int) -> list[str]:
    if cell is None:
        return ["", "", ""]
    return [_number(cell.paper, digits), _number(cell.ours, digits), _number(cell.difference, digits, sign=True)]


def _number(value: float | None, digits: int, sign: bool = False) -> str:
    if value is None:
        return "–"
    shown = 0 if abs(value) >= 1000 else digits
    return f"{value:+.{shown}f}" if sign else f"{value:.{shown}f}"


def page(
    folder: Path,
    order: Sequence[str] = (),
    unavailable: Sequence[Unavailable] = (),
    claims: Callable[[str, Sequence[Cell]], Sequence[Claim]] = lambda name, cells: (),
) -> str:
    """Return all results of a folder as one Markdown page.

    Parameters
    ----------
    folder : path
        Where :func:`save_result` wrote them.
    order : sequence of str
        Names of experiments; others come after them.
    unavailable : sequence of Unavailable
        What cannot be done again, for the end of the page.
    claims : callable
        Takes the name of an experiment and its cells, and returns what the paper says of it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from quire.papers.results import page
    >>> page(Path(tempfile.mkdtemp())).splitlines()[0]
    '# The papers, done again'
    """
    results = [data for path in sorted(folder.glob("*.json")) if (data := _read(path)) is not None]
    place = {name: i for i, name in enumerate(order)}
    results.sort(key=lambda data: (place.get(data["name"], len(place)), not data["full"]))
    sections = [_section(data) for data in results]
    if unavailable:
        lines = [f"- {one.name} ({one.title}): {one.why}." for one in unavailable]
        sections.append("\n".join(["## What cannot be done again", "", *lines, ""]))
    head = (
        "# The papers, done again\n\nEvery table and figure of the five papers that can be done with "
        "corpora that can be had. In a cell: the paper's number, ours (± standard deviation, and the "
        "standard error of the mean in brackets, where there is one), the difference. Made by `quire reproduce`.\n"
    )
    return "\n".join([head, *_claims(results, claims), *sections])


def _claims(results: Sequence[dict[str, Any]], claims: Callable[[str, Sequence[Cell]], Sequence[Claim]]) -> list[str]:
    """Return a table of what the papers say and what came of it; full runs speak, quick ones where there is none."""
    rows: dict[str, list[str]] = {}
    for data in results:
        kind = "full" if data["full"] else "quick"
        found = claims(data["name"], [Cell(**cell) for cell in data["cells"]])
        lines = [f"| {data['name']}, {kind} | {one.text} | **{one.verdict}** | {one.evidence} |" for one in found]
        rows.setdefault(data["name"], lines)
    told = [line for lines in rows.values() for line in lines]
    if not told:
        return []
    head = [
        "## What the papers say, and what came of it",
        "",
        "| from | claim | here | evidence |",
        "|---|---|---|---|",
    ]
    return ["\n".join([*head, *told, ""])]


def _read(path: Path) -> dict[str, Any] | None:
    """Read a result; None for a file of another kind, or one that was cut short."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and {"name", "cells", "findings"} <= data.keys() else None


def _section(data: dict[str, Any]) -> str:
    result = Result(
        [Cell(**cell) for cell in data["cells"]], data["differs"], data["findings"], {}, data["text"],
        data["digits"],
    )  # fmt: skip
    kind = "full" if data["full"] else "quick"
    lines = [f"## {data['name']}, {kind}: {data['title']}", ""]
    if result.cells:
        cells = {(cell.row, cell.column): cell for cell in result.cells}
        lines += ["| | " + " | ".join(result.columns) + " |", "|---" * (len(result.columns) + 1) + "|"]
        for row in result.rows:
            shown = [_cell(cells.get((row, column)), result.digits) for column in result.columns]
            lines.append(f"| {row} | " + " | ".join(shown) + " |")
        lines.append("")
    lines += [f"![{name}]({name})" for name in data["figures"]] + ([""] if data["figures"] else [])
    if result.text:
        lines += ["```text", result.text.rstrip(), "```", ""]
    lines += [f"- {line}" for line in result.findings]
    lines += [f"- Not as in the paper: {line}" for line in result.differs]
    made = f"{data['date']}, {kind}, seed {data['seed']}, {data['seconds']} s on {data['machine']}"
    return "\n".join([*lines, "", f"*{made}; `quire reproduce {data['name']} --{kind}`*", ""])


def _cell(cell: Cell | None, digits: int) -> str:
    if cell is None:
        return "–"
    ours = _number(cell.ours, digits)
    if cell.spread is not None:
        ours += f" ± {_number(cell.spread, digits)}"
    if cell.error is not None:
        ours += f" ({_number(cell.error, digits)})"
    parts = [_number(cell.paper, digits), f"**{ours}**"]
    if cell.difference is not None:
        parts.append(_number(cell.difference, digits, sign=True))
    return " / ".join(parts)
