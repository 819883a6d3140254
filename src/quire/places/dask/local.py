"""A Dask cluster on this machine: nobody else can reach it, and it leaves nothing, whatever ends this process."""

from __future__ import annotations

import logging
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from quire.places.leftovers import PART, signed_path, sweep_folder

_LOOPBACK = "127.0.0.1"
_OURS = {  # of clusters that are started here, and of no other
    "distributed.scheduler.allowed-failures": 20,  # workers that may be lost while they run the same task
    "distributed.scheduler.work-stealing": False,  # blocks have been shared out already
    "distributed.scheduler.http.routes": [],  # nothing is told over HTTP
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    # Not OMP_NUM_THREADS, which would hold this process too to one thread. And memory that was freed is kept:
    # asking for it again for each block takes half as long as the work itself.
    "distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 1 << 30, "MALLOC_MMAP_THRESHOLD_": 1 << 30},
}
# A worker that is lost twice within this would not be started again; it is looked up when one is lost.
_LATER = {"distributed.deploy.lost-worker-timeout": "1 day"}
_CERTIFICATE = (
    "openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 365 -subj /CN=quire "
    "-keyout /dev/stdout -out /dev/stdout"
)
_JANITOR = """
import shutil, sys, time
sys.stdin.read()  # until whoever started this is gone
for _ in range(20):  # its workers may be writing still
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    time.sleep(0.5)
"""


class Scratch:
    """A folder for this process alone, which goes with it: another process removes it where this one is killed."""

    def __init__(self) -> None:
        root = Path(tempfile.gettempdir())
        sweep_folder(root)  # where that other process was killed, too
        self.path = signed_path(root / "quire-dask", PART)
        self.path.mkdir(mode=0o700)
        self.blocks, self.workers = self.path / "blocks", self.path / "workers"
        self.blocks.mkdir()
        self._janitor = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _JANITOR, self.path], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, cwd=root,
        )  # fmt: skip

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._janitor.kill()
        self._janitor.communicate()


def start_workers(n: int, folder: Path) -> Any:
    """Start worker processes here that listen to this machine alone and, with TLS, to this cluster alone."""
    import dask
    import distributed

    secret = _security()
    try:
        with dask.config.set(_OURS | {"temporary-directory": str(folder)}):
            cluster = distributed.LocalCluster(
                n_workers=n, threads_per_worker=1, processes=True, host=_LOOPBACK, security=secret,
                local_directory=str(folder), silence_logs=logging.CRITICAL,
                # Dask opens a port for HTTP whether or not there is a dashboard, by default to all the world.
                scheduler_kwargs={"dashboard": False, "dashboard_address": f"{_LOOPBACK}:0"},
            )  # fmt: skip
    except RuntimeError:  # every worker imports the script that it was started from
        raise ValueError(
            "Worker processes could not be started: a script with dask='local:4' must be a file, and "
            "do its work below `if __name__ == '__main__':`."
        ) from None
    dask.config.set(_LATER)
    return cluster


def make_deaf(client: Any) -> None:
    """Let Ctrl-C, which a terminal sends to all, end this process alone; it ends its workers."""
    from distributed import WorkerPlugin

    class Deaf(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    client.register_plugin(Deaf(), name="quire-deaf")


def _security() -> Any:
    """Return a key that only this cluster has: whoever reaches a port of it could run anything; None: there is none.

    Dask makes one with the package cryptography; the program openssl does as well.
    """
    from distributed.security import Security

    try:
        return Security.temporary()
    except ImportError:
        pass
    try:
        both = subprocess.run(_CERTIFICATE.split(), capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    key, marker, certificate = both.partition("-----BEGIN CERTIFICATE-----")
    if not marker:
        return None
    pair = {"key": key, "cert": marker + certificate}
    roles = {f"tls_{role}_{part}": pair[part] for role in ("client", "scheduler", "worker") for part in pair}
    return Security(require_encryption=True, tls_ca_file=pair["cert"], **roles)
