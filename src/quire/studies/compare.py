"""Two runs over the same documents: which topics are the same, and which documents moved."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import counted, short
from quire.runs.run import Run
from quire.scores import metrics

_KEYWORDS = 10  # of each topic, that are compared and shown
_MOVED = 1000  # documents that are listed one by one


@dataclass(frozen=True)
class Match:
    """A topic of each run; −1 where one is alone."""

    here: int  # the topics, of the run and of the other one
    there: int  # the topics, of the run and of the other one
    both: int  # documents that are in both topics
    jaccard: float  # the same as a share of the shared documents that are in either
    words: tuple[str, ...]  # keywords of both, in the order of those here


@dataclass(frozen=True, eq=False)
class Comparison:
    """How the topics of two runs compare.

    Attributes
    ----------
    here, there : DataFrame
        The topics of the run and of the other one: topic, name, size, keywords.
    shared, only_here, only_there : int
        Documents that are in both runs, and in one only.
    matrix : array of int
        Shared documents by topic here (rows; the last: none) and there (columns; the last: none).
    matches : list of Match
        Pairs of topics, in the order of those here, then topics that are alone, here and there.
    moved : DataFrame
        Documents with a topic in both runs that is not the other's partner, firmest members first: ``row``
        here, ``id``, ``here``, ``there``, ``membership`` here.
    ari, nmi : float
        Agreement over the documents that have a topic in both runs.
    notes : tuple of str
        What seems wrong.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> run, other = (quire.cluster(texts, 2, random_state=seed) for seed in (0, 1))
    >>> comparison = quire.compare(run, other)
    >>> comparison.shared, comparison.moved.height, comparison.ari
    (4, 0, 1.0)
    """

    here: pl.DataFrame
    there: pl.DataFrame
    shared: int
    only_here: int
    only_there: int
    matrix: NDArray[np.int64]
    matches: list[Match]
    moved: pl.DataFrame
    ari: float
    nmi: float
    notes: tuple[str, ...] = ()

    def flows(self) -> list[tuple[int, int, int]]:
        """Return topic here, topic there and documents of every way that documents moved, largest first."""
        apart = self.matrix[:-1, :-1].copy()
        for match in self.matches:
            if match.both:
                apart[match.here, match.there] = 0
        ways = sorted(zip(*np.nonzero(apart)), key=lambda way: -apart[way])
        return [(int(here), int(there), int(apart[here, there])) for here, there in ways]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as data for JSON, but of the documents that moved the first 1,000."""
        counts = {"shared": self.shared, "only_here": self.only_here, "only_there": self.only_there}
        return {
            "documents": counts | {"moved": self.moved.height}, "ari": self.ari, "nmi": self.nmi,
            "here": self.here.to_dicts(), "there": self.there.to_dicts(),
            "matches": [asdict(match) for match in self.matches], "matrix": self.matrix.tolist(),
            "moved": self.moved.head(_MOVED).drop("row").to_dicts(), "notes": list(self.notes),
        }  # fmt: skip

    def as_section(self, title: str) -> dict[str, Any]:
        """Return what the page shows of it.

        Parameters
        ----------
        title : str
            The name of the other run.
        """
        moved = self.moved.head(_MOVED).select("row", "here", "there")
        return {
            "title": title, "topics": self._topics_there(), "shared": self.shared,
            "only_here": self.only_here, "only_there": self.only_there, "matrix": self.matrix.tolist(),
            "matches": [asdict(match) | {"words": [short(w) for w in match.words]} for match in self.matches],
            "moved": [list(row) for row in moved.iter_rows()],
            "n_moved": self.moved.height, "ari": round(self.ari, 6), "nmi": round(self.nmi, 6),
        }  # fmt: skip

    def _topics_there(self) -> list[dict[str, Any]]:
        words = pl.element().map_elements(short, pl.String)
        name = pl.col("name").map_elements(short, pl.String)
        return self.there.with_columns(name, pl.col("keywords").list.eval(words)).to_dicts()

    def __repr__(self) -> str:
        return f"<Comparison: {counted(self.shared, 'document')} in both, {self.moved.height:,} moved>"


def compare(run: Run, other: Run) -> Comparison:
    """Compare the topics of two runs, by the documents that both have.

    Documents are the same where their ids are. Each topic has at most one partner in the other run, so that
    as many documents as possible are with their topic's partner (Hungarian method).

    Parameters
    ----------
    run, other : Run
        The two runs.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> two, one = quire.cluster(texts, 2, random_state=0), quire.cluster(texts, 1, random_state=0)
    >>> [(match.here, match.there, match.both) for match in quire.compare(two, one).matches]
    [(0, 0, 2), (1, -1, 0)]
    """
    shared, notes = _shared(run, other)
    k, m = run.topics.height, other.topics.height
    here, there = shared["here"].to_numpy(), shared["there"].to_numpy()
    cells = np.where(here < 0, k, here) * (m + 1) + np.where(there < 0, m, there)
    matrix = np.bincount(cells, minlength=(k + 1) * (m + 1)).reshape(k + 1, m + 1)
    matches = _matches(matrix, _topics(run), _topics(other))
    partner = np.full(k + 1, -2)  # of no topic: −1 is "none", which is nobody's partner
    for match in matches:
        if match.both:
            partner[match.here] = match.there
    placed = (here >= 0) & (there >= 0)
    if not placed.any():
        raise ValueError("No document has a topic in both runs: make one of them anew with a lower --abstain.")
    moved = shared.filter(placed & (partner[here] != there))
    return Comparison(
        _topics(run), _topics(other), shared.height, len(run.documents) - shared.height,
        len(other.documents) - shared.height, matrix, matches,
        moved.sort("membership", descending=True, maintain_order=True),
        metrics.ari(here[placed], there[placed]), metrics.nmi(here[placed], there[placed]), notes,
    )  # fmt: skip


def matched_pairs(table: NDArray[Any]) -> list[tuple[int, int]]:
    """Pair rows with columns so that the sum is the largest; pairs without a document are left out. Largest first."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    pairs = [(int(row), int(column)) for row, column in zip(rows, columns) if table[row, column]]
    return sorted(pairs, key=lambda pair: (-table[pair], pair))


def _shared(run: Run, other: Run) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the documents that both runs have, and what is odd about them."""
    ours, theirs = run.documents, other.documents
    texts = "text" in ours.columns and "text" in theirs.columns
    text = [pl.col("text").hash().alias("text")] if texts else []
    here = ours.select("id", pl.col("topic").alias("here"), "membership", *text).with_row_index("row")
    there = theirs.select("id", pl.col("topic").alias("there"), *text)
    shared = here.join(there, on="id", maintain_order="left")
    if not shared.height:
        raise ValueError(
            f"The runs have no document in common: their ids differ, such as {_first(ours)} and "
            f"{_first(theirs)}; make both with the same column of ids (--id)."
        )
    other_text = shared.filter(pl.col("text") != pl.col("text_right")).height if texts else 0
    note = (
        f"{other_text:,} of {counted(shared.height, 'shared document')} with another text in the other run: "
        "are these ids of the same documents?"
    )
    return shared.select("row", "id", "here", "there", "membership"), (note,) if other_text else ()


def _first(documents: pl.DataFrame) -> str:
    name = str(documents["id"][0])
    return repr(name if len(name) <= 40 else name[:39] + "…")


def _topics(run: Run) -> pl.DataFrame:
    return run.topics.select("topic", "name", "size", pl.col("keywords").list.head(_KEYWORDS))


def _matches(matrix: NDArray[np.int64], here: pl.DataFrame, there: pl.DataFrame) -> list[Match]:
    """Return pairs, then topics without a partner: those here, and those there."""
    pairs = sorted(matched_pairs(matrix[:-1, :-1]))
    rows, columns = matrix.sum(axis=1), matrix.sum(axis=0)
    words, others = here["keywords"].to_list(), there["keywords"].to_list()
    matches = []
    for t, u in pairs:
        both = int(matrix[t, u])
        alike = both / int(rows[t] + columns[u] - both)
        matches.append(Match(t, u, both, round(alike, 6), tuple(w for w in words[t] if w in others[u])))
    alone = [t for t in range(here.height) if t not in {t for t, _ in pairs}]
    alone_there = [u for u in range(there.height) if u not in {u for _, u in pairs}]
    matches += [Match(t, -1, 0, 0.0, ()) for t in alone]
    return matches + [Match(-1, u, 0, 0.0, ()) for u in alone_there]
