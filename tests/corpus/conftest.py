"""Places where documents are read in small parts."""

import pytest
from tables import ROWS, RemotePlace

import quire.corpus.cut
from quire.places.disk import DiskPlace


@pytest.fixture(params=[DiskPlace, RemotePlace], ids=["disk", "remote"])
def place(request, tmp_path, monkeypatch):
    """A place where parts are small, whose tasks run here, or seem to run elsewhere."""
    monkeypatch.setattr(quire.corpus.cut, "ROWS", ROWS)
    with request.param(tmp_path / "parts") as made:
        yield made
