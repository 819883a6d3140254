"""Results as files for others: a format is a suffix and the function that writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from quire.places.atomic import make_folder, whole_file
from quire.runs.folder import check_file, reason, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Exported(NamedTuple):
    """What a study found, in each of the ways that a format may want it."""

    table: pl.DataFrame
    data: dict[str, Any]
    figure: Callable[[], Figure]


FORMATS: dict[str, Callable[[Exported, Path], object]] = {  # raises ImportError where a library is missing
    ".csv": lambda exported, path: write_file(path, exported.table.write_csv()),
    ".json": lambda exported, path: write_file(path, json.dumps(exported.data, ensure_ascii=False) + "\n"),
    ".svg": lambda exported, path: _write_figure(exported.figure(), path),
}


def _write_figure(figure: Figure, path: Path) -> None:
    with whole_file(check_file(path)) as part:
        figure.savefig(part, format="svg")


def export(exported: Exported, folder: str | Path, name: str) -> list[Path]:
    """Write a file of each format into a folder, but for those that need what is not installed."""
    place, made = Path(folder), []
    for suffix, write in FORMATS.items():
        try:
            make_folder(place)
            write(exported, place / f"{name}{suffix}")
        except ImportError:
            continue
        except OSError as error:
            raise ValueError(f"{place / name}{suffix} could not be written: {reason(error)}.") from None
        made.append(place / f"{name}{suffix}")
    return made
