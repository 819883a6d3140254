"""Names of files may hold bytes that are no UTF-8, as archives of old systems leave them: read, or a sentence."""

import io
import os
import sys

import polars as pl
import pytest

import quire
from quire.cli.app import main
from quire.corpus.presence import as_text

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Other systems take no such name.")
TEXTS = ["moon orbit rocket", "orbit moon launch", "goal team match", "team match player"] * 4


def named(folder, name):
    return folder / os.fsdecode(name)


def written(path):
    frame = pl.DataFrame({"text": TEXTS})
    if path.suffix == ".parquet":
        frame.write_parquet(made := io.BytesIO())
        path.write_bytes(made.getvalue())
    else:
        path.write_text(frame.write_csv() if path.suffix == ".csv" else frame.write_ndjson())
    return path


@pytest.mark.parametrize("name", [b"caf\xe9.csv", b"caf\xe9.jsonl"])
def test_a_table_of_such_a_name_makes_a_run_that_says_so(name, tmp_path):
    run = quire.cluster(written(named(tmp_path, name)), 2, text="text", random_state=0)
    again = quire.load(run.save(tmp_path / "run"))
    assert len(again.documents) == len(TEXTS)
    assert "caf\\xe9" in again.info["corpus"]["source"]


def test_a_folder_of_such_names_makes_a_run(tmp_path):
    folder = named(tmp_path, b"d\xe9")
    folder.mkdir()
    for number, text in enumerate(TEXTS):
        named(folder, b"a\xe9%d.txt" % number).write_text(text)
    run = quire.cluster(folder, 2, random_state=0)
    assert quire.load(run.save(tmp_path / "run")).documents["id"].str.contains("\\xe9", literal=True).all()


def test_what_polars_would_open_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"p\\xe9\.parquet is not valid UTF-8.*\.$"):
        quire.cluster(written(named(tmp_path, b"p\xe9.parquet")), 2, text="text")
    run = quire.cluster(TEXTS, 2, random_state=0)
    for ask in (run.save, quire.load):
        with pytest.raises(ValueError, match=r"o\\xe9 is not valid UTF-8.*\.$"):
            ask(named(tmp_path, b"o\xe9"))


def test_an_option_of_such_bytes_is_refused(tmp_path, monkeypatch, capsys):
    table = written(tmp_path / "docs.csv")
    for option in ("--keep-words", "--stop-words"):
        monkeypatch.setattr("sys.argv", ["quire", "cluster", str(table), f"{option}=caf\udce9", "--out", "run"])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        assert "no UTF-8" in capsys.readouterr().err


def test_every_path_becomes_text():
    for name in ("a\udce9", "a\ud800", "plain", "é"):
        as_text(name).encode()
