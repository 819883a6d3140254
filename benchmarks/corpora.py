"""The matrices the benchmarks run on: real corpora where they are at hand, generated ones of any size."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from quire import Weight

DATA = Path(os.environ.get("QUIRE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def log_tfidf(counts: sp.csr_array) -> sp.csr_array:
    """log(1 + tf)·log(n/df), rows of unit length, float32, without terms that never occur."""
    counts = sp.csr_array(counts)
    seen = np.bincount(counts.indices, minlength=counts.shape[1]) > 0
    return Weight("log-tfidf").fit_transform(counts[:, seen])


def newsgroups() -> sp.csr_array:
    """20 Newsgroups, train part, words in at least 5 documents."""
    import polars
    from sklearn.feature_extraction.text import CountVectorizer

    table = polars.read_parquet(DATA / "20newsgroups.parquet").filter(polars.col("split") == "train")
    return log_tfidf(CountVectorizer(min_df=5).fit_transform(table["text"].to_list()))


def tdt2() -> sp.csr_array:
    """TDT2, as its counts come."""
    return log_tfidf(sp.load_npz(DATA / "tdt2.npz"))


def generated(
    n: int, d: int = 50_000, length: float = 80, topics: int = 50, seed: int = 0, block: int = 50_000
) -> sp.csr_array:
    """Zipfian documents with planted topics: half of a document's words come from its topic's own 400."""
    rng = np.random.default_rng(seed)
    common = np.cumsum(1 / np.arange(1, d + 1))
    own = np.cumsum(1 / np.arange(1, 401))
    words = rng.integers(d // 50, d, (topics, 400))
    blocks = []
    for start in range(0, n, block):
        size = min(block, n - start)
        lengths = np.maximum(1, rng.lognormal(np.log(length) - 0.18, 0.6, size).astype(int))
        document = np.repeat(np.arange(size), lengths)
        topic = rng.integers(topics, size=size)[document]
        term = np.searchsorted(common, rng.random(len(document)) * common[-1])
        from_topic = rng.random(len(document)) < 0.5
        rank = np.searchsorted(own, rng.random(int(from_topic.sum())) * own[-1])
        term[from_topic] = words[topic[from_topic], rank]
        ones = np.ones(len(document), np.float32)
        blocks.append(sp.csr_array((ones, (document, term)), shape=(size, d)))
    counts = sp.csr_array(sp.vstack(blocks, format="csr")) if len(blocks) > 1 else blocks[0]
    counts.sum_duplicates()
    return log_tfidf(counts)


def real_or_generated() -> dict[str, sp.csr_array]:
    """Return the two corpora of the claim; generated stand-ins on a machine that has not got them."""
    if not all((DATA / name).exists() for name in ("20newsgroups.parquet", "tdt2.npz")):
        return {"generated 10,000": generated(10_000), "generated 10,000 long": generated(10_000, length=200)}
    return {"20 Newsgroups": newsgroups(), "TDT2": tdt2()}
