"""Whose topic is which, for W in row blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.blocks.matrix import KeptRows
from quire.topics import assign


def assign_kept(
    W: KeptRows, H: NDArray[Any], *, unit_topics: bool = True, silent: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.intp], KeptRows]:
    """Return what :func:`quire.topics.assign` does, with the shares beside W.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from quire.blocks.assign import assign_kept
    >>> from quire.blocks.disk import DiskPlace
    >>> from quire.blocks.matrix import KeptRows
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     W = KeptRows.split(np.array([[3.0, 1.0], [0.0, 0.0]]), place, np.array([1, 1]))
    ...     assign_kept(W, np.eye(2))[0].tolist()
    [0, -1]
    """
    ends = np.cumsum(W.sizes)
    none = np.zeros(len(W), bool) if silent is None else silent
    flags = [W.place.put(none[end - size : end]) for end, size in zip(ends, W.sizes)]
    handles, labels = W.map(_assigned, flags, args=(H, unit_topics))
    kept = KeptRows(W.place, handles, W.sizes, W.shape, W.dtype)
    return np.concatenate([np.zeros(0, np.intp), *labels]), kept


def _assigned(
    rows: NDArray[Any], silent: NDArray[np.bool_], H: NDArray[Any], unit_topics: bool
) -> tuple[NDArray[Any], list[NDArray[np.intp]]]:
    labels, shares = assign(rows, H, unit_topics=unit_topics, silent=silent)
    return shares, [labels]
