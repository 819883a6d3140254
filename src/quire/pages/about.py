"""How a run was made, for the page."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from quire.runs.options import Options
from quire.runs.run import Run

_DEMO = "the docstrings of "
_ELSEWHERE = ("threads", "vocabulary")  # threads change nothing; a vocabulary may be a list
_DEMO_DEFAULT = "24"


def about(run: Run, layout: str) -> dict[str, Any]:
    """Return how a run was made."""
    info = run.info
    plain = (
        "quire",
        "created",
        "seed",
        "options",
        "versions",
        "timings",
        "terms",
        "fit",
        "fingerprint",
        "scores",
    )
    return {
        "command": command(run),
        **{name: info.get(name) for name in plain},
        "recipe": run.recipe.name,
        "recipe_about": run.recipe.about,
        "paper": run.recipe.paper,
        "runs": info.get("runs"),
        "notes": list(info["corpus"].get("sentences", [])),
        "layout": layout,
    }


def command(run: Run) -> str:
    """Return the command that makes the run anew."""
    source, kind = str(run.info["corpus"].get("source") or ""), run.info["corpus"].get("kind")
    demo = source.startswith(_DEMO)
    in_memory = kind in ("texts", "frame", "", None) or (kind == "matrix" and not source.endswith(".npz"))
    path = "FILE" if in_memory else source
    if run.counts is not None and callable(run.counts.tokens):  # code that is not kept
        return f"quire.cluster({path!r}, tokens=…)"
    return shlex.join(["quire", *(["demo"] if demo else ["cluster", path]), *_flags(run, demo)])


def _flags(run: Run, demo: bool) -> list[str]:
    """Return the options that are not the defaults, as they are typed."""
    flags = []
    for option in fields(Options):
        value = run.info["options"].get(option.name)
        default = _DEMO_DEFAULT if demo and option.name == "topics" else option.default
        if value is None or str(value) == str(default) or option.name in _ELSEWHERE:
            continue
        flags += [f"--{option.name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return flags
