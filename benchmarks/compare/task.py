"""What a tool is given and what it gives back. Imported in every tool's environment: the standard library alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = 10  # keywords of a topic


@dataclass(frozen=True)
class Task:
    """Texts, how many topics (None: the tool chooses), a seed, and English stop words for tools that bring none."""

    texts: list[str]
    k: int | None
    seed: int
    stop_words: list[str]
    vectors: Path | None = None  # the texts' sentence embeddings, which were timed when they were made


@dataclass
class Found:
    """The topic of each document, −1 for none, and the keywords of topic 0, 1, …."""

    labels: list[int]
    keywords: list[list[str]]


@dataclass(frozen=True)
class Tool:
    """A program or one of its models."""

    name: str
    family: str  # what is installed together
    packages: tuple[str, ...]  # to install it, without what these need; the first one's version is the tool's
    find: Callable[[Task], Found]
    settings: str  # all that is not a default
    takes_k: bool = True
    chooses_k: bool = False
    needs_vectors: bool = False


def by_weight(words: Sequence[str], topics: Any) -> list[list[str]]:
    """Return the heaviest words of every row of a topics × words array."""
    return [[str(words[j]) for j in (-row).argsort(kind="stable")[:TOP]] for row in topics]


def strongest(shares: Any) -> list[int]:
    """Return the topic with the largest share of each row; −1 where it has none."""
    return [int(row.argmax()) if row.max() > 0 else -1 for row in shares]


def numbered(labels: Iterable[Any], keywords: dict[Any, list[str]]) -> Found:
    """Return topics numbered 0, 1, … from topics of any names; a name without keywords is no topic."""
    names = {name: number for number, name in enumerate(keywords)}
    return Found([names.get(label, -1) for label in labels], list(keywords.values()))
