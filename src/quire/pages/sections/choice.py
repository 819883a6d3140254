"""What ``quire choose`` found, as the page shows it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from quire.pages.sections.section import Asked
from quire.runs.run import Run

_NAME = "choice.json"
_CURVES = ("singular_values", "likelihood")


def choice_section(run: Run, asked: Asked) -> dict[str, Any] | None:
    """Read the ``choice.json`` that was asked for, of this version or an older one."""
    if asked.choice is None:
        return None
    file = Path(asked.choice)
    file = file / _NAME if file.is_dir() else file
    remedy = f"name the folder that `quire choose FILE --out FOLDER` wrote, or its {_NAME}."
    try:
        choice = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{file} could not be read ({error.strerror}): {remedy}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{file} is damaged or no JSON: {remedy}") from None
    try:
        return _section(choice)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise ValueError(f"{file} does not hold what `quire choose` writes: {remedy}") from None


def _section(choice: dict[str, Any]) -> dict[str, Any]:
    return {
        "k": int(choice["k"]),
        "lam": _number(choice["lam"]),
        "by": str(choice["by"]),
        "says": {str(way): int(k) for way, k in choice["says"].items()},
        "verdict": [str(sentence) for sentence in choice["verdict"]],
        "table": [{str(name): _number(value) for name, value in row.items()} for row in choice["table"]],
        "elbow": _elbow(choice["elbow"]) if choice.get("elbow") else None,
        "heat": [_heat(heat) for heat in choice.get("heat", [])],
        "search": _search(choice["search"], choice.get("curves", [])) if choice.get("search") else None,
    }


def _elbow(elbow: dict[str, Any]) -> dict[str, Any]:
    counts = {name: int(elbow[name]) for name in ("k", "first", "second")}
    curves = {name: [float(value) for value in elbow.get(name, [])] for name in _CURVES}
    return counts | {"sharp": bool(elbow["sharp"])} | curves


def _heat(heat: dict[str, Any]) -> dict[str, Any]:
    rows = [[int(percent) for percent in row] for row in heat["rows"]]
    if any(len(row) != len(rows) for row in rows):
        raise ValueError("A heat-map is square.")
    return {"k": int(heat["k"]), "rows": rows}


def _search(rows: list[dict[str, Any]], curves: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the λ that were tried, and the cubics, each with the best λ of its number of topics."""
    points = [_point(row) for row in rows]
    tried = [point for point in points if point["kind"] != "node"]
    best = {point["k"]: point["lam"] for point in sorted(tried, key=lambda point: float(point["nmi"]))}
    drawn = [{"k": int(c["k"]), "lam": list(map(float, c["lam"])), "nmi": list(map(float, c["nmi"]))} for c in curves]
    return {"points": points, "curves": [curve | {"best": best[curve["k"]]} for curve in drawn]}


def _point(row: dict[str, Any]) -> dict[str, Any]:
    """Return a λ: the cubic and the interval are those of the highest run, not of the mean."""
    return {
        "k": int(row["k"]), "lam": float(row["lam"]), "kind": str(row["kind"]), "runs": int(row["runs"]),
        "mean": float(row["mean"]), "nmi": float(row["max"]), "low": _number(row["low"]),
        "high": _number(row["high"]),
    }  # fmt: skip


def _number(value: Any) -> float | int | None:
    """Return a number as it is; null for none, and for what JSON has no word for."""
    if value is None or isinstance(value, int):
        return value
    return float(value) if math.isfinite(float(value)) else None
