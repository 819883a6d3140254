"""What known classes are about, and which documents disagree with theirs (how: ``studies.class_fit``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.corpus import Corpus
from quire.messages import Stages, counted, listed, were
from quire.places.machine import allowed_threads
from quire.runs.options import FACTORIZING, Options, merged
from quire.runs.pipeline import read
from quire.runs.progress import shown_stages
from quire.runs.reading import Guide, documents_to_read
from quire.runs.recipe import Recipe
from quire.runs.recipe import recipe as find_recipe
from quire.runs.tables import topic_table
from quire.runs.terms import about_words, count_terms, weigh_terms
from quire.runs.words import keywords_of, sample_of
from quire.studies.class_fit import fit_classes, reads_like

_BEGINNING = 200  # letters of a text that stand for its title
_NAMED_AT_MOST = 3  # classes in a sentence
_MANY = 100  # classes: beyond, a class should have two documents at least


@dataclass(frozen=True, eq=False)
class Classes:
    """What each class is about, and what each document reads like.

    Attributes
    ----------
    classes : DataFrame
        A row per class, largest first: ``class``, ``size``, ``keywords`` (most telling first), ``heaviest``
        (words by weight), ``typical`` (ids of its documents that are most like it), ``disagreeing`` (how many
        of its documents read more like another class).
    documents : DataFrame
        A row per document, also where its class is unknown: ``id``, ``title`` (or how the text begins; absent
        for a matrix), ``label``, ``reads_like``, and its shares in both; null where there is none.
    n_terms : int
        Terms that were kept.
    recipe : str
        How terms were counted and weighted.
    source : str
        Where the documents are from.
    notes : tuple of str
        What was guessed and left out.

    Examples
    --------
    >>> import quire
    >>> texts = ["moon orbit", "orbit of a moon", "team goal", "a goal"]
    >>> quire.classes(texts, labels=["space", "space", "sport", "sport"]).classes["size"].to_list()
    [2, 2]
    """

    classes: pl.DataFrame
    documents: pl.DataFrame
    n_terms: int
    recipe: str
    source: str
    notes: tuple[str, ...]

    def disagreements(self) -> pl.DataFrame:
        """Return the documents that read more like another class than their own, the clearest first."""
        clearness = pl.col("share_reads_like") - pl.col("share_label")
        apart = self.documents.filter(pl.col("reads_like") != pl.col("label"))
        return apart.sort(clearness, descending=True, maintain_order=True)

    def as_dict(self) -> dict[str, Any]:
        """Return everything but the documents that agree, as data for JSON."""
        unknown = self.documents.filter(pl.col("label").is_null()).drop("label", "share_label")
        return {
            "source": self.source, "documents": self.documents.height, "terms": self.n_terms,
            "recipe": self.recipe, "classes": self.classes.to_dicts(),
            "disagreements": self.disagreements().to_dicts(), "unlabelled": unknown.to_dicts(),
            "notes": list(self.notes),
        }  # fmt: skip


def classes(
    source: Any,
    label: str | None = None,
    *,
    labels: Sequence[Any] | None = None,
    recipe: str | Recipe | dict[str, Any] = FACTORIZING,
    n_jobs: int | None = None,
    tokens: str | Callable[[str], list[str]] | None = None,
    **options: Any,
) -> Classes:
    """Say what each known class of documents is about, and which documents do not read like theirs.

    Nothing here is random. Documents without a class teach nothing, but are compared with the classes too.

    Parameters
    ----------
    source : list of str, path, pandas or polars DataFrame or Series, sparse matrix of counts, or Corpus
        The documents.
    label : str, optional
        The column with the classes; guessed where not given.
    labels : sequence, optional
        The classes themselves, None where unknown.
    recipe : str, Recipe or dict, default="nmf"
        How terms are counted and weighted; the rest of the recipe is not used.
    n_jobs : int, optional
        Threads; all that may be used by default. They do not change the result.
    tokens : str or callable, optional
        As for :func:`quire.cluster`.
    **options
        Any other option of ``quire classes`` (``quire classes --help``), such as ``text`` or ``language``.

    Examples
    --------
    >>> import polars as pl
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
    >>> study = quire.classes(texts, labels=["space", "space", "sport", "sport"])
    >>> dict(study.classes.select("class", pl.col("keywords").list.first()).iter_rows())
    {'space': 'moon', 'sport': 'goal'}
    """
    if isinstance(source, str) and (len(source) > 1000 or "\n" in source):
        raise ValueError("One string is taken as a path: put a text into a list, quire.classes([text]).")
    if not isinstance(label, str | None):
        raise ValueError("label is the name of a column: pass the classes themselves as labels=.")
    own_recipe = find_recipe(recipe)
    given = {
        "label": label, "recipe": recipe if isinstance(recipe, str) else own_recipe.name,
        "threads": None if n_jobs is None else allowed_threads(n_jobs),
        "tokens": tokens if isinstance(tokens, str) else None,
    }  # fmt: skip
    chosen = merged(given, options)
    own_tokens = None if isinstance(tokens, str) else tokens
    return classes_of(read(source, chosen, labels=labels), chosen, own_recipe=own_recipe, tokens=own_tokens)


def classes_of(
    corpus: Corpus,
    options: Options,
    stages: Stages | None = None,
    *,
    own_recipe: Recipe | None = None,
    tokens: Callable[[str], list[str]] | None = None,
) -> Classes:
    """Say what each class of a corpus is about, stage by stage."""
    stages = stages or shown_stages()
    names, codes = _coded(corpus)
    chosen = options.resolved_recipe(own_recipe)
    with stages.stage("count") as update:
        terms = count_terms(corpus, chosen, options, tokens, update)
    with stages.stage("weigh"):
        weight, X = weigh_terms(terms, chosen)
    with stages.stage("learn"):
        fit = fit_classes(X.whole(), codes, len(names), options.threads)
    with stages.stage("describe"):
        reads = reads_like(fit.W, codes)
        documents = _document_table(corpus, names, codes, reads, fit.shares)
        H = weight.unscaled_topics(fit.H)
        keywords = keywords_of(sample_of(corpus, terms), terms, codes, H)
        guide = Guide.of(keywords.leading, codes, terms.matrix.row_sums, len(terms.words))
        to_read = documents_to_read(corpus.documents, terms.matrix.whole(), codes, fit.shares, guide)
        topics = topic_table(H, codes, terms, keywords, to_read)
    told = *corpus.notes.sentences(), *about_words(terms)
    notes = (*told, *_unlabelled(names, codes, reads), *_silent(codes, reads))
    table = _class_table(topics, names, codes, reads)
    return Classes(table, documents, len(terms.words), chosen.name, corpus.notes.source, notes)


def _coded(corpus: Corpus) -> tuple[list[str], NDArray[np.intp]]:
    """Return the classes, largest first, and each document's, −1 for none."""
    labels = corpus.documents.get_column("label", default=pl.Series([], dtype=pl.String))
    sizes = labels.drop_nulls().value_counts(name="size").sort("size", labels.name, descending=[True, False])
    names = sizes[labels.name].to_list()
    if not names:
        raise ValueError("No class is known: name the column that holds the classes with --label.")
    if len(names) == 1:
        raise ValueError(f"There is one class only, {names[0]!r}: name a column with several with --label.")
    if len(names) > max(_MANY, labels.count() // 2):
        raise ValueError(
            f"{len(names):,} different labels of {labels.count():,} documents are names rather than classes: "
            "name another column with --label."
        )
    number = {name: i for i, name in enumerate(names)}
    return names, np.array([number.get(name, -1) for name in labels.to_list()], np.intp)


def _class_table(
    topics: pl.DataFrame, names: list[str], codes: NDArray[np.intp], reads: NDArray[np.intp]
) -> pl.DataFrame:
    apart = np.bincount(codes[(codes >= 0) & (reads >= 0) & (reads != codes)], minlength=len(names))
    kept = topics.select("size", "keywords", "heaviest", "typical").get_columns()
    return pl.DataFrame([pl.Series("class", names), *kept, pl.Series("disagreeing", apart)])


def _document_table(
    corpus: Corpus, names: list[str], codes: NDArray[np.intp], reads: NDArray[np.intp], shares: NDArray[Any]
) -> pl.DataFrame:
    rows, named = np.arange(len(codes)), np.array([*names, None], object)
    columns = [corpus.documents["id"], *_titles(corpus.documents)]
    own = pl.Series("share_label", shares[rows, codes])
    best = pl.Series("share_reads_like", shares[rows, reads])
    known, heard = pl.Series(codes >= 0), pl.Series(reads >= 0)
    return pl.DataFrame(columns).with_columns(
        pl.Series("label", named[codes].tolist(), dtype=pl.String),
        pl.Series("reads_like", named[reads].tolist(), dtype=pl.String),
        pl.when(known & heard).then(own).alias("share_label"),
        pl.when(heard).then(best).alias("share_reads_like"),
    )


def _titles(documents: pl.DataFrame) -> list[pl.Series]:
    """Return the titles, or how the texts begin; nothing where there are no texts."""
    if "text" not in documents.columns:
        return []
    begins = documents["text"].str.slice(0, _BEGINNING).str.replace_all(r"\s+", " ").str.strip_chars()
    titles = documents.get_column("title", default=pl.Series([None] * len(begins), dtype=pl.String))
    return [titles.fill_null(begins).alias("title")]


def _unlabelled(names: list[str], codes: NDArray[np.intp], reads: NDArray[np.intp]) -> list[str]:
    """Say what the documents without a label read like."""
    unknown = reads[codes < 0]
    if not len(unknown):
        return []
    sizes = np.bincount(unknown[unknown >= 0], minlength=len(names))
    order = [i for i in np.argsort(-sizes, kind="stable") if sizes[i]]
    parts = [f"{sizes[i]:,} like {names[i]}" for i in order[:_NAMED_AT_MOST]]
    rest = int(sizes[order[_NAMED_AT_MOST:]].sum()) + int((unknown < 0).sum())
    parts += [f"{rest:,} like others or none"] if rest else []
    return [f"{counted(len(unknown), 'document')} without a label {were(len(unknown))} only compared: "
            f"{listed(parts)}."]  # fmt: skip


def _silent(codes: NDArray[np.intp], reads: NDArray[np.intp]) -> list[str]:
    n = int(((codes >= 0) & (reads < 0)).sum())
    sentence = f"{counted(n, 'document')} with a label {were(n)} not compared: no kept term is in them."
    return [sentence] if n else []
