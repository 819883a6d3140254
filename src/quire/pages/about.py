"""How a run was made, for the page."""

from __future__ import annotations

import shlex
from typing import Any

from quire.runs.options import declared_options, merged
from quire.runs.recipe import built_in
from quire.runs.run import Run

_DEMO = "the docstrings of "
_COPIED = (
    "quire", "created", "seed", "options", "versions", "timings", "terms", "fit", "fingerprint", "scores",
    "runs",
)  # fmt: skip


def about(run: Run, layout: str) -> dict[str, Any]:
    """Return how a run was made."""
    later = [f"quire update RUN {shlex.quote(entry['source'] or 'FILE')}" for entry in run.updates]
    return {
        "command": " && ".join([command(run), *later]),
        **{name: run.info.get(name) for name in _COPIED},
        "recipe": run.recipe.name,
        "recipe_about": run.recipe.about,
        "paper": run.recipe.paper,
        "notes": [*run.info["corpus"].get("sentences", []), *run.info["terms"].get("left_out", [])],
        "layout": layout,
    }


def command(run: Run) -> str:
    """Return the command that makes the run anew; a call where that takes code, which a run does not keep."""
    source, kind = str(run.info["corpus"].get("source") or ""), run.info["corpus"].get("kind")
    in_memory = kind in ("texts", "frame", "", None) or (kind == "matrix" and not source.endswith(".npz"))
    path = "FILE" if in_memory else source
    paths = shlex.split(source) if kind == "files" else [path]
    code = {}
    if not _is_named(run):
        code["recipe"] = "…"
    if run.counts is not None and callable(run.counts.tokens):
        code["tokens"] = "…"
    if code:
        return _call(run, path, code)
    demo = source.startswith(_DEMO)
    options = _changed(run, "demo" if demo else "cluster")
    flags = [
        part
        for name, value in options.items()
        for part in (f"--{name.replace('_', '-')}", *([] if value is True else [str(value)]))
    ]
    return shlex.join(["quire", *(["demo"] if demo else ["cluster", *paths]), *flags])


def _is_named(run: Run) -> bool:
    """Say whether the recipe is found by its name: a file, or one that comes with Quire, as it is now."""
    options = run.info["options"]
    name = str(options.get("recipe"))
    return name.endswith(".toml") or (name in built_in() and merged(options).resolved_recipe() == run.recipe)


def _changed(run: Run, command: str) -> dict[str, Any]:
    """Return the options that are not the defaults of a command and can be written down."""
    options = run.info["options"]
    return {
        name: ",".join(value) if isinstance(value, list) else "seeds.toml" if name == "seeds" else value
        for name, one in declared_options().items()
        if (value := options.get(name)) is not None
        and str(value) != str(one.default_in(command))
        and not one.free
        and (name != "vocabulary" or isinstance(value, str))
    }


def _call(run: Run, path: str, code: dict[str, str]) -> str:
    """Return the call of ``quire.cluster``, with dots for code."""
    topics, seed = run.info["options"]["topics"], run.info["seed"]
    number = str(topics) if str(topics).isdigit() else repr(topics)
    more = {name: repr(value) for name, value in _changed(run, "cluster").items() if name not in code}
    given = {**code, "random_state": str(seed)} | {n: v for n, v in more.items() if n not in ("topics", "seed")}
    return f"quire.cluster({', '.join([repr(path), number, *(f'{n}={v}' for n, v in given.items())])})"
