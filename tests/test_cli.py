"""The command line as a newcomer meets it."""

import subprocess
import sys

import pytest

from quire._version import __version__


def quire(*arguments, columns="80"):
    import os

    return subprocess.run(
        [sys.executable, "-c", "from quire.cli import main; main()", *arguments],
        capture_output=True, text=True, env=os.environ | {"COLUMNS": columns}, check=False,
    )  # fmt: skip


def test_help_and_version():
    said = quire("--help")
    assert said.returncode == 0
    assert "demo" in said.stdout
    assert quire("--version").stdout.strip() == __version__


def test_demo_finds_readable_topics_and_repeats_itself():
    first, again = quire("demo"), quire("demo")
    assert first.returncode == 0, first.stderr
    table = first.stdout.partition("docstrings of")[0]
    for word in ("fourier", "spline", "filter", "polynomial", "hypothesis", "masked"):
        assert word in table
    assert table == again.stdout.partition("docstrings of")[0]
    assert max(map(len, first.stdout.splitlines())) <= 80


def test_warm_says_where_the_kernels_are():
    assert "Kernels ready" in quire("warm").stdout


@pytest.mark.parametrize("arguments", [["demo", "--topics", "0"], ["demo", "--topics", "x"], ["nonsense"]])
def test_bad_arguments_are_one_sentence(arguments):
    said = quire(*arguments)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert said.stderr.strip()
