"""Some documents of a corpus as a run hears them, from which it learns how unlike each other its documents are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.places.parts import Blocks
from quire.runs.likeness import Heard
from quire.runs.novelty import Novelty
from quire.runs.telling import holding
from quire.runs.terms import Terms
from quire.runs.words import text_bytes
from quire.text.counts import Counts
from quire.text.phrases import sample_step, sampled_texts

_MOST = 4000  # documents


class HeardSample(NamedTuple):
    """Documents of a corpus, spread evenly: which they are, and how they are heard."""

    rows: NDArray[np.int64]
    heard: Heard


def heard_sample(corpus: Corpus, terms: Terms) -> HeardSample:
    """Hear some documents, the same wherever the corpus lies."""
    n, place = len(corpus), corpus.place
    step = -(-n // _MOST)
    if terms.counts is None:
        rows = np.arange(0, n, step)
        return HeardSample(rows, Heard(terms.matrix[rows], np.zeros(len(rows))))
    step = max(step, sample_step(n, int(place.sweep(text_bytes, corpus.parts)[1])))
    starts = np.cumsum(corpus.sizes) - corpus.sizes
    first = [place.put(np.array([-start % step])) for start in starts]
    parts: list[Heard] = place.sweep(_heard_part, corpus.parts, first, args=(step, terms.counts))[1]
    counts = sp.csr_array(sp.vstack([part.counts for part in parts], "csr"))
    return HeardSample(np.arange(0, n, step), Heard(counts, np.concatenate([part.unknown for part in parts])))


def learnt_novelty(
    sample: HeardSample, counts: Blocks, topics: NDArray[Any], k: int, held: sp.csr_array | None = None
) -> Novelty | None:
    """Learn how unlike each other documents with these topics are; None where no document of the sample has one.

    ``held``: how many documents of each topic hold each term, where that is known.
    """
    held = holding(counts, topics, k)[0] if held is None else held
    documents = np.bincount(topics[topics >= 0], minlength=k).astype(np.int64)
    return Novelty.learnt(held, documents, sample.heard, topics[sample.rows])


def _heard_part(documents: pl.DataFrame, first: NDArray[np.int64], step: int, counts: Counts) -> tuple[None, list[Any]]:
    return None, [Heard(*counts.heard(sampled_texts(documents["text"], step, int(first[0]))))]
