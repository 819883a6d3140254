"""What questions may ask of a run. A run has methods that ask them, so that these cannot import it."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.methods.estimator import TopicEstimator
from quire.runs.novelty import Novelty
from quire.runs.recipe import Recipe
from quire.text.counts import Counts
from quire.text.weight import Weight


class Asked(Protocol):
    """The parts of :class:`quire.Run`, where their meaning is, and what solves for documents."""

    @property
    def documents(self) -> pl.DataFrame:
        """A row per document."""

    @property
    def topics(self) -> pl.DataFrame:
        """A row per topic."""

    @property
    def H(self) -> NDArray[Any]:  # noqa: N802
        """Topics × terms."""

    @property
    def totals(self) -> NDArray[Any]:
        """How often each term occurs."""

    @property
    def words(self) -> list[str]:
        """The terms, to be read."""

    @property
    def counts(self) -> Counts | None:
        """What counted the terms; None of a matrix."""

    @property
    def weight(self) -> Weight:
        """What weighted the counts."""

    @property
    def estimator(self) -> TopicEstimator:
        """What found the topics."""

    @property
    def recipe(self) -> Recipe:
        """How."""

    @property
    def info(self) -> dict[str, Any]:
        """What ``run.json`` holds."""

    @property
    def X(self) -> sp.csr_array | None:  # noqa: N802
        """The weighted counts, where the run was just made."""

    @property
    def novelty(self) -> Novelty | None:
        """What is known of how unlike its documents are."""

    @property
    def given_names(self) -> dict[int, str]:
        """The names that people gave to topics."""

    @property
    def notes(self) -> dict[int, str]:
        """The notes that people made of topics."""

    def recount(self, rows: slice | NDArray[Any] = slice(None)) -> sp.csr_array:
        """Count the terms of the run's own texts again."""

    def memberships_of(self, rows: slice | NDArray[Any]) -> NDArray[Any]:
        """Return the shares of some documents in all topics."""

    def nearest_topics(self, X: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return each document's topic, however unsure (−1: none fits), and its shares in all."""
