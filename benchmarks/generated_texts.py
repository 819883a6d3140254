"""A corpus of any size: words as frequent as in language (Zipf), planted topics, dates over three years."""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from quire.places.machine import allowed_threads, in_order

WORDS, OWN = 50_000, 400  # of the vocabulary; of a topic's own
BATCH = 100_000  # documents made at a time
FIRST_DAY = 18_628  # 2021-01-01
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def vocabulary() -> np.ndarray:
    """Return different pronounceable words, the short ones first: frequent words are short."""
    syllables = [c + v for c, v in product(CONSONANTS, VOWELS)]
    words = ["".join(parts) for size in (2, 3) for parts in product(syllables, repeat=size)]
    return np.array(words[:WORDS], dtype=object)


def zipf(size: int) -> np.ndarray:
    """Return the cumulated probabilities of words by rank, p ∝ 1 / (rank + 2.7)."""
    weights = 1 / (np.arange(size) + 2.7)
    return np.cumsum(weights) / weights.sum()


def documents(n: int, k: int = 50, length: int = 30, seed: int = 0) -> pl.DataFrame:
    """Return documents of about ``length`` words: two in five are of their topic, one in ten of another.

    Parameters
    ----------
    n, k : int
        Documents, planted topics.
    length : int
        Mean number of words.
    seed : int
        The same seed gives the same documents, however many are asked for at a time.
    """
    rng = np.random.default_rng(seed)
    own = rng.permuted(np.tile(np.arange(200, WORDS), (k, 1)), axis=1)[:, :OWN]
    sizes = np.cumsum(1 / (np.arange(k) + 5))
    jobs = [(at, min(BATCH, n - at), own, sizes / sizes[-1], length, seed) for at in range(0, n, BATCH)]
    return pl.concat(in_order(_batch, jobs, allowed_threads()))


def _batch(first: int, n: int, own: np.ndarray, sizes: np.ndarray, length: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng([seed, first])
    topic, other = (np.searchsorted(sizes, rng.random(n)) for _ in range(2))
    lengths = np.maximum(rng.poisson(length, n), 3)
    row = np.repeat(np.arange(n), lengths)
    kind, drawn = rng.random(len(row)), rng.random(len(row))
    word = np.searchsorted(zipf(WORDS), drawn)
    for whose, low, high in ((topic, 0.0, 0.4), (other, 0.4, 0.5)):
        of = np.flatnonzero((kind >= low) & (kind < high))
        word[of] = own[whose[row[of]], np.searchsorted(zipf(OWN), drawn[of])]
    words = pl.Series(vocabulary().tolist(), dtype=pl.String).gather(word)
    rows = pl.DataFrame({"row": row, "word": words}).group_by("row", maintain_order=True)
    texts = rows.agg(pl.col("word").str.join(" "))
    days = (1095 * rng.beta(1 + topic % 5, 1 + topic % 3)).astype(np.int64)
    return pl.DataFrame(
        {
            "id": [f"g{number}" for number in range(first, first + n)],
            "text": texts["word"],
            "label": [f"planted {number}" for number in topic],
            "date": pl.Series(FIRST_DAY + days, dtype=pl.Int32).cast(pl.Date),
        }
    )


def main() -> None:
    """Write a Parquet file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--length", type=int, default=30)
    given = parser.parse_args()
    documents(given.documents, given.topics, given.length).write_parquet(given.path)


if __name__ == "__main__":
    main()
