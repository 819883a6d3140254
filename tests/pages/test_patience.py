"""Clients that never say what they want are let go, and are never so many that nobody else is heard."""

import socket
import threading

import pytest

pytest.importorskip("uvicorn")
resource = pytest.importorskip("resource")

import uvicorn  # noqa: E402

from quire.pages import patience  # noqa: E402

ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n"
SENT = 1 << 25  # more than the system holds for a client that takes nothing


async def answer(scope, receive, send):
    body = bytes(SENT) if scope["path"] == "/large" else b"done"
    length = str(len(body)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def connect(monkeypatch):
    """Serve with little patience; return what connects."""
    monkeypatch.setattr(patience, "SECONDS", 0.3)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(answer, http=patience.Patience, log_level="error", lifespan="off", timeout_keep_alive=60)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    clients = []

    def connected():
        clients.append(socket.create_connection(listener.getsockname(), timeout=60))
        return clients[-1]

    yield connected
    for client in clients:
        client.close()
    server.should_exit = True
    thread.join(60)


def until_it_ends(client):
    said = b""
    try:
        while piece := client.recv(1 << 16):
            said += piece
    except ConnectionError:
        pass
    return said


def asked(client):
    client.sendall(ASKED)
    said = b""
    while b"done" not in said:
        piece = client.recv(1 << 16)
        assert piece, said
        said += piece


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: here\r\nX: "])
def test_who_does_not_ask_is_let_go(connect, begun):
    client = connect()
    client.sendall(begun)
    assert until_it_ends(client) == b""


def test_who_asked_once_and_begins_again_is_let_go_too(connect):
    client = connect()
    client.sendall(ASKED + ASKED[:9])
    assert until_it_ends(client).count(b"done") == 1


def test_who_takes_no_answer_is_let_go(connect, monkeypatch):
    monkeypatch.setattr(patience, "TAKING", 0.3)
    client = connect()
    client.sendall(LARGE)
    threading.Event().wait(4)  # and nothing is read meanwhile
    assert len(until_it_ends(client)) < SENT
    asked(connect())


def test_who_takes_an_answer_slowly_gets_all_of_it(connect, monkeypatch):
    monkeypatch.setattr(patience, "TAKING", 1.5)
    client = connect()
    client.sendall(LARGE)
    said = 0
    while said < SENT:
        piece = client.recv(SENT // 32)
        assert piece, said
        said += len(piece)
        threading.Event().wait(0.15)


def test_who_is_one_too_many_is_let_go_and_the_others_are_heard(connect, monkeypatch):
    monkeypatch.setattr(patience, "SECONDS", 600)
    monkeypatch.setattr(patience, "most_clients", lambda: 3)
    idle = [connect() for _ in range(3)]
    for client in idle[:2]:
        asked(client)  # and answered, so that it is known to be in
    over = [connect() for _ in range(5)]
    ended = [until_it_ends(client) for client in over[1:]]
    assert ended == [b""] * 4
    asked(idle[0])


@pytest.mark.parametrize(("files", "most"), [(256, 16), (1024, 576), (1 << 16, 1000), (None, 1000)])
def test_there_are_files_for_all_clients(monkeypatch, files, most):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY if files is None else files, 0))
    assert patience.most_clients() == most
