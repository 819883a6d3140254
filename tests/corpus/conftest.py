"""A place where documents are read in small parts."""

import pytest
from tables import ROWS

import quire.corpus.cut
from quire.places.disk import DiskPlace


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A place on disk where parts are small; so they are in memory."""
    monkeypatch.setattr(quire.corpus.cut, "ROWS", ROWS)
    with DiskPlace(tmp_path / "parts") as made:
        yield made
