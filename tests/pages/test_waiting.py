"""Documents that are waited for together: each is made once, in few turns, and nobody's failure is another's."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from quire.pages.full_text_readers import BusyError
from quire.pages.waiting import Waiting


class Desk:
    """Makes documents, notes which were made together, and lets one turn go on at a time."""

    def __init__(self, broken=None, busy=False):
        self.together, self._broken, self._busy, self._one = [], broken, busy, asyncio.Lock()

    def make(self, cut, rows):
        self.together.append((cut, rows))
        if self._broken in rows:
            raise KeyError(self._broken)
        return [f"{cut} {row}".encode() for row in rows]

    @asynccontextmanager
    async def turn(self):
        if self._busy:
            raise BusyError
        async with self._one:
            yield


def asked(desk, *wanted):
    async def ask():
        waiting = Waiting(desk.make, desk.turn)
        return await asyncio.gather(*(waiting.whole(cut, row) for cut, row in wanted), return_exceptions=True)

    return asyncio.run(ask())


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 40, 200])
def test_each_is_made_once_and_those_that_wait_together(n):
    desk = Desk()
    rows = [*range(n), *range(n)]
    assert asked(desk, *(("3", row) for row in rows)) == [f"3 {row}".encode() for row in rows]
    made = [row for _, some in desk.together for row in some]
    assert sorted(made) == list(range(n))
    assert len(desk.together) == -(-n // 16)


def test_cuts_are_made_apart():
    desk = Desk()
    assert asked(desk, ("3", 1), ("5", 1), ("3", 2)) == [b"3 1", b"5 1", b"3 2"]
    assert desk.together == [("3", [1, 2]), ("5", [1])]


def test_one_that_cannot_be_made_is_an_error_of_its_turn_alone():
    answers = asked(Desk(broken=3), *(("3", row) for row in range(20)))
    assert [type(answer) for answer in answers] == [KeyError] * 16 + [bytes] * 4


def test_where_no_turn_comes_all_are_told():
    assert {type(answer) for answer in asked(Desk(busy=True), *(("3", row) for row in range(40)))} == {BusyError}


def test_who_goes_away_takes_nothing_along():
    async def ask():
        waiting = Waiting((desk := Desk()).make, desk.turn)
        gone, other = (asyncio.ensure_future(waiting.whole("3", 7)) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        return await other

    assert asyncio.run(ask()) == b"3 7"
