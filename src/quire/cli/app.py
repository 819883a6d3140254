"""The ``quire`` command: parse, call, print."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

from quire import __version__
from quire.cli.choose import choose
from quire.cli.cluster import make_run, print_run, read, resume_run
from quire.cli.compare import compare
from quire.cli.options import (
    COLUMNS,
    Abstain,
    Column,
    Dask,
    Device,
    Encoding,
    Factorizing,
    GroupColumn,
    Json,
    Language,
    Memory,
    MinCount,
    Ngrams,
    OptionalSource,
    Out,
    Quiet,
    RecipeName,
    Resume,
    Seed,
    Source,
    Stem,
    Strict,
    Threads,
    Tokens,
    Topics,
    Vocabulary,
    WithPage,
)
from quire.cli.output import default_folder, plain_console, print_json
from quire.cli.page import page
from quire.cli.reproduce import reproduce
from quire.cli.serve import serve

app = App(
    name="quire",
    help="Gather documents into topics with non-negative matrix factorization.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)


def main() -> None:
    """Run the command line, with one sentence for an error and 130 for Ctrl-C.

    Examples
    --------
    >>> from quire.cli.app import main
    >>> callable(main)
    True
    """
    for stream in (sys.stdout, sys.stderr):  # a terminal that knows no such letter shows a question mark
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app(exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        _fail(f"{' '.join(str(error).split())} `quire --help` lists commands and options.", 2)
    except KeyboardInterrupt as interrupt:
        _fail(f"Interrupted: {interrupt}" if interrupt.args else "Interrupted.", 130)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        _fail("There is not enough memory: use fewer documents, or cut terms with --min-count.", 2)
    except (ValueError, OSError) as error:
        _fail(str(error), 2)


def _fail(sentence: str, code: int) -> None:
    print(f"quire: {sentence}", file=sys.stderr)
    sys.exit(code)


@app.command
def cluster(
    path: OptionalSource = None,
    *,
    topics: Topics = None,
    recipe: RecipeName = None,
    abstain: Abstain = None,
    seed: Seed = None,
    threads: Threads = None,
    device: Device = None,
    memory: Memory = None,
    dask: Dask = None,
    config: Annotated[Path | None, Parameter(help="a TOML file with any of these options")] = None,
    text: Column = None,
    id: Column = None,
    label: Annotated[str | None, Parameter(group=COLUMNS, help="known classes, for scores")] = None,
    date: Annotated[str | None, Parameter(group=COLUMNS, help="for topics over time")] = None,
    group: GroupColumn = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    strict: Strict = None,
    language: Language = None,
    stem: Stem = None,
    tokens: Tokens = None,
    ngrams: Ngrams = None,
    min_count: MinCount = None,
    out: Out = None,
    resume: Resume = None,
    page: WithPage = True,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Gather documents into topics and keep the result as a run, with a page to look at."""
    given = dict(locals())  # before anything else has a name
    if resume is not None:
        resume_run(resume, given, json, quiet, page)
        return
    if path is None:
        raise ValueError("`quire cluster` needs documents: name a file or a folder, or - for standard input.")
    from quire.runs.options import merged, options_among
    from quire.runs.recipe import read_toml

    stored = read_toml(config, "configuration") if config else {}
    kept = stored.pop("out", None)
    if kept is not None and not (isinstance(kept, str) and kept):
        raise ValueError(f"Option out = {kept!r} must be the name of a folder.")
    options = merged(stored, options_among(given))
    make_run(path, options, out or Path(kept or default_folder(path)), json, quiet, page)


@app.command
def demo(
    *,
    topics: Topics = "24",
    seed: Seed = None,
    out: Out = None,
    page: WithPage = True,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the topics of the docstrings of the scientific Python packages on this machine."""
    from quire.cli.demo import demo_corpus
    from quire.runs.options import merged

    options = merged({"topics": topics, "seed": seed})
    make_run(demo_corpus, options, out or Path("quire-demo"), json, quiet, page)


@app.command
def show(
    run: Annotated[Path, Parameter(help="the folder of a run")],
    *,
    document: Annotated[str | None, Parameter(help="the id of a document: print what is known of it")] = None,
    json: Json = False,
) -> None:
    """Print a run again: what was read, its topics, its scores; or one of its documents."""
    from quire.cli.reports.document import document_report, document_row
    from quire.runs.run import load

    loaded = load(run)
    if document is None:
        print_run(loaded, run, as_json=json, quiet=False)
    elif json:
        print_json({"run": str(run), "runs": loaded.info.get("runs"), **document_row(loaded, document)})
    else:
        plain_console().print(document_report(loaded, document))


@app.command
def evaluate(
    run: Annotated[Path, Parameter(help="the folder of a run")],
    *,
    labels: Annotated[
        Path | None,
        Parameter(
            help="known classes: a CSV, TSV, JSONL or Parquet file with ids, or a text file with one a line, "
            "in the order of the documents [default: the run's own labels]"
        ),
    ] = None,
    label: Annotated[
        str | None, Parameter(group=COLUMNS, help="the classes, in the file of --labels")
    ] = None,
    id: Annotated[str | None, Parameter(group=COLUMNS, help="the documents' ids, in that file")] = None,
    json: Json = False,
) -> None:
    """Score a run, with known classes and without, and show where each class went."""
    from quire.runs.run import load
    from quire.studies.evaluate import evaluate as scored
    from quire.studies.labels_file import read_labels

    if labels is None and (label or id):
        raise ValueError("--label and --id name columns of the file with the labels: add --labels FILE.")
    loaded = load(run)
    found = scored(loaded, None if labels is None else read_labels(labels, loaded, label, id))
    if json:
        print_json({"run": str(run), **found.as_dict()})
    else:
        from quire.cli.reports.evaluation import evaluation_report

        console = plain_console()
        console.print(evaluation_report(found, console.width))


@app.command
def classes(
    path: Source,
    *,
    label: Annotated[str | None, Parameter(group=COLUMNS, help="the classes")] = None,
    text: Column = None,
    id: Column = None,
    group: GroupColumn = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    strict: Strict = None,
    recipe: Factorizing = None,
    language: Language = None,
    stem: Stem = None,
    tokens: Tokens = None,
    ngrams: Ngrams = None,
    min_count: MinCount = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Say what known classes are about, and which documents read like another class than theirs."""
    given = dict(locals())  # before anything else has a name
    from rich.console import Console

    from quire.cli.reports.classes import classes_report
    from quire.cli.reports.run import LiveStages
    from quire.runs.options import FACTORIZING, merged, options_among
    from quire.studies.classes import classes_of

    options = merged({"recipe": FACTORIZING}, options_among(given))
    options.resolved_recipe()  # before any work is done
    with LiveStages(Console(stderr=True)) as stages:
        found = classes_of(read(path, options, stages), options, stages)
    if json:
        print_json(found.as_dict())
    else:
        console = plain_console()
        console.print(classes_report(found, console.width))


@app.command
def recipes() -> None:
    """List the recipes, with the paper that each comes from."""
    from rich.table import Table

    from quire.runs.recipe import built_in

    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("Recipe", style="bold", no_wrap=True)
    table.add_column("What it does", ratio=3)
    table.add_column("From", ratio=2, style="dim")
    for name, found in built_in().items():
        table.add_row(name, found.about, found.paper)
    plain_console().print(table)


@app.command
def warm() -> None:
    """Compile the kernels for this machine, so that the first fit does not wait."""
    from quire.backends.kernels.compiled import cache_folder
    from quire.backends.kernels.compiled import warm as compile_all

    seconds = compile_all()
    print(f"Kernels ready after {seconds:.1f} s in {cache_folder()}")


app.command(page)
app.command(serve)
app.command(choose)
app.command(compare)
app.command(reproduce)
