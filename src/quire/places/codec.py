"""Things as files that cannot execute code: JSON for what is small, arrays and tables as they lie in memory.

A file is a list of sizes, a JSON tree, and buffers that the tree names by number. Arrays are mapped when the
file is read. Of classes only those that were declared :func:`storable` are written or read, and nothing of
theirs is called: an instance is what its attributes were.
"""

from __future__ import annotations

import importlib
import io
import json
import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
import scipy.sparse as sp

from quire.places.handles import enough_handles
from quire.places.workfolder import check_space, writing_to

_ALIGNED = 64  # bytes: where a buffer begins in a file
_STORABLE: dict[str, type] = {}
Special = Callable[[Any], Any]
_Class = TypeVar("_Class", bound=type)


def storable(cls: _Class) -> _Class:
    """Declare a class whose instances may be written and read: by their attributes, which must be too."""
    _STORABLE[f"{cls.__module__}.{cls.__qualname__}"] = cls
    return cls


class Encoder:
    """Turns a thing into a tree for JSON; ``special`` may give its own tree for some things, else None."""

    def __init__(self, special: Special = lambda thing: None) -> None:
        self.buffers: list[Any] = []
        self._special = special
        self._seen: dict[int, tuple[int, Any]] = {}  # instances by identity, which stays what it is

    def tree(self, thing: Any) -> Any:
        """Return what stands for a thing."""
        if thing is None or isinstance(thing, bool | int | str):
            return thing
        if isinstance(thing, float):
            return {"float": thing.hex()}
        own = self._special(thing)
        if own is not None:
            return {"special": own}
        if type(thing) is list:
            return [self.tree(one) for one in thing]
        name, parts = self._named(thing)
        return {name: parts}

    def _named(self, thing: Any) -> tuple[str, Any]:
        if isinstance(thing, np.ndarray | np.generic):
            return "array" if isinstance(thing, np.ndarray) else "scalar", self._array(np.asarray(thing))
        if isinstance(thing, sp.csr_array):
            arrays = [self._array(one) for one in (thing.data, thing.indices, thing.indptr)]
            return "csr", [*arrays, list(thing.shape)]
        if isinstance(thing, pl.DataFrame | pl.Series):
            table = io.BytesIO()
            (thing.to_frame() if isinstance(thing, pl.Series) else thing).write_ipc(table)
            return "series" if isinstance(thing, pl.Series) else "frame", self._buffer(table.getbuffer())
        if isinstance(thing, bytes):
            return "bytes", self._buffer(thing)
        if isinstance(thing, Path):
            return "path", str(thing)
        if isinstance(thing, np.dtype):
            return "dtype", thing.str
        if isinstance(thing, type) and issubclass(thing, np.generic):
            return "type", np.dtype(thing).str
        if isinstance(thing, np.random.RandomState):
            return "random", self.tree(list(thing.get_state()))
        if type(thing) in (tuple, set, frozenset):
            return type(thing).__name__, [self.tree(one) for one in thing]
        if type(thing) is dict:
            return "dict", [[self.tree(key), self.tree(value)] for key, value in thing.items()]
        return self._instance(thing)

    def _instance(self, thing: Any) -> tuple[str, Any]:
        name = f"{type(thing).__module__}.{type(thing).__qualname__}"
        if name not in _STORABLE:
            raise TypeError(f"{name} is not storable.")
        if id(thing) in self._seen:
            return "again", self._seen[id(thing)][0]
        self._seen[id(thing)] = number, _ = len(self._seen), thing
        values = thing._asdict() if hasattr(thing, "_asdict") else vars(thing)
        return "instance", [name, number, {key: self.tree(value) for key, value in values.items()}]

    def _array(self, array: Any) -> list[Any]:
        if array.dtype.hasobject:
            return ["object", self.tree(array.tolist()), list(array.shape)]
        held = np.ascontiguousarray(array)
        return [held.dtype.str, self._buffer(held.reshape(-1).view(np.uint8).data), list(array.shape)]

    def _buffer(self, content: Any) -> int:
        self.buffers.append(content)
        return len(self.buffers) - 1


class Decoder:
    """Turns a tree back into the thing; ``special`` understands what the encoder's gave."""

    def __init__(self, buffers: list[memoryview], special: Special = lambda tree: None, copies: bool = False) -> None:
        self._buffers, self._understood, self._copies = buffers, special, copies
        self._instances: dict[int, Any] = {}

    def thing(self, tree: Any) -> Any:
        """Return what a tree stands for."""
        if not isinstance(tree, list | dict):
            return tree
        if isinstance(tree, list):
            return [self.thing(one) for one in tree]
        ((kind, parts),) = tree.items()
        return getattr(self, f"_{kind}")(parts)

    def _float(self, text: str) -> float:
        return float.fromhex(text)

    def _array(self, parts: Any) -> Any:
        dtype, at, shape = parts
        if dtype == "object":
            array = np.empty(int(np.prod(shape)), object)
            array[:] = self.thing(at)
            return array.reshape(shape)
        array = np.frombuffer(self._buffers[at], np.dtype(dtype)).reshape(shape)
        return array.copy() if self._copies else array

    def _scalar(self, parts: Any) -> Any:
        return self._array(parts)[()]

    def _csr(self, parts: Any) -> sp.csr_array:
        data, indices, indptr = (self._array(one) for one in parts[:3])
        block = sp.csr_array(tuple(parts[3]), dtype=data.dtype)
        block.data, block.indices, block.indptr = data, indices, indptr  # its constructor would copy
        return block

    def _frame(self, at: int) -> pl.DataFrame:
        return pl.read_ipc(io.BytesIO(self._buffers[at]))

    def _series(self, at: int) -> pl.Series:
        return self._frame(at).to_series()

    def _bytes(self, at: int) -> bytes:
        return bytes(self._buffers[at])

    def _path(self, text: str) -> Path:
        return Path(text)

    def _dtype(self, text: str) -> np.dtype[Any]:
        return np.dtype(text)

    def _type(self, text: str) -> type:
        return np.dtype(text).type

    def _random(self, tree: Any) -> np.random.RandomState:
        rng = np.random.RandomState()
        rng.set_state(tuple(self.thing(tree)))
        return rng

    def _tuple(self, parts: Any) -> tuple[Any, ...]:
        return tuple(self.thing(one) for one in parts)

    def _set(self, parts: Any) -> set[Any]:
        return {self.thing(one) for one in parts}

    def _frozenset(self, parts: Any) -> frozenset[Any]:
        return frozenset(self._set(parts))

    def _dict(self, parts: Any) -> dict[Any, Any]:
        return {self.thing(key): self.thing(value) for key, value in parts}

    def _instance(self, parts: Any) -> Any:
        name, number, trees = parts
        if name not in _STORABLE and name.startswith("quire."):
            importlib.import_module(name.rpartition(".")[0])  # a module of ours declares its classes
        cls: Any = _STORABLE[name]
        values = {key: self.thing(value) for key, value in trees.items()}
        if issubclass(cls, tuple):
            instance = cls(**values)
        else:
            instance = object.__new__(cls)
            vars(instance).update(values)
        self._instances[number] = instance
        return instance

    def _again(self, number: int) -> Any:
        return self._instances[number]

    def _special(self, tree: Any) -> Any:
        return self._understood(tree)


def write_thing(path: Path, thing: Any, special: Special = lambda thing: None) -> None:
    """Write a thing; its arrays lie in the file as they are, ready to be mapped."""
    encoder = Encoder(special)
    head = json.dumps(encoder.tree(thing), separators=(",", ":")).encode()
    views = [memoryview(head), *(memoryview(buffer).cast("B") for buffer in encoder.buffers)]
    sizes = np.array([view.nbytes for view in views], np.int64)
    check_space(path.parent, int(sizes.sum()))
    try:
        with writing_to(path.parent), path.open("wb") as file:
            file.write(np.int64(len(sizes)).tobytes() + sizes.tobytes())
            for view in views:
                file.write(bytes(-file.tell() % _ALIGNED))
                file.write(view)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def read_thing(path: Path, special: Special = lambda tree: None, copies: bool = False) -> Any:
    """Return what :func:`write_thing` wrote; its arrays are mapped and cannot be changed, or are copies."""
    with enough_handles(), path.open("rb") as file:  # what is mapped keeps its handle
        held = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    n = int(np.frombuffer(held[:8], np.int64)[0])
    if not 0 < n <= len(held) // 8:
        raise ValueError(f"{path} is damaged.")
    sizes = np.frombuffer(held[8 : 8 + 8 * n], np.int64)
    at, views = 8 + 8 * n, []
    for size in sizes.tolist():
        at += -at % _ALIGNED
        if size < 0 or at + size > len(held):
            raise ValueError(f"{path} is damaged.")
        views.append(held[at : at + size])
        at += size
    return Decoder(views[1:], special, copies).thing(json.loads(bytes(views[0])))
