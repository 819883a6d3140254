"""Words that only come together in one block, such as a signature: they count as much as they occur without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from quire.messages import counted

_ALIKE = 0.75  # correlation, over the documents of a topic, from which two words are of one block
_WORDS = 3  # of a block; two that are always together are a name, such as "Hong Kong"
_CHAINED = 6  # of one whose terms all share words: fewer are one longer term, such as "named entity recognition"
_SHORT = 5  # letters of an abbreviation
_FEWEST = 5  # documents that must hold a word
_MOST_OF = 0.5  # the share of its block with which a word comes in the block, not by itself
_SHOWN = 3  # words of a block that a sentence names


class Block(NamedTuple):
    """Words that come together in so many documents of a topic."""

    topic: int
    documents: int
    words: list[str]


def sentences(blocks: Sequence[Block], keywords: Sequence[Sequence[str]]) -> list[str]:
    """Say which blocks were left out of the topics' keywords, the most frequent first."""
    out = [one for one in blocks if sum(word in keywords[one.topic] for word in one.words) < 2]
    return [
        f"Words that only come together, in {counted(one.documents, 'document')}, as in a signature "
        f"({', '.join(one.words[:_SHOWN])}, …), were left out of the keywords of topic {one.topic}."
        for one in sorted(out, key=lambda one: -one.documents)
    ]


def independent(present: sp.csc_array, shown: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the share of each word's documents in which it stands by itself, and which block it is of (−1: none).

    ``present`` has a row a document of one topic, a column a word. A block counts as one document.
    """
    together = (present.T @ present).toarray()
    times, share = together.diagonal(), np.ones(present.shape[1])
    near = _correlations(together, present.shape[0]) >= _ALIKE
    near &= np.minimum.outer(times, times) >= _FEWEST
    np.fill_diagonal(near, False)
    block = _blocks(near, _with_a_common_word(shown), shown)
    own = np.flatnonzero(block >= 0)
    holds, alike = present[:, own], near[np.ix_(own, own)]
    fellows = (holds @ sp.csr_array(alike.astype(np.float64))).toarray()  # of its block, in each document
    alone = holds.toarray() * (fellows < np.maximum(_MOST_OF * alike.sum(axis=0), 0.5))
    share[own] = np.minimum((alone.sum(axis=0) + 1) / times[own], 1.0)
    return share, block


def _correlations(together: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return those of which documents hold which word: above 0 only where they share more than by chance."""
    p = together.diagonal() / max(n, 1)
    spread = np.sqrt(p * (1 - p))
    return np.asarray((together / max(n, 1) - np.outer(p, p)) / np.maximum(np.outer(spread, spread), 1e-12))


def _with_a_common_word(shown: Sequence[str]) -> NDArray[np.bool_]:
    """Say which two terms share a word, as "fourier" and "fourier transform" do."""
    numbers: dict[str, int] = {}
    written = [(row, word) for row, term in enumerate(shown) for word in term.split(" ")]
    pairs = [(row, numbers.setdefault(word, len(numbers))) for row, word in written]
    rows, columns = np.array(pairs, np.intp).reshape(-1, 2).T
    holds = sp.csr_array((np.ones(len(rows)), (rows, columns)), (len(shown), len(numbers)))
    return np.asarray((holds @ holds.T).toarray() > 0)


def _blocks(near: NDArray[np.bool_], common: NDArray[np.bool_], shown: Sequence[str]) -> NDArray[np.intp]:
    """Return the block of each column, −1 where what comes together is a term and its parts, or too few words."""
    n, block = connected_components(sp.csr_array(near), directed=False)
    of_block = np.split(np.argsort(block, kind="stable"), np.cumsum(np.bincount(block, minlength=n))[:-1])
    for members in of_block:
        words = {word for column in members.tolist() for word in shown[column].split(" ")}
        # Nearly all blocks are one word: only of few is it asked whether they hold more than one term and its parts.
        if len(words) < _WORDS or (len(words) < _CHAINED and _are_one(members, common, shown)):
            block[members] = -1
    return np.asarray(block, np.intp)


def _are_one(members: NDArray[np.intp], common: NDArray[np.bool_], shown: Sequence[str]) -> bool:
    """Say whether terms are chained to each other, by words that they share or that they are short for."""
    linked = common[np.ix_(members, members)] | _abbreviated([shown[column] for column in members])
    return int(connected_components(sp.csr_array(linked), directed=False)[0]) == 1


def _abbreviated(terms: Sequence[str]) -> NDArray[np.bool_]:
    """Say which terms are short for others: "llms" has the initials of "large language", in their order."""
    initials = ["".join(word[0] for word in term.split(" ")) for term in terms]
    return np.array([[len(one) <= _SHORT and _in_order(of, one) for of in initials] for one in terms], bool)


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
