"""Claim: Quire's Counts gives CountVectorizer's matrix and vocabulary, and many times sooner.

Both are timed in this one process, in turn, as a user calls them, with their defaults; and the results are
compared to the last entry. The second corpus is the first in Cyrillic letters: no document is ASCII.
Writes a section of docs/benchmarks.md. ``--quick`` runs two repeats and writes nothing.
"""

from __future__ import annotations

import argparse
import gc
import time

import numpy as np
import scipy.sparse as sp
from corpora import DATA
from measure import machine, peak_growth, table, write_section
from sklearn.feature_extraction.text import CountVectorizer

from quire import Counts

CYRILLIC = str.maketrans("abcdefghijklmnoprstuvyzABCDEFGHIJKLMNOPRSTUVYZ",
                         "абцдефгхийклмнопрстувызАБЦДЕФГХИЙКЛМНОПРСТУВЫЗ")  # fmt: skip
MEMORY = """
from counts_beat_countvectorizer import corpora, Counts, CountVectorizer
texts = corpora()[{name!r}]
{model}.fit_transform(["some words", "ещё слова"])  # what is loaded once
def fit():
    global X
    model = {model}
    X = model.fit_transform(texts)
"""


def corpora() -> dict[str, list[str]]:
    """Return 20 Newsgroups, or generated posts on a machine that has not got it, and the same in Cyrillic."""
    path = DATA / "20newsgroups.parquet"
    if path.exists():
        import polars

        name, texts = "20 Newsgroups", polars.read_parquet(path)["text"].to_list()
    else:
        rng = np.random.default_rng(0)
        words = np.array([f"{a}{b}" for a in ("the", "moon", "orbit", "sun") for b in range(20_000)])
        posts = (rng.zipf(1.3, 300) % len(words) for _ in range(10_000))
        name, texts = "generated posts", [" ".join(words[post]) for post in posts]
    return {name: texts, f"{name}, Cyrillic": [text.translate(CYRILLIC) for text in texts]}


def in_turn(calls, texts, repeats):
    """Return the seconds of each call, all of them once per repeat."""
    times = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            gc.collect()
            began = time.perf_counter()
            call(texts)
            times[name].append(time.perf_counter() - began)
    return times


def compare(texts):
    """Fail unless both give the same, for the texts and for new ones."""
    theirs, ours = CountVectorizer(), Counts()
    pairs = [(theirs.fit_transform(texts), ours.fit_transform(texts))]
    pairs.append((theirs.transform(texts[::7]), ours.transform(texts[::7])))
    assert ours.terms_ == theirs.get_feature_names_out().tolist()
    for truth, found in pairs:
        assert found.shape == truth.shape
        assert found.dtype == truth.dtype
        assert (found != sp.csr_array(truth)).nnz == 0
    return theirs, ours, pairs[0][1]


def speed(repeats):
    rows = []
    for name, texts in corpora().items():
        theirs, ours, X = compare(texts)
        cases = {
            "fit_transform": (CountVectorizer().fit_transform, Counts().fit_transform),
            "transform": (theirs.transform, ours.transform),
        }
        for step, (peer, call) in cases.items():
            times = in_turn({"peer": peer, "quire": call}, texts, repeats)
            (low, middle), (our_low, our_middle) = ((min(t), float(np.median(t))) for t in times.values())
            rows.append([name, step, f"{X.shape[0]:,} × {X.shape[1]:,}", f"{low:.2f}", f"{middle:.2f}",
                         f"{our_low:.3f}", f"{our_middle:.3f}", f"{low / our_low:.1f}×",
                         f"**{middle / our_middle:.1f}×**"])  # fmt: skip
            print(*rows[-1], flush=True)
    headings = ["corpus", "step", "matrix", "CountVectorizer: min s", "median s", "Quire: min s", "median s",
                "ratio of minima", "ratio of medians"]  # fmt: skip
    return table(headings, rows)


def memory():
    rows = []
    for name in corpora():
        found = [peak_growth(MEMORY.format(name=name, model=f"{m}()")) for m in ("CountVectorizer", "Counts")]
        rows.append([name, *(f"{value:.0f}" for pair in found for value in pair)])
        print(*rows[-1], flush=True)
    headings = ["corpus", "CountVectorizer: allocated MB", "process MB", "Quire: allocated MB", "process MB"]
    return table(headings, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two repeats; write nothing")
    options = parser.parse_args()
    repeats = 2 if options.quick else 7
    rows, peaks = speed(repeats), memory()
    text = (
        f"### Counting words\n\nThe same matrix and vocabulary, checked in this run; {repeats} repeats in "
        f"turn (bar for `fit_transform`: 20×, in Cyrillic letters 15×).\n\n{rows}\n\n"
        f"Peak memory of `fit_transform`, beyond the texts:\n\n{peaks}\n\n"
        f"Measured {time.strftime('%Y-%m-%d')} on {machine()}."
    )
    if not options.quick:
        write_section("counts", text)


if __name__ == "__main__":
    main()
