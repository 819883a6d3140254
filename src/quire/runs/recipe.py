"""A recipe is a pipeline written down as data: tokens and trimming, weighting, factorization, assignment.

A TOML file, one table a step; its keys are the parameters of :class:`quire.Counts`, :class:`quire.Weight` and
of the estimator that ``method`` names. The ones that come with Quire lie in ``runs/recipes``; anybody can
write another and name its file.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, get_type_hints

import tomli_w

from quire.messages import meant
from quire.methods.estimator import TopicEstimator
from quire.methods.output import giving_arrays
from quire.methods.registry import METHODS
from quire.runs.values import fits, in_words, parse_ngrams
from quire.text.counts import Counts
from quire.text.weight import Weight

_GIVEN = {
    "self",
    "n_components",
    "random_state",
    "n_jobs",
    "device",
    "verbose",
    "callback",
    "input",
    "encoding",
    "decode_error",
}  # by the caller, not by recipes
_RUNS = frozenset({"ngrams", "ngram_range"})  # lists in TOML, and "1:2" as on the command line


@dataclass(frozen=True)
class Recipe:
    """A named pipeline.

    Parameters
    ----------
    name, about, paper : str
        What it is called, does and comes from.
    counts, weight, factorization, assignment : dict
        Parameters of each step; ``factorization["method"]`` names the estimator.

    """

    name: str
    about: str = ""
    paper: str = ""
    counts: Mapping[str, Any] = field(default_factory=dict)
    weight: Mapping[str, Any] = field(default_factory=dict)
    factorization: Mapping[str, Any] = field(default_factory=dict)
    assignment: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_keys(self, "counts", Counts)
        _check_keys(self, "weight", Weight.__init__)
        if self._method not in METHODS:
            raise ValueError(
                f"Recipe {self.name!r} asks for the method {self._method!r}, which is not known: "
                f"use {', '.join(METHODS)}."
            )
        _check_keys(self, "factorization", METHODS[self._method], "method")
        _check_keys(self, "assignment", TopicEstimator.assign)

    @property
    def _method(self) -> str:
        return str(self.factorization.get("method", "NMF"))

    def with_counts(self, **changes: Any) -> Recipe:
        """Return the recipe with other parameters of its first step."""
        return replace(self, counts={**self.counts, **changes})

    def make_counts(self, n_jobs: int | None) -> Counts:
        """Return the first step, not fitted."""
        options = dict(self.counts)
        for name in _RUNS.intersection(options):
            options[name] = parse_ngrams(options[name])
        return Counts(**options, n_jobs=n_jobs)

    def make_weight(self) -> Weight:
        """Return the second step, not fitted."""
        return Weight(**self.weight)

    def make_estimator(
        self, k: int, seed: int, n_jobs: int | None, callback: Callable[..., Any] | None = None, device: str = "cpu"
    ) -> TopicEstimator:
        """Return the third step, not fitted."""
        options = {name: value for name, value in self.factorization.items() if name != "method"}
        make: Any = METHODS[self._method]
        given = {"n_components": k, "random_state": seed, "n_jobs": n_jobs, "callback": callback}
        return giving_arrays(make(**given, device=device, **options))  # type: ignore[no-any-return]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def to_toml(self) -> str:
        """Return it as the text of a recipe file."""
        return tomli_w.dumps(self.as_dict())

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str = "a recipe") -> Recipe:
        """Make a recipe of plain data; say which key is not known.

        Parameters
        ----------
        data : mapping
            As :meth:`as_dict` gives it.
        name : str
            Its name, where the data has none.
        """
        known = inspect.signature(cls).parameters
        for key, value in data.items():
            if key not in known:
                raise ValueError(f"{name}: {_unknown(key, list(known))}")
            table = key in ("counts", "weight", "factorization", "assignment")
            if table != isinstance(value, Mapping) or not (table or isinstance(value, str)):
                kind = "a table" if table else "a text"
                raise ValueError(f"{name}: {key!r} must be {kind}.")
        return cls(**{"name": name, **data})


@cache
def built_in() -> dict[str, Recipe]:
    """Return the recipes that come with Quire, by name."""
    folder = files("quire") / "runs" / "recipes"
    names = [file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")]
    names.sort(key=lambda name: (name != "default", name))
    texts = {name: (folder / f"{name}.toml").read_text("utf-8") for name in names}
    return {name: Recipe.from_dict(tomllib.loads(text), name) for name, text in texts.items()}


def recipe(named: str | Path | Recipe | Mapping[str, Any]) -> Recipe:
    """Find a recipe: by its name, in a TOML file, or as data."""
    if isinstance(named, Recipe):
        return named
    if isinstance(named, Mapping):
        return Recipe.from_dict(named)
    if str(named) in built_in():
        return built_in()[str(named)]
    path = Path(named)
    if path.suffix != ".toml":
        raise ValueError(
            f"Recipe {str(named)!r} is not known{meant(str(named), built_in())}: `quire recipes` "
            "lists them, and a file of your own must end in .toml."
        )
    return Recipe.from_dict(read_toml(path, "recipe"), path.stem)


_LARGEST = 4 << 20  # letters of a file that a user wrote


def read_toml(path: str | Path, what: str) -> dict[str, Any]:
    """Read a TOML file that a user wrote; ``what`` is what a sentence calls it."""
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            text = file.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise ValueError(f"The {what} {path} is larger than anybody writes one: name another file.")
        return tomllib.loads(text)
    except OSError as error:
        raise ValueError(f"The {what} {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"The {what} {path} is no UTF-8 text: save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"The {what} {path} is no TOML: {error}.") from None
    except RecursionError:
        raise ValueError(f"The {what} {path} has lists within lists, deeper than anybody writes: mend it.") from None


_hints_of = cache(get_type_hints)  # which take longer than all else of reading a recipe


def _check_keys(of: Recipe, step: str, function: Callable[..., Any], *more: str) -> None:
    hints: dict[str, Any] = _hints_of(function) | dict.fromkeys(more, str)
    taken = [*inspect.signature(function).parameters, *more]
    known = [name for name in taken if name not in _GIVEN and name not in ("W", "silent", "dtype")]
    for key, value in getattr(of, step).items():
        if key not in known:
            raise ValueError(f"Recipe {of.name!r}, step [{step}]: {_unknown(key, known)}")
        if key in _RUNS:
            parse_ngrams(value)
        elif not fits(value, hints[key]):
            wanted = in_words(hints[key])
            raise ValueError(f"Recipe {of.name!r}, step [{step}]: {key} = {value!r} must be {wanted}.")


def _unknown(key: str, known: list[str]) -> str:
    return f"{key!r} is not known{meant(key, known)}; it may hold {', '.join(known)}."
