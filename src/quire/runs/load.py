"""A run read from its folder, once that was found sound; other cuts of it when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from numpy.typing import NDArray
from safetensors import SafetensorError

from quire.corpus.formats.parquet_pages import scan_parquet
from quire.methods.estimator import TopicEstimator
from quire.runs.edits.entry import Edit
from quire.runs.edits.fold import Edits, folded, named
from quire.runs.edits.log import LOG, read_log, read_state, state_folder
from quire.runs.folder import check_listed, read_head, steadily
from quire.runs.novelty import Novelty
from quire.runs.recipe import Recipe
from quire.runs.run import Run
from quire.runs.sound import check_sound, check_vocabulary
from quire.runs.state import with_cuts
from quire.runs.tree_file import read_tree
from quire.runs.write import DOCUMENTS, FACTORS, SUBWORDS, TOPICS, VOCABULARY, cut_file, mapped_arrays

_DAMAGED = (
    KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError, UnicodeError, json.JSONDecodeError,
    SafetensorError, pl.exceptions.PolarsError, pl.exceptions.PanicException,
)  # fmt: skip


_OF_A_CUT = (FACTORS, DOCUMENTS, TOPICS)


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

    def read() -> tuple[Run, tuple[Edit, ...]]:
        info = read_head(folder)
        check_listed(folder, info["files"], (*_OF_A_CUT, VOCABULARY))
        with _checked(folder):
            run = _loaded(folder, info, tokens, texts)
            check_sound(run)
        return run, read_log(folder, run)

    run, history = steadily(folder, read)
    return _edited(folder, run, history, tokens, texts) if history else run


def _edited(
    folder: Path, run: Run, history: tuple[Edit, ...], tokens: Callable[[str], list[str]] | None, texts: bool
) -> Run:
    """Return a run as its log of edits says: from the state that is kept, or else by making the edits again."""
    state = state_folder(folder, history)
    kept = None if state is None else _kept_state(folder, state, run, texts)
    if kept is None and state is not None and not texts:
        return load(folder, tokens)  # topics can be changed with the texts alone
    try:
        return folded(run, history) if kept is None else named(kept, history)  # type: ignore[no-any-return]
    except ValueError as error:
        raise ValueError(f"{folder / LOG} does not fit the run. {error} Mend the log, or move it away.") from None


def _kept_state(folder: Path, state: Path, run: Run, texts: bool) -> Run | None:
    """Return the state that edits led to; None where it is damaged, or swept since by who edited the run further."""
    known = read_state(state)
    if known is None:
        return None
    try:
        check_listed(state, known["files"], _OF_A_CUT)
        with _checked(folder):
            kept = _of_files(folder, state, None, texts, run)
            kept = replace(kept, hierarchy=read_tree(state, lambda: kept.labels, len(kept.H)))
    except ValueError:
        return None
    lists: list[list[str]] = [known[name] for name in ("own", "names", "notes")]
    return replace(kept, edits=Edits((), run, *lists)) if len(kept.topics) == len(lists[0]) else None


@contextmanager
def _checked(folder: Path) -> Iterator[None]:
    """Say in a sentence that a run does not hold what it should."""
    try:
        yield
    except _DAMAGED as error:
        first = str(error).partition("\n")[0]
        raise ValueError(f"The run {folder} does not hold what it should ({first}); make it anew.") from None


def load_cut(path: str | Path, n_topics: int | None) -> Run:
    """Read a run, or the cut of it that has so many topics."""
    run = load(path)
    return run if n_topics is None else run.at(n_topics)


def _of_its_time(recipe: Recipe, learnt: dict[str, Any]) -> Recipe:
    """Return the recipe with the defaults that Ensemble had when all terms counted alike."""
    if len(learnt.get("unit_", "..")) != 1:
        return recipe
    return replace(recipe, factorization={"words": 5.0, "prior": 0.0, "weigh": False, **recipe.factorization})


def _loaded(folder: Path, info: dict[str, Any], tokens: Callable[[str], list[str]] | None, texts: bool) -> Run:
    files = info["files"]
    info = {key: value for key, value in info.items() if key not in ("format", "schema", "files", "checksum")}
    arrays, recipe = _arrays_from(folder / FACTORS, texts), Recipe.from_dict(info["recipe"])
    words = json.loads((folder / VOCABULARY).read_text("utf-8"))
    check_vocabulary(words)
    shown = words["terms"] if words["words"] is None else words["words"]
    counts = None
    if words["terms"] is not None:
        counts = recipe.make_counts(None)
        if tokens is not None:
            counts.tokens = tokens
        counts.restore(words, (folder / SUBWORDS).read_bytes() if SUBWORDS in files else None)
        counts.shown_, counts.cut_ = shown, info["terms"]["cut"]
    topics, timeline = _topics_from(json.loads((folder / TOPICS).read_text("utf-8")))
    run = Run(
        documents=_documents_from(folder / DOCUMENTS, None if texts else topics),
        topics=topics, timeline=timeline, W=arrays["W"], H=arrays["H"], totals=arrays["totals"],
        words=shown, counts=counts, weight=recipe.make_weight().restore(_state(arrays, "weight.")),
        estimator=_estimator_from(recipe, info, arrays), recipe=recipe, info=info,
        novelty=Novelty.restored(_state(arrays, "novelty."), *arrays["H"].shape),
    )  # fmt: skip
    run = replace(run, hierarchy=read_tree(folder, lambda: run.labels, len(run.H)))
    others = (k for k in info.get("cuts") or () if k != len(run.H))
    return with_cuts(run, {k: partial(_loaded_cut, folder, files, k, texts, run) for k in others})


def _loaded_cut(folder: Path, files: Mapping[str, str], k: int, texts: bool, run: Run) -> Run:
    """Read another cut of a run that was loaded; its files were found sound then, but may have gone since."""
    check_listed(folder, files, (cut_file(k, name) for name in _OF_A_CUT))
    with _checked(folder):
        cut = _of_files(folder, folder, k, texts, run)
    own = tuple(replace(edit, cut=None) for edit in read_log(folder, run) if edit.cut == k)
    return named(cut, own) if own else cut


def _of_files(folder: Path, at: Path, k: int | None, texts: bool, run: Run) -> Run:
    """Read a run that shares its documents with another: a cut of it, or what edits made of it."""
    factors, found, said = (at / cut_file(k, name) for name in (FACTORS, DOCUMENTS, TOPICS))
    arrays, state = _arrays_from(factors, texts), json.loads(said.read_text("utf-8"))
    topics, timeline = _topics_from(state)
    left = state.get("without") or ()
    info = {name: value for name, value in {**run.info, **state["info"]}.items() if name not in left}
    documents = run.documents if texts else _documents_from(folder / DOCUMENTS, topics)
    cut = replace(
        run, documents=documents.with_columns(scan_parquet(found).collect()), topics=topics, timeline=timeline,
        W=arrays["W"], H=arrays["H"], estimator=_estimator_from(run.recipe, info, arrays), info=info, others={},
        hierarchy=None, novelty=Novelty.restored(_state(arrays, "novelty."), *arrays["H"].shape), edits=None,
    )  # fmt: skip
    check_sound(cut)
    return cut


def _arrays_from(path: Path, texts: bool) -> dict[str, NDArray[Any]]:
    from safetensors.numpy import load_file

    return load_file(path) if texts else mapped_arrays(path)


def _state(arrays: Mapping[str, NDArray[Any]], of: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(of): array for name, array in arrays.items() if name.startswith(of)}


def _estimator_from(recipe: Recipe, info: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> TopicEstimator:
    learnt = _state(arrays, "estimator.")
    estimator = _of_its_time(recipe, learnt).make_estimator(len(arrays["H"]), info["seed"], None)
    return estimator.restore({"components_": arrays["H"], **learnt})


def _documents_from(path: Path, few: pl.DataFrame | None = None) -> pl.DataFrame:
    """Read the documents; those of an older run, which does not know what runs say, get nulls.

    Where there are ``few`` topics, only the texts of their most typical documents are read.
    """
    stored = scan_parquet(path)
    documents = stored.collect() if few is None else _without_texts(stored, few)
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
    topics = _table(state["topics"], schema)
    if state["timeline"] is None:
        return topics, None
    kinds = {"topic": pl.Int64, "start": pl.String, "documents": pl.Int64, "share": pl.Float64}
    return topics, _table(state["timeline"], kinds).with_columns(pl.col("start").str.to_date())


def _table(data: Any, schema: dict[str, Any]) -> pl.DataFrame:
    try:
        table = pl.DataFrame(data, schema=schema)
    except ValueError as error:  # which is no sentence of ours
        raise TypeError(str(error)) from None
    if dict(table.schema) != schema:  # Polars makes a column of structs of a table within a table, whatever it is told
        raise TypeError("a table of topics.json has columns of another kind")
    return table
