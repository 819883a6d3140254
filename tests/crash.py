"""Kill a process at its n-th file operation, for any n: what is left must be the old or the new, and no obstacle.

A `Killer` starts one fresh process, which imports what an action needs and forks for every job, so that a thousand
kills take no thousand starts. An action is a function of this or another module of the tests, named
``"module:function"``, that gets the arguments of the job, which JSON must be able to hold.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

_CHANGES = {  # audit events that change what is on the disk
    "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.truncate",
    "shutil.copyfile", "shutil.rmtree", "sqlite3.connect",
}  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Killer:
    """Runs actions in processes of their own, which are killed before their n-th file operation."""

    def __init__(self, *modules):
        source = f"import crash; crash.serve({modules!r})"
        paths = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    def run(self, action, *arguments, kill_at=None):
        """Run an action; return how many file operations it began, or None where it was killed at one."""
        answer = self._answer({"action": action, "arguments": [str(one) for one in arguments], "kill_at": kill_at})
        if answer["killed"]:
            assert kill_at is not None, f"{action} was killed by nobody we know"
            return None
        assert answer["operations"] is not None, f"{action} failed: {answer['error']}"
        return answer["operations"]

    def lose_power(self, action, *arguments, disk, into, times=40, seed=0):
        """Run an action; return folders that hold what ``disk`` may hold where the power failed meanwhile, or after."""
        record = [str(disk), str(into), times, seed]
        answer = self._answer({"action": action, "arguments": [str(one) for one in arguments], "record": record})
        assert answer["error"] is None, f"{action} failed: {answer['error']}"
        return sorted(Path(into).iterdir())

    def _answer(self, job):
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        """End the process that forks."""
        self._process.stdin.close()
        self._process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def serve(modules):
    """Answer jobs, a line each, until there are no more."""
    for name in modules:
        importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run_job(json.loads(line))), flush=True)


def run_job(job):
    """Run a job in a fork of this process, which must have no threads; tell of it."""
    counter = Counter(job.get("kill_at"))
    if "record" in job:
        from torture.power import Recorder

        root, into, *rest = job["record"]
        counter = Recorder(Path(root), Path(into), *rest)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _act(job, writing, counter)
    os.close(writing)
    with os.fdopen(reading) as answer:
        told = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    result = json.loads(told) if told else {"operations": None, "error": f"ended with {status}"}
    return result | {"killed": status == -signal.SIGKILL and not told}


def _act(job, writing, counter):
    """Run a job in this process, which does not return."""
    module, _, name = job["action"].partition(":")
    try:
        action = getattr(importlib.import_module(module), name)
        sys.addaudithook(counter.audit)
        os.fsync = counter.before(os.fsync)
        counter.counting = True
        action(*job["arguments"])
        counter.counting = False
        counter.end()
        told = {"operations": counter.done, "error": None}
    except BaseException as error:
        counter.counting = False
        told = {"operations": None, "error": f"{type(error).__name__}: {error}"}
    os.write(writing, json.dumps(told).encode())
    os._exit(0)


class Counter:
    """Counts file operations, and ends the process before one of them."""

    def __init__(self, kill_at):
        self.done, self.counting, self._kill_at = 0, False, kill_at

    def audit(self, event, arguments):
        if event in _CHANGES or (event == "open" and _is_writing(arguments)):
            self.operation()

    def before(self, function):
        def counted(*arguments):
            self.operation()
            return function(*arguments)

        return counted

    def end(self):
        """Do what is to be done when the action has ended."""

    def operation(self):
        if not self.counting:
            return
        if self.done == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.done += 1


def _is_writing(arguments):
    path, _, flags = arguments
    return bool((flags or 0) & _WRITING) and not str(path).startswith(("/dev/", "/proc/"))


# -- actions ---------------------------------------------------------------------------------------------


def save_run(source, target):
    import quire

    quire.load(source).save(target)


def save_run_without_exchange(source, target):
    """As on a system, or a disk, that cannot exchange two names."""
    from quire.places import atomic

    atomic._exchange = lambda one, other: False
    save_run(source, target)


def write_page(source, target):
    import quire

    quire.page(quire.load(source), Path(target) / "page.html")


def write_index(source, target):
    import quire
    from quire.pages.full_text import SEARCH, FullText

    index = FullText(Path(target) / SEARCH, quire.load(source).documents)
    assert index.wait(60)
    index.close()


def give_name(source, target):
    import quire

    quire.load(target).rename(0, "Moon").save(target)


def edit_topics(source, target):
    """Merge the first two topics of a run: a log, and the state that it leads to."""
    edit_folder(target, '{"what": "merge", "topics": [0, 1]}')


def undo_edit(source, target):
    edit_folder(target, '{"what": "undo"}')


def grow_tree(source, target):
    import quire
    from quire.runs.tree_file import keep_tree

    keep_tree(Path(target), quire.load(target).tree(leaves=4))


def update_run(source, target):
    """Write a run with documents that came later, beside the one that it goes on from."""
    import quire

    more = ["moon rocket orbit launch", "goal team season player", "bread oven flour butter"]
    quire.load(source).update(more, 0).save(target)


def edit_folder(target, edit):
    """Make an edit, given as JSON, in the run of a folder."""
    import quire.runs.editing
    from quire.runs.edits.entry import edit_from

    quire.runs.editing.edit_run(target, edit_from(json.loads(edit)))


def save_checkpoint(target, text):
    import numpy as np

    from quire.places.checkpoint import Checkpoint
    from quire.places.disk import DiskPlace

    place = DiskPlace(target)
    Checkpoint(place).save("state", [place.put(np.arange(3)), text])
    place.leave()


def save_choice(target, text):
    import polars as pl

    from quire.studies.exports import Exported, export

    table = pl.DataFrame({"k": [text]})
    export(Exported(table, {"k": text}, _no_figure), target, "choice")


def _no_figure():
    raise ImportError


def write_carelessly(target, text):
    """Put a file in its place without flushing it: what :mod:`quire.places.atomic` is there to avoid."""
    part = Path(target) / "part"
    part.write_text(text)
    part.replace(Path(target) / "file")


def write_carefully(target, text):
    from quire.places.atomic import whole_file

    with whole_file(Path(target) / "file") as part:
        part.write_text(text)
