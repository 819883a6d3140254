"""What the tests share: random sparse problems, exact objectives, and where the real corpora are."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

settings.register_profile(
    "quire", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("quire"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "quire")


def random_sparse(n, d, density=0.2, dtype=np.float64, seed=0, index=np.int32):
    """Non-negative CSR with Zipf-like columns, and at least one entry."""
    rng = np.random.default_rng(seed)
    popularity = 1 / (1 + np.arange(d))
    mask = rng.random((n, d)) < np.minimum(1, density * d * popularity / popularity.sum())
    mask[rng.integers(n), rng.integers(d)] = True
    X = sp.csr_array(np.where(mask, rng.gamma(2.0, 1.0, (n, d)), 0).astype(dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def squared_error(X, W, H):
    """‖X − WH‖² in float64."""
    X = X.toarray() if sp.issparse(X) else X
    return float(np.sum((X.astype(np.float64) - W.astype(np.float64) @ H.astype(np.float64)) ** 2))


@st.composite
def problems(draw, min_size=1, max_rows=40, max_columns=30, max_k=12, densities=(0.05, 0.3, 0.9)):
    """A sparse matrix, a number of topics and a random start."""
    n, d = draw(st.integers(min_size, max_rows)), draw(st.integers(min_size, max_columns))
    k = draw(st.integers(1, max_k))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    seed = draw(st.integers(0, 2**16))
    X = random_sparse(n, d, draw(st.sampled_from(densities)), dtype, seed)
    rng = np.random.default_rng(seed + 1)
    return X, rng.random((n, k)).astype(dtype), rng.random((k, d)).astype(dtype)


# No exact fit and no topic that dies, where rounding alone would decide what happens next.
well_posed = problems(min_size=12, max_k=3, densities=(0.5, 0.9))


@pytest.fixture(scope="session")
def data():
    """The folder of real corpora: $QUIRE_DATA, or shared/data beside the checkout."""
    folder = Path(os.environ.get("QUIRE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the real corpora are not on this machine (set QUIRE_DATA to their folder)")
    return folder
