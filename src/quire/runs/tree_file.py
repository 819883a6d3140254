"""The tree in the folder of a run: one file with a checksum of its own, which can be made anew at any time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.places.atomic import whole_file
from quire.places.leftovers import locked
from quire.runs.folder import own_path, reason
from quire.runs.tree import Tree, check_tree, nodes_from
from quire.runs.write import TREE, write_arrays


def write_tree(path: Path, tree: Tree) -> None:
    """Write a tree to a file."""
    nodes = json.dumps(tree.as_dict()["nodes"], ensure_ascii=False).encode()
    arrays: dict[str, NDArray[Any]] = {"deepest": tree.deepest, "nodes": np.frombuffer(nodes, np.uint8)}
    write_arrays(path, arrays | {"checksum": _checksum(arrays)})


def tree_writer(tree: Tree | None) -> Callable[[Path], None] | None:
    """Return what writes a tree to a path; None where there is none."""
    return None if tree is None else partial(write_tree, tree=tree)


def keep_tree(folder: Path, tree: Tree) -> None:
    """Put a tree beside a run that is there, whole or not at all."""
    target = own_path(folder, TREE)
    try:
        with locked(folder), whole_file(target) as made:
            write_tree(made, tree)
    except OSError as error:
        raise ValueError(f"The tree could not be kept in {folder}: {reason(error)}.") from None


def read_tree(folder: Path, labels: Callable[[], NDArray[Any]], n_topics: int) -> Tree | None:
    """Read the tree of a run whose documents have these topics, which are asked for then; None where it has none."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = own_path(folder, TREE)
    if not path.exists():
        return None
    try:
        arrays = load(path.read_bytes())
        kept = arrays.pop("checksum")
        if set(arrays) != {"deepest", "nodes"} or kept.tobytes() != _checksum(arrays).tobytes():
            raise TypeError("it was changed after it was written")
        tree = Tree(nodes_from(json.loads(arrays["nodes"].tobytes())), arrays["deepest"])
        check_tree(tree, labels(), n_topics)
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError, OSError, RecursionError) as error:
        first = str(error).partition("\n")[0]
        raise ValueError(f"{path} is damaged ({first}): delete it; `quire tree` then makes another.") from None
    return tree


def _checksum(arrays: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    whole = hashlib.sha256()
    for name in sorted(arrays):
        whole.update(np.ascontiguousarray(arrays[name]).data)
    return np.frombuffer(whole.digest(), np.uint8)
