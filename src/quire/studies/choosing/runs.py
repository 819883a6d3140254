"""Runs of one method from several starts, each made at most once, side by side on all cores."""

from __future__ import annotations

import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from quire import __version__
from quire.backends.check import silent_rows
from quire.messages import Update
from quire.methods.estimator import TopicEstimator
from quire.places.machine import allowed_threads
from quire.runs.topics import relevance
from quire.studies.choosing.cache import Cache, as_key, fingerprint

_KEYWORDS = 10
_NOT_OF_THE_RESULT = ("n_components", "random_state", "n_jobs", "verbose", "callback")


@dataclass(frozen=True)
class OneRun:
    """What is kept of a run."""

    labels: NDArray[Any]  # the topic of each document, −1 for none
    objective: float  # what was minimised; ‖X − WH‖
    error: float  # what was minimised; ‖X − WH‖
    keywords: NDArray[Any]  # the columns of each topic's most telling terms; −1 where a topic has fewer
    seconds: float  # how long it took


class Crew(Protocol):
    """Makes runs elsewhere, such as on a cluster (:class:`quire.places.dask.graph.DaskCrew`)."""

    @property
    def slots(self) -> int:
        """Runs that can be made at once."""

    def hold(self, thing: Any) -> Any:
        """Send something that many calls need; return what stands for it."""

    def call(self, function: Callable[..., Any], *held: Any, stopped: Callable[[], bool]) -> Any:
        """Return ``function(*held)``; raise KeyboardInterrupt where ``stopped()`` comes first."""


class Runs:
    """The runs of a method on X: computed when asked for, then kept in memory and, with a folder, on disk."""

    def __init__(
        self,
        X: Any,
        make: Callable[[int, int], TopicEstimator],
        folder: str | Path | None = None,
        *,
        unit_topics: bool | None = None,
        threads: int | None = None,
        crew: Crew | None = None,
    ) -> None:
        self.made = 0
        self._make, self._crew = make, crew
        self._threads = allowed_threads(threads) if crew is None else crew.slots
        totals = np.asarray(X.sum(axis=0), np.float64).ravel()
        self._given: Any = X, silent_rows(X), totals, unit_topics
        if crew is not None:
            self._given = crew.hold(self._given)
        self._cache = Cache(folder, as_key(__version__, fingerprint(X), _recipe(make(1, 0)), unit_topics))
        self._lock = threading.Lock()
        self._under_way: dict[tuple[int, int], Future[OneRun]] = {}
        self._stop = threading.Event()

    def has(self, k: int, seed: int) -> bool:
        """Say whether the run is there already."""
        return self._cache.load(_name(k, seed)) is not None

    def get(self, k: int, seed: int) -> OneRun:
        """Return a run, made now if it is not there."""
        cached = self._cache.load(_name(k, seed))
        if cached is not None:
            return OneRun(**{f.name: _plain(cached[f.name]) for f in fields(OneRun)})
        with self._lock:
            mine = (k, seed) not in self._under_way
            future = self._under_way.setdefault((k, seed), Future())
        if not mine:
            return future.result()
        try:
            future.set_result(self._computed(k, seed))
        except BaseException as error:
            future.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._under_way[k, seed]
        return future.result()

    def gather(
        self, wanted: Iterable[tuple[int, int]], update: Update = lambda done, total: None, until: float | None = None
    ) -> bool:
        """Make the runs that are not there, side by side; say whether all are there now."""
        pairs = list(wanted)
        if self._crew is None and pairs and self._make(*pairs[0]).device != "cpu":
            return self._gather_together(pairs, update, until)
        queue = deque(pair for pair in pairs if not self.has(*pair))
        done = len(pairs) - len(queue)
        update(done, len(pairs))
        self._stop.clear()
        with warnings.catch_warnings(), ThreadPoolExecutor(max(1, min(self._threads, len(queue)))) as pool:
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                under_way: set[Future[OneRun]] = set()
                while queue or under_way:
                    while queue and len(under_way) < self._threads and not _late(until):
                        under_way.add(pool.submit(self.get, *queue.popleft()))
                    if not under_way:
                        break
                    # Not without end: the main thread would not notice Ctrl-C.
                    ended, under_way = wait(under_way, timeout=0.2, return_when="FIRST_COMPLETED")
                    for future in ended:
                        future.result()
                        done += 1
                        update(done, len(pairs))
            except BaseException:  # Ctrl-C, or a run that failed: the others end at their next iteration
                self._stop.set()
                raise
        return not queue

    def _gather_together(self, pairs: list[tuple[int, int]], update: Update, until: float | None) -> bool:
        """Make the runs of one k after those of another; a GPU makes all starts of a k at once."""
        for k in dict.fromkeys(k for k, _ in pairs):
            seeds = [seed for one, seed in pairs if one == k and not self.has(one, seed)]
            update(sum(self.has(*pair) for pair in pairs), len(pairs))
            if _late(until):
                break
            if seeds:
                self._make_together(k, seeds)
        update(done := sum(self.has(*pair) for pair in pairs), len(pairs))
        return done == len(pairs)

    def _make_together(self, k: int, seeds: list[int]) -> None:
        X, began = self._given[0], time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            models = self._make(k, seeds[0]).fit_seeds(X, seeds)
        seconds = (time.perf_counter() - began) / len(seeds)
        for seed, model in zip(seeds, models, strict=True):
            self._kept(k, seed, _of_model(model, model.transform(X), k, self._given, seconds))

    def _computed(self, k: int, seed: int) -> OneRun:
        model = self._make(k, seed)
        if self._crew is None:
            model.callback = lambda step: self._stop.is_set()
            run = _one_run(model, k, self._given)
        else:
            run = self._crew.call(partial(_quiet_run, model, k), self._given, stopped=self._stop.is_set)
        if self._stop.is_set():
            raise KeyboardInterrupt  # half a run is none
        return self._kept(k, seed, run)

    def _kept(self, k: int, seed: int, run: OneRun) -> OneRun:
        self._cache.save(_name(k, seed), {f.name: np.asarray(getattr(run, f.name)) for f in fields(OneRun)})
        with self._lock:
            self.made += 1
        return run


def _one_run(model: TopicEstimator, k: int, given: tuple[Any, ...]) -> OneRun:
    began = time.perf_counter()
    W = model.fit_transform(given[0])
    return _of_model(model, W, k, given, time.perf_counter() - began)


def _of_model(model: TopicEstimator, W: Any, k: int, given: tuple[Any, ...], seconds: float) -> OneRun:
    _, silent, totals, unit_topics = given
    labels, _ = model.assign(W, unit_topics=unit_topics, silent=silent)
    small = labels.astype(np.min_scalar_type(-max(k, 1)))
    keywords = telling_columns(model.components_, totals)
    return OneRun(small, float(model.objective_), float(model.reconstruction_err_), keywords, seconds)


def _quiet_run(model: TopicEstimator, k: int, given: tuple[Any, ...]) -> OneRun:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _one_run(model, k, given)


def telling_columns(H: NDArray[Any], totals: NDArray[np.float64], n: int = _KEYWORDS) -> NDArray[np.int32]:
    """Return the columns of each topic's most telling terms, −1 where it has fewer."""
    score = relevance(np.maximum(H, 0), totals)
    n = min(n, score.shape[1])
    order = np.argsort(-score, axis=1, kind="stable")[:, :n].astype(np.int32)
    return np.where(np.isfinite(np.take_along_axis(score, order, axis=1)), order, np.int32(-1))


def _name(k: int, seed: int) -> str:
    return f"run-{k}-{seed}"


def _recipe(model: TopicEstimator) -> list[Any]:
    """Return what a run's result depends on, beside k and the seed."""
    parameters = {n: v for n, v in model.get_params().items() if n not in _NOT_OF_THE_RESULT}
    return [type(model).__name__, parameters]


def _plain(array: NDArray[Any]) -> Any:
    return array if array.ndim else array.item()


def _late(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until
