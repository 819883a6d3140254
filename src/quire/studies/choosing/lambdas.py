"""Which λ and which k, where classes are known: the search of tsikhanovich2011 §4.2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import counted
from quire.studies.choosing.lambda_arithmetic import (
    Cubic,
    Interval,
    chebyshev_nodes,
    fitted_cubic,
    interval_of_maximum,
    overlap,
)
from quire.studies.choosing.lambda_runs import KnownClasses, Score, SideBySide, known_classes, smallest_zeroing

Update = Callable[[int, int, str], None]
_CANDIDATES, _ZEROING = 10, 99  # places in the seeds, after the four nodes


@dataclass(frozen=True, eq=False)
class LambdaSearch:
    """What the search found."""

    k: int  # the best candidate
    lam: float  # the best candidate
    soft_nmi: float  # of its best run; the purity is that of each document's largest topic
    purity: float  # of its best run; the purity is that of each document's largest topic
    random_state: int  # ``quire.studies.choosing.lambda_runs.fit_once(X, k, lam, random_state)`` is that run again
    # A row per λ that was tried: ``k``, ``lam``, ``kind`` (``node``; ``zero`` for the candidate λ = 0;
    # ``candidate`` for the others), ``runs``, ``mean``, ``max``, and the interval around the maximum, ``low``
    # to ``high``
    table: pl.DataFrame
    cubics: dict[int, Cubic]  # for each k, through the maxima at the nodes
    sentences: tuple[str, ...]  # what was compared, and why it stopped


def search_lambda(
    X: Any,
    labels: Sequence[Any] | NDArray[Any] | None,
    ks: Sequence[int],
    *,
    starts: int = 10,
    seed: int = 0,
    n_jobs: int | None = None,
    threshold: float = 0.5,
    cap: int = 8,
    update: Update | None = None,
    printed_max: bool = False,
) -> LambdaSearch:
    """Find the k and the λ of :class:`quire.SimplexNMF` that agree best with known classes, by soft NMI."""
    # For each k: four Chebyshev nodes of [0, the smallest λ that leaves W all zero], a cubic through the
    # highest soft NMI at each, and as candidates λ = 0 and the cubic's critical points (and the highest node,
    # where the cubic nowhere turns as high). Then the best candidate of all and the one whose interval
    # overlaps most with its are run again, until they overlap by less than the threshold.
    of = known_classes(X, labels)
    wanted = _checked(ks, starts, threshold, cap, of.X.shape)
    with SideBySide(n_jobs) as team:
        return _Search(of, seed, team, update or (lambda done, total, message: None)).run(
            wanted, starts, threshold, cap, printed_max
        )


class _Place(NamedTuple):
    """A λ for one k; the number keeps the seeds of different places apart."""

    k: int
    lam: float
    number: int


class _Search:
    """The runs so far, and what was said about them."""

    def __init__(self, of: KnownClasses, seed: int, team: SideBySide, update: Update) -> None:
        self.of, self.seed, self.team, self.update = of, seed, team, update
        self.scores: dict[_Place, list[Score]] = {}
        self.cubics: dict[int, Cubic] = {}
        self.sentences: list[str] = []
        self.done = self.total = 0

    def run(self, ks: list[int], starts: int, threshold: float, cap: int, printed_max: bool) -> LambdaSearch:
        ends = self._ends(ks, printed_max)
        nodes = {k: [_Place(k, x, i) for i, x in enumerate(chebyshev_nodes(ends[k]))] for k in ks}
        self._sample([p for k in ks for p in nodes[k]], starts, "Sampling the four nodes of every k")
        for k in ks:
            self._fit_cubic(k, nodes[k], ends[k])
        candidates = [p for k in ks for p in self._candidates(k, nodes[k])]
        again = max(2, starts // 2)
        self._sample(candidates, again, f"Running the {counted(len(candidates), 'candidate')} of all k")
        best = self._compare(candidates, again, threshold, cap)
        top = max(self.scores[best], key=lambda score: score.soft_nmi)
        table = pl.DataFrame([self._row(place) for place in self.scores]).sort("k", "lam", "kind")
        return LambdaSearch(
            best.k, best.lam, top.soft_nmi, top.purity, top.random_state, table, self.cubics,
            tuple(self.sentences),
        )  # fmt: skip

    def _ends(self, ks: list[int], printed_max: bool) -> dict[int, float]:
        X = self.of.X
        if printed_max:
            return dict.fromkeys(ks, float(X.sum(axis=0).max()) / X.shape[0])
        self.total += len(ks)
        tell = self._teller("Looking for the smallest λ that leaves W all zero, for every k")
        return dict(zip(ks, self.team.map(self._end, ks, tell), strict=True))

    def _end(self, k: int) -> float:
        return smallest_zeroing(self.of.X, k, self._seed(k, _ZEROING, 0), self._stopped)

    def _fit_cubic(self, k: int, nodes: list[_Place], end: float) -> None:
        tops = [self._top(place) for place in nodes]
        runs = [(place.lam, score.soft_nmi) for place in nodes for score in self.scores[place]]
        cubic = self.cubics[k] = fitted_cubic([place.lam for place in nodes], tops, end, runs)
        turns = ", ".join(f"{x:.4g}" for x in cubic.critical_points()) or "none"
        values = ", ".join(f"{top:.3f} at {place.lam:.4g}" for place, top in zip(nodes, tops, strict=True))
        self.sentences.append(
            f"k = {k}: λ from 0 to {end:.4g}; highest soft NMI at the nodes {values}; critical points of the "
            f"cubic through them: {turns}."
        )

    def _candidates(self, k: int, nodes: list[_Place]) -> list[_Place]:
        cubic, highest = self.cubics[k], max(nodes, key=self._top)
        turns = cubic.critical_points()
        # Not in the thesis: a cubic that turns nowhere, or lower, would lose a λ that is known to be good.
        lost = not any(cubic(lam) >= self._top(highest) - 1e-12 for lam in turns)
        lams = [0.0, *turns, *([highest.lam] if lost else [])]
        return [_Place(k, lam, _CANDIDATES + i) for i, lam in enumerate(lams)]

    def _compare(self, candidates: list[_Place], again: int, threshold: float, cap: int) -> _Place:
        """Run the best and its closest rival until they are apart; return the best."""
        for number in range(cap + 1):
            best = max(candidates, key=self._top)
            others = [place for place in candidates if place != best]
            if not others:
                self.sentences.append("There is nothing to compare the only candidate with.")
                return best
            shares = [overlap(self._interval(best), self._interval(other)) for other in others]
            share, _, rival = max((s, self._top(o), o) for s, o in zip(shares, others, strict=True))
            message = f"{self._named(best)} against {self._named(rival)}: {share:.2f} of its interval is shared"
            if share < threshold:
                self.sentences.append(f"{message}, less than {threshold:g}, so it is the best.")
                return best
            if number < cap:
                self.sentences.append(f"{message}, so both are run again.")
                self._sample([best, rival], again, message)
        self.sentences.append(f"{message}; stopped after {counted(cap, 'round')} all the same, undecided.")
        return best

    def _named(self, place: _Place) -> str:
        low, high = self._interval(place)
        top = f"{self._top(place):.3f} ± {(high - low) / 2:.3f}"
        return f"k = {place.k}, λ = {place.lam:.4g} ({top}, {counted(len(self.scores[place]), 'run')})"

    def _top(self, place: _Place) -> float:
        return max(score.soft_nmi for score in self.scores[place])

    def _interval(self, place: _Place) -> Interval:
        return interval_of_maximum([score.soft_nmi for score in self.scores[place]])

    def _sample(self, places: list[_Place], runs: int, message: str) -> None:
        """Run every place so many more times."""
        before = {place: len(self.scores.setdefault(place, [])) for place in places}
        tasks = [(place, before[place] + run) for place in places for run in range(runs)]
        self.total += len(tasks)
        scores = self.team.map(self._score, tasks, self._teller(message))
        for (place, _), score in zip(tasks, scores, strict=True):
            self.scores[place].append(score)

    def _score(self, task: tuple[_Place, int]) -> Score:
        place, run = task
        return self.of.score(place.k, place.lam, self._seed(place.k, place.number, run), self._stopped)

    def _seed(self, *where: int) -> int:
        return int(np.random.SeedSequence([self.seed, *where]).generate_state(1)[0])

    def _stopped(self, step: object) -> bool:
        return self.team.stop.is_set()

    def _teller(self, message: str) -> Callable[[], None]:
        self.update(self.done, self.total, message)

        def tell() -> None:
            self.done += 1
            self.update(self.done, self.total, message)

        return tell

    def _row(self, place: _Place) -> dict[str, Any]:
        values = [score.soft_nmi for score in self.scores[place]]
        low, high = interval_of_maximum(values)
        kind = "node" if place.number < _CANDIDATES else "candidate" if place.lam > 0 else "zero"
        spread = {"mean": float(np.mean(values)), "max": max(values), "low": low, "high": high}
        return {"k": place.k, "lam": place.lam, "kind": kind, "runs": len(values), **spread}


def _checked(ks: Sequence[int], starts: int, threshold: float, cap: int, shape: tuple[int, int]) -> list[int]:
    wanted = sorted({int(k) for k in ks})
    if not wanted or wanted[0] < 2 or wanted[-1] > min(shape):
        raise ValueError(f"ks={list(ks)!r} must be numbers of topics from 2 to {min(shape):,}.")
    if starts < 2:
        raise ValueError(f"starts={starts!r} must be at least 2: an interval needs a spread.")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold={threshold!r} must lie above 0 and be at most 1.")
    if cap < 0:
        raise ValueError(f"cap={cap!r} must be 0 rounds or more.")
    return wanted
