"""A corpus gathered into topics, before it is brought here as a run or written part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quire.corpus.corpus import Corpus
from quire.messages import Stages, Update
from quire.places.parts import Blocks
from quire.runs.copies import Copies
from quire.runs.cut import Cut
from quire.runs.recipe import Recipe
from quire.runs.state import model_arrays, vocabulary_state, with_cuts
from quire.runs.tables import beside
from quire.runs.terms import Terms
from quire.runs.tree import Tree
from quire.runs.tree_file import tree_writer
from quire.runs.write import Streamed, write_run
from quire.text.weight import Weight


@dataclass(frozen=True, eq=False)
class Gathered:
    """A corpus gathered into topics, its parts still where they are: what a run is made of."""

    corpus: Corpus
    terms: Terms
    weight: Weight
    X: Blocks
    cut: Cut
    others: list[Cut]
    recipe: Recipe
    stages: Stages
    copies: Copies | None
    make: Callable[..., Any]  # makes a run of its parts
    tree: Tree | None = None

    def run(self) -> Any:
        """Bring everything here."""
        own = self.cut
        run = self.make(
            documents=pl.concat(self._tables()), totals=self.terms.totals, words=self.terms.words,
            counts=self.terms.counts, weight=self.weight, recipe=self.recipe, X=self.X.whole(), **self._brought(own),
            hierarchy=self.tree,
        )  # fmt: skip
        others = {cut.n_topics: self._other(cut, run) for cut in self.others}  # now: the place may go
        return with_cuts(run, {k: partial(others.__getitem__, k) for k in others})

    def write(self, out: Path) -> Path:
        """Write the run's folder, one part after the other."""
        own, info = self.cut, self._timed(self.cut)
        with self.stages.stage("save") as update:
            return write_run(
                out,
                info,
                arrays={"W": own.W, **model_arrays(self.terms.totals, self.weight, own.estimator, own.novelty)},
                vocabulary=vocabulary_state(self.terms.counts, self.terms.words),
                documents=Streamed(self._tables(update), own.description.n_bytes / max(len(own.W), 1)),
                topics=own.description.topics,
                timeline=own.timeline,
                subwords=getattr(self.terms.counts, "subword_model_", None),
                cuts={cut.n_topics: cut.files(self._timed(cut), info) for cut in self.others},
                tree=tree_writer(self.tree),
            )

    def _brought(self, cut: Cut) -> dict[str, Any]:
        """Return what a run takes from a cut, but the documents' columns."""
        cut.estimator.memberships_ = np.asarray(cut.estimator.memberships_)
        return {
            "topics": cut.description.topics, "timeline": cut.timeline, "W": np.asarray(cut.W),
            "H": cut.estimator.components_, "estimator": cut.estimator, "info": self._timed(cut),
            "novelty": cut.novelty,
        }  # fmt: skip

    def _other(self, cut: Cut, run: Any) -> Any:
        documents = run.documents.with_columns(pl.concat(cut.columns()))
        return replace(run, documents=documents, others={}, hierarchy=None, **self._brought(cut))

    def _timed(self, cut: Cut) -> dict[str, Any]:
        return cut.info | self._about_cuts(cut) | {"timings": self.stages.seconds}

    def _about_cuts(self, cut: Cut) -> dict[str, Any]:
        """Say which cuts there are and which one was chosen; nothing where the number of topics was given."""
        if cut.info["also"] is None:
            return {}
        there = {one.asked: one.n_topics for one in (self.cut, *self.others)}
        also = [there.get(k, k) for k in (self.cut.asked, *cut.info["also"]) if k != cut.asked]
        return {"also": also, "cuts": sorted(there.values()), "chosen": self.cut.n_topics}

    def _tables(self, update: Update = lambda done, total: None) -> Iterator[pl.DataFrame]:
        """Give the documents' tables, one part after the other."""
        place, total, at = self.corpus.place, len(self.corpus.parts), 0
        for done, (handle, columns) in enumerate(zip(self.corpus.parts, self.cut.columns(), strict=True)):
            documents = place.fetch(handle)
            if self.copies is not None:
                documents = documents.with_columns(self.copies.column(at, documents.height))
            yield beside(documents, columns)
            at += documents.height
            update(done + 1, total)
