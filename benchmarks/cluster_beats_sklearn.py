"""Claim: from text to a saved run, Quire is several times faster than the same pipeline in scikit-learn.

20 Newsgroups train, 20 topics. Both sides read the same Parquet file, count words, keep the same terms,
weigh them the same way, factorize and save. Scikit-learn gets exactly the iterations of ``NMF(solver="cd")``
that it needs to reach 1.001 × the squared error of Quire's run (found beforehand, not timed), from its own
NNDSVD start; for a recipe of several starts it makes as many random ones. Peak memory is a fresh process's.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
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
from measure import machine, table, write_section
from sklearn.feature_extraction.text import CountVectorizer

import quire
from quire.trim import common_threshold

K, RECIPES = 20, ("tfidf", "default")


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


def theirs(path: Path, like: quire.Run, out: Path, iterations: list[int]) -> float:
    X = quire.Weight(**like.recipe.weight).fit_transform(counted(path, like))
    best = None
    for seed, n in enumerate(iterations):
        init = "nndsvda" if len(iterations) == 1 else "random"
        model = sklearn.decomposition.NMF(K, init=init, solver="cd", tol=0, max_iter=n, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            W = model.fit_transform(X)
        if best is None or model.reconstruction_err_ < best[0]:
            best = model.reconstruction_err_, W, model.components_
    np.savez(out, W=best[1], H=best[2])
    return float(best[0])


def needed(path: Path, like: quire.Run) -> list[int]:
    """Find the fewest iterations of each start, in steps of 5, that reach the level; at most 400."""
    X = quire.Weight(**like.recipe.weight).fit_transform(counted(path, like))
    assert X.shape[1] == like.H.shape[1], "the same terms"
    level = np.sqrt(1.001) * like.info["fit"]["error"]
    n_starts, found = like.estimator.n_init, []
    for seed in range(n_starts):
        init, steps = ("nndsvda" if n_starts == 1 else "random"), 0
        W = H = None
        while steps < 400:
            start = {"init": init, "random_state": seed} if W is None else {"init": "custom"}
            model = sklearn.decomposition.NMF(K, solver="cd", tol=0, max_iter=5, **start)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                W = model.fit_transform(X, W=W, H=H)
            H, steps = model.components_, steps + 5
            if model.reconstruction_err_ <= level:
                break
        found.append(steps)
    return found


def peak(code: str) -> float:
    """Megabytes of a fresh process at its peak."""
    script = code + "\nprint(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
    )
    return float(said.stdout.split()[-1]) / 1024


def memory(path: Path, out: Path, recipe: str, iterations: list[int]) -> tuple[float, float]:
    head = "from pathlib import Path; import quire; from cluster_beats_sklearn import *\n"
    run = ours(path, recipe, out)
    options = f"20, recipe={recipe!r}, random_state=0"
    mine = peak(f"import quire; quire.cluster({str(path)!r}, {options}).save({str(out)!r})")
    like = f"like = quire.load({str(run.save(out))!r})\n"
    other = peak(
        head + like + f"theirs(Path({str(path)!r}), like, Path({str(out) + '.npz'!r}), {iterations})"
    )
    return mine, other


def timed(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def compare(path: Path, folder: Path, recipe: str, repeats: int) -> list[str]:
    run = ours(path, recipe, folder / "run")
    iterations = needed(path, run)
    times = [
        (timed(partial(ours, path, recipe, folder / "run")),
         timed(partial(theirs, path, run, folder / "peer.npz", iterations)))
        for _ in range(repeats)
    ]  # fmt: skip
    mine, other = np.array(times).T
    mb = memory(path, folder / "run", recipe, iterations)
    print(recipe, run.info["timings"], flush=True)
    return [recipe, ", ".join(map(str, iterations)), f"{np.median(other):.2f}", f"{np.median(mine):.2f}",
            f"{other.min() / mine.min():.1f}×", f"**{np.median(other) / np.median(mine):.1f}×**",
            f"{mb[1]:.0f}", f"{mb[0]:.0f}"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as name:
        path = corpus_file(Path(name))
        rows = [compare(path, Path(name), recipe, repeats) for recipe in RECIPES]
    headings = ["recipe", "scikit-learn iterations per start", "scikit-learn median s", "Quire median s",
                "ratio of minima", "ratio of medians", "scikit-learn peak MB", "Quire peak MB"]  # fmt: skip
    text = (
        "## From text to a saved run\n\n20 Newsgroups train (11,314 posts), 20 topics: read Parquet, count, "
        "keep the same terms, weigh, factorize to the same objective, save. Peak memory is that of a fresh "
        "process, imports included (bar: 8×, and no more memory).\n\n"
        f"{table(headings, rows)}\n\n{machine()}; "
        "`python benchmarks/cluster_beats_sklearn.py`"
    )
    print(text)
    write_section("cluster", text)


if __name__ == "__main__":
    main()
