"""Workers that are killed in the middle of a fit: it ends in the same factors, bit for bit."""

import os
import random
import signal
import threading

import numpy as np
import pytest
from problems import random_sparse

from quire.engine.start import first_factors
from quire.methods.nmf import NMF
from quire.places.dask.cluster import DaskPlace
from quire.places.parts import Blocks

pytest.importorskip("distributed")
ITERATIONS = 30  # more than a chain of sweeps may be long


@pytest.fixture(scope="module")
def fit():
    X = random_sparse(400, 50, density=0.2, dtype=np.float32)
    W, H = first_factors(X, 3, "random", np.random.RandomState(0))
    with DaskPlace("local:2") as place:
        blocks = Blocks.split(X, place, 100)

        def fitted(kill_at=None, after=0.0, draw=None):
            killed = []

            def callback(step):
                if step.iteration == kill_at:
                    pids = sorted(place._client.run(os.getpid).values())
                    killed.append(draw.choice(pids))
                    threading.Timer(after, os.kill, (killed[0], signal.SIGKILL)).start()

            model = NMF(3, init="custom", tol=0, max_iter=ITERATIONS, coarse=False, callback=callback)
            found = np.asarray(model.fit_transform(blocks, W=W, H=H)), model.components_
            if killed:
                with pytest.raises(ProcessLookupError):
                    os.kill(killed[0], 0)
            return found

        yield fitted


def _kill(fit, times, seed):
    draw = random.Random(seed)
    undisturbed = fit()
    for _ in range(times):
        found = fit(draw.randrange(1, ITERATIONS - 3), draw.uniform(0, 0.1), draw)
        for one, other in zip(found, undisturbed):
            np.testing.assert_array_equal(one, other)


def test_two_workers_are_killed(fit):
    _kill(fit, 2, seed=1)


@pytest.mark.slow
def test_twenty_workers_are_killed(fit):
    _kill(fit, 20, seed=2)
