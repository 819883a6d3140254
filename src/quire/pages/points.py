"""What the page draws of every document, in columns of small numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.pages.encoding import Columns, packed_columns
from quire.pages.layout import Positions
from quire.pages.parts import Parts
from quire.runs.run import Run

_NO_LABEL, _NO_PART, _NO_DATE, _NOT_KNOWN = 65535, 65535, -(2**31), 255


def label_names(documents: pl.DataFrame) -> list[str] | None:
    """Return the names of the known classes, sorted; None where no document has one."""
    if "label" not in documents.columns or not documents["label"].count():
        return None
    names = documents["label"].drop_nulls().value_counts(sort=True)["label"]
    return sorted(names.head(_NO_LABEL).to_list())  # of more than that, the rarest are as if unknown


def packed_points(
    run: Run,
    positions: Positions,
    rank: NDArray[Any],
    labels: Sequence[str] | None,
    parts: Parts | None = None,
    more: Iterable[tuple[str, str, Any]] = (),
) -> tuple[bytes, Columns]:
    """Return the points of all documents, with more columns at their end, and where each column lies."""
    table = run.documents
    x, y = np.rint(np.clip(positions.documents, 0, 1) * 65535).T
    sure = table["confidence"].fill_nan(None)
    columns: list[tuple[str, str, Any]] = [
        ("x", "u16", x),
        ("y", "u16", y),
        ("topic", "i16", table["topic"].to_numpy()),
        ("other", "i16", table["runner_up"].to_numpy()),
        ("membership", "u8", np.rint(np.clip(table["membership"].to_numpy(), 0, 1) * 255)),
        ("confidence", "u8", (sure.cast(pl.Float64).clip(0, 1) * 254).round().fill_null(_NOT_KNOWN)),
        ("rank", "u32", rank),
    ]
    if parts is not None:
        columns.append(("part", "u16", np.where(parts.codes < 0, _NO_PART, parts.codes)))
    if labels is not None:
        number = {name: j for j, name in enumerate(labels)}
        columns.append(("label", "u16", table["label"].replace_strict(number, default=_NO_LABEL)))
    if "date" in table.columns and table["date"].count():
        columns.append(("date", "i32", table["date"].cast(pl.Date).to_physical().fill_null(_NO_DATE)))
    return packed_columns([*columns, *more])
