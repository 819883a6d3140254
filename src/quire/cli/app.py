"""The ``quire`` command: parse, call, and say in one sentence what went wrong."""

from __future__ import annotations

import io
import os
import sys

from cyclopts import App, CycloptsError

from quire import __version__
from quire.cli.choose import choose
from quire.cli.classes import classes
from quire.cli.cluster import cluster
from quire.cli.compare import compare
from quire.cli.demo import demo
from quire.cli.evaluate import evaluate
from quire.cli.page import page
from quire.cli.recipes import recipes
from quire.cli.reproduce import reproduce
from quire.cli.serve import serve
from quire.cli.show import show
from quire.cli.warm import warm

app = App(
    name="quire",
    help="Gather documents into topics with non-negative matrix factorization.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)
for command in (
    cluster, page, serve, compare, choose, show, evaluate, classes, recipes, reproduce, demo, warm,
):  # fmt: skip
    app.command(command)


def main() -> None:
    """Run the command line, with one sentence for an error and 130 for Ctrl-C."""
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
