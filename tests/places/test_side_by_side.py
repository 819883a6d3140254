"""Jobs side by side: results in their order, nobody begins threads within, an error ends the others."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from quire.places.machine import Team, in_order, works_beside_others
from quire.places.memory import MemoryPlace


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(threads):
    def task(n):
        time.sleep(0.002 * (n % 3))
        return n * n

    assert list(in_order(task, ((n,) for n in range(20)), threads)) == [n * n for n in range(20)]


def test_a_job_that_begins_a_team_works_alone():
    seen = []

    def task(n):
        with Team(4) as team:
            team.run(lambda chunk: seen.append((works_beside_others(), threading.current_thread())), 4)
        return threading.current_thread()

    threads = list(in_order(task, ((n,) for n in range(3)), 3))
    assert all(beside for beside, _ in seen)
    assert {thread for _, thread in seen} == set(threads)
    assert not works_beside_others()


def test_an_error_is_told_and_what_was_not_begun_is_left():
    begun, abandoned = [], []

    def task(n):
        begun.append(n)
        if n == 1:
            raise ValueError("no")
        return n

    with pytest.raises(ValueError, match="no"):
        list(in_order(task, ((n,) for n in range(1000)), 2, lambda: abandoned.append(True)))
    assert abandoned == [True]
    assert len(begun) < 20


def _told(block, by):
    return block * by, [int(block.sum())]


def test_a_sweep_on_threads_is_one_on_none():
    blocks = [np.arange(n, n + 3) for n in range(9)]
    for threads in (1, 4):
        place = MemoryPlace(n_jobs=threads)
        handles, told = place.sweep(_told, [place.put(block) for block in blocks], args=(2,))
        assert told == [int(block.sum()) for block in blocks]
        assert all(np.array_equal(place.fetch(h), 2 * block) for h, block in zip(handles, blocks, strict=True))
