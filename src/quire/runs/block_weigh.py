"""Counts in blocks → X in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.parts import Blocks
from quire.runs.block_count import PartedTerms
from quire.runs.prepare import refuse_nothing
from quire.runs.recipe import Recipe
from quire.text.weight import Weight


def weighed_parts(terms: PartedTerms, chosen: Recipe) -> tuple[Weight, Blocks]:
    """Return the recipe's weighting, fitted, and the counts weighed by it."""
    counts, weight = terms.counts, chosen.make_weight()
    place = counts.place
    weight.check_parameters()
    weight.learn_columns(place.sweep(_column_sums, counts.handles, args=(weight,))[1], counts.shape[0])
    if weight.needs_degrees:
        weight.learn_degrees(place.sweep(_degrees, counts.handles, args=(weight,))[1])
    handles, rows = place.sweep(_weighed, counts.handles, args=(weight,))
    weight.row_scale_ = np.concatenate(rows)
    X = Blocks.of(place, handles)
    refuse_nothing(weight, counts.nnz, X.nnz)
    return weight, X


def _column_sums(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.column_sums(counts)


def _degrees(counts: sp.csr_array, weight: Weight) -> tuple[None, NDArray[np.float64]]:
    return None, weight.degrees(counts)


def _weighed(counts: sp.csr_array, weight: Weight) -> tuple[sp.csr_array, list[Any]]:
    X, rows = weight.weigh(counts)
    return X, [rows]
