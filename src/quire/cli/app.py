"""The ``quire`` command: parse, call, and say in one sentence what went wrong.

Nothing is imported before :func:`main`, so that Ctrl-C in the first moments is understood, too.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as typing has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any, NoReturn

_INTERRUPTED = 130
_MANY = 4  # cores


def main() -> None:
    """Run the command line, with one sentence for an error and 130 for Ctrl-C or SIGTERM."""
    interrupts: list[int] = []
    before: dict[int, Any] = {}
    try:
        before = _listen(interrupts)
        _seldom_collect()
        _run(interrupts)
    except KeyboardInterrupt as interrupt:
        _end(f"Interrupted: {interrupt}" if interrupt.args else "Interrupted.", before)
    except Exception:
        if not interrupts:
            raise
        _end("Interrupted.", before)  # which a library took for an error of its own
    finally:
        if not interrupts:
            _listen_as(before)


def _seldom_collect() -> None:
    """Look for garbage after more objects than Python does, and not at the end.

    Imports make hundreds of thousands that all stay: to go through them again and again is a fifth of a small run.
    """
    import atexit
    import gc

    gc.set_threshold(20_000, 20, 20)
    atexit.register(gc.freeze)


def _run(interrupts: list[int]) -> None:
    """Run a command; whatever is printed goes through the one door (:mod:`quire.cli.terminal`)."""
    import io
    import os

    # A command shares out its work itself: threads of BLAS's own would be begun, and wait, for nothing.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if (cores := len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1) > _MANY:
        os.environ.setdefault("POLARS_MAX_THREADS", str(cores // 2))  # these wait busily, in the way of ours
    for stream in (sys.stdout, sys.stderr):  # a terminal that knows no such letter shows a question mark
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    from quire.cli.later import import_later
    from quire.cli.terminal import clean_output

    import_later()
    with clean_output():
        _call(interrupts)


def _call(interrupts: list[int]) -> None:
    import os

    from cyclopts import CycloptsError

    from quire.cli.commands import app

    try:
        app(exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except CycloptsError as error:
        from quire.runs.other_names import option_meant

        _fail(_without_run(option_meant(_no_number(" ".join(str(error).split())))), 2)
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        _fail("There is not enough memory: use fewer documents, or cut terms with --min-count.", 2)
    except (ValueError, OSError) as error:
        if interrupts:
            raise
        _fail(_said_of(error), 2)
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        _fail("No thread could be started: memory or the number of processes is limited (ulimit -a).", 2)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # which has no base but this one
            raise
        words = " ".join(str(error).split()).rstrip(".")
        _fail(f"A library broke off ({words}): look whether memory, threads or open files are limited.", 2)


def _said_of(error: ValueError | OSError) -> str:
    """Return the sentence of an error; one of the system's own has its number and the path in quotes behind it."""
    if not isinstance(error, OSError) or not error.strerror or error.filename is None:
        return str(error)
    name = str(error.filename)
    return f"{name if len(name) < 200 else name[:200] + '…'}: {error.strerror}."


def _no_number(sentence: str) -> str:
    """Say what Python says of what is no number as anybody would."""
    import re

    said = r"(?:invalid literal for int\(\) with base 10|could not convert string to float): (.*)"
    return re.sub(said, lambda found: f"{found[1][:200]} is no {'whole ' * ('int()' in found[0])}number.", sentence)


def _without_run(sentence: str) -> str:
    """Say what is missing where no run was named: the parser knows it as an option."""
    import re

    command = re.match(r'Command "(?:quire )?([\w -]+)" parameter "?(?:--run|RUN)"? requires an argument', sentence)
    if command is None:
        return f"{sentence} `quire --help` lists commands and options."
    return f"`quire {command[1]}` needs a run: name a folder that `quire cluster` wrote; `quire ls` lists those here."


def _listen(interrupts: list[int]) -> dict[int, Any]:
    """Let SIGTERM be what Ctrl-C is, and note which came; return what was done on them before."""
    import signal

    def interrupt(number: int, frame: Any) -> NoReturn:
        interrupts.append(number)
        raise KeyboardInterrupt

    try:
        return {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread, which alone is told of signals
        return {}


def _listen_as(handlers: dict[int, Any]) -> None:
    import signal

    for number, handler in handlers.items():
        signal.signal(number, handler)


def _end(sentence: str, heard: dict[int, Any]) -> NoReturn:
    """End by a signal: a second one, while threads and files are closed, changes nothing."""
    import signal

    _listen_as(dict.fromkeys(heard, signal.SIG_IGN))
    _fail(sentence, _INTERRUPTED)


def _fail(sentence: str, code: int) -> NoReturn:
    from quire.cli.terminal import printable

    print(f"quire: {printable(' '.join(sentence.splitlines()))}", file=sys.stderr)
    sys.exit(code)
