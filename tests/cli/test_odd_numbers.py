"""Options that are no numbers, told as anybody would tell it."""

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
