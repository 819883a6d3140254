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


def run_program(program, folder, *arguments):
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("recipe", ["tfidf", "default"])
def test_what_is_hardly_used_is_read_when_it_is_used(tmp_path, recipe):
    """scikit-learn imports scipy.stats and pandas; no run looks at them, and none needs its clustering."""
    program = """
import sys
from quire.cli.app import main
sys.argv = ["quire", *sys.argv[1:]]
try:
    main()
except SystemExit as error:
    assert not error.code
assert "scipy.stats" in sys.modules and "scipy.stats._stats_py" not in sys.modules
assert not {"pandas", "sklearn.cluster"} & set(sys.modules)
import scipy.stats
print(scipy.stats.mode([1, 2, 2]).mode)
"""
    texts = [f"{one} {other}" for one in ("moon", "orbit", "goal") for other in ("night", "star", "team")]
    (tmp_path / "said.csv").write_text("text,label\n" + "".join(f"{text},{text[0]}\n" for text in texts))
    asked = ["cluster", "said.csv", "--topics", "3", "--recipe", recipe, "--min-count", "1", "--quiet"]
    assert run_program(program, tmp_path, *asked) == "2"


def test_threads_that_look_at_once_see_the_whole_module(tmp_path):
    """One of them reads it; the others, and what it reads on the way, neither wait for ever nor see half of it."""
    (tmp_path / "slow.py").write_text(
        "import time\nfirst = 1\nimport beside\ntime.sleep(0.3)\nlast = len(beside.seen)\n"
    )
    (tmp_path / "beside.py").write_text("import slow\nseen = [slow.first]\n")
    program = """
import threading, time
from quire.cli import later
later.NAMES = ("slow",)
later.import_later()
import slow
assert later.is_unread("slow")
seen = []
def look(pause):
    time.sleep(pause)
    seen.append(slow.last)
threads = [threading.Thread(target=look, args=(pause,)) for pause in (0, 0.1, 0.1)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(seen, later.is_unread("slow"))
"""
    assert run_program(program, tmp_path) == "[1, 1, 1] False"


def test_a_late_module_that_fails_does_so_for_everybody_who_looks(tmp_path):
    (tmp_path / "broken.py").write_text("raise ImportError('no')\n")
    program = """
from quire.cli import later
later.NAMES = ("broken",)
later.import_later()
import broken
told = []
for _ in range(2):
    try:
        broken.anything
    except ImportError as error:
        told.append(str(error))
print(told)
"""
    assert run_program(program, tmp_path) == "['no', 'no']"
