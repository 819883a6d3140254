"""Counts in parts → X in parts: what a weighting learns are sums over the parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.parts import Blocks
from quire.text.weight import Weight


def fit_weight(weight: Weight, counts: Blocks) -> Blocks:
    """Learn a weighting from counts and return them weighed by it."""
    place = counts.place
    weight.check_parameters()
    weight.learn_columns(place.sweep(_column_sums, counts.handles, args=(weight,))[1], counts.shape[0])
    if weight.needs_degrees:
        weight.learn_degrees(place.sweep(_degrees, counts.handles, args=(weight,))[1])
    handles, rows = place.sweep(_weighed, counts.handles, args=(weight,))
    weight.row_scale_ = np.concatenate(rows)
    X = Blocks.of(place, handles)
    if counts.nnz and not X.nnz:
        raise ValueError(
            f"The weighting {weight.scheme!r} leaves nothing: every term occurs in every document; use a "
            "recipe that does not weigh by rarity, such as --recipe default."
        )
    return X


def _column_sums(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.column_sums(counts)


def _degrees(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.degrees(counts)


def _weighed(counts: sp.csr_array, weight: Weight) -> tuple[sp.csr_array, list[Any]]:
    X, rows = weight.weigh(counts)
    return X, [rows]
