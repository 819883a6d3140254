"""The page over HTTP: the same app, which asks for what it shows, searches full text, and edits topics."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from quire import __version__
from quire.pages.encoding import json_block, json_bytes
from quire.pages.file import app_with
from quire.pages.full_text import MOST, FullText
from quire.pages.full_text_query import Query
from quire.pages.full_text_readers import PATIENCE, BusyError, TooMuchWorkError
from quire.pages.guard import Guard, error_response, is_token
from quire.pages.openapi import LARGEST_BODY, LONGEST_QUERY, MOST_ROWS, description
from quire.pages.payload import Payload
from quire.pages.shown import Cut, Shown
from quire.pages.waiting import Waiting
from quire.places.machine import allowed_threads
from quire.runs.edits.entry import Edit, new_edit
from quire.runs.edits.log import ConflictError

_GONE = "There is no such cut any more: reload the page."
_TOO_LONG = f"q can have at most {LONGEST_QUERY} characters: search for fewer words."
_LISTED = 100  # documents that a search lists where it is not said how many
_ANSWERS = 256  # to searches that are kept, up to 100 kB each
_BODY_SECONDS = 10.0  # that the body of a request may take to come
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
_SENTENCES = {
    404: "There is nothing at this address: /openapi.json describes what there is.",
    405: "This address cannot be asked in this way: /openapi.json describes how.",
}


def make_app(payload: Payload, folder: str | Path, search: FullText, *, hosts: set[str], token: str) -> Guard:
    """Return the server of a run as an ASGI app."""
    server = _Server(payload, Path(folder), search, token)
    routes = [
        Route("/", server.page),
        Route("/api/head", server.head),
        Route("/api/terms", server.terms),
        Route("/api/time", server.time),
        Route("/api/points", server.points),
        Route("/api/documents", server.documents),
        Route("/api/documents/{row}", server.document),
        Route("/api/search", server.search),
        Route("/api/search/rows", server.search_rows),
        Route("/api/edits", server.edit, methods=["POST"]),
        Route("/openapi.json", server.openapi),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: _failed, _NoCut: _no_cut, BusyError: _busy, ClientDisconnect: _gone},
    )
    app.router.redirect_slashes = False  # an address is either there or not
    return Guard(app, hosts, server.policy)


class _Server:
    """What the routes answer, at the cut that is asked for; what is encoded already is answered without a thread."""

    def __init__(self, payload: Payload, folder: Path, search: FullText, token: str) -> None:
        self._search, self._token = search, token
        self._shown = Shown(payload, folder)
        self._answers: dict[tuple[Query, int], bytes] = {}  # to searches, the oldest first
        self._keeping = threading.Lock()
        self._turns = asyncio.Semaphore(max(2, allowed_threads()))
        self._waiting = Waiting(self._whole_ones, self._turn)
        self._page = app_with([json_block("quire-source", {"kind": "http", "token": token})], "'self'")
        meta = _POLICY.search(self._page)
        self.policy = (meta[1] if meta else "default-src 'none'") + "; frame-ancestors 'none'"
        self._openapi = json_bytes(description(__version__))

    async def page(self, request: Request) -> Response:
        return HTMLResponse(self._page)

    async def head(self, request: Request) -> Response:
        return await self._at_once(request, lambda cut: _json(cut.head))

    async def terms(self, request: Request) -> Response:
        return await self._at_once(request, lambda cut: _json(cut.terms))

    async def time(self, request: Request) -> Response:
        return await self._in_turn(self._at, self._asked(request), lambda cut: _json(cut.time))

    async def points(self, request: Request) -> Response:
        return await self._at_once(
            request, lambda cut: Response(cut.payload.points, media_type="application/octet-stream")
        )

    async def openapi(self, request: Request) -> Response:
        return _json(self._openapi)

    async def documents(self, request: Request) -> Response:
        given = request.query_params.get("rows", "")
        rows = given.split(",") if given else []
        if len(rows) > MOST_ROWS:
            return error_response(400, f"At most {MOST_ROWS} documents can be asked for at once: ask twice.")
        if not all(map(_NUMBER.fullmatch, rows)):
            return error_response(400, "rows should be numbers of documents with commas between them, as 1,2.")
        numbers = list(map(int, rows))
        missing = next((row for row in numbers if row >= self._n), None)
        if missing is not None:
            return self._no_document(missing)
        if request.query_params.get("full") == "1" and numbers:
            return await self._in_turn(lambda: _json(json_bytes(self._shown.payload.full(numbers))))
        return _json(
            json_bytes(self._shown.payload.listed(numbers) if numbers else [])
        )  # sooner than a thread would begin

    async def document(self, request: Request) -> Response:
        row = request.path_params["row"]
        if not _NUMBER.fullmatch(row) or int(row) >= self._n:
            return self._no_document(row)
        return _json(await self._waiting.whole(self._asked(request), int(row)))

    async def search(self, request: Request) -> Response:
        q, limit = request.query_params.get("q", ""), request.query_params.get("limit", str(_LISTED))
        if len(q) > LONGEST_QUERY:
            return error_response(400, _TOO_LONG)
        if not _NUMBER.fullmatch(limit) or not 1 <= int(limit) <= MOST:
            return error_response(400, f"limit should be a whole number from 1 to {MOST}.")
        query = Query.of(q)
        some = request.query_params.get("any", "0") == "1"
        return await self._answered(Query(query.any_of, query.any_of) if some else query, int(limit))

    async def search_rows(self, request: Request) -> Response:
        q = request.query_params.get("q", "")
        if len(q) > LONGEST_QUERY:
            return error_response(400, _TOO_LONG)
        return await self._in_turn(self._rows, Query.of(q))

    def _rows(self, query: Query) -> Response:
        try:
            rows = self._search.rows(query)
        except TooMuchWorkError as error:
            return error_response(400, str(error))
        if rows is None:
            return error_response(429, "The index is still being made: ask again in a moment.")
        return Response(rows.astype("<u4").tobytes(), media_type="application/octet-stream")

    async def _answered(self, query: Query, limit: int) -> Response:
        """Search, or answer as before: what is searched for again, by many, is searched for once."""
        asked = (query, limit)
        kept = self._answers.get(asked)
        return _json(kept) if kept is not None else await self._in_turn(self._found, *asked)

    async def _in_turn(self, work: Callable[..., Response], *given: Any) -> Response:
        """Do what takes a while in one of a few threads: more of them would only wait for each other."""
        async with self._turn():
            return await run_in_threadpool(work, *given)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            await asyncio.wait_for(self._turns.acquire(), PATIENCE)
        except TimeoutError:
            raise BusyError from None
        try:
            yield
        finally:
            self._turns.release()

    def _found(self, query: Query, limit: int) -> Response:
        kept = self._answers.get((query, limit))
        if kept is not None:  # meanwhile
            return _json(kept)
        try:
            found = self._search.search(query, limit)
        except TooMuchWorkError as error:
            return error_response(400, str(error))
        encoded = json_bytes(found)
        if found["ready"] == 1:
            with self._keeping:
                while len(self._answers) >= _ANSWERS:
                    del self._answers[next(iter(self._answers))]
                self._answers[query, limit] = encoded
        return _json(encoded)

    async def edit(self, request: Request) -> Response:
        if not is_token(request.headers.get("x-quire-token"), self._token):
            return error_response(403, "Only the page that quire serve opened can edit the run: reload it.")
        asked = self._asked(request)
        try:
            body = await asyncio.wait_for(_body(request), _BODY_SECONDS)
        except TimeoutError:
            return error_response(408, f"The edit did not come within {_BODY_SECONDS:.0f} seconds: send it again.")
        if body is None:
            return error_response(413, f"An edit cannot have more than {LARGEST_BODY:,} bytes: shorten it.")
        try:
            version, edit = _edit_in(body, None if asked == self._shown.own else int(asked))
        except ValueError as error:
            return error_response(400, str(error))
        return await self._in_turn(self._edit, version, edit)

    def _asked(self, request: Request) -> str:
        """Return the cut that a request asks for, the run's own by default."""
        numbers = list(map(str, self._shown.payload.head["cuts"]))
        asked = request.query_params.get("cut", self._shown.own)
        if asked not in numbers:
            raise _NoCut(404, f"There is no cut of {asked[:20]} topics: there are {', '.join(numbers)}.")
        return asked

    def _edit(self, version: int, edit: Edit) -> Response:
        try:
            return _json(self._shown.edit(version, edit))
        except ValueError as error:
            return error_response(409 if isinstance(error, ConflictError) else 400, str(error))

    def _whole_ones(self, asked: str, rows: list[int]) -> list[bytes]:
        cut = self._shown.made(asked)
        if cut is None:
            raise _NoCut(404, _GONE)
        return [json_bytes(document) for document in cut.payload.whole_ones(rows)]

    def _at(self, asked: str, answer: Callable[[Cut], Response]) -> Response:
        cut = self._shown.made(asked)
        return error_response(404, _GONE) if cut is None else answer(cut)

    async def _at_once(self, request: Request, answer: Callable[[Cut], Response]) -> Response:
        """Answer with what a cut has at hand, in turn only where it is to be made first."""
        asked = self._asked(request)
        ready = self._shown.ready(asked)
        return await self._in_turn(self._at, asked, answer) if ready is None else answer(ready)

    @property
    def _n(self) -> int:
        return int(self._shown.payload.head["n"])

    def _no_document(self, row: Any) -> Response:
        sentence = f"There is no document {str(row)[:20]}: they are numbered from 0 to {self._n - 1}."
        return error_response(404, sentence)


class _NoCut(HTTPException):
    """There is no such cut."""


async def _body(request: Request) -> bytes | None:
    """Read the body of a request; None where it is too large, which is known before all of it came."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            return None
    return body


def _edit_in(body: bytes, cut: int | None) -> tuple[int, Edit]:
    """Return the number of edits that a page knew of, and the one that it asks for."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    version = given.pop("version", None) if isinstance(given, dict) else None
    if type(version) is not int or not isinstance(given, dict) or not isinstance(given.get("what"), str):
        raise ValueError('The body should be JSON such as {"version": 0, "what": "rename", "topic": 0, "name": "Law"}.')
    what = given.pop("what")
    if "cut" in given or "words" in given or given.get("name", "") is None:
        raise ValueError("A name should be text, the cut goes into the address, and words are found here.")
    return version, new_edit(what, cut, **given)


def _json(data: bytes) -> Response:
    return Response(data, media_type="application/json")


def _failed(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    return error_response(status, _SENTENCES.get(status, str(error)), getattr(error, "headers", None))


def _no_cut(request: Request, error: Exception) -> Response:
    return error_response(404, str(getattr(error, "detail", error)))


def _busy(request: Request, error: Exception) -> Response:
    return error_response(429, str(error))


def _gone(request: Request, error: Exception) -> Response:
    return error_response(400, "The request broke off: send it again.")
