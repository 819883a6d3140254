"""What a run was made of, made again from what it keeps: its documents in parts, their counts, and X."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from quire.corpus.corpus import Corpus
from quire.places.indices import as_csr
from quire.places.memory import row_view
from quire.places.parts import Blocks
from quire.runs.asked import Asked
from quire.runs.terms import Terms, weigh_terms
from quire.runs.write import FOUND

_OWN = (*FOUND, "copy_of")


class Materials(NamedTuple):
    """The corpus of a run, its counts and X, in the parts that they had when it was made."""

    corpus: Corpus
    terms: Terms
    X: Blocks


def materials_of(run: Asked, counts: Any = None) -> Materials:
    """Count a run's documents again; of a matrix it keeps no counts, so that these must be given."""
    if (run.counts is None) != (counts is not None):
        if counts is not None:
            raise ValueError("The run has texts, which are counted again: leave counts out.")
        raise ValueError("The run was made from a matrix, which it does not keep: give it again as counts.")
    there = run.recount() if counts is None else as_csr(counts, "counts")
    if there.shape != (len(run.documents), len(run.words)):
        raise ValueError(
            f"Counts of shape {there.shape} are not those of the run: give the matrix that it was made from."
        )
    corpus = Corpus.of(run.documents.drop([name for name in _OWN if name in run.documents.columns]))
    ends = np.cumsum(corpus.sizes)
    blocks = [corpus.place.put(row_view(there, end - size, end)) for end, size in zip(ends, corpus.sizes)]
    terms = Terms(Blocks.of(corpus.place, blocks), run.words, run.totals, run.counts)
    return Materials(corpus, terms, weigh_terms(terms, run.recipe)[1])
