"""A Run: documents gathered into topics, with everything that it takes to repeat it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.backends.check import silent_rows
from quire.corpus.corpus import Corpus, read_corpus, read_parts
from quire.methods.assignment import abstained
from quire.methods.estimator import TopicEstimator
from quire.places.indices import as_csr
from quire.runs.assigning import assigned_table, counts_in_columns, is_matrix
from quire.runs.diff import TopicDiff, diff_of
from quire.runs.edits.fold import Edits
from quire.runs.edits.log import beside_run, commit, continues
from quire.runs.edits.methods import Editing
from quire.runs.edits.replay import held_on
from quire.runs.likeness import Heard
from quire.runs.novelty import Novelty
from quire.runs.recipe import Recipe
from quire.runs.showing import Showing
from quire.runs.state import model_arrays, topic_arrays, vocabulary_state
from quire.runs.tree import Tree
from quire.runs.tree_file import tree_writer
from quire.runs.update import FORGET, Wanted, reading_options, updated
from quire.runs.why import Explanation, explanation_of
from quire.runs.write import FOUND, CutFiles, Streamed, write_run
from quire.text.counts import FEW, Counts
from quire.text.weight import Weight


class Assignment(NamedTuple):
    """The topics of some documents."""

    labels: NDArray[np.intp]
    memberships: NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Run(Editing, Showing):
    """Documents, their topics, and the model that new documents are assigned by.

    Attributes
    ----------
    documents : DataFrame
        A row per document (with ``split`` per passage: see :meth:`whole_documents`): id, title, label and date where
        known, all other columns of the table that was read, ``topic`` (−1: unassigned), ``membership``,
        ``runner_up``, ``runner_up_membership``, ``confidence``, ``else_topic``, text. ``confidence`` is the
        share of the recipe's runs that put the document into its topic, ``else_topic`` the one that most of
        the others put it into (−1: there are no others); null where the recipe makes one run, or no topic
        fits. Of a document that is unassigned because its membership is below ``abstain``, ``runner_up`` is
        the topic that it would be in, and ``confidence`` that topic's. ``copy_of``, where there are copies, is the id
        of the first document with nearly the same words; null for no copy.
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
    novelty : Novelty or None
        What the run knows of how unlike each other its documents are; None for a run of an older Quire.
    others : dict
        The other cuts by their number of topics, each a function that returns it: :meth:`at` calls it.
    edits : Edits or None
        What people changed about the run, and what it was before; :attr:`history` lists it.
    hierarchy : Tree or None
        The tree of topics, where the run was made with one or keeps one; :meth:`tree` grows it where not.

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
    novelty: Novelty | None = None
    others: dict[int, Callable[[], Run]] = field(default_factory=dict)
    edits: Edits | None = None
    hierarchy: Tree | None = None

    @property
    def cuts(self) -> list[int]:
        """The numbers of topics that the same fit was cut at, this one among them; see :meth:`at`."""
        return sorted({len(self.H), *self.others})

    def at(self, n_topics: int) -> Run:
        """Return the run of the same documents with another number of topics, one of :attr:`cuts`.

        It is a run like any other: it can be looked at, compared, saved, and assigns documents.

        Parameters
        ----------
        n_topics : int
            How many topics.
        """
        if n_topics == len(self.H):
            return self
        if n_topics not in self.others:
            there = ", ".join(map(str, self.cuts))
            raise ValueError(
                f"The run has no cut of {n_topics} topics, but {there}: make another run with --topics {n_topics}."
            )
        return self.others[n_topics]()

    def tree(self, leaves: int | None = None, counts: Any = None) -> Tree:
        """Return the tree of topics: what those of the run join to, and what they part into.

        Above, the two topics are joined that lose least by it. Below, the documents of a topic are parted in two by
        the default's own mixture, and these again; the split that explains most comes next. A leaf in which no more
        is seen than in the same documents with their words dealt out anew stays whole, and a tiny group that is unlike
        the rest is set aside. The tree that the run keeps is returned where nothing else is asked for.

        Parameters
        ----------
        leaves : int, optional
            How many leaves it may have; by default four for each topic, at least 128.
        counts : sparse matrix, optional
            The counts, for a run that was made from a matrix: it does not keep them.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"] * 9
        >>> run = quire.cluster(texts, 2, random_state=0)
        >>> run.tree().root.size
        36
        """
        from quire.runs.tree_cut import grown_tree

        kept = leaves is None and self.hierarchy is not None
        return cast(Tree, self.hierarchy) if kept else grown_tree(self, leaves, counts)

    def cut(self, n_topics: int, counts: Any = None) -> Run:
        """Return a run of the same documents with another number of topics: the nodes at which the tree is cut.

        The topics begin as these nodes; each document then goes where it fits best among all of them. It is a run like
        any other, but that no several runs say how sure it is. What was said of words and documents (:meth:`pin`,
        :meth:`ban`, :meth:`move` …) holds in it too, as its first edits; names and notes stay with the topics that had
        them.

        Parameters
        ----------
        n_topics : int
            How many topics, from 1 to the leaves of the tree.
        counts : sparse matrix, optional
            As for :meth:`tree`.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"] * 9
        >>> len(quire.cluster(texts, 2, random_state=0).cut(1).topics)
        1
        """
        from quire.runs.tree_cut import cut_parts

        parts = cut_parts(self, self.tree(counts=counts), n_topics, counts)
        run: Run = held_on(replace(self, **parts, others={}, hierarchy=None, edits=None), self)
        return run

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
        return self._assigned(self.W[rows], self.silent(rows)).memberships

    def silent(self, rows: slice | NDArray[Any] = slice(None)) -> NDArray[np.bool_]:
        """Say which documents no topic fits; one that is only unsure has a runner-up.

        Parameters
        ----------
        rows : slice or array of int
            Which documents.
        """
        topic, second = (self.documents[name].to_numpy()[rows] for name in ("topic", "runner_up"))
        return np.asarray((topic < 0) & (second < 0))

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

    @property
    def guessed_classes(self) -> str | None:
        """What was taken for the documents' known classes though nobody named it; None where they were named."""
        corpus = self.info["corpus"]
        if (
            "label" not in (corpus.get("guessed") or ()) or corpus.get("kind") == "matrix"
        ):  # a file beside it is no guess
            return None
        column = (corpus.get("columns") or {}).get("label")
        return f"column {column!r}" if column else "the names of folders"

    def by(self, column: str) -> pl.DataFrame:
        """Compare topics by the values of a column: a row for every topic and value.

        It says how many ``documents`` have both, and how many were ``expected`` if topic and value were
        independent; ``share`` is that of the value's documents, ``of_topic`` that of the topic's. ``residual`` is
        the adjusted standardised one, ``q`` its p-value after Benjamini and Hochberg, over all rows;
        ``stands_out`` is "more" or "less" where q ≤ 0.05. Where documents have weights, ``weighted`` has their sums,
        scaled so that all documents together are as many as they are; shares, expectations and residuals follow these.

        Parameters
        ----------
        column : str
            Any column of :attr:`documents`, or the name that it had in its table. Numbers are cut into five quantiles,
            dates into calendar bins; ``"age:4"`` and ``"date:year"`` ask for others.

        Examples
        --------
        >>> import polars as pl, quire
        >>> said = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"] * 5
        >>> table = pl.DataFrame({"text": said, "who": ["ann", "ann", "bob", "bob"] * 5})
        >>> run = quire.cluster(table, 2, random_state=0)
        >>> sorted(run.by("who")["stands_out"])
        ['less', 'less', 'more', 'more']
        """
        from quire.runs.by import by_column

        return by_column(self.documents, len(self.H), column, self.info["corpus"].get("columns") or {}).table

    def whole_documents(self) -> pl.DataFrame:
        r"""Return the whole documents of a run that was made of their passages (``split``, ``each``).

        A row per document, with its own columns, the number of ``passages``, their ``length`` together, ``memberships``
        in all topics (the mean over its passages, weighted by their length), ``topic`` (the largest), ``membership``,
        ``runner_up`` and ``runner_up_membership``.

        Examples
        --------
        >>> import quire
        >>> books = ["the moon orbits\n\ngoal and team and match", "a moon in orbit\n\nteam goal"]
        >>> run = quire.cluster(books, 2, random_state=0, split="words:3")
        >>> run.whole_documents()["passages"].to_list()
        [3, 2]
        """
        from quire.runs.wholes import whole_documents

        return whole_documents(self.documents, self.memberships, self.silent())

    def explain(self, doc: str, against: int | None = None) -> Explanation:
        """Say why a document is in its topic: what its words add to that topic's score and to another's.

        Also typical documents of both that share these words, and what would have to change: which words, taken out
        or put in, would bring it to another topic. The page shows the same numbers.

        Parameters
        ----------
        doc : str
            The id of a document.
        against : int, optional
            The topic to hold it against; its runner-up where not given.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> run = quire.cluster(texts, 2, random_state=0)
        >>> sorted(run.explain("3").terms["term"])
        ['goal', 'team']
        """
        return explanation_of(self, str(doc), against)

    def diff(self, first: int, second: int) -> TopicDiff:
        """Say what tells two topics apart: words, shares, and the documents between them.

        Parameters
        ----------
        first, second : int
            The topics.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> run = quire.cluster(texts, 2, random_state=0)
        >>> run.diff(*run.labels[[2, 0]]).words["word"][0] in ("goal", "team")
        True
        """
        return diff_of(self, first, second)

    def assign(self, docs: Any) -> Assignment:
        """Return the topics of other documents, by the same solve that gave the run its own.

        A document gets the same answer alone and in any batch; the training documents get the run's own.
        Where the run was made with ``abstain``, an unsure document has topic −1, but its memberships are
        told.

        Parameters
        ----------
        docs : list of str, data frame, Series, Path, Corpus, or one text
            What :func:`quire.read_corpus` reads, but that a str is a text and no path; for a run that was made from
            numbers, a matrix with its columns, or a data frame of numbers or AnnData with columns of their names.
        """
        texts = self._texts_of(docs)
        if texts is None:
            return Assignment(np.zeros(0, np.intp), np.zeros((0, len(self.H)), self.W.dtype))
        return self.assign_counts(texts if self.counts is None else self.counts.csr(texts))

    def assign_counts(self, counts: Any) -> Assignment:
        """Return the topics of documents whose terms have been counted as the run's own were.

        Parameters
        ----------
        counts : sparse matrix
            A row per document, a column per term of :attr:`vocabulary`.
        """
        labels, shares = self.nearest_topics(self.weight.csr(counts))
        return Assignment(abstained(labels, shares, self.info["options"].get("abstain")), shares)

    def nearest_topics(self, X: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the topic of each document, however unsure (−1: none fits), and its shares in all.

        Parameters
        ----------
        X : sparse matrix
            As :attr:`X`.
        """
        return self.estimator.assign_by(self._lengths, self.estimator.transform(X), silent_rows(X))

    def assign_table(self, docs: Any, ids: Iterable[str] | None = None) -> pl.DataFrame:
        """Return a table of other documents: their topics, how sure these are, and how unlike the run's own they are.

        A row per document: ``id``, ``topic`` (−1: unassigned), its ``name``, ``membership``, ``runner_up``,
        ``runner_up_membership``, ``confidence`` (the mean of the run's own documents of like membership; null where
        the recipe makes one run) and ``novelty``: the share of the run's own documents of like length that are less
        unlike the rest of it. 0.99 is unlike anything seen; null where the document says nothing, or for
        a run of an older Quire. ``quire assign`` does the same for files of any size.

        Parameters
        ----------
        docs
            As for :meth:`assign`.
        ids : iterable of str, optional
            What to call the documents; their numbers, from 1 on, where not given.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> run = quire.cluster(texts, 2, random_state=0)
        >>> run.assign_table(["the moon", "violin sonata"])["novelty"][1]
        1.0
        """
        heard = self.heard(docs)
        return assigned_table(self, map(str, range(1, len(heard.unknown) + 1)) if ids is None else ids, heard)

    def update(
        self,
        more: Any,
        new_topics: int | str = "auto",
        *,
        labels: Iterable[Any] | None = None,
        dates: Iterable[Any] | None = None,
        forget: float = FORGET,
        **options: Any,
    ) -> Run:
        """Return a run with more documents; this one stays what it is.

        Topics keep their numbers, names and meaning: their words move only by what the documents say that came. New
        topics are learnt on what the old ones cannot explain, and come behind them. :attr:`history` tells which topics
        are new, which have grown, shrunk or faded, and which words came and went. The confidence of documents that came
        is that of older ones of like membership. What was said of words and documents (:meth:`pin`, :meth:`ban`,
        :meth:`move` …) holds for all of them, as the first edits of the new run. Recipes of least squares and the
        default one can be updated.

        Parameters
        ----------
        more
            Documents, as for :func:`quire.cluster`.
        new_topics : int or "auto", default="auto"
            How many new topics; ``"auto"``: as many as come back in halves of what is unlike the run.
        labels, dates : sequences, optional
            The documents' known classes and dates.
        forget : float, default=0.7
            What the documents so far still count for in the words of topics once as many have come; 1 forgets nothing.
        **options
            How documents are read, as for :func:`quire.cluster`: ``text``, ``date`` …

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"] * 5
        >>> run = quire.cluster(texts, 2, random_state=0).update(["a moon orbits"] * 2)
        >>> len(run.documents), run.history[0]["added"]
        (22, 2)
        """
        from quire.places.memory import MemoryPlace
        from quire.runs.progress import shown_stages

        wanted, reading = Wanted(new_topics, forget), reading_options(self, options)
        with MemoryPlace(n_jobs=reading.threads) as place:
            if labels is not None or dates is not None:
                more = read_parts(more, reading.request(labels=labels, dates=dates), place)
            made = updated(self, more, reading, place, shown_stages(), wanted, Run)
            run: Run = held_on(made.run(), self)
        return run

    def heard(self, docs: Any) -> Heard:
        """Count the terms of other documents that the run knows, and how much there is of others.

        Parameters
        ----------
        docs
            As for :meth:`assign`.
        """
        texts = self._texts_of(docs)
        if texts is None:
            return Heard(sp.csr_array((0, len(self.words))), np.zeros(0))
        if self.counts is None:
            return Heard(as_csr(texts, "heard"), np.zeros(texts.shape[0]))
        return Heard(*self.counts.heard(texts))

    def recount(self, rows: slice | NDArray[Any] = slice(None)) -> sp.csr_array:
        """Count the terms of the run's own texts again: it keeps the texts, but not the counts.

        Parameters
        ----------
        rows : slice or array of int
            Which documents; all by default.
        """
        if self.counts is None or "text" not in self.documents.columns:
            raise ValueError("The run was made from a matrix and has no texts to count.")
        texts = self.documents["text"][rows]
        if texts.null_count():
            raise ValueError("The run was loaded without its texts: load it with texts=True.")
        return self.counts.csr(texts.to_list() if len(texts) <= FEW else Corpus.of(texts.to_frame()).texts())

    @cached_property
    def recounted(self) -> tuple[sp.csr_array, sp.csr_array]:
        """The counts of the run's own texts, counted once, and :attr:`X`."""
        counts = self.recount()
        return counts, self.weight.csr(counts)

    def save(self, path: str | Path) -> Path:
        """Write the run into a folder, whole or not at all; one that was edited also as it was before.

        Parameters
        ----------
        path : path
            The folder; a run that is there already is replaced. Where that is this run with fewer edits, the new ones
            are added.
        """
        if self.edits is None:
            return self._write(path)
        if continues(path, self.edits):
            return commit(path, self.edits, self._state_files())
        first: Run = self.edits.first
        return first._write(path, beside_run(self.edits, self._state_files()))

    def _state_files(self) -> CutFiles | None:
        """Return what is written of the present state, where topics were changed."""
        return None if self.edits is None or self.H is self.edits.first.H else self._as_cut_of(self.edits.first)

    def _write(self, path: str | Path, beside: Mapping[str, Callable[[Path], Any]] | None = None) -> Path:
        return write_run(
            path,
            self.info,
            arrays={"W": self.W, **model_arrays(self.totals, self.weight, self.estimator, self.novelty)},
            vocabulary=vocabulary_state(self.counts, self.words),
            documents=Streamed.of(self.documents),
            topics=self.topics,
            timeline=self.timeline,
            subwords=getattr(self.counts, "subword_model_", None),
            cuts={k: self.at(k)._as_cut_of(self) for k in self.others},
            beside=beside or {},
            tree=tree_writer(self.hierarchy),
        )

    def _as_cut_of(self, run: Run) -> CutFiles:
        arrays = {"W": self.W, **topic_arrays(self.estimator, self.novelty)}
        found = Streamed([self.documents.select(FOUND)], 0)
        return CutFiles.of(arrays, found, self.topics, self.timeline, self.info, run.info)

    def _texts_of(self, docs: Any) -> Any:
        """Return the texts of documents, read as the run's own were, or their counts; None where there is none."""
        matrix = is_matrix(docs)
        if matrix != (self.counts is None):
            made, give = ("a matrix", "counts with the same columns") if not matrix else ("texts", "texts")
            raise ValueError(f"This run was made from {made}: give {give} to assign.")
        if self.counts is None:
            return counts_in_columns(docs, self.words) if docs.shape[0] else None
        docs = [docs] if isinstance(docs, str) else docs
        if isinstance(docs, Sized) and not len(docs):
            return None
        frame = isinstance(docs, pl.DataFrame | pl.LazyFrame) or hasattr(docs, "columns")
        text = self.info["options"].get("text") if frame or isinstance(docs, Path) else None
        return read_corpus(docs, text=text).texts()

    def _assigned(self, W: NDArray[Any], silent: NDArray[np.bool_]) -> Assignment:
        labels, shares = self.estimator.assign_by(self._lengths, W, silent)
        return Assignment(abstained(labels, shares, self.info["options"].get("abstain")), shares)

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        return self.estimator.topic_lengths(**self.recipe.assignment)

    def _of_runs(self, column: pl.Series) -> NDArray[np.float64] | None:
        return None if self.info.get("runs") is None else column.to_numpy()
