"""Nothing that others wrote steers the terminal: names, labels, paths, somebody's run, errors, JSON."""

import ast
import json
import os
import pty
import re
import subprocess
import sys
import warnings
from pathlib import Path

import polars as pl
import pytest
from problems import MAIN, PLAIN, said, stories
from rich.text import Text

import quire
from quire.cli.reports.run import read_lines
from quire.cli.terminal import clean_console, clean_output, printable, printable_json

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x9b2Jgone\x85\u202eturned\u2066x"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CLI = Path(__file__).parents[2] / "src" / "quire" / "cli"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs in which everything that is a text is hostile, one of them with a hostile name."""
    folder = tmp_path_factory.mktemp("hostile")
    texts, labels = stories(45)
    dates = ["2021-03-15"] * len(texts)
    frame = pl.DataFrame({"id": [f"{i}{HOSTILE}" for i in range(45)], "title": [HOSTILE] * 45, "text": texts})
    frame = frame.with_columns(label=pl.Series([name + HOSTILE for name in labels]), date=pl.Series(dates))
    for name, topics in (("r" + HOSTILE, 3), ("other", 2)):
        run = quire.cluster(frame, topics, recipe=PLAIN, random_state=0)
        run.info["corpus"] |= {"source": HOSTILE, "sentences": [HOSTILE]}
        run.info["terms"] |= {"language": HOSTILE, "left_out": [HOSTILE], "cut": {HOSTILE: 3}}
        run.info["recipe"]["name"] = HOSTILE
        run.info["timings"] = {HOSTILE: 1.0}
        run.save(folder / name)
    frame.write_parquet(folder / f"d{HOSTILE}.parquet")
    (folder / "recipe.toml").write_text('name = "\\u001b[31m\\u009b"\n[factorization]\nmethod = "NMF"\n')
    return folder


R, DOCUMENTS = "r" + HOSTILE, f"d{HOSTILE}.parquet"
COMMANDS = [
    ["show", R],
    ["show", R, "--document", f"0{HOSTILE}"],
    ["show", R, "--document", HOSTILE],
    ["show", HOSTILE],
    ["show", HOSTILE + "\nquire: all is well"],
    ["evaluate", R],
    ["compare", R, "other"],
    ["page", R],
    ["serve", HOSTILE, "--port", "0", "--no-open"],
    ["cluster", DOCUMENTS, "--topics", "2", "--recipe", "recipe.toml", "--out", "new" + HOSTILE, "--no-page"],
    ["cluster", DOCUMENTS, "--text", HOSTILE],
    ["cluster", HOSTILE],
    ["cluster", DOCUMENTS, "--recipe", HOSTILE],
    ["classes", DOCUMENTS],
    ["choose", DOCUMENTS, "--topics", "2:3", "--runs", "2", "--recipe", "recipe.toml", "--out", "c" + HOSTILE],
    ["reproduce", HOSTILE],
    ["reproduce", "--data", HOSTILE],
    ["recipes"],
    [HOSTILE],
    ["show", R, f"--{HOSTILE}"],
]
JSON = ("show", "evaluate", "compare", "cluster", "classes", "choose", "reproduce")


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0].split("\x1b")[0] or "command")
def test_no_command_lets_a_text_steer_the_terminal(runs, arguments):
    as_json = [[*arguments, "--json"]] if arguments[0] in JSON else []
    for given in (arguments, *as_json):
        found = said(*given, cwd=runs)
        assert "Traceback" not in found.stderr
        for text in (found.stdout, found.stderr):
            assert not STEERING.search(text), (given, STEERING.search(text))
        if found.returncode:
            assert found.stderr.count("\n") == 1, found.stderr
        elif "--json" in given:
            json.loads(found.stdout)


def test_json_keeps_what_it_may_not_show(runs):
    found = json.loads(said("show", R, "--json", cwd=runs).stdout)
    assert found["corpus"]["source"] == HOSTILE
    assert json.loads(printable_json({HOSTILE: HOSTILE})) == {HOSTILE: HOSTILE}


def test_what_is_printed_by_whomever_goes_through_the_door(capsys):
    with clean_output():
        print(HOSTILE, file=sys.stderr)
        sys.stdout.writelines([HOSTILE])
        warnings.warn(HOSTILE, stacklevel=1)
        clean_console().print(Text(HOSTILE), Text("a", f"link https://example.org/{HOSTILE}"))
    printed = capsys.readouterr()
    assert printed.out.count("owned") == 2
    for text in printed:
        assert not STEERING.search(text)


def test_lines_and_tabs_and_letters_of_all_scripts_stay():
    text = "a\tb\nчай عربي \u200f漢字 é\u0301 👩‍🚀"
    assert printable(text) == text


def test_on_a_terminal_colours_are_rich_s_own(runs):
    """Only rich's own sequences, which set a style, reach a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*MAIN, "show", R], cwd=runs, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm-256color"}
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    assert process.wait(60) == 0
    os.close(ours)
    text = shown.decode()
    assert "\x1b[1m" in text  # the first keyword is bold
    assert not STEERING.search(re.sub("\x1b\\[[0-9;]*m|\r\n", "", text))


def test_consoles_are_made_in_one_place():
    """A console of rich's own would print what it is given."""
    for path in sorted(CLI.rglob("*.py")):
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        names = {getattr(func, "id", getattr(func, "attr", "")) for func in calls}
        assert "Console" not in names, path
        assert ("json.dumps" not in path.read_text()) or path.name in ("terminal.py", "replace.py"), path


def test_a_run_that_does_not_say_where_it_is_from_is_shown():
    run = quire.cluster(["moon rocket", "moon orbit", "goal team", "goal season"] * 3, 2, recipe="nmf", random_state=0)
    run.info["corpus"]["source"] = None  # as run.json may have it
    assert next(read_lines(run)).startswith("12 documents")
