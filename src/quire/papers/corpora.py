"""The corpora of the experiments: found in a folder, read, cut into classes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.formats.matrix import load_matrix

NEWSGROUPS = "20newsgroups.parquet"


class Labelled(NamedTuple):
    """Counts (documents × terms) and the class of each document."""

    counts: sp.csr_array
    labels: NDArray[Any]

    def of_classes(self, names: Any) -> Labelled:
        """Return the documents of some classes, without terms that none of them holds."""
        rows = np.isin(self.labels, np.asarray(names))
        counts = self.counts[rows]
        kept = np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() > 0)
        return Labelled(sp.csr_array(counts[:, kept]), self.labels[rows])


def informative_terms(counts: sp.csr_array, labels: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Return the n columns whose presence in a document says most about its class, by mutual information."""
    classes, number = np.unique(labels, return_inverse=True)
    indicators = sp.csr_array((np.ones(len(number)), (number, np.arange(len(number)))))
    present = np.asarray((indicators @ (counts > 0).astype(np.float64)).toarray()) / len(labels)
    of_class = np.bincount(number, minlength=len(classes))[:, None] / len(labels)
    total = np.zeros(counts.shape[1])
    for joint in (present, of_class - present):  # with the word, without it
        expected = of_class * joint.sum(axis=0)
        ratio = np.divide(joint, expected, out=np.ones_like(joint), where=(joint > 1e-15) & (expected > 0))
        total += (joint * np.log(ratio)).sum(axis=0)
    return np.sort(np.argsort(-total, kind="stable")[:n])


def data_folder(given: str | Path | None = None) -> Path:
    """Return the folder of the corpora: the one given, or ``QUIRE_DATA``."""
    chosen = given or os.environ.get("QUIRE_DATA")
    return Path(chosen) if chosen else Path("data")


def missing(folder: Path, needed: tuple[str, ...]) -> list[str]:
    """Return the files that are not there; 20 Newsgroups can be fetched by scikit-learn."""
    return [name for name in needed if name != NEWSGROUPS and not (folder / name).exists()]


def read_matrix(folder: Path, name: str) -> Labelled:
    """Read NAME.npz and NAME_labels.npy."""
    counts = load_matrix(folder / f"{name}.npz")
    return Labelled(counts, np.load(folder / f"{name}_labels.npy", allow_pickle=False))


def read_texts(folder: Path, name: str, **equal: str) -> pl.DataFrame:
    """Read a Parquet file with texts and labels, or the part of it where columns equal given values."""
    if name == NEWSGROUPS and not (folder / name).exists():
        frame = _fetched_newsgroups()
    else:
        frame = pl.read_parquet(folder / name)
    for column, value in equal.items():
        frame = frame.filter(pl.col(column) == value)
    return frame


def _fetched_newsgroups() -> pl.DataFrame:
    """Let scikit-learn fetch (or find) it."""
    from sklearn.datasets import fetch_20newsgroups

    frames = []
    for split in ("train", "test"):
        bunch: Any = fetch_20newsgroups(subset=split)
        names = [bunch.target_names[t] for t in bunch.target]
        frames.append(pl.DataFrame({"text": bunch.data, "label": names, "split": [split] * len(names)}))
    return pl.concat(frames)


_VARIANCE = 0.3


def mixture(k: int, seed: int, n: int = 1000, d: int = 500) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Make kim2008's mixture of Gaussians (§4.2): rows, and the class of each.

    Every dimension belongs to one of the k classes, whose mean there is 1, 2 or 3; a row varies (with
    variance 0.3) in the dimensions of its class only, and negative values become 0.
    """
    rng = np.random.default_rng(seed)
    means = np.zeros((k, d))
    means[rng.integers(k, size=d), np.arange(d)] = rng.integers(1, 4, size=d)
    classes = np.arange(n) % k
    noise = np.sqrt(_VARIANCE) * rng.standard_normal((n, d)) * (means[classes] > 0)
    return np.maximum(means[classes] + noise, 0), classes
