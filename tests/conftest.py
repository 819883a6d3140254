"""What all tests start from: how hypothesis searches, and where the real corpora are."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("quire", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("quire"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "quire")


@pytest.fixture(scope="session")
def data():
    """The folder of real corpora: $QUIRE_DATA, or shared/data beside the checkout."""
    folder = Path(os.environ.get("QUIRE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real corpora are not on this machine (set QUIRE_DATA to their folder)")
    return folder
