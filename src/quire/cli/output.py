"""What several commands print, and where they write by default."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.cli.terminal import clean_console, printable_json
from quire.corpus.presence import check_present, is_pattern
from quire.messages import meant

if TYPE_CHECKING:
    from quire.cli.reports.run import LiveStages
    from quire.runs.run import Run

PAGE_FILE = "page.html"  # in the folder of a run


def default_folder(path: str) -> str:
    """Return the folder that a command writes to where none is named: ``quire-`` and the name of the file."""
    from quire.corpus.formats.format import PACKED
    from quire.corpus.sources import FORMATS

    known = {ending for one in FORMATS for ending in one.endings}
    named = Path(path).parent if is_pattern(path) else Path(path)
    name = "stdin" if path == "-" else named.resolve().name
    for endings in (PACKED, known):
        name = name[: -len(suffix)] if (suffix := Path(name).suffix).lower() in endings else name
    name = os.fsencode(name).decode("utf-8", "replace").replace("\ufffd", "_")
    return f"quire-{name.strip('. ')[:80] or 'run'}"


def source_of(paths: Sequence[str], command: str) -> str | tuple[Path, ...]:
    """Return what was named on the command line as a source: one path, or several; refuse what is not there."""
    if not paths:
        raise ValueError(f"`quire {command}` needs documents: name a file or a folder, or - for standard input.")
    for path in paths:
        _refuse_option(path)
        check_present(path)
    return paths[0] if len(paths) == 1 else tuple(map(Path, paths))


def _refuse_option(path: str) -> None:
    """Refuse an option that nobody knows: a parser that takes - for a path takes it for one, too."""
    if path == "-" or not path.startswith("-") or Path(path).exists():
        return
    from quire.runs.options import declared_options
    from quire.runs.other_names import option_meant

    typed = path.partition("=")[0]
    known = [f"--{name.replace('_', '-')}" for name in (*declared_options(), "out", "json", "quiet", "replace")]
    sentence = option_meant(f"Unknown option: {typed}.")
    if "Did you mean" not in sentence:
        sentence = f"Unknown option: {typed}{meant(typed, known)}."
    raise ValueError(f"{sentence} `quire --help` lists commands and options.")


def live_stages(quiet: bool = False) -> LiveStages:
    """Return stages that show on the terminal how far they are."""
    from quire.cli.reports.run import LiveStages

    return LiveStages(clean_console(stderr=True), quiet)


def print_json(data: dict[str, Any]) -> None:
    """Print data on one line."""
    print(printable_json(data))


def print_result(data: dict[str, Any], as_json: bool, report: Callable[[int], Any]) -> None:
    """Print what a command found: as JSON, or the report for a terminal of some width."""
    if as_json:
        print_json(data)
    else:
        console = clean_console()
        console.print(report(console.width))


def print_run(run: Run, where: Path, as_json: bool, quiet: bool, by: str | None = None) -> None:
    """Print what was read, topics, scores and topics by columns; JSON; or only where the run is."""
    from quire.cli.reports.by import by_report, compared_by
    from quire.cli.reports.notes import note_lines
    from quire.cli.reports.run import run_report

    if as_json:
        more = {} if by is None else {"by": [one.as_dict() for one in compared_by(run, by)]}
        notes = {str(topic): note for topic, note in run.notes.items()}
        print_json({"run": str(where), **run.info, "topics": run.topics.to_dicts(), "notes": notes, **more})
    elif quiet:
        print(where)
    else:
        console = clean_console()
        console.print(run_report(run), *note_lines(run), sep="\n")
        console.print(f"The run is in {where}", highlight=False, markup=False, soft_wrap=True)
        if run.others:
            others = sorted(run.others)
            how = f"quire show {shlex.quote(str(where))} --topics {others[0]}"
            sentence = f"See {' or '.join(map(str, others))} topics of the same documents with: {how}"
            console.print(sentence, highlight=False, markup=False, soft_wrap=True)
        if run.hierarchy is not None:
            sentence = f"See its tree with: quire tree {shlex.quote(str(where))}"
            console.print(sentence, highlight=False, markup=False, soft_wrap=True)
        for one in [] if by is None else compared_by(run, by):  # last: it may be refused, but the run is there
            console.print(by_report(run, one, console.width))


def print_page(path: Path, left: Mapping[str, Any] | None) -> None:
    """Say where a page is, and what it had no room for (as ``head["left"]`` of the page)."""
    sentence = f"Open {path} in a browser to look at it."
    if left:
        sentence += f" {left['sentence']} See all with: {left['command']}"
    clean_console().print(sentence, highlight=False, markup=False, soft_wrap=True)


def tell(sentence: str) -> None:
    """Say something beside what is printed, such as which edits could not be made."""
    print(sentence, file=sys.stderr)
