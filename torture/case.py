"""A case of the campaign, and how what came of it is judged."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OK, SENTENCE, TRACEBACK, SIGNAL, HANG, WRONG = "ok", "sentence", "traceback", "signal", "hang", "wrong"
VERDICTS = (OK, SENTENCE, TRACEBACK, SIGNAL, HANG, WRONG)
FAILURES = frozenset(VERDICTS) - {OK, SENTENCE}


class WrongError(Exception):
    """What a case raises where nothing broke, but what came out is not what was promised."""


@dataclass(frozen=True)
class Case:
    """Something that is tried: ``run`` is called in a child, in an empty folder that is its own.

    It raises ``WrongError``, or whatever a user of the library would meet; what it returns is kept as facts.
    """

    name: str
    run: Callable[[Path], dict[str, Any] | None]
    tried: int = 1  # things that it tries: requests, documents
    seconds: float = 20.0
    memory: int = 4 << 30  # bytes of address space beside those that the parent has


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    verdict: str
    words: str = ""  # the sentence, the end of the trace, the name of the signal
    seconds: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)


def outcome_of(call: Callable[[], dict[str, Any] | None]) -> Outcome:
    """Call something, and judge it as the command line would: some errors are sentences, others are bugs."""
    try:
        return Outcome(OK, facts=call() or {})
    except WrongError as error:
        return Outcome(WRONG, str(error))
    except MemoryError:
        return Outcome(SENTENCE, "There is not enough memory.")
    except (ValueError, OSError) as error:
        words = str(error)
        if is_sentence(words):
            return Outcome(SENTENCE, words)
        return Outcome(WRONG, f"no sentence: {type(error).__name__}: {words[:500]}\n{_end_of_trace(error)}")
    except BaseException as error:
        return Outcome(TRACEBACK, f"{type(error).__name__}: {str(error)[:500]}\n{_end_of_trace(error)}")


def is_sentence(words: str) -> bool:
    """Say whether an error is one line that ends like a sentence."""
    return bool(words.strip()) and "\n" not in words and words.rstrip().endswith((".", "?", "…"))


def _end_of_trace(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__)[-4:])
