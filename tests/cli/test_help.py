"""What a newcomer reads first: every option is described, once, and numbers have their nouns."""

import re

import pytest

from quire.cli.app import main
from quire.cli.commands import app
from quire.cli.reports.run import why_so_many
from quire.messages import counted
from quire.runs.options import declared_options

COMMANDS = [name for name in app if not name.startswith("--help") and name not in ("-h", "--version")]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described_and_has_one_default(name):
    command = app[name]
    assert command.help
    for argument in command.assemble_argument_collection(parse_docstring=True):
        said = argument.parameter.help or ""
        assert said.strip(), f"quire {name} does not say what {argument.name} is"
        assert said.count("[default:") <= 1
        empty = argument.field_info.default in (argument.field_info.empty, None)
        shown = not empty and argument.parameter.show_default is not False
        assert not (shown and "[default:" in said), f"quire {name} tells two defaults of {argument.name}"
        assert not (shown and argument.field_info.default is False), f"{argument.name} is off unless it is typed"


def test_every_declared_option_is_described():
    for name, option in declared_options().items():
        assert option.help.strip(), name


def test_one_is_no_plural():
    assert [counted(n, "topic") for n in (0, 1, 2, 1000)] == ["0 topics", "1 topic", "2 topics", "1,000 topics"]
    assert [counted(n, "leaf", "leaves") for n in (1, 2)] == ["1 leaf", "2 leaves"]


def test_why_so_many_topics_is_a_sentence():
    info = {"n_topics": 8, "chosen": 8, "also": [19, 5], "agreement": {"8": 0.83, "5": 0.8, "19": 0.61}}
    said = why_so_many(info)
    assert re.search(r"8 topics chosen; also good: 5, 19\. .*halves.* 0\.83 .*; 5 to 0\.80 and 19 to 0\.61", said)
    assert "no other number" in why_so_many(info | {"also": []})
    assert "Singular values" in why_so_many(info | {"also": [], "agreement": {}})
    older = {"n_topics": 8, "also": [5]}
    assert why_so_many(older) == "8 topics chosen; also good: 5"


def test_completion_is_installed_where_a_shell_finds_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    app(["--install-completion", "--shell", "bash"], exit_on_error=False, result_action="return_value")
    told = capsys.readouterr().out
    scripts = [path for path in tmp_path.rglob("*") if path.is_file() and "cluster" in path.read_text()]
    assert scripts
    assert str(scripts[0]) in told


@pytest.mark.parametrize("command", ["show", "export", "page", "tree"])
def test_a_command_without_its_run_says_what_it_needs(command, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["quire", command])
    with pytest.raises(SystemExit):
        main()
    assert f"`quire {command}` needs a run: name a folder" in capsys.readouterr().err
