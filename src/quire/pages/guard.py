"""Who may ask the server at all: this machine's own page, and nobody's page from elsewhere."""

from __future__ import annotations

import hmac
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.pages.encoding import json_bytes

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """An app that hears only requests of its own page, and whose every answer has the security headers.

    A page from elsewhere could let the browser ask in its place: by a name that it makes point here (DNS
    rebinding, seen by ``Host``), or across sites (seen by ``Origin`` and ``Sec-Fetch-Site``).
    """

    # A port of the same machine is elsewhere, too.

    def __init__(self, app: ASGIApp, hosts: Collection[str], policy: str) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._headers = {**_HEADERS, "Content-Security-Policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on."""
        if scope["type"] != "http":  # that the server starts or ends
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        refused = self._refused(Headers(scope=scope))
        answer = self._app if refused is None else error_response(*refused)
        await answer(scope, receive, send_with_headers)

    def _refused(self, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the reason, where a request is not for this server or not from its page."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return (421, "This server answers under its own address only: open the one that quire serve printed.")
        origins = headers.getlist("origin")
        if origins and origins != [f"http://{hosts[0]}"]:
            return 403, "Another page may not ask this server: open the address that quire serve printed."
        opened = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not opened:
            return 403, "Another page may not lead here: type the address that quire serve printed."
        return None


def loopback_hosts(port: int) -> set[str]:
    """Return what the header ``Host`` may be for a server on this machine."""
    names = ("127.0.0.1", "localhost", "[::1]")
    return {f"{name}:{port}" for name in names} | ({*names} if port == 80 else set())


def is_token(given: str | None, token: str) -> bool:
    """Say whether a header holds the token, in a time that tells nothing about it."""
    return given is not None and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def error_response(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """Return an answer that says in one sentence what was wrong."""
    return Response(json_bytes({"error": sentence}), status, headers, "application/json")
