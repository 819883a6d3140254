"""The terms of a corpus, counted and weighed as a recipe says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.corpus.notes import Notes
from quire.messages import Update
from quire.places.codec import storable
from quire.places.parts import Blocks
from quire.runs.options import TERMS, Options, declared_options
from quire.runs.recipe import Recipe
from quire.text.counting import fit_counts, fit_weight
from quire.text.counts import Counts
from quire.text.segmentation import about_pairs, versions_used
from quire.text.spelling import AS_THEY_ARE, Spelling
from quire.text.weight import Weight


@storable
@dataclass(frozen=True, eq=False)
class Terms:
    """The counts of a corpus, and what they are counts of."""

    matrix: Blocks  # documents × terms
    words: list[str]  # the terms by column, to be read
    totals: NDArray[np.float64] = field(repr=False)  # how often each occurs
    counts: Counts | None  # counts new documents alike; None for a matrix
    spoken: NDArray[np.int8] | None = None  # the language of each document, where there are several

    @property
    def spelling(self) -> Spelling:
        """How texts are read."""
        return AS_THEY_ARE if self.counts is None else self.counts.spelling_


def count_terms(
    corpus: Corpus,
    recipe: Recipe,
    options: Options,
    tokens: Callable[[str], list[str]] | None = None,
    update: Update = lambda done, total: None,
) -> Terms:
    """Count the terms of a corpus; a matrix of counts is taken as it is."""
    if corpus.matrix is not None:
        _refuse_text_options(options)
        words = corpus.vocabulary or [f"#{j}" for j in range(corpus.matrix.shape[1])]
        return Terms(corpus.matrix, words, corpus.matrix.sum(axis=0), None)
    counts = recipe.make_counts(options.threads)
    if tokens is not None:
        counts.tokens = tokens
    counts.keep_repeated |= _of_rows(corpus.notes)
    matrix, totals, spoken = fit_counts(counts, corpus, update)
    return Terms(matrix, counts.shown_, totals, counts, spoken)


def _of_rows(notes: Notes) -> bool:
    """Say whether texts were put together from answers or rows: what is a line there was a text by itself."""
    return notes.grouped_from is not None or len(notes.answers) > 1


def weigh_terms(terms: Terms, recipe: Recipe) -> tuple[Weight, Blocks]:
    """Return the recipe's weighting, fitted, and the counts weighed by it."""
    weight = recipe.make_weight()
    return weight, fit_weight(weight, terms.matrix)[0]


def about_words(terms: Terms) -> list[str]:
    """Say where what was counted is no words for want of what finds them."""
    return about_pairs(terms.words, terms.spelling.segmenters) if terms.spelling.normal else []


def versions_of_segmenters(terms: Terms) -> dict[str, str]:
    """Return what found words where there are no spaces, and its version: another one may find others."""
    return versions_used(terms.words, terms.spelling.segmenters)


def _refuse_text_options(options: Options) -> None:
    names = [name for name, one in declared_options(type(options)).items() if one.group == TERMS]
    used = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]
    if used:
        raise ValueError(f"A matrix of counts is taken as it is: leave {', '.join(used)} out.")
