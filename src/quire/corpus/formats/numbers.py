"""Counts in memory that are no sparse matrix: arrays, data frames of numbers, AnnData and what it keeps on disk."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from quire.corpus.cut import cut_documents, cut_matrix
from quire.corpus.formats.format import Format, Reading
from quire.corpus.formats.frames import is_pandas, type_of
from quire.corpus.formats.matrix import checked_matrix
from quire.corpus.notes import Notes
from quire.corpus.request import Request
from quire.places.place import Place


def read_numbers(source: Any, request: Request, place: Place) -> Reading:
    """Read a document for each row, with the names of rows as ids and those of columns as terms."""
    request.no_columns("A matrix")
    n, ids, terms = source.shape[0], None, None
    if _is_anndata(source):
        ids, terms = list(map(str, source.obs_names)), list(map(str, source.var_names))
    elif _is_frame(source):
        terms = list(map(str, source.columns))
    matrix = checked_matrix(sp.csr_array(_values(source)), "The matrix")
    named = range(n) if ids is None else ids
    documents = pl.DataFrame({"id": pl.Series([str(one) for one in named], dtype=pl.String)})
    if documents["id"].n_unique() < n:
        raise ValueError("Two observations have the same name: call obs_names_make_unique() first.")
    parts = [place.put(part) for part in cut_documents(documents)]
    return Reading(parts, Notes(source=type_of(source), kind="matrix"), cut_matrix(matrix, place), terms)


def _values(source: Any) -> Any:
    """Return the values as something that SciPy reads; what lies on disk is read whole."""
    if _is_anndata(source):
        return _values(source.X)
    if hasattr(source, "to_memory"):
        return source.to_memory()
    if hasattr(source, "sparse") and is_pandas(source) and _is_sparse(source):
        return source.sparse.to_coo()
    if isinstance(source, pl.DataFrame):
        return source.cast(pl.Float64).to_numpy()
    if is_pandas(source):
        return source.to_numpy(dtype=np.float64, na_value=np.nan)
    values = source if sp.issparse(source) else np.asarray(source)
    return values.astype(np.float32) if values.dtype == np.float16 else values


def _is_sparse(frame: Any) -> bool:
    return all(type(dtype).__name__ == "SparseDtype" for dtype in frame.dtypes)


def _root(source: Any) -> str:
    return type(source).__module__.split(".")[0]


def _is_anndata(source: Any) -> bool:
    return _root(source) == "anndata" and hasattr(source, "obs_names") and getattr(source, "X", None) is not None


def _is_frame(source: Any) -> bool:
    return isinstance(source, pl.DataFrame) or (is_pandas(source) and hasattr(source, "columns"))


def are_numbers(source: Any) -> bool:
    """Say whether this is a matrix of numbers, or a table of nothing else."""
    if isinstance(source, pl.DataFrame):
        return source.width > 1 and all(dtype.is_numeric() or dtype == pl.Boolean for dtype in source.dtypes)
    if is_pandas(source) and hasattr(source, "columns"):
        kinds = [getattr(dtype, "kind", None) or getattr(dtype, "subtype", dtype).kind for dtype in source.dtypes]
        return len(kinds) > 1 and all(kind in "iufb" for kind in kinds)
    if _is_anndata(source):
        return True
    known = isinstance(source, np.ndarray) or _root(source) in ("anndata", "h5py")
    two = len(getattr(source, "shape", ())) == 2
    return known and two and getattr(getattr(source, "dtype", None), "kind", "O") in "iufb"


FORMAT = Format(
    read_numbers, accepts=are_numbers, about="a row of counts each; the names of columns are the terms",
    named="in Python: a 2-D array, a data frame or another table of numbers, `AnnData` or its `X`",
)  # fmt: skip
