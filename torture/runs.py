"""A run that was changed: sealed again with valid checksums, read, and compared with what was saved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from quire.runs.write import TREE
from torture.case import WrongError, is_sentence

TIMES = ("created", "timings")  # which differ where the same run is made twice


def digest(run: Any, but: tuple[str, ...] = ()) -> str:
    """Return a hash of all that a run holds, but what of ``run.json`` does not count; nor do names that people gave."""
    topics = run.topics.drop("name").write_json()
    timeline = "" if run.timeline is None else run.timeline.write_json()
    info = {name: value for name, value in run.info.items() if name not in but}
    parts = [run.documents.write_json(), topics, timeline, json.dumps(run.words), json.dumps(info, sort_keys=True)]
    sum_of = hashlib.sha256("\n".join(parts).encode("utf-8", "replace"))
    for array in (run.W, run.H, run.totals):
        sum_of.update(str((array.shape, array.dtype)).encode() + array.tobytes())
    return sum_of.hexdigest()


def seal(folder: Path) -> None:
    """Give a changed run valid checksums again, as somebody who made it on purpose would."""
    with suppress(ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
        head = json.loads((folder / "run.json").read_text("utf-8"))
        for name in head["files"]:
            head["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        rest = {key: value for key, value in head.items() if key != "checksum"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=False)
        head["checksum"] = hashlib.sha256(text.encode()).hexdigest()
        (folder / "run.json").write_text(json.dumps(head, indent=1, ensure_ascii=False) + "\n", "utf-8")


def seal_all(folder: Path) -> None:
    """Give a changed run, the state that edits led to, and its tree valid checksums again."""
    for state in folder.glob("edited-*"):
        seal(state)
    _seal_tree(folder / TREE)
    seal(folder)


def _seal_tree(path: Path) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import load, save

    from quire.runs.tree_file import _checksum

    with suppress(SafetensorError, ValueError, KeyError, OSError):
        arrays = load(path.read_bytes())
        del arrays["checksum"]
        path.write_bytes(save(arrays | {"checksum": _checksum(arrays)}))


def use(run: Any, folder: Path) -> None:
    """Do with a run what people do: print it, ask about documents, topics and columns, assign others, make its page."""
    from quire.cli.reports.run import run_report, topic_table
    from quire.cli.reports.why import why_report
    from quire.pages.payload import payload_of

    _show(run_report(run), topic_table(run))
    run.assign(["moon rocket bread"])
    for ask in (
        lambda: _show(why_report(run, run.explain(run.documents["id"][0]))),
        lambda: _show_document(run),
        lambda: _show_diff(run),
        *(lambda name=name: _show_by(run, name) for name in run.documents.columns),
        lambda: run.assign_table(["moon goal", "bread"]).write_csv(),
        *((lambda: _show_tree(run), lambda: _show_past(run), lambda: _edit(run, folder)) if run.edits else ()),
    ):
        _or_sentence(ask)
    payload = payload_of(run, folder, served=True)
    payload.whole(0)
    payload.listed([0, 1])


def _or_sentence(ask: Callable[[], Any]) -> None:
    """Ask, which may be refused with a sentence; others are asked all the same."""
    try:
        ask()
    except (ValueError, OSError) as error:
        if not is_sentence(str(error)):
            raise


def _show(*reports: Any) -> None:
    from rich.console import Console

    with Path("/dev/null").open("w") as nowhere:
        for report in reports:
            Console(file=nowhere, width=100).print(report)


def _show_document(run: Any) -> None:
    from quire.cli.reports.document import document_report, document_row

    _show(document_report(run, document_row(run, run.documents["id"][1])))


def _show_tree(run: Any) -> None:
    from quire.cli.reports.tree import cut_report, tree_report

    first = run.edits.first
    if (tree := first.hierarchy) is not None:
        json.dumps(tree.as_dict())
        _show(tree_report(tree, first, None), cut_report(tree, 2, "run"), tree.newick())


def _show_past(run: Any) -> None:
    from quire.cli.reports.edits import log_report
    from quire.cli.reports.history import update_report

    json.dumps(run.history)
    _show(log_report(run))
    if run.updates:
        _show(update_report(run))


def _edit(run: Any, folder: Path) -> None:
    """Name a topic, then take that and the edit before back: what is read again is what was made."""
    from quire.runs.editing import edit_run
    from quire.runs.edits.entry import new_edit
    from quire.runs.load import load

    for edit in (new_edit("rename", topic=0, name="Again"), new_edit("undo"), new_edit("undo")):
        made = edit_run(folder, edit)
    if digest(load(folder)) != digest(made):
        raise WrongError("an edited run is read as another")


def _show_diff(run: Any) -> None:
    from quire.cli.reports.diff import diff_report

    apart = run.diff(0, 1)
    json.dumps(apart.as_dict())
    _show(diff_report(apart))


def _show_by(run: Any, name: str) -> None:
    from quire.cli.reports.by import by_report, compared_by

    for table in compared_by(run, name):
        json.dumps(table.as_dict(), default=str)
        _show(by_report(run, table, 100))
