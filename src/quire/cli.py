"""The ``quire`` command: parse, call, print."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter

from quire._version import __version__

if TYPE_CHECKING:
    from quire.corpus import Corpus
    from quire.options import Options
    from quire.run import Run

app = App(
    name="quire",
    help="Gather documents into topics with non-negative matrix factorization.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)
_COLUMNS, _TERMS, _OUTPUT = Group("Columns (guessed where not given)"), Group("Terms"), Group("Output")


def _whole(_: Any, tokens: Any) -> int:
    """Read a whole number; 1.5 is none."""
    return int(tokens[0].value)


Columns = Annotated[str | None, Parameter(group=_COLUMNS)]
Out = Annotated[Path | None, Parameter(group=_OUTPUT, help="folder for the run [default: quire-NAME here]")]
Json = Annotated[bool, Parameter(group=_OUTPUT, negative="", help="print JSON instead of tables")]
Quiet = Annotated[bool, Parameter(group=_OUTPUT, negative="", help="print only where the run is")]
Topics = Annotated[
    str | None, Parameter(help="how many: a number, a range such as 5:30, or auto [default: auto]")
]
Seed = Annotated[
    int | None, Parameter(converter=_whole, help="the same seed gives the same topics [default: 0]")
]


def main() -> None:
    """Run the command line, with one sentence for an error and 130 for Ctrl-C.

    Examples
    --------
    >>> from quire.cli import main
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
    except KeyboardInterrupt:
        _fail("Interrupted.", 130)
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
    path: Annotated[
        str,
        Parameter(
            allow_leading_hyphen=True,
            help="a folder, a CSV, TSV, JSONL, Parquet or .npz file, or - for standard input",
        ),
    ],
    *,
    topics: Topics = None,
    recipe: Annotated[
        str | None, Parameter(help="see `quire recipes`, or a TOML file [default: default]")
    ] = None,
    seed: Seed = None,
    threads: Annotated[
        int | None, Parameter(converter=_whole, help="at most so many [default: all cores]")
    ] = None,
    config: Annotated[Path | None, Parameter(help="a TOML file with any of these options")] = None,
    text: Columns = None,
    id: Columns = None,
    label: Annotated[str | None, Parameter(group=_COLUMNS, help="known classes, for scores")] = None,
    date: Annotated[str | None, Parameter(group=_COLUMNS, help="for topics over time")] = None,
    group: Annotated[
        str | None, Parameter(group=_COLUMNS, help="rows with the same value here become one document")
    ] = None,
    vocabulary: Annotated[
        str | None, Parameter(group=_COLUMNS, help="for a .npz matrix: a file with a term a line")
    ] = None,
    encoding: Annotated[
        str | None, Parameter(group=_COLUMNS, help="of text that is not UTF-8 [default: cp1252]")
    ] = None,
    strict: Annotated[
        bool | None,
        Parameter(group=_COLUMNS, negative="", help="a malformed line or unreadable file is an error"),
    ] = None,
    language: Annotated[
        str | None, Parameter(group=_TERMS, help="for stop words and stems: en, german, …, auto or none")
    ] = None,
    stem: Annotated[bool | None, Parameter(group=_TERMS, negative="", help="join words of one stem")] = None,
    tokens: Annotated[str | None, Parameter(group=_TERMS, help="word, char, char_wb or subword")] = None,
    ngrams: Annotated[
        str | None, Parameter(group=_TERMS, help="runs of tokens that make a term, as in 1:2")
    ] = None,
    min_count: Annotated[
        int | None, Parameter(converter=_whole, group=_TERMS, help="drop terms that occur less often")
    ] = None,
    out: Out = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Gather documents into topics and keep the result as a run."""
    from quire.options import merged
    from quire.recipe import read_toml

    given = {
        "topics": topics, "recipe": recipe, "seed": seed, "threads": threads, "text": text, "id": id,
        "label": label, "date": date, "group": group, "vocabulary": vocabulary, "encoding": encoding,
        "strict": strict, "language": language, "stem": stem, "tokens": tokens, "ngrams": ngrams,
        "min_count": min_count,
    }  # fmt: skip
    stored = read_toml(config, "configuration") if config else {}
    kept = stored.pop("out", None)
    if kept is not None and not (isinstance(kept, str) and kept):
        raise ValueError(f"Option out = {kept!r} must be the name of a folder.")
    _make_run(path, merged(stored, given), out or Path(kept or _default_folder(path)), json, quiet)


def _default_folder(path: str) -> str:
    name = "stdin" if path == "-" else Path(path).resolve().name
    for ending in (r"\.(gz|zst)", r"\.(csv|tsv|jsonl|ndjson|json|parquet|npz|txt)"):
        name = re.sub(f"{ending}$", "", name, flags=re.IGNORECASE)
    return f"quire-{name.strip('. ')[:80] or 'run'}"


@app.command
def demo(
    *, topics: Topics = "24", seed: Seed = None, out: Out = None, json: Json = False, quiet: Quiet = False
) -> None:
    """Find the topics of the docstrings of the scientific Python packages on this machine."""
    from quire.demo import demo_corpus
    from quire.options import merged

    options = merged({"topics": topics, "seed": seed})
    _make_run(demo_corpus, options, out or Path("quire-demo"), json, quiet)


@app.command
def show(run: Annotated[Path, Parameter(help="the folder of a run")], *, json: Json = False) -> None:
    """Print a run again: what was read, its topics, its scores."""
    from quire.run import load

    _print_run(load(run), run, as_json=json, quiet=False)


@app.command
def recipes() -> None:
    """List the recipes, with the paper that each comes from."""
    from rich.table import Table

    from quire.recipe import built_in

    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("Recipe", style="bold", no_wrap=True)
    table.add_column("What it does", ratio=3)
    table.add_column("From", ratio=2, style="dim")
    for name, found in built_in().items():
        table.add_row(name, found.about, found.paper)
    _console().print(table)


@app.command
def warm() -> None:
    """Compile the kernels for this machine, so that the first fit does not wait."""
    from quire.ops.compiled import cache_folder
    from quire.ops.compiled import warm as compile_all

    seconds = compile_all()
    print(f"Kernels ready after {seconds:.1f} s in {cache_folder()}")


def _make_run(source: Any, options: Options, out: Path, as_json: bool, quiet: bool) -> None:
    from rich.console import Console

    from quire.folder import check_target
    from quire.making import run_of
    from quire.pipeline import read
    from quire.report import LiveStages

    check_target(out)  # before any work is done
    options.resolved_recipe()
    with LiveStages(Console(stderr=True), quiet) as stages:
        with stages.stage("read") as update:
            corpus: Corpus = (
                source() if callable(source) else read(source, options, lambda _, done, n: update(done, n))
            )
        run = run_of(corpus, options, stages)
        with stages.stage("save"):
            run.save(out)
    _print_run(run, out, as_json, quiet)


def _print_run(run: Run, where: Path, as_json: bool, quiet: bool) -> None:
    from quire.report import run_report

    if as_json:
        print(
            json.dumps({"run": str(where), **run.info, "topics": run.topics.to_dicts()}, ensure_ascii=False)
        )
    elif quiet:
        print(where)
    else:
        console = _console()
        console.print(run_report(run))
        console.print(f"The run is in {where}", highlight=False, markup=False, soft_wrap=True)


def _console() -> Any:
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for main, which ends quietly

    return Plain(highlight=False)
