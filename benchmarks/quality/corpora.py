"""The labelled corpora of the quality page, read as a user of Quire reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
from benchmarks.corpora import DATA

from quire.corpus.corpus import Corpus, read_corpus
from quire.papers.corpora import NEWSGROUPS, read_texts

MATRICES = ("tdt2", "k1a", "k1b", "re0", "re1", "webace1000", "cstr", "oh0", "tr41")
LABELLED = (
    "20ng",
    "20ng-bare",
    "reuters",
    "bbc",
    "webkb",
    "sotu",
    "trolls",
    "snippets",
    "tweets",
    "ag-news",
    *MATRICES,
)
UNTOUCHED = ("sotu", "ag-news", "k1a", "re1", "webace1000", "cstr", "tr41")  # while the default was being changed
SHORT = ("bbc-title", "reuters-title", "20ng-subject", "bbc-snippet", "reuters-snippet", "20ng-bare-snippet")
SMALL = ("bbc", "cstr", "re0", "webkb")  # to try something out
TEXTS = ("bbc", "reuters", "20ng", "trolls")  # whose topics are judged by their words
GROUPS = {"labelled": LABELLED, "short": SHORT, "small": SMALL}
FILES = {"reuters": "reuters21578_single51", "bbc": "bbc_news", "webkb": "webkb", "sotu": "sotu",
         "snippets": "search_snippets", "tweets": "tweet_trec", "ag-news": "ag_news_test"}  # fmt: skip
SNIPPET = 25  # words


def names_of(given: list[str]) -> list[str]:
    """Return the names of corpora, each once; a name may also stand for a group of them."""
    known = (*LABELLED, *SHORT)
    names: list[str] = []
    for one in given:
        if one not in known and one not in GROUPS:
            raise ValueError(f"The corpus {one!r} is not known: use {', '.join((*known, *GROUPS))}.")
        names += [name for name in GROUPS.get(one, (one,)) if name not in names]
    return names


def read(name: str, folder: Path = DATA) -> Corpus:
    """Read one of the corpora; every document of it has a label."""
    if not folder.is_dir():
        raise ValueError(f"The corpora are not in {folder}: set QUIRE_DATA to their folder.")
    if name in MATRICES:
        return read_corpus(folder / f"{name}.npz")
    if name == "trolls":
        return read_corpus(folder / "russian_trolls.parquet", text="text", group="author", label="label")
    if name in FILES:
        return read_corpus(folder / f"{FILES[name]}.parquet", text="text", label="label")
    frame = MADE[name](folder).select("text", "label")
    return read_corpus(frame, text="text", label="label")


def _newsgroups(folder: Path) -> pl.DataFrame:
    return read_texts(folder, NEWSGROUPS, split="train")


def _changed(frame: pl.DataFrame, change: Callable[[str], str]) -> pl.DataFrame:
    return frame.with_columns(pl.col("text").map_elements(change, pl.String))


def bare(text: str) -> str:
    """Return a post without its headers, signature and quotes, as scikit-learn removes them."""
    from sklearn.datasets import _twenty_newsgroups as posts

    body = posts.strip_newsgroup_footer(posts.strip_newsgroup_header(text))
    return str(posts.strip_newsgroup_quoting(body))


def subject(text: str) -> str:
    """Return a post's subject, without what says that it is an answer."""
    found = re.search(r"^Subject:[ \t]*(?:re[ \t]*:[ \t]*)*(.*)$", text, re.IGNORECASE | re.MULTILINE)
    return found[1] if found else ""


def snippet(text: str) -> str:
    """Return the first words of a text."""
    return " ".join(text.split()[:SNIPPET])


def _titles(folder: Path, name: str) -> pl.DataFrame:
    return read_texts(folder, f"{FILES[name]}.parquet").with_columns(text=pl.col("title").fill_null(""))


def _snippets(folder: Path, name: str) -> pl.DataFrame:
    return _changed(read_texts(folder, f"{FILES[name]}.parquet"), snippet)


MADE: dict[str, Callable[[Path], pl.DataFrame]] = {
    "20ng": _newsgroups,
    "20ng-bare": lambda folder: _changed(_newsgroups(folder), bare),
    "20ng-subject": lambda folder: _changed(_newsgroups(folder), subject),
    "20ng-bare-snippet": lambda folder: _changed(_newsgroups(folder), lambda text: snippet(bare(text))),
    "bbc-title": lambda folder: _titles(folder, "bbc"),
    "reuters-title": lambda folder: _titles(folder, "reuters"),
    "bbc-snippet": lambda folder: _snippets(folder, "bbc"),
    "reuters-snippet": lambda folder: _snippets(folder, "reuters"),
}
