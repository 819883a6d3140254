"""How long a client may take to ask, and how many may be connected: more than that would stop all others."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 10.0  # for the head of a request
TAKING = 30.0  # for some more of an answer to be taken
LAST = 1.0  # after Ctrl-C, for an answer that is under way
AT_ONCE = 128  # clients that asyncio takes in at one go; three goes pass before one of them can be turned away
_OWN_FILES = 64  # that the server and its search index open themselves
_MOST = 1000  # clients, where there are files for as many


class Patience(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """uvicorn's protocol, whose clients must say what they want and take it: it waits for both for ever."""

    _late: asyncio.TimerHandle | None = None
    _full: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a client, where there is room for one more; else a handle is wanting, and nobody is answered."""
        super().connection_made(transport)
        if len(self.connections) > most_clients():
            transport.abort()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """End an answer; what the client had already begun to ask next is waited for from here on."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget a client."""
        super().connection_lost(error)
        self._rest()
        self._taken()

    def pause_writing(self) -> None:
        """Send no more, until what was sent is taken."""
        super().pause_writing()
        self._look_whether_taken()

    def resume_writing(self) -> None:
        """Send on."""
        super().resume_writing()
        self._taken()

    def timeout_keep_alive_handler(self) -> None:
        """Let a client go that asks for nothing more, even if it never takes the end of its answer."""
        super().timeout_keep_alive_handler()
        self._look_whether_taken()

    def shutdown(self) -> None:
        """Let a client go, at Ctrl-C: one that takes no answer would be waited for, whatever is cancelled."""
        super().shutdown()
        self.loop.call_later(LAST, self.transport.abort)

    def _watch(self) -> None:
        """Wait from the last answer on until something whole is asked for: a piece more is no reason to wait longer."""
        if not self._waits():
            self._rest()
        elif self._late is None:
            self._late = self.loop.call_later(SECONDS, self._end)

    def _waits(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _rest(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _look_whether_taken(self, before: int | None = None) -> None:
        """End it where nothing was taken since the last look."""
        self._taken()
        left = self.transport.get_write_buffer_size()
        if before is not None and left >= before:
            self.transport.abort()
        else:
            self._full = self.loop.call_later(TAKING, self._look_whether_taken, left)

    def _taken(self) -> None:
        if self._full is not None:
            self._full.cancel()
            self._full = None

    def _end(self) -> None:
        if self._waits():
            self.transport.close()
            self._look_whether_taken()


def most_clients() -> int:
    """Return how many clients may be connected, by the files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return _MOST
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST if limit == resource.RLIM_INFINITY else max(16, min(_MOST, limit - 3 * AT_ONCE - _OWN_FILES))
