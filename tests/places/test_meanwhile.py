"""What threads do beside each other: all of it, once, in the order in which it was given."""

import threading

import pytest

from quire.places.machine import beside_others, in_ranges, meanwhile, side_by_side, works_beside_others


@pytest.mark.parametrize("n_threads", [1, 8])
def test_what_is_done_meanwhile_comes_in_order(n_threads):
    main, where = threading.get_ident(), []

    def task(number):
        where.append((threading.get_ident() == main, works_beside_others()))
        return number

    with meanwhile([lambda: task(1), lambda: task(2)], n_threads) as told:
        assert told() == [1, 2]
    assert where == [(True, False)] * 2 if n_threads == 1 else [(False, True)] * 2


def test_a_thread_among_others_begins_no_other():
    with beside_others(), meanwhile([threading.get_ident], 8) as told:
        assert told() == [threading.get_ident()]


def test_errors_on_either_side_are_told_and_end_what_was_not_begun():
    begun = threading.Event()
    done = []

    def first():
        begun.set()
        assert go_on.wait(10)

    go_on = threading.Event()

    def interrupted():
        with meanwhile([first, lambda: done.append(2)], 8):
            assert begun.wait(10)
            threading.Timer(0.2, go_on.set).start()  # after it was given up
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == []
    with pytest.raises(ZeroDivisionError), meanwhile([lambda: 1 // 0], 8) as told:
        told()


def test_tasks_side_by_side_give_what_each_returns():
    assert side_by_side(lambda: "a", lambda: "b", lambda: "c") == ["a", "b", "c"]
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda: 1, lambda: 1 // 0)


@pytest.mark.parametrize("n", [0, 1, 5, 1000])
def test_ranges_cover_everything_once(n):
    seen = []
    in_ranges(lambda start, stop: seen.extend(range(start, stop)), n, 1)
    assert sorted(seen) == list(range(n))
