"""The page over HTTP: the same app, which asks for what it shows, searches full text, and renames topics."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from quire import __version__
from quire.messages import short
from quire.pages.encoding import json_block, json_bytes
from quire.pages.file import app_with
from quire.pages.full_text import MOST, FullText
from quire.pages.full_text_query import Query
from quire.pages.full_text_readers import PATIENCE, BusyError, TooMuchWorkError
from quire.pages.guard import Guard, error_response, is_token
from quire.pages.openapi import LARGEST_BODY, LONGEST_QUERY, MOST_ROWS, description
from quire.pages.payload import Payload
from quire.places.machine import allowed_threads
from quire.runs.names import checked_name, own_names, read_names, rename_topic

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
        Route("/api/topics/{topic}/name", server.rename, methods=["PUT"]),
        Route("/openapi.json", server.openapi),
    ]
    app = Starlette(
        routes=routes, exception_handlers={HTTPException: _failed, _NoCut: _no_cut, ClientDisconnect: _gone}
    )
    app.router.redirect_slashes = False  # an address is either there or not
    return Guard(app, hosts, server.policy)


class _Cut:
    """One cut of the run as the routes answer it; what does not change is encoded once."""

    def __init__(self, payload: Payload, folder: Path, number: int | None) -> None:
        self.payload, self._folder, self._number = payload, folder, number
        self.own, self._names = own_names(folder, number), read_names(folder, number)
        self._renaming, self._timing = threading.Lock(), threading.Lock()
        self.head, self.terms = self._encoded_head(), json_bytes(payload.terms)

    @property
    def time(self) -> bytes:
        """It takes a while: once is enough."""
        with self._timing:
            return self._encoded_time

    @cached_property
    def _encoded_time(self) -> bytes:
        return json_bytes(self.payload.time)

    def rename(self, topic: int, name: str) -> Response:
        with self._renaming:
            try:
                self._names = rename_topic(self._folder, topic, name, self._number)  # another server may have, too
            except ValueError as error:
                return error_response(409, str(error))
            self.head = self._encoded_head()
        return _json(json_bytes({"topic": topic, "name": name or self.own[topic]}))

    def _encoded_head(self) -> bytes:
        shown = {**self.own, **self._names}
        topics = [topic | {"name": short(shown[topic["topic"]])} for topic in self.payload.head["topics"]]
        has = self.payload.head["has"] | {"rename": os.access(self._folder, os.W_OK)}
        return json_bytes(self.payload.head | {"topics": topics, "has": has})


class _Server:
    """What the routes answer, at the cut that is asked for; what is encoded already is answered without a thread."""

    def __init__(self, payload: Payload, folder: Path, search: FullText, token: str) -> None:
        self._payload, self._folder, self._search, self._token = payload, folder, search, token
        self._cuts, self._cutting = {str(len(payload.run.H)): _Cut(payload, folder, None)}, threading.Lock()
        self._answers: dict[tuple[Query, int], bytes] = {}  # to searches, the oldest first
        self._keeping = threading.Lock()
        self._turns = asyncio.Semaphore(max(2, allowed_threads()))
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
        return _json(json_bytes(self._payload.listed(numbers) if numbers else []))  # sooner than a thread would begin

    async def document(self, request: Request) -> Response:
        row = request.path_params["row"]
        if not _NUMBER.fullmatch(row) or int(row) >= self._n:
            return self._no_document(row)
        return await self._in_turn(
            self._at, self._asked(request), lambda cut: _json(json_bytes(cut.payload.whole(int(row))))
        )

    async def search(self, request: Request) -> Response:
        q, limit = request.query_params.get("q", ""), request.query_params.get("limit", str(_LISTED))
        if len(q) > LONGEST_QUERY:
            return error_response(400, f"q can have at most {LONGEST_QUERY} characters: search for fewer words.")
        if not _NUMBER.fullmatch(limit) or not 1 <= int(limit) <= MOST:
            return error_response(400, f"limit should be a whole number from 1 to {MOST}.")
        return await self._answered(q, int(limit))

    async def _answered(self, q: str, limit: int) -> Response:
        """Search, or answer as before: what is searched for again, by many, is searched for once."""
        asked = (Query.of(q), limit)
        kept = self._answers.get(asked)
        return _json(kept) if kept is not None else await self._in_turn(self._found, *asked)

    async def _in_turn(self, work: Callable[..., Response], *given: Any) -> Response:
        """Do what takes a while in one of a few threads: more of them would only wait for each other."""
        try:
            await asyncio.wait_for(self._turns.acquire(), PATIENCE)
        except TimeoutError:
            return error_response(429, str(BusyError()))
        try:
            return await run_in_threadpool(work, *given)
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
        except BusyError as error:
            return error_response(429, str(error))
        encoded = json_bytes(found)
        if found["ready"] == 1:
            with self._keeping:
                while len(self._answers) >= _ANSWERS:
                    del self._answers[next(iter(self._answers))]
                self._answers[query, limit] = encoded
        return _json(encoded)

    async def rename(self, request: Request) -> Response:
        if not is_token(request.headers.get("x-quire-token"), self._token):
            return error_response(403, "Only the page that quire serve opened can rename topics: reload it.")
        cut = await run_in_threadpool(self._made, self._asked(request))
        topic = request.path_params["topic"]
        if not _NUMBER.fullmatch(topic) or int(topic) not in cut.own:
            return error_response(404, f"There is no topic {topic[:20]}: they are numbered from 0.")
        try:
            body = await asyncio.wait_for(_body(request), _BODY_SECONDS)
        except TimeoutError:
            return error_response(408, f"The name did not come within {_BODY_SECONDS:.0f} seconds: send it again.")
        if body is None:
            return error_response(413, f"A name cannot have more than {LARGEST_BODY:,} bytes: shorten it.")
        try:
            name = checked_name(_name_in(body))
        except ValueError as error:
            return error_response(400, str(error))
        return await self._in_turn(cut.rename, int(topic), name)

    def _asked(self, request: Request) -> str:
        """Return the cut that a request asks for, the run's own by default."""
        numbers = list(map(str, self._payload.head["cuts"]))
        asked = request.query_params.get("cut", str(len(self._payload.run.H)))
        if asked not in numbers:
            raise _NoCut(404, f"There is no cut of {asked[:20]} topics: there are {', '.join(numbers)}.")
        return asked

    def _made(self, asked: str) -> _Cut:
        """Return a cut, made when it is first asked for."""
        if asked not in self._cuts:
            with self._cutting:  # once, and without keeping others waiting for the cuts that are there
                if asked not in self._cuts:
                    self._cuts[asked] = _Cut(self._payload.at(int(asked)), self._folder, int(asked))
        return self._cuts[asked]

    def _at(self, asked: str, answer: Callable[[_Cut], Response]) -> Response:
        return answer(self._made(asked))

    async def _at_once(self, request: Request, answer: Callable[[_Cut], Response]) -> Response:
        """Answer with what a cut has at hand, in turn only where it is to be made first."""
        asked = self._asked(request)
        return answer(self._cuts[asked]) if asked in self._cuts else await self._in_turn(self._at, asked, answer)

    @property
    def _n(self) -> int:
        return int(self._payload.head["n"])

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


def _name_in(body: bytes) -> str:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    name = given.get("name", 0) if isinstance(given, dict) and len(given) == 1 else 0
    if not isinstance(name, str | None):
        raise ValueError('The body should be JSON such as {"name": "Space flight"}, or null for the own name.')
    return name or ""


def _json(data: bytes) -> Response:
    return Response(data, media_type="application/json")


def _failed(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 400)
    return error_response(status, _SENTENCES.get(status, str(error)), getattr(error, "headers", None))


def _no_cut(request: Request, error: Exception) -> Response:
    return error_response(404, str(getattr(error, "detail", error)))


def _gone(request: Request, error: Exception) -> Response:
    return error_response(400, "The request broke off: send it again.")
