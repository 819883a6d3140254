"""Every option of ``quire cluster``, with its default and its check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, get_type_hints

import numpy as np

from quire.backends.backend import check_device
from quire.corpus.request import ROLES, Request, named_columns
from quire.messages import meant
from quire.runs.budget import parse_memory
from quire.runs.recipe import Recipe, fits, in_words, parse_ngrams, recipe
from quire.text.languages import language_code, stemmer, stop_list

FACTORIZING = "nmf"  # the recipe of commands that look at X and its factors: the default one has no such X


@dataclass(frozen=True)
class Options:
    """What a run is made with. None means: guess, or what the recipe says.

    Examples
    --------
    >>> from quire.runs.options import Options
    >>> Options(topics=5).seed
    0
    """

    text: str | None = None
    id: str | None = None
    label: str | None = None
    date: str | None = None
    group: str | None = None
    vocabulary: str | list[str] | None = None
    encoding: str = "cp1252"
    strict: bool = False
    topics: int | str = "auto"
    recipe: str = "default"
    language: str | None = None
    stem: bool = False
    tokens: str | None = None
    ngrams: str | int | None = None
    min_count: int | None = None
    seed: int = 0
    threads: int | None = None
    abstain: float | None = None
    device: str = "cpu"
    memory: str | int | None = None
    dask: str | None = None

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            value = getattr(self, name)
            if not fits(value, kind):
                raise ValueError(f"Option {name} = {value!r} must be {in_words(kind)}.")
        parse_topics(self.topics)
        if self.seed < 0 or self.seed >= 2**32:
            raise ValueError(f"seed={self.seed} must be a whole number from 0 to {2**32 - 1}.")
        if self.min_count is not None and self.min_count < 1:
            raise ValueError(f"min_count={self.min_count} must be a whole number of at least 1.")
        if self.threads is not None and self.threads < 1:
            raise ValueError(f"threads={self.threads} must be at least 1; leave it out to use all cores.")
        if self.abstain is not None and not 0 <= self.abstain <= 1:
            raise ValueError(f"abstain={self.abstain} must be a membership from 0 to 1.")
        if self.language not in (None, "none", "auto"):
            language_code(str(self.language))
        parse_ngrams(self.ngrams or 1)
        check_device(self.device)
        if self.memory is not None:
            parse_memory(self.memory)

    def resolved_recipe(self, own: Recipe | None = None) -> Recipe:
        """Return the recipe, or the caller's own, with the options that change it."""
        chosen, changes = own or recipe(self.recipe), dict[str, Any]()
        if self.language is not None:
            changes["stop_words"] = None if self.language == "none" else self.language
        if self.language not in (None, "none", "auto"):
            code = language_code(str(self.language))
            changes["stop_words"] = code
            if self.stem:
                stemmer(code)
            else:
                stop_list(code)
        if self.stem:
            if self.language == "none":
                raise ValueError("--stem needs a language: name it with --language.")
            changes["stem"] = changes.get("stop_words") or "auto"
        if self.tokens is not None:
            changes["tokens"] = self.tokens
        if self.ngrams is not None:
            changes["ngrams"] = list(parse_ngrams(self.ngrams))
        if self.min_count is not None:
            changes["min_count"] = self.min_count
        return chosen.with_counts(**changes)

    def request(self, **others: Any) -> Request:
        """Return how a source is to be read."""
        columns = named_columns(**{role: getattr(self, role) for role in ROLES})
        return Request(columns, self.vocabulary, self.encoding, self.strict, **others)

    def as_dict(self) -> dict[str, Any]:
        """Return the options as plain data, without those that were left open."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def options_among(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a command's parameters that are options of a run."""
    known = {option.name for option in fields(Options)}
    return {name: value for name, value in values.items() if name in known}


def merged(*layers: Mapping[str, Any]) -> Options:
    """Put options together: a later layer overrides an earlier one; None overrides nothing."""
    found: dict[str, Any] = {}
    known = [option.name for option in fields(Options)]
    for layer in layers:
        for key, value in layer.items():
            name = key.replace("-", "_")
            if name not in known:
                raise ValueError(
                    f"Option {key!r} is not known{meant(name, known)}; the options are {', '.join(known)}."
                )
            if isinstance(value, np.integer):
                value = int(value)
            if name == "ngrams" and isinstance(value, list | tuple):
                value = ":".join(map(str, value))
            if value is not None:
                found[name] = value
    return Options(**found)


def parse_topics(text: int | str) -> tuple[int, int | None] | int:
    """Read ``K``, ``auto`` or ``A:B``; a number, or the lowest and the highest to choose from."""
    said = str(text).strip().lower()
    if said == "auto":
        return 2, None
    number = re.fullmatch(r"\d+", said)
    if number and int(said) >= 1:
        return int(said)
    between = re.fullmatch(r"(\d+):(\d+)", said)
    if between and 1 <= int(between[1]) <= int(between[2]):
        return int(between[1]), int(between[2])
    raise ValueError(
        f"topics={text!r} is no number of topics: use a number such as 20, a range such as 5:30, or auto."
    )
