"""The command ``quire reproduce``: the papers' tables and figures, done again."""

from __future__ import annotations

import json as json_format
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from quire.cli.options import OUTPUT, Json, takes_options_of_a_run
from quire.cli.output import live_stages, print_json
from quire.cli.terminal import clean_console

if TYPE_CHECKING:
    from quire.cli.reports.run import LiveStages
    from quire.papers.experiment import Experiment, Result, Setting

_HOW_TO = "Name the folder that holds it with --data, or in QUIRE_DATA"


@takes_options_of_a_run("reproduce")
def reproduce(
    *names: Annotated[str, Parameter(help="tables and figures, papers, or all; without any, they are listed")],
    full: Annotated[
        bool,
        Parameter(
            negative="--quick",
            show_default=False,
            help="as many draws and starts as in the paper, or as a few minutes allow [default: --quick]",
        ),
    ] = False,
    data: Annotated[Path | None, Parameter(help="folder of the corpora [default: QUIRE_DATA, or data here]")] = None,
    out: Annotated[Path, Parameter(group=OUTPUT, help="folder for results, figures and reproduction.md")] = Path(
        "quire-reproduction"
    ),
    json: Json = False,
    **given: Any,
) -> None:
    """Do the tables and figures of the five papers again, with the paper's numbers beside ours."""
    from quire.papers.catalogue import chosen
    from quire.papers.corpora import data_folder
    from quire.papers.experiment import Setting
    from quire.papers.journal import journal_in
    from quire.runs.options import merged

    folder = data_folder(data)
    if not names:
        _list(folder, json)
        return
    options = merged(given)
    wanted = chosen(names)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out} is a file: name another folder with --out.")
    journal = journal_in(out, folder, full, options.seed)
    _run_all(wanted, Setting(folder, full, options.seed, options.threads, journal=journal), out, json)


def _run_all(wanted: list[Experiment], setting: Setting, out: Path, as_json: bool) -> None:
    """Run one after the other; what is finished is kept, whatever happens to the next."""
    kept: list[Any] = []
    skipped: dict[str, str] = {}
    with live_stages() as stages:
        for one in wanted:
            try:
                path = _run(one, setting, out, stages, as_json)
            except (ValueError, OSError) as error:
                skipped[one.name] = str(error)
                if len(wanted) > 1:
                    print(f"quire: {error}", file=sys.stderr)
            else:
                kept.append(json_format.loads(path.read_text("utf-8")))
    setting.journal.close()
    if not kept:
        reasons = list(skipped.values())
        raise ValueError(reasons[0] if len(reasons) == 1 else "None of them could be done: see the lines above.")
    if as_json:
        print_json({"folder": str(out), "results": kept, "skipped": skipped})
    else:
        print(f"Results, figures and reproduction.md are in {out}")


def _run(one: Experiment, setting: Setting, out: Path, stages: LiveStages, as_json: bool) -> Path:
    """Run one, keep what it found, bring the page up to date, and print it; return its file."""
    from dataclasses import replace

    from quire.papers.catalogue import experiments, unavailable
    from quire.papers.claims import claims_of
    from quire.papers.results import page, save_result
    from quire.runs.folder import write_file

    _refuse_missing(one, setting)
    began = time.perf_counter()
    with stages.stage(one.name) as update:
        journal = setting.journal.named(one.name)
        result = one.run(replace(setting, journal=journal, update=lambda done, total, what: update(done, total)))
    path = save_result(out, one, result, setting, time.perf_counter() - began)
    write_file(out / "reproduction.md", page(out, list(experiments()), unavailable(), claims_of))
    if not as_json:
        _print(one, result)
    return path


def _refuse_missing(one: Experiment, setting: Setting) -> None:
    from quire.messages import listed
    from quire.papers.corpora import missing

    lacking = missing(setting.data, one.data)
    if lacking:
        verb = "is" if len(lacking) == 1 else "are"
        raise ValueError(f"{one.name} needs {listed(lacking)}, which {verb} not in {setting.data}. {_HOW_TO}.")


def _print(one: Experiment, result: Result) -> None:
    from rich.table import Table
    from rich.text import Text

    from quire.papers.results import result_table

    console = clean_console()
    console.print(Text.assemble((one.name, "bold"), f"  {one.title}"))
    if result.cells:
        console.print(result_table(result, console.width))
    if result.text:
        console.print(Text("\n" + result.text.rstrip()))
    for heading, lines in (("Found", result.findings), ("Not as in the paper", result.differs)):
        if lines:
            console.print(Text(f"\n{heading}", "dim"))
        points = Table.grid(padding=(0, 1))
        for line in lines:
            points.add_row("•", Text(line))
        console.print(points)
    console.print()


def _list(folder: Path, as_json: bool) -> None:
    """Print what there is, what it needs, and what cannot be had."""
    from quire.papers.catalogue import experiments, unavailable
    from quire.papers.corpora import missing

    known, lost = experiments(), unavailable()
    lacking = {name: missing(folder, one.data) for name, one in known.items()}
    if as_json:
        can = [{"name": n, "title": e.title, "data": list(e.data), "missing": lacking[n]} for n, e in known.items()]
        cannot = [{"name": one.name, "title": one.title, "why": one.why} for one in lost]
        print_json({"data": str(folder), "experiments": can, "unavailable": cannot})
        return
    console = clean_console()
    rows = [(n, e.title, _needs(e, lacking[n])) for n, e in known.items()]
    console.print(_table(("Name", "What it shows", f"Corpora in {folder}"), rows))
    if lost:
        console.print("\nWhat cannot be done again\n", style="dim")
        console.print(_table(("Name", "What it shows", "Why not"), [(o.name, o.title, o.why) for o in lost]))
    console.print("\nRun one with `quire reproduce NAME`, all with `quire reproduce all`.", soft_wrap=True)


def _needs(one: Experiment, lacking: list[str]) -> str:
    if lacking:
        return "not there: " + ", ".join(lacking)
    return "there" if one.data else "none needed"


def _table(heads: tuple[str, str, str], rows: list[tuple[str, str, str]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column(heads[0], style="bold", no_wrap=True)
    table.add_column(Text(heads[1]), ratio=3)
    table.add_column(Text(heads[2]), ratio=2, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
