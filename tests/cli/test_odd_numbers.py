"""Options that are no numbers, and paths that are too long, told as anybody would tell it."""

import pytest

from quire.cli.app import main


@pytest.mark.parametrize("value", ["x", "1e400", "٣½"])
def test_what_is_no_number_is_told_without_pythons_words(value, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["quire", "show", "run", f"--topics={value}"])
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr().err
    assert "is no whole number." in said
    assert "invalid literal" not in said


@pytest.mark.parametrize(
    "command", [["cluster", "docs.txt", "--out", "a" * 5000], ["export", "a" * 5000, "--to", "csv"]]
)
def test_a_path_that_is_too_long(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "docs.txt").write_text("moon orbit\ngoal team\n" * 9)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["quire", *command])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr().err.splitlines()[-1]
    assert end.value.code == 2
    assert said.endswith("File name too long.")
    assert len(said) < 300
