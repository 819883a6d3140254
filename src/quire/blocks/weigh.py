"""Counts in blocks → X in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.blocks.count import PartedTerms
from quire.blocks.matrix import Blocks
from quire.prepare import refuse_nothing
from quire.recipe import Recipe
from quire.weight import Weight


def weighed_parts(terms: PartedTerms, chosen: Recipe) -> tuple[Weight, Blocks]:
    """Return the recipe's weighting, fitted, and the counts weighed by it, as :func:`quire.prepare.weighed`.

    Parameters
    ----------
    terms : PartedTerms
        The counts.
    chosen : Recipe
        Names the weighting.

    Examples
    --------
    >>> import tempfile
    >>> from quire.blocks.count import counted_parts
    >>> from quire.blocks.disk import DiskPlace
    >>> from quire.blocks.read import parts_of
    >>> from quire.blocks.weigh import weighed_parts
    >>> from quire.options import Options
    >>> options = Options()
    >>> with DiskPlace(tempfile.mkdtemp()) as place:
    ...     parted = parts_of(["a moon", "the moon"], options, place)
    ...     terms = counted_parts(parted, options.resolved_recipe(), options)
    ...     weighed_parts(terms, options.resolved_recipe())[1].shape
    (2, 1)
    """
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
