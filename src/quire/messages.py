"""Pieces of sentences: numbers with their nouns, lists, words of a bearable length, what was meant."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

LONGEST_WORD = 200  # letters that anybody would read
_COMPARED = 2_000_000  # pairs of letters that are looked at to find what was meant


def meant(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` where a known word is near, else nothing."""
    likely = [one for one in known if 10 * min(len(one), len(word)) >= 3 * (len(one) + len(word))]  # as difflib asks
    likely.sort(key=lambda one: one[:1] != word[:1])  # no more than some are compared, which takes the longer the most
    near = difflib.get_close_matches(word, likely[: _COMPARED // max(len(word), 1) ** 2], 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun; a plural where it is not made by an s."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {plural or noun + 's'}"


def were(n: int) -> str:
    """Return the verb that goes with a number."""
    return "was" if n == 1 else "were"


def also_good(numbers: Iterable[int]) -> str:
    """Return the rest of a sentence that names other good numbers of topics; nothing where there is none."""
    others = ", ".join(map(str, sorted(numbers)))
    return f"; also good: {others}" if others else ""


def listed(words: list[str]) -> str:
    """Return words joined as in a sentence."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def short(word: str) -> str:
    """Return a word, cut where nobody could read it."""
    return word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…"


DOING = {
    "read": "Reading documents", "count": "Counting terms", "weigh": "Weighing",
    "factorize": "Finding topics", "learn": "Learning classes", "describe": "Describing topics",
    "assign": "Assigning documents", "page": "Making the page",
    "save": "Saving", "returning": "Learning from halves", "elbow": "Looking for elbows",
    "runs": "Making runs", "cuts": "Cutting elsewhere", "tree": "Growing the tree",
    "held_out": "Holding out", "compare": "Comparing runs", "lambda": "Searching λ",
    "edit": "Editing topics", "compile": "Compiling kernels",
}  # fmt: skip

Update = Callable[[int, int | None], None]  # so many done, of so many where that is known


def part_of(update: Update, number: int, of: int) -> Update:
    """Return an update for one of several parts of a stage that take about the same time."""
    return lambda done, total: update(number * (total or 1) + done, of * (total or 1))


class Stages:
    """Times of stages by name. A subclass shows them as they pass."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[Update]:
        """Time what is done inside; gives the function to call with how far it is."""
        began = time.perf_counter()
        self.begin(name)
        try:
            yield self.update
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
            self.end()

    def begin(self, name: str) -> None:
        """Show that a stage begins (for subclasses)."""

    def update(self, done: int, total: int | None) -> None:
        """Show how much of the present stage is done (for subclasses)."""

    def end(self) -> None:
        """Show that the present stage ended (for subclasses)."""
