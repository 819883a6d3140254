"""A guided search for what breaks a property: hypothesis, led towards what reaches more lines of Quire."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy
from scipy.sparse import issparse

import quire
from torture.case import FAILURES, WrongError, outcome_of

_OURS = str(Path(quire.__file__).parent)
_PHASES = (Phase.generate, Phase.target, Phase.shrink)
Property = Callable[[Any, Path], None]


def search(strategy: SearchStrategy[Any], holds: Property, n: int, seed: int, folder: Path, reach: bool) -> int:
    """Try n examples, the smallest that fails last; what was tried last is in ``example.txt``, also after a crash.

    Where ``reach`` is wanted, examples that reach more lines of Quire are varied further.
    """
    tried = 0

    @seeded(seed)
    @settings(
        max_examples=n, database=None, deadline=None, phases=_PHASES, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def one(example: Any) -> None:
        nonlocal tried
        tried += 1
        shown = vars(example) if issparse(example) else example  # SciPy cannot show a damaged matrix
        (folder / "example.txt").write_text(f"{shown!r}\n", "utf-8", "backslashreplace")
        lines: set[tuple[str, int]] = set()
        with _noting(lines, reach):
            outcome = outcome_of(lambda: holds(example, folder))
        if reach:
            target(float(len(lines)), label="lines reached")
        if outcome.verdict in FAILURES:
            raise WrongError(f"{outcome.verdict}: {outcome.words}")

    one()
    return tried


@contextmanager
def _noting(lines: set[tuple[str, int]], wanted: bool) -> Iterator[None]:
    """Note the lines of Quire that are run; other code runs as fast as ever."""

    def line(frame: FrameType, event: str, _: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(_OURS) else None

    before = sys.gettrace()
    if wanted:
        sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
