"""Kernels loaded once, in the parent: every child would compile or load them again."""

from __future__ import annotations

import gc
import warnings
from functools import cache

import numpy as np
import scipy.sparse as sp

from quire.backends.kernels.compiled import warm
from quire.methods.registry import METHODS


@cache
def warm_kernels() -> None:
    """Load what fits and counts need; a fit on one thread starts none."""
    warm()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in ("f4", "f8"):
            X = sp.csr_array(np.random.default_rng(0).random((30, 20)).astype(dtype))
            for method in METHODS.values():
                for held in (X, X.toarray()):
                    model = method(3, random_state=0)
                    model.fit_transform(held)
    gc.collect()
    gc.freeze()  # a collection in a child would touch, and so copy, every page
