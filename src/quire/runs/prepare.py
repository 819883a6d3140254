"""From a corpus to X, its terms counted and weighed as a recipe says; and from topics back to its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Update
from quire.places.parts import Blocks
from quire.runs.keywords import topic_keywords
from quire.runs.options import TERMS, Options, declared_options
from quire.runs.recipe import Recipe
from quire.text.counts import Counts
from quire.text.phrases import find_phrases
from quire.text.weight import Weight


@dataclass(frozen=True)
class Terms:
    """The counts of a corpus, and what they are counts of."""

    matrix: sp.csr_array | Blocks
    words: list[str]
    totals: NDArray[np.float64]
    counts: Counts | None


def counted_terms(
    corpus: Corpus,
    chosen: Recipe,
    options: Options,
    tokens: Callable[[str], list[str]] | None = None,
    update: Update = lambda done, total: None,
) -> Terms:
    """Count the terms of a corpus; a matrix of counts is taken as it is."""
    if corpus.counts is not None:
        refuse_text_options(options)
        matrix, counts = corpus.counts, None
        words = corpus.vocabulary or [f"#{j}" for j in range(matrix.shape[1])]
    else:
        counts = chosen.make_counts(options.threads)
        if tokens is not None:
            counts.tokens = tokens
        matrix = counts.fit_transform(_followed(corpus, update))
        words = counts.shown_
    return Terms(matrix, words, np.asarray(matrix.sum(axis=0), np.float64).ravel(), counts)


def weighed(terms: Terms, chosen: Recipe) -> tuple[Weight, sp.csr_array]:
    """Return the recipe's weighting, fitted, and the counts weighed by it."""
    weight = chosen.make_weight()
    X = weight.fit_transform(terms.matrix)
    refuse_nothing(weight, terms.matrix.nnz, X.nnz)
    return weight, X


def refuse_nothing(weight: Weight, counted: int, left: int) -> None:
    """Refuse a weighting that leaves none of the entries that were counted."""
    if counted and not left:
        raise ValueError(
            f"The weighting {weight.scheme!r} leaves nothing: every term occurs in every document; use a "
            "recipe that does not weigh by rarity, such as --recipe default."
        )


def keywords_of(corpus: Corpus, terms: Terms, labels: NDArray[Any], H: NDArray[Any]) -> list[list[str]]:
    """Return the keywords of each topic: words, and phrases where the texts have them."""
    phrases = find_phrases(corpus.documents.get_column("text", default=None), terms.counts)
    return topic_keywords(terms.matrix, labels, H, terms.totals, terms.words, phrases)


def refuse_text_options(options: Options) -> None:
    """Refuse options that say how texts are counted, for a matrix."""
    names = [name for name, one in declared_options(type(options)).items() if one.group == TERMS]
    used = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]
    if used:
        raise ValueError(f"A matrix of counts is taken as it is: leave {', '.join(used)} out.")


def _followed(corpus: Corpus, update: Update) -> Iterator[str]:
    """Give the texts one by one and say how far it is."""
    for done, text in enumerate(corpus.texts()):
        if done % 1000 == 0:
            update(done, len(corpus))
        yield text
