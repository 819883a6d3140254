"""Seeds in a corpus: the columns of their words and the rows of their documents; and which topics they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import counted, listed
from quire.methods.guide import Guide
from quire.runs.cut import Cut
from quire.runs.options import Options
from quire.runs.recipe import Recipe
from quire.runs.seeds import read_seeds
from quire.runs.tables import Described
from quire.runs.terms import Terms

_TELLING = 10  # words of example documents that stand for these
_HELD = 0.2  # the share of a topic's documents that hold a word of its seed, for the topic to be about it; or else
_MOST, _OFTEN, _FEWEST = 0.5, 2.0, 5  # of all these words the share it must have, how often as others, in documents
_SHOWN = 5


class Seeded(NamedTuple):
    """Seeds as columns and rows of a corpus, and what of them is not there."""

    guide: Guide
    known: list[int]  # the seed of each guided topic
    names: list[str]
    given: list[dict[str, list[str]]]
    unknown: list[list[str]]  # words and documents of each that are not there

    def guiding(self) -> Guide:
        """Return what guides a fit; refuse two seeds of the same words, as no document could begin with one of them."""
        first: dict[tuple[int, ...], str] = {}
        for seed, columns, rows in zip(self.known, self.guide.terms, self.guide.documents):
            name = self.names[seed]
            other = name if len(rows) else first.setdefault(tuple(columns.tolist()), name)
            if other != name:
                raise ValueError(f"The seeds of {other} and {name} are the same words: give each others, or join them.")
        return self.guide

    def told(self, cut: Cut, terms: Terms) -> Cut:
        """Give topics the names of their seeds; say which seeds found no topic."""
        numbers = _topics_of(self, cut)
        topics = cut.description.topics
        shares, about = [0.0] * len(numbers), [False] * len(numbers)
        for seed, columns in zip(self.known, self.guide.terms):
            shares[seed], about[seed] = _about(terms, cut.description, numbers[seed], columns)
        rows: list[dict[str, Any]] = [
            {
                "name": name, "topic": topic if topic >= 0 and found else None, "words": seed["words"],
                "documents": seed["documents"], "unknown": unknown, "share": share,
            }
            for name, topic, found, share, seed, unknown
            in zip(self.names, numbers, about, shares, self.given, self.unknown)
        ]  # fmt: skip
        names = topics["name"].to_list()
        for row in rows:
            if row["topic"] is not None:
                names[row["topic"]] = row["name"]
        own = set(self.names)
        shown = [f"{one} ({t})" if names.count(one) > 1 and one not in own else one for t, one in enumerate(names)]
        described = replace(cut.description, topics=topics.with_columns(name=pl.Series(shown, dtype=pl.String)))
        sentences = [*cut.info["corpus"]["sentences"], *_sentences(rows)]
        info = cut.info | {"seeds": rows, "corpus": cut.info["corpus"] | {"sentences": sentences}}
        return replace(cut, description=described, info=info)


def seeded(options: Options, corpus: Corpus, terms: Terms, recipe: Recipe) -> Seeded | None:
    """Find the words and documents of seeds in a corpus; None where there are no seeds."""
    if options.seeds is None:
        return None
    seeds = read_seeds(options.seeds)
    if not recipe.make_estimator(1, 0, 1).takes_seeds:
        raise ValueError(f"The recipe {recipe.name} takes no seeds: take default or nmf, or leave the seeds out.")
    names, given = list(seeds["topics"]), list(seeds["topics"].values())
    rows = _rows_of([id for seed in given for id in seed["documents"]], corpus)
    columns, unknown = zip(*(_columns(seed, terms, rows) for seed in given))
    missing = [[*words, *(id for id in seed["documents"] if id not in rows)] for words, seed in zip(unknown, given)]
    if not any(map(len, columns)):
        raise ValueError("No word of the seeds is in the documents: give others, or leave the seeds out.")
    own = [np.array(sorted(rows[id] for id in seed["documents"] if id in rows), np.intp) for seed in given]
    known = [number for number, terms_of in enumerate(columns) if len(terms_of)]  # the others leave their topic free
    guide = Guide(tuple(columns[i] for i in known), tuple(own[i] for i in known), float(seeds["strength"]))
    return Seeded(guide, known, names, given, missing)


def retold(
    rows: Sequence[dict[str, Any]], now: Mapping[int, int], before: NDArray[Any], described: Described, corpus: Corpus,
    terms: Terms,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return what is said of seeds once topics are others; ``now``: what became of those that are not gone."""
    ids, told = _rows_of([id for row in rows for id in row["documents"]], corpus), []
    for row in rows:
        columns, topic = _columns(row, terms, ids)[0], now.get(row["topic"], -1)
        own = np.flatnonzero((before == row["topic"]) & (described.labels >= 0) & (topic >= 0))
        if len(own) and len(columns):  # of several parts the one with most that is of the seed
            own = own[np.asarray(terms.matrix[own][:, columns].sum(axis=1)).ravel() > 0]
            topic = int(np.bincount(described.labels[own]).argmax()) if len(own) else topic
        share, about = _about(terms, described, topic, columns)
        told.append(row | {"topic": topic if about else None, "share": share})
    return told


def _columns(
    seed: Mapping[str, list[str]], terms: Terms, rows: Mapping[str, int]
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the columns of a seed's words, or of the telling words of its documents, and the words not there."""
    if seed["words"]:
        counted_words = {word: _columns_of(word, terms) for word in seed["words"]}
        known = [columns for columns in counted_words.values() if len(columns)]
        columns = np.unique(np.concatenate(known)) if known else np.empty(0, np.intp)
        return columns, [word for word, columns in counted_words.items() if not len(columns)]
    numbers = np.array(sorted(rows[id] for id in seed["documents"] if id in rows), np.intp)
    if not len(numbers):
        return np.empty(0, np.intp), []
    n = terms.matrix.shape[0]
    held = np.log1p(terms.matrix[numbers].toarray()).sum(axis=0)
    telling = held * np.log((n + 1) / (np.asarray(terms.totals) + 0.5))
    return np.sort(np.argsort(-telling, kind="stable")[:_TELLING]), []


def _columns_of(word: str, terms: Terms) -> NDArray[np.intp]:
    """Return the columns that a word, or some, counts in: as a text of the corpus would be counted."""
    if terms.counts is None:
        return np.array([column for column, one in enumerate(terms.words) if one == word], np.intp)
    return np.unique(terms.counts.csr([word]).indices).astype(np.intp)


def _rows_of(ids: list[str], corpus: Corpus) -> dict[str, int]:
    """Return which documents have these ids."""
    if not ids:
        return {}
    found = corpus.place.sweep(_found, corpus.parts, args=(ids,))[1]
    starts = np.cumsum(corpus.sizes) - corpus.sizes
    return {id: int(start) + row for start, part in zip(starts, found) for id, row in part.items()}


def _found(documents: pl.DataFrame, ids: list[str]) -> tuple[None, list[dict[str, int]]]:
    rows = documents.select("id").with_row_index("row").filter(pl.col("id").is_in(ids))
    return None, [dict(zip(rows["id"].to_list(), rows["row"].to_list()))]


def _topics_of(seeds: Seeded, cut: Cut) -> list[int]:
    """Return the topic of each seed, −1 for none."""
    guided: NDArray[np.intp] = getattr(cut.estimator, "seeded_")  # noqa: B009 (it is set by a fit)
    topics = {seeds.known[one]: topic for topic, one in enumerate(guided.tolist()) if one >= 0}
    return [topics.get(seed, -1) for seed in range(len(seeds.names))]


def _about(terms: Terms, described: Described, topic: int, columns: NDArray[np.intp]) -> tuple[float, bool]:
    """Return the share of a topic's documents that hold a word of its seed, and whether it is about that."""
    share = _share_holding(terms, described.labels, topic, columns)
    return share, share >= _HELD or _has_most(described, topic, columns)


def _share_holding(terms: Terms, labels: NDArray[Any], topic: int, columns: NDArray[np.intp]) -> float:
    """Return the share of a topic's documents that hold a word of its seed."""
    own = np.flatnonzero(labels == topic)
    if topic < 0 or not len(own) or not len(columns):
        return 0.0
    some = own[:: max(1, -(-len(own) // 1000))]
    return float((np.asarray(terms.matrix[some][:, columns].sum(axis=1)).ravel() > 0).mean())


def _has_most(described: Described, topic: int, columns: NDArray[np.intp]) -> bool:
    """Say whether words of a seed that few documents hold are in its topic: of "sport" texts on sport rarely speak."""
    if topic < 0:
        return False
    holding = np.asarray(described.held[:, columns].sum(axis=1), np.float64).ravel()
    sizes = np.bincount(described.labels[described.labels >= 0], minlength=len(holding))
    often = holding[topic] * sizes.sum() >= _OFTEN * holding.sum() * sizes[topic]
    return bool(holding[topic] >= max(_FEWEST, _MOST * holding.sum()) and often)


def _sentences(rows: list[dict[str, Any]]) -> list[str]:
    sentences = []
    lost = [row["name"] for row in rows if row["topic"] is None]
    found = len(rows) - len(lost)
    sentences.append(f"{found} of {counted(len(rows), 'seed')} found {'its' if found == 1 else 'their'} topic.")
    if lost:
        sentences.append(f"No topic came to be about {listed(lost[:_SHOWN])}: their words are too few, or say little.")
    missing = [one for row in rows for one in row["unknown"]]
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        sentences.append(f"Seeds that are not in the documents: {', '.join(missing[:_SHOWN])}{more}.")
    return sentences
