"""Where a result cannot be written, a sentence says why."""

import errno
import os

import polars as pl
import pytest

from quire.studies import exports
from quire.studies.exports import Exported, export

RESULT = Exported(pl.DataFrame({"k": [1]}), {"k": 1}, lambda: None)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_takes_nothing(tmp_path, monkeypatch, number):
    def full(path, text):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(exports, "write_file", full)
    with pytest.raises(ValueError, match=r"choice\.csv could not be written: .*\.$"):
        export(RESULT, tmp_path, "choice")


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"could not be written: .*\.$"):
        export(RESULT, tmp_path / "file" / "below", "choice")
