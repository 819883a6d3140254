"""What a run that was read must hold: whoever made the folder, what uses a run can then rely on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.corpus.moments import all_possible
from quire.corpus.notes import Notes
from quire.runs.options import Options
from quire.runs.run import Run
from quire.runs.values import fits


class _Each(NamedTuple):
    """A table in which every value is of one type."""

    kind: Any


class _Rows(NamedTuple):
    """A list of tables that all have these keys."""

    kinds: dict[str, Any]


_HISTORY = _Rows(
    {
        "created": str, "source": str, "documents": int, "added": int, "remembered": float, "sentences": list[str],
        "topics": _Rows(
            {
                "topic": int, "name": str, "change": str, "documents": int, "added": int, "share": float,
                "share_added": float, "came": list[str], "went": list[str],
            }
        ),
    }
)  # fmt: skip
_SEEDS = _Rows(
    {
        "name": str, "topic": int | None, "words": list[str], "documents": list[str], "unknown": list[str],
        "share": float,
    }
)  # fmt: skip
# What run.json may say beside its options and the recipe, whose types are declared elsewhere. A key that an older run
# lacks is not looked at, unless nothing can be told without it.
_SAYS: dict[str, Any] = {
    "quire": str, "created": str, "seed": int, "fingerprint": str, "parts": int, "n_topics": int, "bin": str | None,
    "runs": int | None, "also": list[int] | None, "cuts": list[int], "chosen": int, "options": {},
    "agreement": _Each(float), "history": _HISTORY, "seeds": _SEEDS,
    "given": {"names": list[str], "notes": list[str]},
    "versions": _Each(str), "timings": _Each(float), "scores": _Each(float),
    "fit": {"objective": float, "error": float, "iterations": int, "stopped": str},
    "terms": {
        "kept": int, "cut": _Each(int), "language": str | None, "documents_without": int, "left_out": list[str],
    },
    "corpus": get_type_hints(Notes) | {
        "source": str | None, "kind": str | None, "columns": _Each(str), "unread": _Each(int), "sentences": list[str],
    },
}  # fmt: skip
# What vocabulary.json says beside the spelling, the languages and the lines, which look after themselves.
_VOCABULARY: dict[str, Any] = {
    "terms": list[str] | None, "words": list[str] | None, "language": str | None, "stops": list[str] | None,
    "stemmed": bool, "callable": bool,
}  # fmt: skip
_NEEDED = {
    "": ("options", "corpus", "terms", "fit", "scores", "timings", "seed"),
    "options": ("topics",),
    "corpus": ("source", "n_empty", "n_duplicates"),
    "terms": ("kept", "cut", "documents_without", "language"),
    "fit": ("iterations", "stopped", "error"),
}
_COLUMNS = {"id": pl.String, "topic": pl.Int32, "runner_up": pl.Int32, "else_topic": pl.Int32}
_SHARES = ("membership", "runner_up_membership", "confidence")
_TEXTS = ("text", "title", "url", "document", "copy_of")
_LISTS = ("keywords", "heaviest", "typical", "borderline")
_LARGEST_SEED = 2**32 - 1


def check_sound(run: Run) -> None:
    """Refuse a run whose parts do not belong together, or are of another kind than Quire writes."""
    _check_info(run.info)
    k, n = len(run.H), len(run.documents)
    _check_arrays(run, n, k)
    _check_documents(run.documents, k, run.info["options"].get("abstain"))
    _check_topics(run.topics, run.documents["id"], k)
    if run.timeline is not None:
        _expect(not _has_nulls(run.timeline), "the timeline is not whole")
        _expect(all_possible(run.timeline["start"]), "the timeline is in no calendar")
        _expect(_within(run.timeline["topic"], 0, k), "the timeline names topics that are not there")


def check_vocabulary(state: Any) -> None:
    """Refuse a vocabulary of another kind than Quire writes, before anything is counted with it."""
    _expect(_is(state, _VOCABULARY), "vocabulary.json is of another kind")
    terms, words, stops = (state.get(name) or [] for name in ("terms", "words", "stops"))
    _expect(not terms or not words or len(terms) == len(words), "terms and words are not as many")
    _expect(_is_text([*terms, *words, *stops]), "a word is no text")


def _check_info(info: Mapping[str, Any]) -> None:
    for name, keys in _NEEDED.items():
        table = info[name] if name else info
        _expect(isinstance(table, dict) and all(key in table for key in keys), f"run.json lacks some of {name or 'it'}")
    for name, kind in _SAYS.items():
        _expect(name not in info or _is(info[name], kind), f"{name} in run.json is of another kind")
    _expect(0 <= info["seed"] <= _LARGEST_SEED, "the seed is no seed")
    kinds = get_type_hints(Options)
    alien = [name for name, value in info["options"].items() if not fits(value, kinds.get(name, Any))]
    _expect(not alien, "an option in run.json is of another kind")


def _is(value: Any, kind: Any) -> bool:
    if isinstance(kind, _Each):
        return isinstance(value, dict) and all(fits(one, kind.kind) for one in value.values())
    if isinstance(kind, _Rows):
        rows = value if isinstance(value, list) else [None]
        return all(isinstance(row, dict) and row.keys() >= kind.kinds.keys() and _is(row, kind.kinds) for row in rows)
    if isinstance(kind, dict):
        return isinstance(value, dict) and all(name not in value or _is(value[name], one) for name, one in kind.items())
    return fits(value, kind)


def _check_arrays(run: Run, n: int, k: int) -> None:
    m = len(run.words) if fits(run.words, list[str]) else -1
    shapes = run.W.shape == (n, k) and run.H.shape == (k, m) and run.totals.shape == (m,) and k > 0
    _expect(shapes, "words, documents, topics and factors are not as many")
    _expect(all(_is_finite(array) for array in (run.W, run.H, run.totals)), "a factor is not finite")
    _expect(bool((run.totals >= 0).all()), "a word occurs less than never")


def _is_text(words: list[str]) -> bool:
    """Say whether tables can hold words: half of a surrogate pair, which JSON may spell, is no text."""
    try:
        "".join(words).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_finite(array: NDArray[Any]) -> bool:
    """Look at the ends only: of an array that is mapped no copy is made, and NaN is the end of what has one."""
    if array.dtype.kind not in "iuf":
        return False
    return not array.size or bool(np.isfinite(array.min()) and np.isfinite(array.max()))


def _check_documents(documents: pl.DataFrame, k: int, abstain: float | None) -> None:
    schema = documents.schema
    _expect(all(schema.get(name) == kind for name, kind in _COLUMNS.items()), "documents lack a column")
    _expect(all(schema[name].is_float() for name in _SHARES), "memberships are no numbers")
    _expect(all(schema[name] == pl.String for name in _TEXTS if name in schema), "texts are no texts")
    _expect(schema.get("date", pl.Date) in (pl.Date, pl.Datetime), "dates are no dates")
    _expect(all(map(all_possible, documents)), "a date is in no calendar")
    _expect(not documents["id"].null_count(), "some documents have no id")
    for name in ("topic", "runner_up", "else_topic"):
        _expect(name == "else_topic" or not documents[name].null_count(), f"some documents have no {name}")
        _expect(_within(documents[name], -1, k), "documents are in topics that are not there")
    weight = documents.get_column("weight", default=None)
    if weight is not None:
        sound = weight.dtype == pl.Float64 and not weight.null_count() and weight.is_finite().all()
        _expect(bool(sound and (weight >= 0).all() and weight.sum()), "weights are no weights")
    _check_sureness(documents, abstain)


def _check_sureness(documents: pl.DataFrame, abstain: float | None) -> None:
    """Refuse shares that are none; what runs say is said whole; only who abstains leaves a document between topics."""
    for name in _SHARES:
        shares = documents[name]
        whole = not shares.null_count() or name == "confidence"
        _expect(whole and not shares.is_nan().any() and _within(shares, 0, 1.001), f"{name} is no share")
    together = documents["confidence"].is_null() == documents["else_topic"].is_null()
    _expect(bool(together.all()), "confidence is not whole")
    between = (documents["topic"] < 0) & (documents["runner_up"] >= 0)
    _expect(abstain is not None or not between.any(), "documents are in no topic")


def _check_topics(topics: pl.DataFrame, ids: pl.Series, k: int) -> None:
    _expect(topics["topic"].to_list() == list(range(k)), "topics are not numbered as they should be")
    whole = topics.select("name", "size", "share", *_LISTS)
    _expect(not _has_nulls(whole), "topics are not whole")
    _expect(_within(topics["size"], 0, len(ids) + 1) and _within(topics["share"], 0, 1.001), "sizes are no sizes")
    for name in _LISTS:
        named = topics[name].explode(empty_as_null=False)
        _expect(not named.null_count(), f"{name} of topics are not whole")
        if name in ("typical", "borderline"):
            _expect(bool(named.is_in(ids.implode()).all()), f"{name} documents are not there")


def _has_nulls(table: pl.DataFrame) -> bool:
    return any(column.null_count() for column in table)


def _within(values: pl.Series, low: float, high: float) -> bool:
    """Say whether all that is known lies from ``low`` to below ``high``."""
    return bool((values.drop_nulls().is_between(low, high, closed="left")).all())


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise TypeError(otherwise)  # of which the reader makes a sentence
