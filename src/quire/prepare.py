"""From a corpus to X, its terms counted and weighed as a recipe says; and from topics back to its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.blocks.matrix import Blocks
from quire.corpus import Corpus
from quire.counts import Counts
from quire.keywords import topic_keywords
from quire.options import Options
from quire.phrases import find_phrases
from quire.recipe import Recipe
from quire.stages import Update
from quire.weight import Weight


@dataclass(frozen=True)
class Terms:
    """The counts of a corpus, and what they are counts of.

    Examples
    --------
    >>> from quire.corpus import read_corpus
    >>> from quire.options import Options
    >>> from quire.prepare import counted_terms
    >>> options = Options()
    >>> counted_terms(read_corpus(["a moon", "the moon"]), options.resolved_recipe(), options).words
    ['moon']
    """

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
    """Count the terms of a corpus; a matrix of counts is taken as it is.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    chosen : Recipe
        Says what a term is.
    options : Options
        For the number of threads.
    tokens : callable, optional
        Makes tokens instead of the recipe's way.
    update : callable, optional
        Is told how far it is.

    Examples
    --------
    >>> from quire.corpus import read_corpus
    >>> from quire.options import Options
    >>> from quire.prepare import counted_terms
    >>> options = Options()
    >>> counted_terms(read_corpus(["a moon", "the moon"]), options.resolved_recipe(), options).totals.tolist()
    [2.0]
    """
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
    """Return the recipe's weighting, fitted, and the counts weighed by it.

    Examples
    --------
    >>> from quire.corpus import read_corpus
    >>> from quire.options import Options
    >>> from quire.prepare import counted_terms, weighed
    >>> options = Options()
    >>> terms = counted_terms(read_corpus(["a moon", "the moon"]), options.resolved_recipe(), options)
    >>> weighed(terms, options.resolved_recipe())[1].shape
    (2, 1)
    """
    weight = chosen.make_weight()
    X = weight.fit_transform(terms.matrix)
    refuse_nothing(weight, terms.matrix.nnz, X.nnz)
    return weight, X


def refuse_nothing(weight: Weight, counted: int, left: int) -> None:
    """Refuse a weighting that leaves none of the entries that were counted.

    Examples
    --------
    >>> from quire.prepare import refuse_nothing
    >>> from quire.weight import Weight
    >>> refuse_nothing(Weight(), 10, 9)
    """
    if counted and not left:
        raise ValueError(
            f"The weighting {weight.scheme!r} leaves nothing: every term occurs in every document; use a "
            "recipe that does not weigh by rarity, such as --recipe default."
        )


def keywords_of(corpus: Corpus, terms: Terms, labels: NDArray[Any], H: NDArray[Any]) -> list[list[str]]:
    """Return the keywords of each topic: words, and phrases where the texts have them.

    Parameters
    ----------
    corpus, terms
        The documents, and their counts.
    labels : array of shape (n,)
        Each document's topic, −1 for none.
    H : array of shape (k, d)
        Topics, in the scale of counts.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.corpus import read_corpus
    >>> from quire.options import Options
    >>> from quire.prepare import counted_terms, keywords_of
    >>> corpus, options = read_corpus(["a moon", "the goal"]), Options()
    >>> terms = counted_terms(corpus, options.resolved_recipe(), options)
    >>> keywords_of(corpus, terms, np.array([1, 0]), np.eye(2))
    [['goal'], ['moon']]
    """
    phrases = find_phrases(corpus.documents.get_column("text", default=None), terms.counts)
    return topic_keywords(terms.matrix, labels, H, terms.totals, terms.words, phrases)


def refuse_text_options(options: Options) -> None:
    """Refuse options that say how texts are counted, for a matrix.

    Examples
    --------
    >>> from quire.options import Options
    >>> from quire.prepare import refuse_text_options
    >>> refuse_text_options(Options())
    """
    names = ("language", "stem", "tokens", "ngrams", "min_count")
    used = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]
    if used:
        raise ValueError(f"A matrix of counts is taken as it is: leave {', '.join(used)} out.")


def _followed(corpus: Corpus, update: Update) -> Iterator[str]:
    """Give the texts one by one and say how far it is."""
    for done, text in enumerate(corpus.texts()):
        if done % 1000 == 0:
            update(done, len(corpus))
        yield text
