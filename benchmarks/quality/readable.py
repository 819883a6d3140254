"""Can people read the topics? Coherence, coverage and diversity of keywords, beside scikit-learn's and gensim's.

``python -m benchmarks.quality.readable`` prints it for BBC News.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import quire
from quire.scores.metrics import coherence, diversity
from quire.text.phrases import count_phrases
from quire.text.tokens import count_texts

SCORES = ("npmi", "npmi_held_out", "covered", "covered_twice", "diversity")
TOP = 10  # keywords of each topic
PREPARED = {"stop_words": "english", "min_df": 5, "max_df": 0.95}  # what users of the others do
Keywords = list[list[str]]
Topics = tuple[Keywords, NDArray[Any]]  # and the topic of each document


def measure(name: str, texts: list[str], k: int, seed: int) -> list[dict[str, Any]]:
    """Return a row a method: NPMI on the corpus itself and on a half that was held out, coverage, and diversity.

    For the held-out half a method sees the even documents, and its keywords are scored on the odd ones. All
    are scored on the same counts; a phrase occurs where its words stand side by side. Coverage is the share of a
    topic's documents that hold one of its keywords, or two, on average over topics. Lists are as long as Quire's.
    """
    counts, words = count_texts(texts)
    rows: list[dict[str, Any]] = []
    length = TOP
    for method, found in METHODS.items():
        row: dict[str, Any] = {"method": method, "corpus": name, "seed": seed} | dict.fromkeys(SCORES)
        rows.append(row)
        if method.startswith("gensim") and importlib.util.find_spec("gensim") is None:
            row["note"] = "gensim is not installed: see requirements/bench.lock"
            continue
        (everywhere, labels), (half, _) = found(texts, k, seed), found(texts[::2], k, seed)
        everywhere, half = ([own[:length] for own in lists] for lists in (everywhere, half))
        if method == "quire":
            length = round(float(np.mean([len(own) for own in everywhere])))
        row["npmi"] = _npmi(everywhere, counts, words, texts)
        row["npmi_held_out"] = _npmi(half, counts[1::2], words, texts[1::2])
        row["covered"], row["covered_twice"] = covered(everywhere, labels, counts, words, texts)
        row["diversity"] = diversity(everywhere)
        row["n_keywords"] = float(np.mean([len(own) for own in everywhere]))  # short lists are coherent sooner
        row["n_keywords_held_out"] = float(np.mean([len(own) for own in half]))
    return rows


def with_phrases(
    keywords: Keywords, counts: sp.csr_array, words: list[str], texts: list[str]
) -> tuple[sp.csr_array, list[str]]:
    """Return the counts with columns for the keywords that are phrases, and the words of the columns."""
    phrases = sorted({word for row in keywords for word in row if " " in word})
    if phrases:
        counts = sp.hstack([counts, count_phrases(texts, phrases)], "csr")
    return counts, [*words, *phrases]


def _npmi(keywords: Keywords, counts: sp.csr_array, words: list[str], texts: list[str]) -> float:
    return coherence(keywords, *with_phrases(keywords, counts, words, texts), top=TOP).mean


def covered(
    keywords: Keywords, labels: NDArray[Any], counts: sp.csr_array, words: list[str], texts: list[str]
) -> tuple[float, float]:
    """Return the share of a topic's documents that hold one of its keywords, and two, on average over topics."""
    counts, words = with_phrases(keywords, counts, words, texts)
    column, shares = {word: j for j, word in enumerate(words)}, []
    for t, own in enumerate(keywords):
        rows = np.flatnonzero(labels == t)
        if len(rows) and own:
            held = (counts[rows][:, [column[word] for word in own if word in column]] > 0).sum(axis=1)
            shares.append([np.mean(held >= 1), np.mean(held >= 2)])
    once, twice = np.mean(shares, axis=0) if shares else (float("nan"), float("nan"))
    return float(once), float(twice)


def _quire(texts: list[str], k: int, seed: int) -> Topics:
    run = quire.cluster(texts, k, random_state=seed)
    return [row[:TOP] for row in run.topics["keywords"].to_list()], run.labels


def _sklearn_nmf(texts: list[str], k: int, seed: int) -> Topics:
    X, words = _prepared(TfidfVectorizer(**PREPARED), texts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = NMF(k, random_state=seed)
        W = model.fit_transform(X)
    return _heaviest(model.components_, words), (W * np.linalg.norm(model.components_, axis=1)).argmax(axis=1)


def _sklearn_lda(texts: list[str], k: int, seed: int) -> Topics:
    X, words = _prepared(CountVectorizer(**PREPARED), texts)
    model = LatentDirichletAllocation(k, random_state=seed)
    shares = model.fit_transform(X)
    return _heaviest(model.components_, words), shares.argmax(axis=1)


def _gensim_nmf(texts: list[str], k: int, seed: int) -> Topics:
    from gensim.matutils import Sparse2Corpus
    from gensim.models.nmf import Nmf

    X, words = _prepared(TfidfVectorizer(**PREPARED), texts)
    stream = Sparse2Corpus(X, documents_columns=False)
    model = Nmf(stream, num_topics=k, id2word=dict(enumerate(words)), random_state=seed, passes=5)
    shares = np.zeros((X.shape[0], k))
    for row, own in zip(shares, model[stream]):
        row[[t for t, _ in own]] = [share for _, share in own]
    return _heaviest(model.get_topics(), words), shares.argmax(axis=1)


def _prepared(vectorizer: CountVectorizer, texts: list[str]) -> tuple[sp.csr_matrix, list[str]]:
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out().tolist()


def _heaviest(topics: NDArray[Any], words: list[str]) -> Keywords:
    return [[words[j] for j in np.argsort(-row, kind="stable")[:TOP]] for row in topics]


METHODS: dict[str, Callable[[list[str], int, int], Topics]] = {
    "quire": _quire,
    "scikit-learn NMF": _sklearn_nmf,
    "scikit-learn LDA": _sklearn_lda,
    "gensim Nmf": _gensim_nmf,
}


def main() -> None:
    """Print what was measured on BBC News."""
    from benchmarks.quality.corpora import read

    for row in measure("bbc", list(read("bbc").texts()), 5, 0):
        scores = [f"{score} {row[score]:.3f}" for score in SCORES if row[score] is not None]
        print(f"{row['method']:17}", *scores or [row["note"]])


if __name__ == "__main__":
    main()
