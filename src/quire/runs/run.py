"""A Run: documents gathered into topics, with everything that it takes to repeat it, on disk or in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.check import silent_rows
from quire.corpus.corpus import Corpus, read_corpus
from quire.methods.assignment import abstained
from quire.methods.estimator import TopicEstimator
from quire.runs.folder import read_head, steadily
from quire.runs.names import read_names, with_names
from quire.runs.recipe import Recipe
from quire.runs.write import DOCUMENTS, FACTORS, SUBWORDS, TOPICS, VOCABULARY, Streamed, mapped_arrays, write_run
from quire.text.counts import Counts
from quire.text.weight import Weight

_DAMAGED = (
    KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError, json.JSONDecodeError,
    pl.exceptions.PolarsError,
)  # fmt: skip


class Assignment(NamedTuple):
    """The topics of some documents."""

    labels: NDArray[np.intp]
    memberships: NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Documents, their topics, and the model that new documents are assigned by.

    Attributes
    ----------
    documents : DataFrame
        A row per document: id, title, label and date where known, ``topic`` (−1: unassigned), ``membership``,
        ``runner_up``, ``runner_up_membership``, ``confidence``, ``else_topic``, text. ``confidence`` is the
        share of the recipe's runs that put the document into its topic, ``else_topic`` the one that most of
        the others put it into (−1: there are no others); null where the recipe makes one run, or no topic
        fits. Of a document that is unassigned because its membership is below ``abstain``, ``runner_up`` is
        the topic that it would be in, and ``confidence`` that topic's.
    topics : DataFrame
        A row per topic: name, size, share, ``stability`` (how often two of its documents are together, over
        all pairs and runs; null where the recipe makes one run), keywords (most telling first), heaviest
        words, typical and borderline documents, and a ``passage`` to quote: the sentence of a typical document
        that holds most of the leading keywords (null where there is none).
    timeline : DataFrame or None
        Documents and share of every topic in every calendar bin, where dates are known.
    W, H : arrays
        X ≈ W H, X being the weighted counts.
    words : list of str
        The terms by column of H as they are shown: where words were stemmed, the most frequent word of each
        stem; for a matrix without vocabulary, the columns' numbers.
    vocabulary : list of str
        The terms themselves.
    info : dict
        What ``run.json`` holds: options, recipe, seed, how many runs (null: one), versions, fingerprint,
        timings, scores.
    X : CSR array or None
        The weighted counts, where the run was just made; they are not saved. :meth:`recount` has the counts.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> run = quire.cluster(texts, 2, random_state=0)
    >>> run.labels[0] == run.labels[1] != run.labels[2] == run.labels[3]
    np.True_
    """

    documents: pl.DataFrame
    topics: pl.DataFrame
    timeline: pl.DataFrame | None
    W: NDArray[Any]
    H: NDArray[Any]
    totals: NDArray[Any]
    words: list[str]
    counts: Counts | None
    weight: Weight
    estimator: TopicEstimator
    recipe: Recipe
    info: dict[str, Any]
    X: sp.csr_array | None = None

    @property
    def vocabulary(self) -> list[str]:
        """The terms by column of H."""
        return list(self.counts.terms_) if self.counts is not None else list(self.words)

    @property
    def labels(self) -> NDArray[np.intp]:
        """The topic of each document; −1 where it has none."""
        return self.documents["topic"].to_numpy().astype(np.intp)

    @property
    def memberships(self) -> NDArray[Any]:
        """Each document's shares in all topics; rows sum to 1."""
        return self.memberships_of(slice(None))

    def memberships_of(self, rows: slice | NDArray[Any]) -> NDArray[Any]:
        """Return the shares of some documents in all topics; rows sum to 1.

        Parameters
        ----------
        rows : slice or array of int
            Which documents.
        """
        topic, second = (self.documents[name].to_numpy()[rows] for name in ("topic", "runner_up"))
        silent = (topic < 0) & (second < 0)  # and not only unsure
        return self._assigned(self.W[rows], silent).memberships

    @property
    def confidence(self) -> NDArray[np.float64] | None:
        """The share of the runs that put each document into its topic; NaN where it has none.

        Of a document that ``abstain`` left out: into the topic that it is nearest to. None where the recipe
        makes one run only.
        """
        return self._of_runs(self.documents["confidence"])

    @property
    def stability(self) -> NDArray[np.float64] | None:
        """How often two documents of each topic are together in a run; NaN where it has no document.

        None where the recipe makes one run only.
        """
        return self._of_runs(self.topics["stability"])

    @property
    def scores(self) -> dict[str, float]:
        """Scores against the documents' labels; empty where there are none.

        With ``abstain`` they are those of the documents with a topic, and ``coverage`` is the share of these.
        """
        return dict(self.info["scores"])

    def assign(self, docs: Any) -> Assignment:
        """Return the topics of other documents, by the same solve that gave the run its own.

        A document gets the same answer alone and in any batch; the training documents get the run's own.
        Where the run was made with ``abstain``, an unsure document has topic −1, but its memberships are
        told.

        Parameters
        ----------
        docs : list of str, data frame, Series, Path, Corpus, or one text
            What :func:`quire.read_corpus` reads, but that a str is a text and no path; a matrix of counts
            for a run that was made from one.
        """
        counts = self._counts_of(docs)
        if counts is None:
            return Assignment(np.zeros(0, np.intp), np.zeros((0, len(self.H)), self.W.dtype))
        X = self.weight.transform(counts)
        return self._assigned(self.estimator.transform(X), silent_rows(X))

    def recount(self, rows: slice | NDArray[Any] = slice(None)) -> sp.csr_array:
        """Count the terms of the run's own texts again: it keeps the texts, but not the counts.

        Parameters
        ----------
        rows : slice or array of int
            Which documents; all by default.
        """
        if self.counts is None or "text" not in self.documents.columns:
            raise ValueError("The run was made from a matrix and has no texts to count.")
        return self.counts.transform(Corpus.of(self.documents.select("text")[rows]).texts())

    def save(self, path: str | Path) -> Path:
        """Write the run into a folder, whole or not at all.

        Parameters
        ----------
        path : path
            The folder; a run that is there already is replaced.
        """
        return write_run(
            path,
            self.info,
            arrays={"W": self.W, **model_arrays(self.totals, self.weight, self.estimator)},
            vocabulary=vocabulary_state(self.counts, self.words),
            documents=Streamed.of(self.documents),
            topics=self.topics,
            timeline=self.timeline,
            subwords=getattr(self.counts, "subword_model_", None),
        )

    def _counts_of(self, docs: Any) -> Any:
        """Return the counts of documents, read as the run's own were; None where there is no document."""
        matrix = sp.issparse(docs) or (isinstance(docs, np.ndarray) and docs.ndim == 2)
        if matrix != (self.counts is None):
            made, give = ("a matrix", "counts with the same columns") if not matrix else ("texts", "texts")
            raise ValueError(f"This run was made from {made}: give {give} to assign.")
        if self.counts is None:
            return docs if docs.shape[0] else None
        docs = [docs] if isinstance(docs, str) else docs
        if isinstance(docs, Sized) and not len(docs):
            return None
        frame = isinstance(docs, pl.DataFrame | pl.LazyFrame) or hasattr(docs, "columns")
        text = self.info["options"].get("text") if frame or isinstance(docs, Path) else None
        return self.counts.transform(read_corpus(docs, text=text).texts())

    def __repr__(self) -> str:
        return f"<Run: {len(self.documents):,} documents, {len(self.H)} topics, recipe {self.recipe.name}>"

    def _assigned(self, W: NDArray[Any], silent: NDArray[np.bool_]) -> Assignment:
        labels, shares = self.estimator.assign(W, silent=silent, **self.recipe.assignment)
        return Assignment(abstained(labels, shares, self.info["options"].get("abstain")), shares)

    def _of_runs(self, column: pl.Series) -> NDArray[np.float64] | None:
        return None if self.info.get("runs") is None else column.to_numpy()


def model_arrays(totals: NDArray[Any], weight: Weight, estimator: TopicEstimator) -> dict[str, NDArray[Any]]:
    """Return the arrays of a run beside W: what its model learnt."""
    learnt = {f"weight.{name}": value for name, value in weight.state().items()}
    learnt |= {f"estimator.{name}": value for name, value in estimator.state().items()}
    return {"H": learnt.pop("estimator.components_"), "totals": totals, **learnt}


def vocabulary_state(counts: Counts | None, words: list[str]) -> dict[str, Any]:
    """Return the terms and what it takes to count others, as plain data."""
    learnt: dict[str, Any] = {"terms": None} if counts is None else counts.state()
    return {**learnt, "words": None if learnt["terms"] == words else words}


def load(path: str | Path, tokens: Callable[[str], list[str]] | None = None, *, texts: bool = True) -> Run:
    """Read a run from its folder.

    Parameters
    ----------
    path : path
        What :meth:`Run.save` or ``quire cluster`` wrote.
    tokens : callable, optional
        The function that made the tokens, where the run was made with one: code is never stored.
    texts : bool, default=True
        Whether to read the texts. If not, only the most typical document of each topic has its text, and W
        stays on disk: little memory is taken, but the run cannot be counted again, or saved.

    Examples
    --------
    >>> import tempfile, quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> folder = quire.cluster(texts, 2, random_state=0).save(tempfile.mkdtemp() + "/run")
    >>> quire.load(folder).assign(["moon"]).memberships.sum()
    np.float32(1.0)
    """
    folder = Path(path)
    return steadily(folder, lambda: _checked(folder, tokens, texts))


def _checked(folder: Path, tokens: Callable[[str], list[str]] | None, texts: bool) -> Run:
    """Read a run; whatever its files lack is one sentence."""
    info = read_head(folder)
    try:
        return _loaded(folder, info, tokens, texts)
    except _DAMAGED as error:
        first = str(error).partition("\n")[0]
        raise ValueError(f"The run {folder} does not hold what it should ({first}); make it anew.") from None


def _of_its_time(recipe: Recipe, learnt: dict[str, Any]) -> Recipe:
    """Return the recipe with the defaults that Ensemble had when all terms counted alike."""
    if len(learnt.get("unit_", "..")) != 1:
        return recipe
    return replace(recipe, factorization={"words": 5.0, "prior": 0.0, "weigh": False, **recipe.factorization})


def _loaded(folder: Path, info: dict[str, Any], tokens: Callable[[str], list[str]] | None, texts: bool) -> Run:
    from safetensors.numpy import load_file

    info = {key: value for key, value in info.items() if key not in ("format", "schema", "files", "checksum")}
    arrays = load_file(folder / FACTORS) if texts else mapped_arrays(folder / FACTORS)
    recipe = Recipe.from_dict(info["recipe"])
    weights, learnt = (
        {name.removeprefix(of): array for name, array in arrays.items() if name.startswith(of)}
        for of in ("weight.", "estimator.")
    )
    words = json.loads((folder / VOCABULARY).read_text("utf-8"))
    shown = words["terms"] if words["words"] is None else words["words"]
    counts = None
    if words["terms"] is not None:
        counts = recipe.make_counts(None)
        if tokens is not None:
            counts.tokens = tokens
        model = folder / SUBWORDS
        counts.restore(words, model.read_bytes() if model.exists() else None)
        counts.shown_, counts.cut_ = shown, info["terms"]["cut"]
    estimator = _of_its_time(recipe, learnt).make_estimator(len(arrays["H"]), info["seed"], None)
    estimator.restore({"components_": arrays["H"], **learnt})
    topics, timeline = _topics_from(json.loads((folder / TOPICS).read_text("utf-8")))
    topics = with_names(topics, read_names(folder))
    return Run(
        documents=_documents_from(folder / DOCUMENTS, None if texts else topics),
        topics=topics, timeline=timeline, W=arrays["W"], H=arrays["H"], totals=arrays["totals"],
        words=shown, counts=counts,
        weight=recipe.make_weight().restore(weights), estimator=estimator, recipe=recipe, info=info,
    )  # fmt: skip


def _documents_from(path: Path, few: pl.DataFrame | None = None) -> pl.DataFrame:
    """Read the documents; those of an older run, which does not know what runs say, get nulls.

    Where there are ``few`` topics, only the texts of their most typical documents are read.
    """
    documents = (
        pl.read_parquet(path, glob=False) if few is None else _without_texts(pl.scan_parquet(path, glob=False), few)
    )
    if "confidence" not in documents.columns:
        place = documents.get_column_index("runner_up_membership") + 1
        for name, kind in (("else_topic", pl.Int32), ("confidence", pl.Float64)):
            documents.insert_column(place, pl.Series(name, [None] * len(documents), dtype=kind))
    return documents


def _without_texts(stored: pl.LazyFrame, topics: pl.DataFrame) -> pl.DataFrame:
    if "text" not in stored.collect_schema():
        return stored.collect()
    documents = stored.drop("text").collect()
    wanted = documents["id"].is_in([ids[0] for ids in topics["typical"].to_list() if ids])
    few = stored.select("text").filter(wanted).collect(engine="streaming")["text"]
    text = pl.repeat(None, len(documents), dtype=pl.String, eager=True).alias("text")
    return documents.with_columns(text.scatter(wanted.arg_true(), few))


def _topics_from(state: dict[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    lists: dict[str, Any] = dict.fromkeys(("keywords", "heaviest", "typical", "borderline"), pl.List(pl.String))
    shares = {"share": pl.Float64, "stability": pl.Float64}  # of which an older run has no stability, nor a passage
    schema = {"topic": pl.Int32, "name": pl.String, "size": pl.Int64, **shares, **lists, "passage": pl.String}
    topics = pl.DataFrame(state["topics"], schema=schema)
    if state["timeline"] is None:
        return topics, None
    kinds = {"topic": pl.Int64, "start": pl.String, "documents": pl.Int64, "share": pl.Float64}
    return topics, pl.DataFrame(state["timeline"], schema=kinds).with_columns(pl.col("start").str.to_date())
