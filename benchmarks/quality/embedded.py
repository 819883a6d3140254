"""Part ``embedded``: the default recipe with vectors of a model, beside words alone and beside k-means on the vectors.

Needs vectors of the corpora, a row a document: ``python -m benchmarks.quality.embedded --model FOLDER --into VECTORS``
makes them with a sentence-transformers or model2vec model in a folder, or with ``--model wordllama``; then set
``QUIRE_VECTORS`` to where they are. ``NAME.MODEL.npy`` are the vectors of a corpus by a model.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.quality import corpora
from benchmarks.quality.recipes import Visit, scored
from benchmarks.quality.results import Row
from sklearn.cluster import KMeans

import quire
from quire.corpus.vectors import MODEL

TEXTS = tuple(name for name in corpora.LABELLED if name not in corpora.MATRICES)
WAYS = ("words", "k-means on vectors", "both")


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus: every model that has vectors of it, and words alone."""
    if corpus not in TEXTS:
        return []
    return [{"corpus": corpus, "model": model, "seed": seed} for model in _models(corpus) for seed in range(seeds)]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the scores of all three ways."""
    vectors = np.load(_folder() / f"{visit.name}.{cell['model']}.npy").astype(np.float32)
    words, seconds = visit.run("default", cell["seed"])
    rows = [{"way": "words", **scored(visit, words.labels, seconds)}]
    for way, find in (("k-means on vectors", _kmeans), ("both", _both)):
        began = time.perf_counter()
        labels = find(visit, vectors, cell["seed"])
        rows.append({"way": way, **scored(visit, labels, time.perf_counter() - began)})
    return rows


def _kmeans(visit: Visit, vectors: np.ndarray, seed: int) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    model = KMeans(visit.k, n_init=5, random_state=seed)
    return np.asarray(model.fit(vectors / np.maximum(lengths, np.finfo(np.float32).tiny)).labels_)


def _both(visit: Visit, vectors: np.ndarray, seed: int) -> np.ndarray:
    return np.asarray(quire.cluster(visit.corpus, visit.k, embeddings=vectors, random_state=seed).labels)


def _folder() -> Path:
    return Path(os.environ.get("QUIRE_VECTORS", "vectors"))


def _models(corpus: str) -> list[str]:
    return sorted(path.name.removeprefix(f"{corpus}.")[:-4] for path in _folder().glob(f"{corpus}.*.npy"))


def main(given: list[str] | None = None) -> None:
    """Make the vectors of all corpora with texts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.embedded", description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="a folder, or wordllama")
    parser.add_argument("--name", help="what the model is called in the results (the folder's name)")
    parser.add_argument("--into", type=Path, default=Path("vectors"))
    asked = parser.parse_args(given)
    asked.into.mkdir(parents=True, exist_ok=True)
    for name in TEXTS:
        corpus: Any = quire.read_corpus(corpora.read(name), embeddings=MODEL + asked.model)
        np.save(asked.into / f"{name}.{asked.name or Path(asked.model).name}.npy", np.asarray(corpus.vectors))
        print(name, corpus.vectors.shape, flush=True)


if __name__ == "__main__":
    main()
