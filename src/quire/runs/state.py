"""What a run keeps: its arrays, its vocabulary, and where its other cuts are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from quire.methods.estimator import TopicEstimator
from quire.runs.novelty import Novelty
from quire.text.counts import Counts
from quire.text.weight import Weight


class _HasCuts(Protocol):
    """What a run is here."""

    @property
    def H(self) -> NDArray[Any]: ...  # noqa: N802

    @property
    def others(self) -> dict[int, Callable[[], Any]]: ...


_Run = TypeVar("_Run", bound=_HasCuts)


def with_cuts(run: _Run, makers: Mapping[int, Callable[[], Any]]) -> _Run:
    """Let a run know its other cuts, each brought when it is first asked for; and let these know each other."""

    def brought(k: int) -> Any:
        other = makers[k]()
        other.others.update({len(run.H): lambda: run} | {j: one for j, one in run.others.items() if j != k})
        return other

    run.others.update({k: cache(partial(brought, k)) for k in makers})
    return run


def model_arrays(
    totals: NDArray[Any], weight: Weight, estimator: TopicEstimator, novelty: Novelty | None
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a run beside W: what its model learnt."""
    learnt = {f"weight.{name}": value for name, value in weight.state().items()}
    return {"totals": totals, **learnt, **topic_arrays(estimator, novelty)}


def topic_arrays(estimator: TopicEstimator, novelty: Novelty | None) -> dict[str, NDArray[Any]]:
    """Return those that belong to topics, which another cut has others of."""
    learnt = {f"estimator.{name}": value for name, value in estimator.state().items()}
    known = {} if novelty is None else novelty.state()
    learnt |= {f"novelty.{name}": value for name, value in known.items()}
    return {"H": learnt.pop("estimator.components_"), **learnt}


def vocabulary_state(counts: Counts | None, words: list[str]) -> dict[str, Any]:
    """Return the terms and what it takes to count others, as plain data."""
    learnt: dict[str, Any] = {"terms": None} if counts is None else counts.state()
    return {**learnt, "words": None if learnt["terms"] == words else words}
