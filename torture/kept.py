"""A case that failed, kept: its files, what was printed, and how to repeat it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from torture.case import Outcome
from torture.child import Trial

_MOST = 20 << 20  # bytes of files that are kept of one case


def keep_failure(trial: Trial, outcome: Outcome, part: str, seed: int, kept: Path) -> dict[str, Any]:
    """Keep the files of a case and ``case.json``; return what is told of it."""
    folder = kept / part / f"{seed}-{trial.number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if sum(path.stat().st_size for path in trial.folder.rglob("*") if path.is_file()) < _MOST:
        shutil.copytree(trial.folder, folder / "files", symlinks=True)
    failure = {
        "case": trial.number,
        "name": trial.case.name,
        "verdict": outcome.verdict,
        "words": outcome.words.splitlines()[0][:300] if outcome.words else "",
        "repeat": f"python -m torture --only {part} --seed {seed} --case {trial.number}",
    }
    text = json.dumps(failure | {"all_words": outcome.words, "printed": trial.printed()}, indent=1)
    (folder / "case.json").write_text(text + "\n", "utf-8", "replace")
    return failure
