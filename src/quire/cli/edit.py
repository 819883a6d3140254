"""``quire edit``: change the topics of a run without another fit; log, undo, redo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from quire.cli.options import AnotherCut, Json, RunFolder, whole
from quire.cli.output import print_result
from quire.runs.folder import check_run

# What a person types after each: the fields of an edit, in order; a list takes the rest.
_TYPED = {
    "rename": "TOPIC NAME", "merge": "TOPIC TOPIC …", "split": "TOPIC", "remove": "TOPIC", "pin": "WORD TOPIC",
    "ban": "WORD", "move": "DOCUMENT TOPIC", "together": "DOCUMENT DOCUMENT", "apart": "DOCUMENT DOCUMENT",
    "note": "TOPIC NOTE", "undo": "", "redo": "", "log": "",
}  # fmt: skip
_WHAT = f"one of {', '.join(_TYPED)}"


def edit(
    run: RunFolder,
    what: Annotated[str | None, Parameter(help=_WHAT)] = None,
    *values: Annotated[
        str, Parameter(help="of what: the numbers of topics, a word, ids of documents, a name or a note")
    ],
    into: Annotated[int, Parameter(converter=whole, help="how many parts to split a topic into")] = 2,
    import_: Annotated[
        Path | None, Parameter(name="--import", help="make the edits of a file: those of another run, or of a page")
    ] = None,
    topics: AnotherCut = None,
    json: Json = False,
) -> None:
    """Change the topics of a run without another fit; it keeps every edit, and what it was before."""
    check_run(run)
    if import_ is not None:
        _import(run, import_, what, json)
        return
    if what is None or what == "log":
        _log(run, values, json)
        return
    given = _given(what, list(values), into)
    from quire.cli.reports.edits import edit_report
    from quire.runs.editing import edit_run
    from quire.runs.edits.entry import new_edit

    edited = edit_run(run, new_edit(what, topics, **given))
    print_result(_data(run, edited, {"edit": edited.history[-1]}), json, lambda width: edit_report(edited, run))


def _given(what: str, values: list[str], into: int) -> dict[str, Any]:
    """Return what was typed after an edit by the names that it has there."""
    from quire.messages import meant

    if what not in _TYPED:
        raise ValueError(f"{what!r} is no edit{meant(what, _TYPED)}: there are {', '.join(_TYPED)}.")
    wanted = _TYPED[what].split()
    several = "…" in wanted
    if len(values) < len(wanted) - several or (not several and len(values) > len(wanted)):
        raise ValueError(f"Type it as: quire edit RUN {what} {_TYPED[what]}".rstrip() + ".")
    if several:
        return {"topics": [_number(value) for value in values]}
    if wanted == ["DOCUMENT", "DOCUMENT"]:
        return {"documents": values}
    reads: dict[str, Callable[[str], Any]] = {"TOPIC": _number}
    given = {name.lower(): reads.get(name, str)(value) for name, value in zip(wanted, values)}
    return given | ({"into": into} if what == "split" else {})


def _number(value: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise ValueError(f"{value!r} is no topic: they are numbered from 0.")
    return int(value[:12])


def _log(run: Path, values: tuple[str, ...], json: bool) -> None:
    from quire.cli.reports.edits import log_report
    from quire.runs.load import load

    if values:
        raise ValueError("`log` takes nothing else: quire edit RUN log.")
    loaded = load(run, texts=False)
    print_result(
        {"run": str(run), "edits": loaded.history[len(loaded.updates) :]}, json, lambda width: log_report(loaded)
    )


def _import(run: Path, path: Path, what: str | None, json: bool) -> None:
    from quire.cli.reports.edits import import_report
    from quire.runs.editing import import_edits

    if what is not None:
        raise ValueError("--import takes the edits of a file: leave the other edit out, or make it first.")
    edited, left = import_edits(run, path)
    data = _data(run, edited, {"left_out": left})
    print_result(data, json, lambda width: import_report(edited, left, run))


def _data(run: Path, edited: Any, more: dict[str, Any]) -> dict[str, Any]:
    notes = {str(topic): note for topic, note in edited.notes.items()}
    return {"run": str(run), **more, "topics": edited.topics.to_dicts(), "notes": notes}
