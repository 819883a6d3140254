"""Small results kept in a folder, so that a long search goes on where it was stopped."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.places.atomic import whole_file


class Cache:
    """Arrays by name, in memory and, with a folder, on disk; ``key`` is all that they depend on.

    A file is there whole or not at all. One that cannot be read is as good as none.
    """

    def __init__(self, folder: str | Path | None, key: str) -> None:
        self._key = hashlib.sha256(key.encode()).hexdigest()[:20]
        self._folder = None if folder is None else Path(folder)
        self._memory: dict[str, dict[str, NDArray[Any]]] = {}
        if self._folder is not None:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=self._folder).close()
            except OSError as error:
                raise ValueError(
                    f"Nothing can be kept in {self._folder}: {error.strerror}; name another folder with --cache."
                ) from None

    def load(self, name: str) -> dict[str, NDArray[Any]] | None:
        """Return what was saved under a name, or None."""
        if name not in self._memory and self._folder is not None:
            try:
                with np.load(self._path(name), allow_pickle=False) as file:
                    self._memory[name] = {key: file[key] for key in file.files}
            except Exception:  # missing, or damaged in any way: it is made anew
                return None
        return self._memory.get(name)

    def save(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep arrays under a name."""
        self._memory[name] = dict(arrays)
        if self._folder is None:
            return
        try:
            with whole_file(self._path(name)) as written, written.open("wb") as file:
                np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        except OSError as error:
            raise ValueError(
                f"A run could not be kept in {self._folder}: {error.strerror}; make room, or name "
                "another folder with --cache."
            ) from None

    def _path(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{name}-{self._key}.npz"


def fingerprint(X: Any) -> str:
    """Return a checksum of a matrix: its shape, its values, and where they are."""
    parts = [X.indptr, X.indices, X.data] if sp.issparse(X) else [X]
    checksum = hashlib.sha256(f"{X.shape} {X.dtype}".encode())
    for part in parts:
        buffer: Any = np.ascontiguousarray(part)
        checksum.update(buffer)
    return checksum.hexdigest()


def as_key(*parts: Any) -> str:
    """Return one text for all that a result depends on."""
    return json.dumps(parts, sort_keys=True, default=repr, ensure_ascii=False)
