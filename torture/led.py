"""Runs that lead out of their folder: by a link, by a name, or to a pipe in the place of a file."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from pathlib import Path

from quire.runs.folder import HEAD, _head_checksum
from quire.runs.load import load
from torture.case import Case, WrongError

_WAYS = ("name", "link", "pipe", "pipe that is not listed")
_ELSEWHERE = ("{}/mine", "../mine", "./../mine", "run/../../mine")


def led_out(source: Path, draw: random.Random) -> Case:
    """Give a run, whose checksums are valid, a way out: it must be refused."""
    head = json.loads((source / HEAD).read_text("utf-8"))
    name, way, elsewhere = draw.choice(sorted(head["files"])), draw.choice(_WAYS), draw.choice(_ELSEWHERE)

    def run(folder: Path) -> None:
        copy = shutil.copytree(source, folder / "run")
        (folder / "mine").write_bytes((copy / name).read_bytes())
        files = dict(head["files"])
        if way == "name":
            files[elsewhere.format(folder)] = hashlib.sha256((folder / "mine").read_bytes()).hexdigest()
        else:
            (copy / name).unlink()
            if way == "link":
                (copy / name).symlink_to(folder / "mine")
            else:
                os.mkfifo(copy / name)
        if way.endswith("not listed"):
            del files[name]
        changed = head | {"files": files}
        (copy / HEAD).write_text(json.dumps(changed | {"checksum": _head_checksum(changed)}), "utf-8")
        load(copy)
        raise WrongError(f"a run whose {name} leads out by a {way} loads")

    return Case(f"led out: {way}, {name}", run)
