"""Ctrl-C and SIGTERM, whenever they come: one line, and 130."""

import os
import signal
import subprocess
import sys

import pytest
from problems import said

PROGRAM = """
import os, signal, sys
at, number = sys.argv[1], int(sys.argv[2])
def interrupt(event, arguments):
    global at
    if event == "import" and arguments[0] == at:
        at = None
        os.kill(os.getpid(), number)
sys.addaudithook(interrupt)
sys.argv[1:] = ["demo"]
from quire.cli.app import main
main()
"""


@pytest.fixture
def handlers():
    """What this process does on signals, put back at the end."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield before
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize(
    ("at", "number"), [("cyclopts", signal.SIGTERM), ("cyclopts", signal.SIGINT), ("numpy", signal.SIGINT)]
)
def test_while_it_is_being_imported(at, number, tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, at, str(int(number))], capture_output=True, text=True, cwd=tmp_path,
        check=False, timeout=120,
    )  # fmt: skip
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "quire: Interrupted.\n")


@pytest.mark.parametrize("error", [ValueError, RuntimeError, ImportError])
def test_what_a_library_took_for_an_error_of_its_own(error, handlers, monkeypatch):
    def app(**_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise error("Something went wrong.") from None

    monkeypatch.setattr("quire.cli.commands.app", app)
    found = said("demo")
    assert (found.returncode, found.stderr) == (130, "quire: Interrupted.\n")


def test_afterwards_signals_do_what_they_did(handlers):
    said("recipes")
    assert {number: signal.getsignal(number) for number in handlers} == handlers
