"""Threads: two fits at once, Ctrl-C, no thread left, BLAS limited and given back, limits obeyed."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from problems import random_sparse
from threadpoolctl import threadpool_info

from quire import NMF
from quire.backends.cpu.matrix import CpuMatrix
from quire.places.machine import (
    Team,
    allowed_threads,
    beside_others,
    equal_shares,
    in_order,
    single_threaded_blas,
    threads_kept,
)


@pytest.fixture(autouse=True)
def _nothing_left_by_other_tests():
    gc.collect()  # a matrix that nobody closed holds BLAS until it is collected


def _blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def _quire_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("quire")]


def test_two_threads_fit_two_models_at_once():
    X = [random_sparse(3000, 500, 0.05, np.float32, seed) for seed in (0, 1)]
    truth = [NMF(12, init="random", random_state=0, max_iter=20, tol=0).fit(x).components_ for x in X]
    before, found, failed = _blas_threads(), {}, []

    def work(i):
        try:
            found[i] = NMF(12, init="random", random_state=0, max_iter=20, tol=0).fit(X[i % 2]).components_
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for i in range(4):
        np.testing.assert_array_equal(found[i], truth[i % 2])
    assert _blas_threads() == before
    assert not _quire_threads()


def test_blas_is_limited_while_any_fit_runs():
    before = _blas_threads()
    with single_threaded_blas():
        with single_threaded_blas():
            assert set(_blas_threads()) == {1}
        assert set(_blas_threads()) == {1}
    assert _blas_threads() == before


def test_the_last_fit_out_restores_blas_though_another_thread_limited_it():
    # threadpoolctl heeds only the thread that set the limit, while that thread lives.
    before, entered, leave, left = _blas_threads(), threading.Event(), threading.Event(), threading.Event()
    stay = threading.Event()

    def first():
        with single_threaded_blas():
            entered.set()
            leave.wait(10)
        left.set()
        stay.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    assert entered.wait(10)
    with single_threaded_blas():
        leave.set()
        assert left.wait(10)
    try:
        assert _blas_threads() == before
    finally:
        stay.set()
        thread.join()


def _who(_=None):
    time.sleep(0.01)
    return threading.current_thread()


def test_threads_wait_for_the_next_job_where_that_is_asked_for_and_no_longer():
    with threads_kept():
        first = set(in_order(_who, [()] * 6, 2))
        again = set(in_order(_who, [()] * 6, 2))
        assert len(first) == len(first | again) == len(_quire_threads()) == 2
        for _ in range(2):
            with Team(4) as team:
                team.run(_who, 6)
        with threads_kept():
            pass
        assert len(_quire_threads()) == 5
    assert not _quire_threads()
    assert set(in_order(_who, [()] * 6, 2)).isdisjoint(first)
    assert not _quire_threads()


def test_threads_that_failed_are_not_kept():
    def fail():
        raise ValueError("no")

    with threads_kept():
        with pytest.raises(ValueError, match="no"):
            list(in_order(fail, [()] * 3, 2))
        assert not _quire_threads()


def test_who_works_beside_others_cuts_a_job_no_finer_than_it_must():
    with Team(4) as team, beside_others():
        assert team.sharing == 1
        assert team.chunks(1e7, 1e5, 1e8) == 1
        assert team.chunks(1e9, 1e5, 1e8) == 10
    with Team(4) as team:
        assert team.chunks(1e7, 1e5, 1e8) == 32
        assert team.chunks(3e5, 1e5, 1e8) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_begins_threads_of_its_own():
    with threads_kept():
        list(in_order(_who, [()] * 3, 2))
        child = os.fork()
        if not child:
            os._exit(0 if len(list(in_order(_who, [()] * 3, 2))) == 3 else 1)
        assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_fit_leaves_no_thread(error):
    before = _blas_threads()

    def stop(step):
        raise error

    with pytest.raises(error):
        NMF(5, init="random", callback=stop).fit(random_sparse(2000, 300, 0.05))
    assert not _quire_threads()
    assert _blas_threads() == before


def test_a_matrix_that_cannot_be_made_leaves_no_thread(monkeypatch):
    before = _blas_threads()

    def fail(rows, team):
        team.run(lambda chunk: time.sleep(0.01), 2)
        raise MemoryError

    monkeypatch.setattr("quire.backends.cpu.products.transposed", fail)
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    with pytest.raises(MemoryError):
        NMF(2, init="random", n_jobs=2).fit(random_sparse(50, 30, 0.2))
    assert not _quire_threads()
    assert _blas_threads() == before


def test_ranges_are_short_also_for_many_sweeps():
    with CpuMatrix(random_sparse(20_000, 50, 0.1, np.float32), 1) as X:
        few, many = (len(X._shares("W", 0, 400, sweeps)) for sweeps in (2, 1000))
    assert many > few


def test_an_error_in_one_chunk_ends_the_others():
    done = []

    def task(chunk):
        if chunk == 3:
            raise ValueError("chunk three")
        time.sleep(0.001)
        done.append(chunk)

    with Team(3) as team, pytest.raises(ValueError, match="chunk three"):
        team.run(task, 500)
    assert len(done) < 500


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_stops_a_fit():
    code = """
        import sys, threading, numpy as np, scipy.sparse as sp
        from quire import NMF
        X = sp.random_array((60_000, 8_000), density=0.003, rng=0, dtype=np.float32, format="csr")
        said = lambda step: print("going", flush=True) if step.iteration == 2 else None
        try:
            NMF(60, init="random", tol=0, max_iter=100_000, callback=said, coarse=False).fit(X)
        except KeyboardInterrupt:
            print("threads", [t.name for t in threading.enumerate()], flush=True)
            sys.exit(7)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "going\n"
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=30)  # a loaded machine may take longer than a free one
    finally:
        child.kill()
    assert child.returncode == 7
    assert rest == "threads ['MainThread']\n"


def test_threads_allowed(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("joblib.cpu_count", lambda: 6)
    assert [allowed_threads(n) for n in (None, -1, -2, 1, 4, 99, -99)] == [6, 6, 5, 1, 4, 6, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert [allowed_threads(n) for n in (None, -1, 99, 1)] == [2, 2, 2, 1]


def test_shares_follow_the_cost():
    weights = np.r_[np.full(10, 1000), np.full(10_000, 1)]
    bounds = equal_shares(np.r_[0, np.cumsum(weights)], 4)
    parts = [weights[a:b].sum() for a, b in pairwise(bounds)]
    assert bounds[0] == 0
    assert bounds[-1] == len(weights)
    assert max(parts) < 1.3 * min(parts)
    assert (np.diff(equal_shares(np.arange(101), 7, 16)[:-1]) % 16 == 0).all()


def test_works_inside_joblib():
    from joblib import Parallel, delayed

    X = random_sparse(300, 100, 0.1)
    truth = NMF(4, init="random", random_state=0).fit(X).components_
    for backend in ("loky", "threading"):
        fits = Parallel(n_jobs=2, backend=backend)(
            delayed(NMF(4, init="random", random_state=0).fit)(X) for _ in range(3)
        )
        for model in fits:
            np.testing.assert_array_equal(model.components_, truth)
