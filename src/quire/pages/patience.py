"""How long a client may take to ask, and how many may be connected: more than that would stop all others."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 10.0  # for the head of a request
AT_ONCE = 128  # clients that asyncio takes in at one go; three goes pass before one of them can be turned away
_OWN_FILES = 64  # that the server and its search index open themselves
_MOST = 1000  # clients, where there are files for as many


class Patience(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """uvicorn's protocol, whose clients must say what they want: it waits for the end of a head for ever."""

    _late: asyncio.TimerHandle | None = None

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

    def _end(self) -> None:
        if self._waits():
            self.transport.close()


def most_clients() -> int:
    """Return how many clients may be connected, by the files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return _MOST
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST if limit == resource.RLIM_INFINITY else max(16, min(_MOST, limit - 3 * AT_ONCE - _OWN_FILES))
