"""The corpora of the comparison, the small ones first, as files that every tool's environment can read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
import scipy.sparse as sp
from benchmarks.corpora import DATA
from benchmarks.quality import corpora as labelled

from quire.corpus.corpus import read_corpus
from quire.text.tokens import count_texts

ACL = "acl"
NAMES = ("bbc", "tweets", "webkb", "sotu", "ag-news", "trolls", "snippets", "reuters", "20ng", ACL)
WITHOUT_CLASSES = 20  # topics of a corpus that has none
HALVES = {"whole": slice(None), "half": slice(0, None, 2)}  # what a tool sees; the odd documents are held out


@dataclass
class Visit:
    """A corpus while it is measured, and the folder for its files."""

    name: str
    folder: Path

    @cached_property
    def _corpus(self) -> tuple[list[str], pl.Series | None]:
        if self.name == ACL:
            corpus = read_corpus(DATA / "acl_anthology_40k.parquet", text="text")
            return list(corpus.texts()), None
        corpus = labelled.read(self.name)
        return list(corpus.texts()), corpus.documents["label"]

    @property
    def texts(self) -> list[str]:
        """All texts."""
        return self._corpus[0]

    @property
    def labels(self) -> pl.Series | None:
        """The class of each document, where there are classes."""
        return self._corpus[1]

    @property
    def k(self) -> int:
        """How many classes there are."""
        return WITHOUT_CLASSES if self.labels is None else self.labels.n_unique()

    @cached_property
    def counts(self) -> tuple[sp.csr_array, list[str]]:
        """How often each word is in each document: what every tool's keywords are scored on."""
        return count_texts(self.texts)

    def file(self, part: str) -> Path:
        """Return the file with the texts of a part; it is made where it is not there."""
        path = self.folder / f"{self.name}.{part}.json"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(self.texts[HALVES[part]]), "utf-8")
        return path
