"""The files of a run: whole things from memory, or block after block of what does not fit into it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.io.plugins import register_io_source

from quire.places.parts import KeptRows, row_blocks
from quire.runs.folder import write_folder

FACTORS, DOCUMENTS, TOPICS, VOCABULARY, SUBWORDS, TREE = (
    "factors.safetensors",
    "documents.parquet",
    "topics.json",
    "vocabulary.json",
    "subword.model",
    "tree.safetensors",
)
FOUND = ("topic", "membership", "runner_up", "runner_up_membership", "confidence", "else_topic")
"""The documents' columns that a cut has its own of."""
_ROWS, _BYTES = 4096, 16 << 20  # of a group in documents.parquet: several are written at once
_KINDS = ("b1 BOOL", "u1 U8", "i1 I8", "i2 I16", "u2 U16", "f2 F16", "i4 I32", "u4 U32", "f4 F32", "f8 F64",
          "i8 I64", "u8 U64")  # fmt: skip
_NAMES = {np.dtype(kind.split()[0]): kind.split()[1] for kind in _KINDS}
_ORDER = {dtype: place for place, dtype in enumerate(reversed(_NAMES))}  # as safetensors itself lays them out


@dataclass(frozen=True, eq=False)
class Streamed:
    """A table that is asked for when it is written, and the mean length of its texts."""

    blocks: Iterable[pl.DataFrame]  # its rows, some at a time; the first block says which columns there are
    mean_bytes: float  # of a text

    @classmethod
    def of(cls, documents: pl.DataFrame) -> Streamed:
        """Return a table that is there already."""
        size = documents["text"].str.len_bytes().sum() if "text" in documents.columns else 0
        return cls([documents], int(size) / max(documents.height, 1))


class CutFiles(NamedTuple):
    """What is written of another cut of a run: what it says otherwise."""

    arrays: Mapping[str, NDArray[Any] | KeptRows]
    documents: Streamed
    state: dict[str, Any]

    @classmethod
    def of(
        cls, arrays: Mapping[str, NDArray[Any] | KeptRows], documents: Streamed, topics: pl.DataFrame,
        timeline: pl.DataFrame | None, info: Mapping[str, Any], run: Mapping[str, Any],
    ) -> CutFiles:  # fmt: skip
        """Take of what is known of a cut what is not known of its run."""
        other = {name: value for name, value in info.items() if name not in run or value != run[name]}
        without = [name for name in run if name not in info]
        left = {"without": without} if without else {}
        return cls(arrays, documents, {"info": other, **left, **_topics_state(topics, timeline)})

    def writers(self, k: int | None) -> dict[str, Callable[[Path], Any]]:
        """Return what writes each of its files."""
        return {
            cut_file(k, FACTORS): lambda path: write_arrays(path, self.arrays),
            cut_file(k, DOCUMENTS): lambda path: write_documents(path, self.documents),
            cut_file(k, TOPICS): lambda path: _write_json(path, self.state),
        }


def cut_file(k: int | None, name: str) -> str:
    """Return the name that a file of a run has for the cut of k topics; None: the run's own."""
    return name if k is None else f"cut-{k}-{name}"


def write_run(
    path: str | Path,
    info: Mapping[str, Any],
    *,
    arrays: Mapping[str, NDArray[Any] | KeptRows],
    vocabulary: Mapping[str, Any],
    documents: Streamed,
    topics: pl.DataFrame,
    timeline: pl.DataFrame | None,
    subwords: bytes | None = None,
    cuts: Mapping[int, CutFiles] = MappingProxyType({}),
    beside: Mapping[str, Callable[[Path], Any]] = MappingProxyType({}),
    tree: Callable[[Path], None] | None = None,
) -> Path:
    """Write a run into a folder, whole or not at all; ``beside`` it is what has checksums of its own."""
    writers: dict[str, Callable[[Path], Any]] = {
        FACTORS: lambda path: write_arrays(path, arrays),
        VOCABULARY: lambda path: _write_json(path, vocabulary),
        DOCUMENTS: lambda path: write_documents(path, documents),
        TOPICS: lambda path: _write_json(path, _topics_state(topics, timeline)),
    }
    if subwords is not None:
        writers[SUBWORDS] = lambda path: path.write_bytes(subwords)
    if tree is not None:
        writers[TREE] = tree
    for k, cut in cuts.items():
        writers |= cut.writers(k)
    return write_folder(path, info, writers, beside)


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any] | KeptRows]) -> None:
    """Write arrays as the safetensors library does, but block by block where they are in blocks."""
    header, at = {}, 0
    ordered = sorted(arrays, key=lambda name: (_ORDER[arrays[name].dtype], name))
    for name in ordered:
        shape, dtype = list(arrays[name].shape), arrays[name].dtype
        end = at + int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        header[name] = {"dtype": _NAMES[dtype], "shape": shape, "data_offsets": [at, end]}
        at = end
    encoded = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded)
        for name in ordered:
            for block in row_blocks(arrays[name]):
                file.write(np.ascontiguousarray(block).data)


def mapped_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file that :func:`write_arrays` wrote, mapped: read when they are looked at."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > path.stat().st_size:
            raise ValueError(f"{path} is damaged.")
        header = json.loads(file.read(size))
    kinds = {name: dtype for dtype, name in _NAMES.items()}
    held = np.memmap(path, np.uint8, "r", offset=8 + size)
    return {
        name: held[slice(*entry["data_offsets"])].view(kinds[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__"
    }


def write_documents(path: Path, documents: Streamed) -> None:
    """Write the documents' table; how its rows are cut into blocks changes nothing."""
    rows = _group_rows(documents.mean_bytes)
    sunk(documents.blocks, lambda table: table.sink_parquet(path, compression="lz4", row_group_size=rows))


def sunk(blocks: Iterable[pl.DataFrame], sink: Callable[[pl.LazyFrame], object]) -> None:
    """Let a table go where it is written, some rows at a time."""
    try:
        sink(_lazy(blocks))
    except pl.exceptions.PolarsError as error:  # of which a full disk is one
        number = re.search(r"\(os error (\d+)\)", str(error))
        code = int(number[1]) if number else 0
        raise OSError(code, os.strerror(code) if code else str(error).partition("\n")[0]) from None


def _group_rows(mean_bytes: float) -> int:
    """Return how many documents a group has: fewer of long ones, as whole groups are held in memory."""
    return max(1, min(_ROWS, int(_BYTES / max(mean_bytes, 1))))


def _lazy(blocks: Iterable[pl.DataFrame]) -> pl.LazyFrame:
    """Return a frame whose rows are asked for when they are to be written."""
    rest = iter(blocks)
    first = next(rest)

    def source(*_: object) -> Iterator[pl.DataFrame]:
        yield first
        yield from rest

    return register_io_source(source, schema=first.schema, validate_schema=True)


def _topics_state(topics: pl.DataFrame, timeline: pl.DataFrame | None) -> dict[str, Any]:
    bins = None if timeline is None else timeline.with_columns(pl.col("start").cast(pl.String)).to_dict(as_series=False)
    return {"topics": topics.to_dicts(), "timeline": bins}


def _write_json(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
