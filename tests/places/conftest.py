"""What the tests of Dask places share: two workers here, a matrix, a start."""

import numpy as np
import pytest
from problems import random_sparse

from quire.engine.start import first_factors
from quire.places.dask.cluster import DaskPlace


@pytest.fixture(scope="module")
def place():
    with DaskPlace("local:2") as place:
        yield place


@pytest.fixture(scope="module")
def X():
    return random_sparse(330, 60, density=0.2, dtype=np.float32)


@pytest.fixture(scope="module")
def start(X):
    return first_factors(X, 4, "random", np.random.RandomState(0))
