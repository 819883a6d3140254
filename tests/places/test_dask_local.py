"""A cluster on this machine: nobody else reaches it, and it leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from quire.places.dask.local import Scratch

distributed = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")
TLS = find_spec("cryptography") is not None or shutil.which("openssl") is not None


def _listening():
    """Return the addresses at which this process and those that it started listen."""
    here = psutil.Process()
    found = [one for process in (here, *here.children(recursive=True)) for one in process.net_connections("inet")]
    return {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}


def test_it_listens_to_this_machine_alone_and_has_no_dashboard(place):
    assert _listening() == {"127.0.0.1"}
    routes = place._client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.http_application.applications)
    assert not routes
    assert place._folder.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not TLS, reason="neither cryptography nor openssl is there")
def test_only_who_has_its_key_is_let_in(place):
    address = place._client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    with pytest.raises((OSError, TimeoutError)):
        distributed.Client(address.replace("tls", "tcp"), timeout=2)
    other = distributed.security.Security(require_encryption=True)
    with pytest.raises((OSError, TimeoutError, TypeError, ValueError)):
        distributed.Client(address, security=other, timeout=2)


def test_a_killed_process_leaves_nothing(tmp_path):
    program = textwrap.dedent("""
        from quire.places.dask.local import Scratch
        scratch = Scratch()
        (scratch.blocks / "block").touch()
        print(scratch.path, flush=True)
        input()
    """)
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    path = Path(child.stdout.readline().strip())
    assert (path / "blocks" / "block").exists()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    until = time.monotonic() + 60
    while path.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not list(tmp_path.iterdir())


def test_what_was_killed_together_is_swept_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = Scratch()
    first._janitor.kill()
    first._janitor.communicate()
    with monkeypatch.context() as patch:
        patch.setattr("quire.places.leftovers._started", lambda pid: None)  # dead, too
        second = Scratch()
    assert [path.name for path in tmp_path.iterdir()] == [second.path.name]
    second.remove()
    assert not list(tmp_path.iterdir())
