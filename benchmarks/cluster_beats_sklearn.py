"""Claim: from text to a saved run, Quire is several times faster than the same pipeline in scikit-learn.

20 Newsgroups train, 20 topics. Both sides read the same Parquet file, count words, keep the same terms,
weigh them the same way, factorize and save; as many starts as the recipe has on both sides. Two peers:
``NMF(solver="cd")`` as a user runs it, to its own stopping rule, whose error Quire's must reach within 0.1 %;
and the same stopped, by foreknowledge, at the first iteration that is within 0.1 % of Quire's squared error.
Memory is what the work adds to a process that has imported everything and loaded the kernels.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp
import sklearn.decomposition
from corpora import DATA
from measure import machine, peak_growth, table, write_section
from sklearn.feature_extraction.text import CountVectorizer

import quire
from quire.text.trimming import common_threshold

K, RECIPES = 20, ("tfidf", "nmf")


def corpus_file(folder: Path) -> Path:
    path = folder / "train.parquet"
    pl.read_parquet(DATA / "20newsgroups.parquet").filter(pl.col("split") == "train").write_parquet(path)
    return path


def ours(path: Path, recipe: str, out: Path) -> quire.Run:
    run = quire.cluster(path, K, recipe=recipe, random_state=0)
    run.save(out)
    return run


def counted(path: Path, like: quire.Run) -> sp.csr_matrix:
    """CountVectorizer with the terms that the recipe keeps."""
    texts = pl.read_parquet(path)["text"].to_list()
    counts = CountVectorizer(stop_words=list(like.counts.lexicon_.stops), min_df=5).fit_transform(texts)
    if like.recipe.counts.get("cut_common"):
        totals = np.asarray(counts.sum(axis=0)).ravel()
        counts = counts[:, totals <= common_threshold(totals)]
    return counts


def theirs(path: Path, like: quire.Run, out: Path, iterations: list[int] | None = None) -> float:
    """Run scikit-learn's pipeline: to its own stopping rule, or for so many iterations of each start."""
    X = quire.Weight(**like.recipe.weight).fit_transform(counted(path, like))
    best = None
    for seed in range(like.estimator.n_init):
        options = {"tol": 0, "max_iter": iterations[seed]} if iterations else {}
        init = like.estimator.init or "random"
        model = sklearn.decomposition.NMF(K, init=init, solver="cd", random_state=seed, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            W = model.fit_transform(X)
        if best is None or model.reconstruction_err_ < best[0]:
            best = model.reconstruction_err_, W, model.components_
    np.savez(out, W=best[1], H=best[2])
    return float(best[0])


def needed(path: Path, like: quire.Run) -> list[int]:
    """Find the fewest iterations of each start, in steps of 5, that reach the level; at most 200."""
    X = quire.Weight(**like.recipe.weight).fit_transform(counted(path, like))
    assert X.shape[1] == like.H.shape[1], "the same terms"
    level, found = np.sqrt(1.001) * like.info["fit"]["error"], []
    for seed in range(like.estimator.n_init):
        options = {"init": like.estimator.init or "random", "random_state": seed}
        W, H, steps = None, None, 0
        for _ in range(40):
            model = sklearn.decomposition.NMF(K, solver="cd", tol=0, max_iter=5, **options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                W = model.fit_transform(X, W=W, H=H)
            H, options, steps = model.components_, {"init": "custom"}, steps + 5
            if model.reconstruction_err_ <= level:
                break
        found.append(steps)
    return found


def memory(path: Path, folder: Path, recipe: str) -> tuple[str, ...]:
    """Megabytes that are allocated, and by which a fresh process grows, at the peak: ours, theirs."""
    out = folder / "run"
    head = (
        "from pathlib import Path; import quire; from cluster_beats_sklearn import *\n"
        f"path, out, like = Path({str(path)!r}), Path({str(folder)!r}), quire.load({str(out)!r})\n"
        "quire.cluster(['moon orbit', 'goal team'] * 9, 2, random_state=0)\n"  # loads what is loaded once
    )
    mine = peak_growth(head + f"def fit(): ours(path, {recipe!r}, out / 'again')\n")
    other = peak_growth(head + "def fit(): theirs(path, like, out / 'peer.npz')\n")
    return tuple(f"{allocated:.0f} / {process:.0f}" for allocated, process in (mine, other))


def timed(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def compare(path: Path, folder: Path, recipe: str, repeats: int) -> list[str]:
    run = ours(path, recipe, folder / "run")
    mine, other = run.info["fit"]["error"], theirs(path, run, folder / "peer.npz")
    assert mine**2 <= 1.001 * other**2, "our objective must be theirs"
    calls = (
        partial(ours, path, recipe, folder / "run"),
        partial(theirs, path, run, folder / "peer.npz"),
        partial(theirs, path, run, folder / "peer.npz", needed(path, run)),
    )
    times = np.array([[timed(call) for call in calls] for _ in range(repeats)])
    low, middle = times.min(axis=0), np.median(times, axis=0)
    ratios = [f"{low[i] / low[0]:.1f}×, **{middle[i] / middle[0]:.1f}×**" for i in (1, 2)]
    mb = memory(path, folder, recipe)
    print(recipe, ours(path, recipe, folder / "run").info["timings"], flush=True)
    return [recipe, f"{mine:.4f}", f"{other:.4f}", f"{middle[0]:.2f}", f"{middle[1]:.2f}", ratios[0],
            f"{middle[2]:.2f}", ratios[1], *mb]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as name:
        path = corpus_file(Path(name))
        rows = [compare(path, Path(name), recipe, repeats) for recipe in RECIPES]
    headings = ["recipe", "error", "scikit-learn's", "s", "scikit-learn s", "ratio (min, median)",
                "stopped by foreknowledge s", "ratio (min, median)", "MB", "scikit-learn MB"]  # fmt: skip
    text = (
        "### From text to a saved run\n\n20 Newsgroups train (11,314 posts), 20 topics: read Parquet, count, "
        "keep the same terms, weigh, factorize, save (bar: 8×, and no more memory). Scikit-learn runs to its "
        "own stopping rule, and once more stopped, by foreknowledge, at the first iteration within 0.1 % of "
        "Quire's squared error. MB: arrays allocated / growth of the process, at the peak, over a process in "
        "which all is imported and loaded; Quire keeps the texts, to write them into the run.\n\n"
        f"{table(headings, rows)}\n\n{machine()}; `python benchmarks/cluster_beats_sklearn.py`"
    )
    print(text)
    write_section("cluster", text)


if __name__ == "__main__":
    main()
