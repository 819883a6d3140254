"""The docstrings of the libraries that Quire stands on: documents that every machine with Quire has."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import polars as pl

from quire.corpus.corpus import Corpus, read_corpus

PACKAGES = ("numpy", "scipy", "sklearn", "polars")
SOURCE = f"the docstrings of {', '.join(PACKAGES)}"
_SECTION = re.compile(r"\n *(\S[^\n]*)\n *[-=~]{3,} *\n")
_KEPT = {"", "Notes"}  # the summary (before any heading) and the notes; tables of parameters say little
_SIGNATURE = re.compile(r"^\n\w+\(.*\)[^\n]*\n")  # first line of a compiled function
_SUPPORT = re.compile(r"\*\*Array API Standard Support\*\*.*", re.DOTALL)
_MARKUP = re.compile(r"<[^<>]* at 0x[^<>]*>|`|:\w+:|\.\. [\w-]+::.*|https?://\S+|>>>.*|\$[^$]*\$|\\\w+|\[\d+\]_")
_SYMBOL = re.compile(r"\b\w*[\d_]\w*\b")  # names of variables, numbers, pieces of formulas
_SENTENCE = re.compile(r"(?<=[.:;]) +")
_NAMES = re.compile(r"<[^>]*>|\S*[._(\d]\S*\w")  # names of functions and numbers, by which boilerplate differs
_ADDED = re.compile(r"\.\. versionadded:: *(\d+\.\d+)")
_SHORTEST = 12  # words
_BOILERPLATE = 4  # a sentence that so many docstrings share says nothing about any of them


class Document(NamedTuple):
    """One docstring."""

    name: str
    label: str
    added: date | None
    text: str


def docstrings(packages: tuple[str, ...] = PACKAGES) -> list[Document]:
    """Read the docstrings of every public function, class and method, each text once."""
    texts: dict[str, tuple[str, str, date | None]] = {}
    for package in packages:
        for module in _public_modules(package):
            for name, member in _public_members(module):
                docstring = inspect.getdoc(member) or ""
                about = (f"{module.__name__}.{name}", _home(member, module.__name__), _added(docstring, package))
                texts.setdefault(prose(docstring), about)
    names = [name.rpartition(".")[2] for name, _, _ in texts.values()]
    described = zip(texts.values(), without_boilerplate(list(texts), names), strict=True)
    return [Document(*about, text) for about, text in described if len(text.split()) >= _SHORTEST]


def demo_corpus() -> Corpus:
    """Return the docstrings as a corpus: label = public module, date = the month it was added, where said."""
    documents = docstrings()
    columns = {
        "id": [document.name for document in documents],
        "title": [document.name for document in documents],
        "label": [document.label for document in documents],
        "date": pl.Series([document.added for document in documents], dtype=pl.Date),
        "text": [document.text for document in documents],
    }
    corpus = read_corpus(pl.DataFrame(columns), text="text", id="id", label="label", date="date")
    return replace(corpus, notes=replace(corpus.notes, source=SOURCE, guessed=()))


def without_boilerplate(texts: list[str], names: list[str]) -> list[str]:
    """Drop the sentences that several texts share, numbers and the texts' own names aside."""
    split = [_SENTENCE.split(text) for text in texts]
    keys = [
        [re.sub(rf"\b{re.escape(name)}\b", "#", _NAMES.sub("#", sentence)) for sentence in sentences]
        for sentences, name in zip(split, names, strict=True)
    ]
    counts = Counter(key for line in keys for key in set(line))
    return [
        " ".join(s for s, key in zip(sentences, line, strict=True) if counts[key] < _BOILERPLATE)
        for sentences, line in zip(split, keys, strict=True)
    ]


def prose(docstring: str) -> str:
    r"""Keep the running text of a numpydoc docstring: no tables, examples, references or markup."""
    pieces = _SECTION.split(_SUPPORT.sub("", _SIGNATURE.sub("", "\n" + docstring)))
    headings = ["", *pieces[1::2]]
    kept = [body for heading, body in zip(headings, pieces[0::2], strict=True) if heading.strip() in _KEPT]
    plain = _SYMBOL.sub(" ", _MARKUP.sub(" ", " ".join(kept)))
    return " ".join(plain.split()).replace(" .", ".")


@cache
def _releases() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("quire") / "cli" / "releases.toml").read_text("utf-8"))


def _added(docstring: str, package: str) -> date | None:
    """Return the first day of the month in which the thing was added, where its docstring says so."""
    version = _ADDED.search(docstring)
    month = _releases()[package].get(version[1]) if version and package in _releases() else None
    return date.fromisoformat(f"{month}-01") if month else None


def _home(member: Any, found_in: str) -> str:
    """Return the public module of a thing: where it is defined, if that is public, or where it was found."""
    package, *below = (getattr(member, "__module__", None) or "").split(".")
    if package != found_in.split(".")[0] or not below or below[0].startswith("_"):
        return found_in
    return f"{package}.{below[0]}"


def _public_modules(package: str) -> Iterator[Any]:
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.iter_modules(root.__path__, f"{package}."):
        if any(part.startswith("_") or part in ("tests", "conftest", "testing") for part in info.name.split(".")):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                yield importlib.import_module(info.name)
            except ImportError:  # an optional part of the package
                continue


def _public_members(module: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(getattr(module, "__all__", [])):  # some are made from a set
        try:
            member = getattr(module, name)
        except (AttributeError, ImportError):  # deprecated, or experimental and not switched on
            continue
        if inspect.ismodule(member):
            continue
        yield name, member
        if inspect.isclass(member):
            yield from _public_methods(name, member)


def _public_methods(name: str, owner: type) -> Iterator[tuple[str, Any]]:
    """Give the methods of a class, and those of the namespaces it offers (as ``Expr.str`` in Polars)."""
    for method, member in vars(owner).items():
        if method.startswith("_"):
            continue
        if callable(member):
            yield f"{name}.{method}", member
        elif isinstance(member, property) and member.fget is not None:
            kind = str(getattr(member.fget, "__annotations__", {}).get("return", ""))
            space = getattr(member.fget, "__globals__", {}).get(kind)
            if inspect.isclass(space) and kind.endswith("NameSpace"):
                yield from _public_methods(f"{name}.{method}", space)
