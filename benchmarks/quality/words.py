"""Part ``readable``: coherence, coverage and diversity of the topics' words; ``readable`` measures them."""

from __future__ import annotations

from benchmarks.quality.corpora import TEXTS
from benchmarks.quality.recipes import Visit
from benchmarks.quality.results import Row


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus."""
    return [{"corpus": corpus, "seed": seed} for seed in range(seeds) if corpus in TEXTS]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return a row a method."""
    from benchmarks.quality import readable  # brings gensim along

    return readable.measure(visit.name, list(visit.corpus.texts()), visit.k, cell["seed"])
