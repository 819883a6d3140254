"""Documents that are asked for while others are made ready: those that wait are made together, in one turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from itertools import islice

from starlette.concurrency import run_in_threadpool

_TOGETHER = 16  # documents that are made at a time: hardly more work than one, and no long wait where texts are long


class Waiting:
    """Who waits for which document of which cut; whoever asks for the same one gets the same answer.

    ``make`` encodes some documents of a cut, which takes a while; ``turn`` is entered when a thread is free for that.
    """

    def __init__(
        self, make: Callable[[str, list[int]], list[bytes]], turn: Callable[[], AbstractAsyncContextManager[None]]
    ) -> None:
        self._make, self._turn = make, turn
        self._asked: dict[str, dict[int, asyncio.Future[bytes]]] = {}
        self._turns: set[asyncio.Task[None]] = set()  # which nobody else holds on to

    async def whole(self, cut: str, row: int) -> bytes:
        """Return one document, made with those of others who wait."""
        asked = self._asked.setdefault(cut, {})
        if row not in asked:
            asked[row] = asyncio.get_running_loop().create_future()
            if len(asked) % _TOGETHER == 1:  # else there is room for it in a turn that is waited for
                turn = asyncio.create_task(self._answer_some(cut))
                self._turns.add(turn)
                turn.add_done_callback(self._turns.discard)
        return await asyncio.shield(asked[row])  # where one client goes away, others may wait for the same

    async def _answer_some(self, cut: str) -> None:
        some: dict[int, asyncio.Future[bytes]] = {}
        try:
            async with self._turn():
                some = self._next(cut)
                answers = await run_in_threadpool(self._make, cut, list(some)) if some else []
        except BaseException as error:  # also that nobody's turn came
            for future in (some or self._next(cut)).values():
                future.set_exception(error)
            return
        for future, answer in zip(some.values(), answers):
            future.set_result(answer)

    def _next(self, cut: str) -> dict[int, asyncio.Future[bytes]]:
        asked = self._asked[cut]
        return {row: asked.pop(row) for row in list(islice(asked, _TOGETHER))}
