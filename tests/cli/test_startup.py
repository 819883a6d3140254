"""What only parses, helps or refuses is told at once: nothing heavy is imported for it."""

import json
import os
import subprocess
import sys

import pytest

HEAVY = ("numba", "numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn", "joblib", "matplotlib", "distributed")
COMMANDS = {
    "--help": 0,
    "--version": 0,
    "cluster --help": 0,
    "show MISSING": 2,
    "page MISSING": 2,
    "serve MISSING": 2,
    "evaluate MISSING": 2,
    "compare MISSING MISSING": 2,
    "cluster MISSING.csv": 2,
    "choose MISSING.csv": 2,
    "classes MISSING.csv": 2,
    "cluster": 2,
    "cluster MISSING.csv --topcs 3": 2,
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Run all of them in one process, and note after each which heavy modules are there."""
    program = """
import gc, json, sys
from quire.cli.app import main
commands, heavy = map(json.loads, sys.argv[1:])
told = {}
for command in commands:
    sys.argv = ["quire", *command.split()]
    try:
        main()
        code = 0
    except SystemExit as error:
        code = error.code or 0
    told[command] = code, [name for name in heavy if name in sys.modules]
told["collections"] = sum(generation["collections"] for generation in gc.get_stats())
print()
print(json.dumps(told))
"""
    arguments = [json.dumps(list(COMMANDS)), json.dumps(HEAVY)]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path_factory.mktemp("empty"), env=os.environ,
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_heavy_is_imported(told, command):
    assert told[0][command] == [COMMANDS[command], []]


def test_hardly_any_time_goes_into_looking_for_garbage(told):
    """Imports make objects that stay."""
    assert told[0]["collections"] < 30


def test_each_refusal_is_a_sentence(told):
    lines = told[1].splitlines()
    assert len(lines) == sum(code > 0 for code in COMMANDS.values())
    assert all(line.startswith("quire: ") and line.endswith(".") for line in lines)


@pytest.mark.skipif(sys.version_info < (3, 12, 3), reason="a module read late is not safe among threads before 3.12.3")
def test_what_is_hardly_used_is_read_when_it_is_used(tmp_path):
    """scikit-learn imports scipy.stats; no run of NMF looks at it."""
    program = """
import sys
from quire.cli.app import main
sys.argv = ["quire", *sys.argv[1:]]
try:
    main()
except SystemExit as error:
    assert not error.code
assert "scipy.stats" in sys.modules and "scipy.stats._stats_py" not in sys.modules
import scipy.stats
print(scipy.stats.mode([1, 2, 2]).mode)
"""
    texts = [f"{one} {other}" for one in ("moon", "orbit", "goal") for other in ("night", "star", "team")]
    (tmp_path / "said.csv").write_text("text,label\n" + "".join(f"{text},{text[0]}\n" for text in texts))
    asked = ["cluster", "said.csv", "--topics", "3", "--recipe", "tfidf", "--min-count", "1", "--quiet"]
    command = [sys.executable, "-c", program, *asked]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "2"
