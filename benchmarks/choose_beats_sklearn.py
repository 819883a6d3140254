"""Claim: choosing among 9 numbers of topics, 10 runs each, takes less time than 9 fits of scikit-learn.

20 Newsgroups train (or a generated corpus where it is not at hand), k = 4, 8, …, 36. Quire makes all 90 runs,
compares them and says which k; scikit-learn's ``NMF(solver="cd")`` is fitted once for each k, from a random
start, to its own stopping rule, on the same X. Both on the same cores.
"""

from __future__ import annotations

import argparse
import time
import warnings

import sklearn.decomposition
from corpora import DATA, generated, log_tfidf
from measure import machine, table, write_section

import quire

KS = tuple(range(4, 37, 4))


def matrix(small: bool):
    """Return the X that both sides see."""
    if small or not (DATA / "20newsgroups.parquet").exists():
        return generated(300, d=1_500) if small else generated(10_000)
    import polars as pl
    from sklearn.feature_extraction.text import CountVectorizer

    texts = pl.read_parquet(DATA / "20newsgroups.parquet").filter(pl.col("split") == "train")["text"]
    return log_tfidf(CountVectorizer(min_df=5).fit_transform(texts.to_list()))


def ours(X, ks: tuple[int, ...], runs: int, by: str) -> tuple[float, quire.Choice]:
    began = time.perf_counter()
    choice = quire.choose(X, ks, by, runs=runs)
    return time.perf_counter() - began, choice


def theirs(X, ks: tuple[int, ...]) -> float:
    began = time.perf_counter()
    for k in ks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sklearn.decomposition.NMF(k, init="random", solver="cd", random_state=0).fit(X)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a few generated documents, to try it out")
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    X, rows = matrix(arguments.small), []
    ours(X[:200], KS[:2], 2, "consensus")  # compiles what is not compiled yet
    other = theirs(X, KS)
    for by in ("consensus", "all"):
        seconds, choice = ours(X, KS, arguments.runs, by)
        rows.append([by, str(choice.k), f"{seconds:.1f}", f"{other:.1f}", f"**{other / seconds:.1f}×**"])
        print(by, *choice.verdict, sep="\n", flush=True)
    headings = ["by", "chosen", "Quire, 90 runs, s", "scikit-learn, 9 fits, s", "ratio"]
    text = (
        f"### How many topics\n\n{X.shape[0]:,} documents, {X.shape[1]:,} terms; "
        f"k = {', '.join(map(str, KS))}, {arguments.runs} runs each, against one fit each of "
        "scikit-learn's NMF (bar: no slower).\n\n"
        f"{table(headings, rows)}\n\n{machine()}; `python benchmarks/choose_beats_sklearn.py`"
    )
    print(text)
    if not arguments.small:
        write_section("choose", text)


if __name__ == "__main__":
    main()
