"""Systems that do not do as Linux does, acted out here."""

import ctypes
import os
import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

from quire.places import leftovers, machine, portable
from quire.places.atomic import whole_file
from quire.places.disk import DiskPlace

VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            200000.
Pages inactive:                           30000.
Pages speculative:                          500.
Pages wired down:                         90000.
Pages purgeable:                            100.
"""


@pytest.fixture
def on(monkeypatch):
    return lambda system: monkeypatch.setattr("sys.platform", system)


def _in_use(monkeypatch, method, times):
    """Let a path be held by somebody else for so many tries."""
    left, real = [times], getattr(portable.Path, method)

    def refuse(self, *arguments, **named):
        if left[0]:
            left[0] -= 1
            raise PermissionError(13, "in use by another process")
        return real(self, *arguments, **named)

    monkeypatch.setattr(portable.Path, method, refuse)
    monkeypatch.setattr(portable, "_PAUSE", 0)
    return left


def test_windows_keeps_a_file_that_is_mapped(on, monkeypatch, tmp_path):
    path = tmp_path / "block"
    path.write_text("x")
    on("win32")
    _in_use(monkeypatch, "unlink", 1)
    portable.remove_file(path)
    assert path.exists()
    portable.remove_file(path)
    assert not path.exists()
    portable.remove_file(path)


def test_elsewhere_what_cannot_be_removed_is_told(on, monkeypatch, tmp_path):
    on("linux")
    _in_use(monkeypatch, "unlink", 1)
    with pytest.raises(PermissionError):
        portable.remove_file(tmp_path / "block")


def test_windows_waits_until_nobody_reads_what_is_replaced(on, monkeypatch, tmp_path):
    target = tmp_path / "page.html"
    target.write_text("old")
    on("win32")
    left = _in_use(monkeypatch, "replace", 7)
    with whole_file(target, durable=False) as part:
        part.write_text("new")
    assert (target.read_text(), left[0]) == ("new", 0)
    _in_use(monkeypatch, "replace", 10_000)
    with pytest.raises(PermissionError), whole_file(target, durable=False) as part:
        part.write_text("newer")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert target.read_text() == "new"


def test_blocks_that_windows_would_not_let_go_leave_no_error(on, monkeypatch, tmp_path):
    with DiskPlace(tmp_path / "work") as place:
        kept = place.put(list(range(3)))
        on("win32")
        _in_use(monkeypatch, "unlink", 1)
        del kept
    assert not (tmp_path / "work").exists()


def test_windows_sends_no_signal_to_ask_who_is_there(on, monkeypatch):
    """Signal 0 is Ctrl-C there."""
    on("win32")
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("asked by a signal"))
    assert leftovers.Writer.here().alive
    assert leftovers.Writer.here()._replace(pid=1).alive is None


def test_free_memory_of_a_mac(on, monkeypatch):
    on("darwin")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=VM_STAT))
    assert portable.free_memory() == 16384 * 40600
    assert machine.available_memory() <= 16384 * 40600
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout="?"))
    assert portable.free_memory() == float("inf")


def test_free_memory_of_windows(on, monkeypatch):
    def fill(status):
        held = ctypes.cast(status, ctypes.POINTER(portable._MemoryStatus)).contents
        assert held.length == 64  # as Windows wants to be told
        held.free = 5 << 30
        return 1

    on("win32")
    system = SimpleNamespace(kernel32=SimpleNamespace(GlobalMemoryStatusEx=fill))
    monkeypatch.setattr(ctypes, "windll", system, raising=False)
    assert portable.free_memory() == 5 << 30
    system.kernel32.GlobalMemoryStatusEx = lambda _: 0
    assert portable.free_memory() == float("inf")


def test_free_memory_of_linux(tmp_path):
    assert portable._of_meminfo("MemFree: 1 kB\nMemAvailable:    2048 kB\n") == 2048 * 1024
    assert portable._of_meminfo("") == float("inf")


PROGRAM = """
import sys, threading
import numpy as np
from quire.places import portable
from pathlib import Path

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

if "one" in sys.argv:
    portable.keep_one_heap()
kept = []

def work():
    arrays = [np.ones(1 << 13) for _ in range(400)]  # too small to be given back by themselves
    kept.append(arrays[-1])

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
before = resident()
portable.give_back_memory()
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="glibc alone keeps it")
@pytest.mark.parametrize("heaps", ["one", "many"])
def test_what_threads_freed_is_given_back(heaps):
    """Each had 26 MB, of which one array, the last, stays."""
    given = subprocess.run([sys.executable, "-c", PROGRAM, heaps], capture_output=True, text=True, check=True)
    assert int(given.stdout) > 15 << 20


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_elsewhere_nothing_is_asked_of_glibc(on, monkeypatch, system):
    on(system)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: pytest.fail("there is no such library"))
    portable.keep_one_heap()
    portable.give_back_memory()
