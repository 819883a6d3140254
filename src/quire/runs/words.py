"""The words of topics, from a corpus: a sample of texts → phrases, keywords, and how these are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Update
from quire.runs.keywords import N_KEYWORDS, Keywords, topic_keywords
from quire.runs.terms import Terms
from quire.text.counts import Counts
from quire.text.phrases import Phrases, may_have_phrases, phrases_among, sample_step, sampled_texts
from quire.text.written import written_forms

_SPARE = 8  # keywords more than are listed, as some turn out to be bits of addresses
_LOOKED_AT, _OF_ALL = 80, 4000  # documents of a topic, and of all topics, in which it is seen how words are written


class Sample(NamedTuple):
    """Some texts, spread evenly, which documents they are, and their phrases: the same whatever the topics."""

    texts: list[str]
    rows: NDArray[np.int64]
    phrases: Phrases


def sample_of(corpus: Corpus, terms: Terms, update: Update | None = None) -> Sample:
    """Return a sample of a corpus."""
    texts, rows = corpus_sample(corpus, terms.counts, update)
    return Sample(texts, rows, phrases_among(texts, rows, terms.counts) if texts else Phrases.none())


class Spoken(NamedTuple):
    """What people said of words: which topic one is a keyword of, which ones are none."""

    pinned: Mapping[str, int] = {}
    banned: Collection[str] = ()

    def among(self, words: list[str], topic: int) -> list[str]:
        """Return the words of a topic, as people want them; a phrase is banned with any word of it."""
        rest = [word for word in words if self.banned == () or not any(part in self.banned for part in word.split(" "))]
        own = [word for word, where in self.pinned.items() if where == topic]
        return [*own, *(word for word in rest if word not in self.pinned)]


NOTHING_SAID = Spoken()


def keywords_of(
    sample: Sample, terms: Terms, labels: NDArray[Any], H: NDArray[Any], said: Spoken = NOTHING_SAID
) -> Keywords:
    """Return the keywords of each topic: words, and phrases where the texts have them."""
    texts, rows, phrases = sample
    chosen = topic_keywords(terms.matrix, labels, H, terms.totals, terms.words, phrases, N_KEYWORDS + _SPARE)
    lists, forms = [], dict[str, str]()
    for t, likely in enumerate(chosen.words):
        words = said.among(likely, t)
        own = np.flatnonzero(labels[rows] == t)
        own = own[:: max(1, -(-len(own) // min(_LOOKED_AT, max(5, _OF_ALL // len(H)))))]
        written = written_forms([texts[i] for i in own], words, terms.spelling)
        spoken = [word for word in words if written[word] is not None] or words
        lists.append(spoken[:N_KEYWORDS])
        forms |= {word: form for word in lists[-1] if (form := written[word]) is not None}
    return chosen._replace(words=lists, forms=forms)


def corpus_sample(
    corpus: Corpus, counts: Counts | None, update: Update | None = None
) -> tuple[list[str], NDArray[np.int64]]:
    """Return some texts, spread evenly, and which they are; none where terms are no plain words."""
    if corpus.matrix is not None or not may_have_phrases(counts):
        return [], np.zeros(0, np.int64)
    n_bytes = int(corpus.place.sweep(text_bytes, corpus.parts)[1])
    n, place = len(corpus), corpus.place
    step = sample_step(n, n_bytes)
    starts = np.cumsum(corpus.sizes) - corpus.sizes
    first = [place.put(np.array([-start % step])) for start in starts]
    sample = place.sweep(_sampled, corpus.parts, first, args=(step,), update=update)[1]
    return sample if counts is None else list(counts.own(sample)), np.arange(0, n, step)


def text_bytes(documents: pl.DataFrame) -> tuple[None, int]:
    """Return how long the texts of a part are together."""
    return None, int(documents["text"].str.len_bytes().sum())


def _sampled(frame: pl.DataFrame, first: NDArray[np.int64], step: int) -> tuple[None, list[str]]:
    return None, sampled_texts(frame["text"], step, int(first[0]))
