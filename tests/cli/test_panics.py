"""A library that breaks off, as Polars does where no file can be opened, is told in a sentence."""

import polars as pl
import pytest

from quire.cli import app, commands


def test_a_panic_is_one_sentence(monkeypatch, capsys):
    def panic(**_):
        raise pl.exceptions.PanicException('called `Result::unwrap()` on an `Err` value: "Too many open files"\nmore')

    monkeypatch.setattr(commands, "app", panic)
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    assert "Too many open files" in printed
    assert printed.endswith(".\n")


def test_other_ends_of_a_process_are_left_alone(monkeypatch):
    class OtherError(BaseException):
        pass

    def other(**_):
        raise OtherError

    monkeypatch.setattr(commands, "app", other)
    with pytest.raises(OtherError):
        app.main()


def test_a_thread_that_cannot_be_started_is_one_sentence(monkeypatch, capsys):
    def starved(**_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(commands, "app", starved)
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
