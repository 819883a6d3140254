"""What a run says of the languages of its documents, and of topics that are nothing but a language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.runs.terms import Terms
from quire.text.document_languages import in_words
from quire.text.languages import NAMES

_ONLY = 0.9  # the share of a topic's documents in one language from which that language is what it is about
_MOST = 0.7  # the share of a language's documents that such a topic has: where several share them, they are subjects
_IS_IN = " is the documents in"
_USUAL = 0.7  # the share of all documents in a language from which a topic in it is like any other


def told_of_languages(terms: Terms) -> list[str]:
    """Say which share of the documents is in which language, where there are several."""
    spoken = None if terms.counts is None else terms.counts.spoken_
    sentence = None if spoken is None or terms.spoken is None else in_words(spoken.languages, terms.spoken)
    return [] if sentence is None else [sentence]


def told_of_topics(terms: Terms, labels: NDArray[Any], k: int) -> list[str]:
    """Say which topics are the documents in one language, unless most documents are in it."""
    spoken = None if terms.counts is None else terms.counts.spoken_
    if spoken is None or terms.spoken is None:
        return []
    known = (labels >= 0) & (terms.spoken >= 0)
    sizes = np.zeros((len(spoken.languages), k), np.int64)
    np.add.at(sizes, (terms.spoken[known], labels[known]), 1)
    sentences = []
    for code, own in zip(spoken.languages, sizes):
        topic = int(own.argmax())
        of_topic, of_language = own[topic] / max(sizes[:, topic].sum(), 1), own[topic] / max(own.sum(), 1)
        if of_topic >= _ONLY and of_language >= _MOST and own.sum() < _USUAL * sizes.sum():
            sentences.append(f"Topic {topic}{_IS_IN} {NAMES[code].title()}.")
    return sentences


def renumbered(sentences: Iterable[str], now: Mapping[int, int]) -> list[str]:
    """Return sentences, of which those on the language of a topic have its number now, or are gone with it."""
    told = []
    for sentence in sentences:
        number, is_in, rest = sentence.removeprefix("Topic ").partition(_IS_IN)
        of_topic = sentence.startswith("Topic ") and bool(is_in) and number.isdecimal()
        if not of_topic:
            told.append(sentence)
        elif int(number) in now:
            told.append(f"Topic {now[int(number)]}{_IS_IN}{rest}")
    return told
