"""How our objectives compare with scikit-learn's from the same start, with the same penalties; names those above 1.001.

84 settings: four data sets × (least squares from four starts, another loss from three) × three penalties. Writes a
section of docs/benchmarks.md. ``--quick`` writes nothing. BLAS has one thread: others spin while they wait, which would
count as CPU time of scikit-learn's.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
import sklearn.decomposition
from corpora import DATA
from measure import machine, table, write_section
from sklearn.datasets import load_digits, load_sample_image
from sklearn.decomposition._nmf import _beta_divergence
from sklearn.feature_extraction.image import extract_patches_2d
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

import quire

K, SEED, LEVEL = 8, 0, 1.001
STARTS = ("random", "nndsvda", "nndsvdar", "nndsvd")
BETA = {"frobenius": 2, "kullback-leibler": 1, "itakura-saito": 0}


def data_sets() -> dict[str, tuple[Any, str]]:
    """X of each data set, and the loss that is tried on it beside least squares."""
    import polars as pl

    rng = np.random.default_rng(SEED)
    image = load_sample_image("china.jpg").mean(axis=2)[::2, ::2]
    patches = extract_patches_2d(image, (8, 8), max_patches=1500, random_state=SEED).reshape(1500, -1)
    genes = rng.gamma(0.3, 1.0, (K, 400)) * rng.lognormal(0, 1, 400)
    cells = rng.dirichlet(np.full(K, 0.3), 800) @ genes * rng.lognormal(0, 0.5, 800)[:, None]
    texts = pl.read_parquet(DATA / "bbc_news.parquet")["text"].to_list()[::3]
    words = TfidfVectorizer(max_features=2000, stop_words="english").fit_transform(texts)
    words.sort_indices()  # its divergence takes them so
    return {
        "digits": (load_digits().data, "kullback-leibler"),
        "image patches": ((patches + 1) / 256, "itakura-saito"),
        "single cells": (np.log1p(rng.poisson(rng.gamma(2.0, cells / 2))), "kullback-leibler"),
        "BBC": (words, "kullback-leibler"),
    }


def objective(X: Any, W: Any, H: Any, loss: str, alpha: float, l1_ratio: float) -> float:
    """Return what both minimise."""
    value = _beta_divergence(X, W, H, BETA[loss])
    for F, weight in ((W, X.shape[1] * alpha), (H, X.shape[0] * alpha)):
        value += weight * (l1_ratio * F.sum() + (1 - l1_ratio) / 2 * (F**2).sum())
    return float(value)


def compared(X: Any, loss: str, init: str, alpha: float, l1_ratio: float) -> tuple[float, list[int], list[float]]:
    """Our objective over scikit-learn's, the iterations of both, and the seconds of CPU of both."""
    solver = "cd" if loss == "frobenius" else "mu"
    options = {"init": init, "random_state": SEED, "alpha_W": alpha, "l1_ratio": l1_ratio, "beta_loss": loss}
    values, iterations, spent = [], [], []
    for make in (sklearn.decomposition.NMF, quire.NMF):
        model = make(K, solver=solver, **options)
        began = time.process_time()
        W = model.fit_transform(X)
        spent.append(time.process_time() - began)
        values.append(objective(X, W, model.components_, loss, alpha, l1_ratio))
        iterations.append(model.n_iter_)
    return values[1] / values[0], iterations, spent


@threadpool_limits.wrap(limits=1)
def main() -> None:
    warnings.simplefilter("ignore")
    rows, above = [], []
    compared(np.ones((20, 10)), "itakura-saito", "random", 0, 0)  # what is read and compiled once
    for name, (X, other) in data_sets().items():
        for loss, starts in (("frobenius", STARTS), (other, STARTS[:3])):
            found = []
            for init in starts:
                for share, l1_ratio in ((0.0, 0.0), (0.01, 0.0), (0.01, 1.0)):
                    one = compared(X, loss, init, share * float(X.mean()), l1_ratio)
                    found.append(one)
                    if one[0] > LEVEL:
                        above.append(
                            f"{name}, {loss}, {init}, penalty {share} × mean, l1_ratio {l1_ratio}: {one[0]:.4f}"
                        )
            ratios = [ratio for ratio, _, _ in found]
            hits = [sum(steps[i] == 200 for _, steps, _ in found) for i in (0, 1)]
            cpu = [sum(spent[i] for _, _, spent in found) for i in (0, 1)]
            rows.append(
                [
                    name,
                    loss,
                    str(len(found)),
                    f"{min(ratios):.4f}",
                    f"{max(ratios):.4f}",
                    *map(str, hits),
                    f"{cpu[0] / cpu[1]:.1f}×",
                ]
            )
            print(rows[-1], flush=True)
    head = [
        "data",
        "loss",
        "settings",
        "lowest",
        "highest",
        "theirs at max_iter",
        "ours at max_iter",
        "CPU time, theirs : ours",
    ]
    text = (
        "## Objectives beside scikit-learn's\n\nOur objective over scikit-learn's, from the same start with the same "
        f"penalties, k = {K}, default `tol`: least squares from {', '.join(STARTS)}, the other loss from "
        "the first three, each without a penalty, with L2 and with L1. CPU time is that of the default calls with one "
        f"thread for BLAS, each to where it stops by itself. {machine()}\n\n{table(head, rows)}\n\n"
        + (f"Above {LEVEL}: " + "; ".join(above) + "." if above else f"None is above {LEVEL}.")
    )
    print(text)
    if "--quick" not in sys.argv:
        write_section("objectives", text)


if __name__ == "__main__":
    main()
