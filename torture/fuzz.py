"""Guided searches for what breaks the readers, the tokeniser, the check of indices, and run folders."""

from __future__ import annotations

import json
import random
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from any_sparse import compressed, coordinates, is_safe, summed
from hypothesis import strategies as st
from hypothesis import target

from quire.places.indices import as_csr, check_indices
from quire.runs.load import load
from quire.text.tokens import count_texts
from torture.case import FAILURES, Case, WrongError
from torture.child import made_in_child
from torture.guided import Property, search
from torture.mutations import read_changed
from torture.runs import seal, use
from torture.seeds import make_seeds
from torture.warm import warm_kernels

NAME = "fuzz"
_SECONDS = 120.0
_WORD = re.compile(r"(?u)\b\w\w+\b")
_ODD = "ΣςσİıßẞéÉ_७٣０Ａ語漢字عر́̈\ud800\udfffǅŉﬁȺⱥKÅ ab.\n\0’'ͅ"


class _Target(NamedTuple):
    """What is searched: examples, what must hold of each, how many a case tries, and whether by lines reached."""

    examples: Any
    holds: Property
    n: int
    reach: bool


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield searches, each with a seed of its own, of one target after the other."""
    warm_kernels()
    made = made_in_child(Case("seeds", make_seeds, seconds=120), work / "made")
    if made.verdict in FAILURES:
        raise RuntimeError(f"The sound files could not be made: {made.words}")
    targets = _targets(work / "made" / "in")
    number = 0
    while True:
        names = list(targets)
        name, drawn = names[number % len(names)], random.Random(f"{seed} {number}").randrange(1 << 30)
        yield _case(name, targets[name], drawn)
        number += 1


def _case(name: str, of: _Target, drawn: int) -> Case:
    def run(folder: Path) -> dict[str, int]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {name: search(of.examples, of.holds, of.n, drawn, folder, of.reach)}

    return Case(f"{name}, search {drawn}", run, tried=of.n, seconds=_SECONDS)


def _targets(seeds: Path) -> dict[str, _Target]:
    kinds = {path.name: path for path in sorted((seeds / "inputs").iterdir())}
    files = st.sampled_from(["run.json", "topics.json", "vocabulary.json", "edits.jsonl"])
    return {
        "readers": _Target(
            st.tuples(st.sampled_from(list(kinds)), st.integers(0, 40), _edits()),
            lambda example, folder: _read(seeds, kinds[example[0]], example[1], example[2], folder),
            60, True,
        ),
        "tokeniser": _Target(st.lists(_texts(), min_size=1, max_size=6), _same_words, 300, False),
        "indices": _Target(compressed() | coordinates(), _checked_indices, 300, False),
        "run folders": _Target(
            st.tuples(files, st.lists(st.integers(0, 30), max_size=6), _values()),
            lambda example, folder: _loaded(seeds / "run", example, folder), 60, True,
        ),
    }  # fmt: skip


def _edits() -> Any:
    """Pieces of a file that are written over, put in or taken out: where (as a share of it), how many bytes, what."""
    where = st.integers(0, 1 << 16)
    known = st.sampled_from(
        [b"\0", b'"', b"\n", b",", b"[", b"{", b"<table>", b"-1", b"1e999", b"\xff\xfe", b"\xed\xa0"]
    )
    return st.lists(st.tuples(where, st.sampled_from([0, 0, 1, 4, 64]), known | st.binary(max_size=8)), max_size=5)


def _read(seeds: Path, kind: Path, which: int, edits: list[tuple[int, int, bytes]], folder: Path) -> None:
    """Read a file of some kind that was changed: documents or a sentence."""
    copy = folder / kind.name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(kind, copy)
    files = sorted(path for path in copy.rglob("*") if path.is_file())
    path = files[which % len(files)]
    data = path.read_bytes()
    for share, length, piece in edits:
        at = share * len(data) >> 16
        data = data[:at] + piece + data[at + length :]
    path.write_bytes(data)
    read_changed(copy, seeds)


def _texts() -> Any:
    plain = st.text(st.characters() | st.sampled_from(_ODD), max_size=80)
    long = st.tuples(st.sampled_from("aéß語_ "), st.integers(0, 200), plain).map(lambda p: p[2] + p[0] * p[1] + p[2])
    return plain | long


def _same_words(texts: list[str], folder: Path) -> None:
    """Count by compiled code and by a regular expression: the same terms, the same counts."""
    counts, terms = count_texts(texts)
    truth = [Counter(_WORD.findall(text.lower())) for text in texts]
    target(float(len(terms)), label="terms")
    target(float(max(map(len, terms), default=0)), label="longest term")
    rows = [slice(a, b) for a, b in pairwise(counts.indptr)]
    found = [dict(zip([terms[j] for j in counts.indices[row]], counts.data[row].tolist())) for row in rows]
    if terms != sorted(set().union(*truth)) or found != truth:
        raise WrongError("compiled code and the regular expression find other words")


def _checked_indices(X: Any, folder: Path) -> None:
    """Accept what is safe and nothing else; then SciPy's compiled code may look at it."""
    target(float(len(X.data)), label="values")
    try:
        check_indices(X, "the campaign")
    except ValueError:
        if is_safe(X):
            raise WrongError("a sound matrix is refused") from None
        return
    if not is_safe(X):
        raise WrongError("a matrix is accepted whose indices lead outside")
    if (as_csr(X, "the campaign").toarray() != summed(X)).any():
        raise WrongError("a sound matrix stands for other values")


def _values() -> Any:
    """Any JSON."""
    plain = st.none() | st.booleans() | st.integers(-(2**65), 2**65) | st.floats() | st.text(max_size=6)
    return st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner))


def _loaded(sound: Path, example: tuple[str, list[int], Any], folder: Path) -> None:
    """Put a value somewhere into a file of a run, with valid checksums: it is used like any run, or refused."""
    name, path, value = example
    copy = folder / "run"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(sound, copy)
    tree = json.loads((copy / name).read_text("utf-8"))
    (copy / name).write_text(json.dumps(_with(tree, path, value)), "utf-8", "backslashreplace")
    seal(copy)
    use(load(copy), copy)


def _with(tree: Any, path: list[int], value: Any) -> Any:
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree))) if isinstance(tree, list) else []
    if not path or not keys:
        return value
    key = keys[path[0] % len(keys)]
    tree[key] = _with(tree[key], path[1:], value)
    return tree
