"""Documents that are on every machine with Quire: the docstrings of the libraries it stands on."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

PACKAGES = ("numpy", "scipy", "sklearn")
_SECTION = re.compile(r"\n *(\S[^\n]*)\n *[-=~]{3,} *\n")
_KEPT = {"", "Notes"}  # the summary (before any heading) and the notes; tables of parameters say little
_SIGNATURE = re.compile(r"^\n\w+\(.*\)[^\n]*\n")  # first line of a compiled function
_SUPPORT = re.compile(r"\*\*Array API Standard Support\*\*.*", re.DOTALL)
_MARKUP = re.compile(r"<[^<>]* at 0x[^<>]*>|`|:\w+:|\.\. \w+::.*|https?://\S+|>>>.*|\$[^$]*\$|\\\w+|\[\d+\]_")
_SENTENCE = re.compile(r"(?<=[.:;]) +")
_NAMES = re.compile(
    r"<[^>]*>|\S*[._(\d]\S*\w"
)  # names of functions and numbers, by which boilerplate differs
_SHORTEST = 12  # words
_BOILERPLATE = 4  # a sentence that so many docstrings share says nothing about any of them


class Document(NamedTuple):
    """One docstring.

    Examples
    --------
    >>> from quire.demo import Document
    >>> Document("numpy.fft.fft", "numpy.fft", "Compute the one-dimensional transform.").label
    'numpy.fft'
    """

    name: str
    label: str
    text: str


def docstrings(packages: tuple[str, ...] = PACKAGES) -> list[Document]:
    """Read the docstrings of every public function, class and method, each text once.

    Examples
    --------
    >>> from quire.demo import docstrings
    >>> found = docstrings(("numpy",))
    >>> any(document.name == "numpy.fft.fft" for document in found)
    True
    """
    texts: dict[str, tuple[str, str]] = {}
    for package in packages:
        for module in _public_modules(package):
            for name, member in _public_members(module):
                texts.setdefault(prose(inspect.getdoc(member) or ""), (name, module.__name__))
    names = [name.rpartition(".")[2] for name, _ in texts.values()]
    found = zip(texts.values(), without_boilerplate(list(texts), names), strict=True)
    return [
        Document(f"{label}.{name}", label, text)
        for (name, label), text in found
        if len(text.split()) >= _SHORTEST
    ]


def without_boilerplate(texts: list[str], names: list[str]) -> list[str]:
    """Drop the sentences that several texts share, numbers and the texts' own names aside.

    Examples
    --------
    >>> from quire.demo import without_boilerplate
    >>> without_boilerplate([f"Refer to {n} for more. About {n}{n}." for n in "abcd"], list("abcd"))[0]
    'About aa.'
    """
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
    r"""Keep the running text of a numpydoc docstring: no tables, examples, references or markup.

    Examples
    --------
    >>> from quire.demo import prose
    >>> prose("Sum `a`.\n\nParameters\n----------\na : array\n\nNotes\n-----\nPairwise.\n")
    'Sum a. Pairwise.'
    """
    pieces = _SECTION.split(_SUPPORT.sub("", _SIGNATURE.sub("", "\n" + docstring)))
    headings = ["", *pieces[1::2]]
    kept = [body for heading, body in zip(headings, pieces[0::2], strict=True) if heading.strip() in _KEPT]
    return " ".join(_MARKUP.sub(" ", " ".join(kept)).split()).replace(" .", ".")


def _public_modules(package: str) -> Iterator[Any]:
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.iter_modules(root.__path__, f"{package}."):
        if any(
            part.startswith("_") or part in ("tests", "conftest", "testing") for part in info.name.split(".")
        ):
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
            for method, function in vars(member).items():
                if not method.startswith("_") and callable(function):
                    yield f"{name}.{method}", function


def demo_matrix(texts: list[str]) -> tuple[Any, NDArray[Any]]:
    """Return log-tf-idf with unit rows, and its terms.

    Examples
    --------
    >>> from quire.demo import demo_matrix
    >>> X, terms = demo_matrix(["sparse matrix product"] * 4 + ["cubic spline knots"] * 20)
    >>> X.shape, terms[0]
    ((24, 3), 'matrix')
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        sublinear_tf=True, min_df=4, max_df=0.2, stop_words="english", dtype=np.float32,
        token_pattern=r"(?u)\b[^\W\d_]{3,}\b",
    )  # fmt: skip
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
