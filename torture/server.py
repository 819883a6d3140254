"""``quire serve`` as a process of its own: described requests, raw sockets, 200 clients at once, Ctrl-C."""

from __future__ import annotations

import asyncio
import http.client
import json
import random
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from benchmarks import serve_under_load

from quire.pages.openapi import description
from quire.runs.editing import edit_run
from quire.runs.edits.entry import edit_from
from quire.runs.load import load
from torture.case import FAILURES, Case, WrongError
from torture.child import made_in_child
from torture.requests import NOW, described, problem, raw

NAME = "server"
_AT_ONCE = 40  # requests of one case
_IDLE = 300  # clients that begin to ask and never end
_CLIENTS, _LOAD_SECONDS = 200, 5.0


class Server:
    """A server of a run, and what it prints."""

    def __init__(self, run: Path, errors: Path, *options: str) -> None:
        self.errors, self.told = errors, 0
        with errors.open("wb") as file:
            command = [*serve_under_load.SERVE, str(run), "--no-open", "--port", "0", *options]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True)
        assert self.process.stdout is not None
        found = re.search(r":(\d+)/ ", self.process.stdout.readline())
        if found is None:
            raise WrongError(f"the server does not begin: {errors.read_text()}")
        self.port = int(found[1])
        self.host = f"127.0.0.1:{self.port}"
        page = urllib.request.urlopen(f"http://{self.host}/", timeout=20).read().decode()
        self.token = re.search(r'"token": ?"([^"]+)"', page)[1]  # type: ignore[index]

    def version(self) -> int:
        """Return how many edits the run that it serves has."""
        with urllib.request.urlopen(f"http://{self.host}/api/head", timeout=20) as answer:
            return int(json.load(answer)["edits"]["version"])

    def edit(self, version: int, **edit: Any) -> int:
        """Edit the run as a page does that knew so many edits; return the status."""
        body = json.dumps({"version": version, **edit}).encode()
        asked = urllib.request.Request(f"http://{self.host}/api/edits", body, {"X-Quire-Token": self.token})
        try:
            with urllib.request.urlopen(asked, timeout=40) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    def check(self) -> None:
        """See that it answers, and that it printed nothing."""
        with urllib.request.urlopen(f"http://{self.host}/api/head", timeout=20) as answer:
            answer.read()
        if words := self.errors.read_text("utf-8", "replace")[self.told :].strip():
            raise WrongError(f"the server printed {words.splitlines()[-1][:200]}\n{words[-3000:]}")

    def begin(self) -> None:
        """Forget what it printed before: another case tells of that."""
        self.told = len(self.errors.read_text("utf-8", "replace"))

    def stop(self) -> float:
        """Press Ctrl-C; return the seconds until it ended."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        return time.monotonic() - began


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield requests against one server that lasts, and now and then a server of its own that is ended."""
    made = made_in_child(Case("a run", _make_run, seconds=120), work / "made")
    if made.verdict in FAILURES:
        raise RuntimeError(f"The run to be served could not be made: {made.words}")
    run = work / "made" / "in" / "run"
    server = Server(run, work / "errors.txt")
    number = 0
    try:
        while True:
            draw = random.Random(f"{seed} {number}")
            if number == 1:
                yield _load(server, seed)
            elif number % 50 == 2:
                yield _interrupted(run)
            elif number % 50 == 4:
                yield _idle(server, draw)
            elif number % 25 == 3:
                yield _two_editors(server, run, draw)
            elif draw.random() < 0.25:
                yield _raw(server, draw)
            else:
                yield _described(server, draw)
            number += 1
    finally:
        server.stop()


def _make_run(folder: Path) -> None:
    import quire

    draw = random.Random(3)
    words = ["moon", "orbit", "rocket", "goal", "team", "season", "bread", "oven", "flour", "a", "the", "of"]
    texts = [" ".join(draw.choices(words, k=40)) + f" note {i} <script>alert(1)</script>" for i in range(300)]
    dates = [f"20{10 + i % 12}-05-05" for i in range(300)]
    recipe = {"name": "plain", "factorization": {"method": "NMF"}}
    quire.cluster(texts, 3, recipe=recipe, random_state=0, dates=dates, labels=texts[:3] * 100).save(folder / "run")


def _described(server: Server, draw: random.Random) -> Case:
    asked = [described(description("0"), draw, server.host, server.token) for _ in range(_AT_ONCE)]

    def run(folder: Path) -> None:
        server.begin()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=15)
        for one in asked:
            (folder / "last.txt").write_text(repr(one))
            body = one.body if one.body is None else one.body.replace(NOW, str(server.version()).encode())
            connection.putrequest(one.method, one.path, skip_host=True, skip_accept_encoding=True)
            for name, value in one.headers.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            wrong = problem(answer.status, answer.read(), one)
            if wrong is not None:
                raise WrongError(f"{one.method} {one.path[:200]} {one.headers} {(body or b'')[:300]!r}: {wrong}")
            if answer.will_close:
                connection.close()
        server.check()

    return Case(f"{_AT_ONCE} described requests", run, tried=_AT_ONCE, seconds=60)


def _raw(server: Server, draw: random.Random) -> Case:
    sent = [raw(draw, server.host) for _ in range(10)]

    def run(folder: Path) -> None:
        server.begin()
        for number, data in enumerate(sent):
            (folder / f"{number}.bin").write_bytes(data)
            with suppress(OSError), socket.create_connection(("127.0.0.1", server.port), timeout=1) as client:
                client.sendall(data)
                answer = client.recv(1 << 16)
                if answer.startswith(b"HTTP/1.1 5"):
                    raise WrongError(f"{answer[:200]!r} to {data[:200]!r}")
        server.check()

    return Case("10 broken requests", run, tried=10, seconds=60)


def _idle(server: Server, draw: random.Random) -> Case:
    """Clients that begin to ask and never end: others are answered meanwhile, and all of them are let go."""
    head = f"GET / HTTP/1.1\r\nHost: {server.host}\r\nX: y".encode()
    begun = [head[: draw.randrange(len(head))] for _ in range(_IDLE)]

    def run(folder: Path) -> None:
        server.begin()
        with ExitStack() as held:
            at = ("127.0.0.1", server.port)
            clients = [held.enter_context(socket.create_connection(at, timeout=30)) for _ in begun]
            for client, data in zip(clients, begun):
                client.sendall(data)
            server.check()
            for client in clients:
                if client.recv(1):
                    raise WrongError("a client that asked for nothing was answered")
        server.check()

    return Case(f"{_IDLE} clients that never ask", run, tried=_IDLE, seconds=60)


def _load(server: Server, seed: int) -> Case:
    def run(folder: Path) -> dict[str, Any]:
        at = ("127.0.0.1", server.port)
        measured = asyncio.run(serve_under_load.load(at, _CLIENTS, _LOAD_SECONDS, seed))
        found = serve_under_load.summary(measured, _LOAD_SECONDS)
        if any(int(status) >= 500 for status in found["status"]):
            raise WrongError(f"{found}")
        server.check()
        return {"requests under load": found["requests"], "p50 s": found["p50"], "p99 s": found["p99"]}

    return Case(f"{_CLIENTS} clients at once", run, tried=_CLIENTS * 3, seconds=60)


def _two_editors(server: Server, run: Path, draw: random.Random) -> Case:
    """Edit the run in another process, then from a page that does not know of it, then from one that does."""
    edits: list[dict[str, Any]] = [
        {"what": "rename", "topic": 0, "name": f"Name {draw.random()}"},
        {"what": "ban", "word": "the"},
    ]
    other, mine = draw.sample(edits, 2)

    def beside(folder: Path) -> None:
        server.begin()
        known = server.version()
        edit_run(run, edit_from(other))
        late = server.edit(known, **mine)
        again = server.edit(server.version(), **mine)
        history = [edit["what"] for edit in load(run, texts=False).history]
        if (late, again) != (409, 200) or history[known:] != [other["what"], mine["what"]]:
            raise WrongError(f"two who edit: {late}, {again}, and the log says {history[known:]}")
        server.check()

    return Case("two who edit a run", beside, tried=3, seconds=120)


def _reading_nothing(server: Server) -> socket.socket:
    """Ask for the page over and over, and take nothing of it."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    client.connect(("127.0.0.1", server.port))
    client.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode() * 50)
    return client


def _interrupted(run: Path) -> Case:
    def ended(folder: Path) -> dict[str, Any]:
        server = Server(run, folder / "errors.txt")
        clients = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(30)]
        for number, client in enumerate(clients):
            start = f"POST /api/edits HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 9\r\n\r\n{{"
            search = f"GET /api/search?q={'a%20the%20' * (1 + number % 9)} HTTP/1.1\r\nHost: {server.host}\r\n\r\n"
            client.sendall((start if number % 3 else search).encode())
        clients += [_reading_nothing(server) for _ in range(4)]
        taken = server.stop()
        printed = server.errors.read_text().strip()
        if server.process.returncode not in (0, 130) or "Traceback" in printed or taken > 10:
            raise WrongError(f"Ctrl-C: ended with {server.process.returncode} after {taken:.1f} s: {printed[-300:]!r}")
        return {"Ctrl-C s": round(taken, 2)}

    return Case("Ctrl-C while 30 clients ask and 4 take no answer", ended, tried=34, seconds=60)
