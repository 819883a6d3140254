"""Scores of topics' keywords: whether they go together, and whether topics share them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import meant
from quire.places.indices import as_csr

_MEASURES = ("npmi", "c_v")


class Coherence(NamedTuple):
    """The coherence of topics: their mean, and each topic's own."""

    mean: float
    topics: NDArray[np.float64]


def coherence(
    keywords: Sequence[Sequence[str]], counts: Any, vocabulary: Sequence[str], measure: str = "npmi", top: int = 10
) -> Coherence:
    """Return how far the keywords of each topic occur in the same documents.

    A document is the window in which words occur together, and p the share of documents:

    - ``npmi`` is the mean over pairs of keywords of log(p_ij / (p_i p_j)) / −log p_ij, between −1 and 1. A
      pair that is never together has −1, also where one of its words is in no document at all; a pair that is
      in every document tells nothing and has 0.
    - ``c_v`` is the confirmation of Röder, Both and Hinneburg (2015): the cosine of each keyword's NPMI with
      all keywords to the sum of these over the keywords, on average. **Theirs uses a sliding window of 110
      words, which counts do not know: this one takes whole documents, and its values cannot be compared with
      those of other programs.** A word that is in no document has the cosine 0. C_v is high also for words
      that never meet, and its author advises against it (github.com/dice-group/Palmetto/issues/76).

    Parameters
    ----------
    keywords : sequence of sequences of str
        Each topic's words, the most telling first; a repeated word counts once.
    counts : sparse matrix or array of shape (n, d)
        How often each word is in each document.
    vocabulary : sequence of str
        The words by column; a keyword that is not there counts as in no document.
    measure : {"npmi", "c_v"}, default="npmi"
        Which.
    top : int, default=10
        So many keywords of each topic are looked at.

    Returns
    -------
    Coherence
        The mean over topics, and an array with a value a topic: NaN for one with fewer than two keywords,
        which the mean leaves out.

    """
    if measure not in _MEASURES:
        raise ValueError(f"There is no measure {measure!r}{meant(measure, _MEASURES)}: use npmi or c_v.")
    if counts.shape[1] != len(vocabulary):
        raise ValueError(
            f"The vocabulary has {len(vocabulary):,} words but the counts have {counts.shape[1]:,} columns: "
            "they must be as many."
        )
    lists = [list(dict.fromkeys(words))[:top] for words in keywords]
    known = list(dict.fromkeys(word for words in lists for word in words))
    present = _occurrences(counts, vocabulary, known)
    place = {word: j for j, word in enumerate(known)}
    score = _mean_npmi if measure == "npmi" else _mean_cosine
    values = np.full(len(lists), np.nan)
    for t, words in enumerate(lists):
        if len(words) > 1:
            part = present[:, [place[word] for word in words]]
            values[t] = score((part.T @ part).toarray(), counts.shape[0])
    return Coherence(float(np.nanmean(values)) if np.isfinite(values).any() else float("nan"), values)


def diversity(keywords: Sequence[Sequence[str]]) -> float:
    """Return the number of different keywords over that of all keywords: 1 where no two topics share one."""
    words = [word for row in keywords for word in row]
    return len(set(words)) / len(words) if words else 1.0


def _occurrences(counts: Any, vocabulary: Sequence[str], words: list[str]) -> sp.csc_array:
    """Return ones where a word (column) is in a document (row); words outside the vocabulary are in none."""
    wanted = set(words)
    column = {word: j for j, word in enumerate(vocabulary) if word in wanted}
    inside = [w for w, word in enumerate(words) if word in column]
    chosen = as_csr(counts, "coherence")[:, [column[words[w]] for w in inside]].tocoo()
    positive = chosen.data > 0
    rows, columns = chosen.row[positive], np.array(inside, np.int64)[chosen.col[positive]]
    shape = (counts.shape[0], len(words))
    return sp.csc_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def npmi(together: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the NPMI of all pairs of words, from the number of documents that they share, out of ``n``."""
    p = together / max(n, 1)
    alone = np.diag(p)
    some = (p > 0) & (p < 1)
    ratio = np.divide(p, np.outer(alone, alone), out=np.ones_like(p), where=some)
    ratios = np.log(ratio) / -np.log(np.where(some, p, 0.5))  # 0 for a pair that every document holds
    return np.where(p > 0, np.clip(ratios, -1, 1), -1.0)


def _mean_npmi(together: NDArray[np.float64], n: int) -> float:
    return float(npmi(together, n)[np.triu_indices(len(together), 1)].mean())


def _mean_cosine(together: NDArray[np.float64], n: int) -> float:
    vectors = npmi(together, n)
    absent = np.diag(together) == 0
    vectors[absent], vectors[:, absent] = 0, 0
    total = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(total)
    cosines = np.divide(vectors @ total, lengths, out=np.zeros(len(vectors)), where=lengths > 0)
    return float(np.clip(cosines, -1, 1).mean())
