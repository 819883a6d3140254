"""``quire serve``: the page of a run over HTTP, on this machine only."""

from __future__ import annotations

import errno
import os
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from quire.cli.options import ChoiceFolder, Layout, OtherRun, RunFolder, whole
from quire.cli.output import live_stages
from quire.runs.folder import check_run, own_path

if TYPE_CHECKING:
    import logging
    import socket

    from quire.pages.payload import Payload

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    run: RunFolder,
    *,
    port: Annotated[int, Parameter(converter=whole, help="0: any that is free")] = 8765,
    host: Annotated[str, Parameter(help="127.0.0.1, localhost or ::1")] = "127.0.0.1",
    open: Annotated[bool, Parameter(help="open the browser")] = True,
    choice: ChoiceFolder = None,
    compare: OtherRun = None,
    layout: Layout = "topics",
) -> None:
    """Show a run in the browser, also one too big for a file; search its texts, rename its topics."""
    _check_installed()
    check_run(run)
    listener = _listening(host, port)  # before any work is done
    with listener:
        payload = _payload(run, choice=choice, other=compare, layout=layout)
        _show(payload, run, listener, host, open)


def _payload(run: Path, **how: Any) -> Payload:
    from quire.pages.payload import payload_of
    from quire.runs.load import load

    with live_stages() as stages:
        with stages.stage("read"):
            loaded = load(run)
        with stages.stage("page") as update:
            return payload_of(loaded, run, served=True, update=update, **how)


def _show(payload: Payload, run: Path, listener: socket.socket, host: str, open: bool) -> None:
    """Answer requests, and make the index of the texts meanwhile, until Ctrl-C."""
    import secrets
    import webbrowser

    from quire.pages.full_text import SEARCH, FullText
    from quire.pages.guard import loopback_hosts
    from quire.pages.server import make_app

    port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
    search = FullText(own_path(run, SEARCH), payload.run.documents)
    try:
        app = make_app(payload, run, search, hosts=loopback_hosts(port), token=token)
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
        print(f"Quire shows {run} at {url} — press Ctrl-C to stop.", flush=True)
        if open and _has_display():
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        _answer(app, listener)
    finally:
        search.close()


def _check_installed() -> None:
    if not all(map(find_spec, ("starlette", "uvicorn"))):
        raise ValueError("Serving needs Starlette and uvicorn: pip install 'quire-topics[serve]'.")


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that already listens, so that a port in use is known before any work is done."""
    import socket

    if host not in _LOOPBACK:
        raise ValueError(
            f"--host {host} would let other machines read the run: use 127.0.0.1, localhost or ::1, and from "
            f"elsewhere an SSH tunnel (ssh -L {port}:127.0.0.1:{port} THIS-MACHINE)."
        )
    if not 0 <= port < 65536:
        raise ValueError(f"--port {port} is none: give a number from 1 to 65535, or 0 for any that is free.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"Port {port} is in use: try --port 0 for any that is free.") from None
        raise ValueError(
            f"Nothing can listen at {host}, port {port} ({error.strerror or error}): try --port 0, or another --host."
        ) from None


def _answer(app: Any, listener: socket.socket) -> None:
    """Answer requests until Ctrl-C; one that is under way then has a second, and no line is printed of it."""
    import logging

    import uvicorn

    from quire.pages.patience import AT_ONCE, LAST, Patience

    logging.getLogger("uvicorn.error").addFilter(_worth_telling)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, lifespan="off", ws="none", proxy_headers=False,
        server_header=False, timeout_graceful_shutdown=round(LAST) + 1, http=Patience, backlog=AT_ONCE,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])


def _worth_telling(record: logging.LogRecord) -> bool:
    """Leave out what a client did: it was cut off at Ctrl-C, or what it sent was no HTTP."""
    kind = record.exc_info[0] if record.exc_info else None
    return "graceful shutdown" not in str(record.msg) and not (kind and kind.__module__.startswith("h11"))


def _has_display() -> bool:
    graphical = sys.platform in ("darwin", "win32")
    return graphical or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
