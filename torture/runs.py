"""A run that was changed: sealed again with valid checksums, read, and compared with what was saved."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

TIMES = ("created", "timings")  # which differ where the same run is made twice


def digest(run: Any, but: tuple[str, ...] = ()) -> str:
    """Return a hash of all that a run holds, but what of ``run.json`` does not count; nor do names that people gave."""
    topics = run.topics.drop("name").write_json()
    timeline = "" if run.timeline is None else run.timeline.write_json()
    info = {name: value for name, value in run.info.items() if name not in but}
    parts = [run.documents.write_json(), topics, timeline, json.dumps(run.words), json.dumps(info, sort_keys=True)]
    sum_of = hashlib.sha256("\n".join(parts).encode("utf-8", "replace"))
    for array in (run.W, run.H, run.totals):
        sum_of.update(str((array.shape, array.dtype)).encode() + array.tobytes())
    return sum_of.hexdigest()


def seal(folder: Path) -> None:
    """Give a changed run valid checksums again, as somebody who made it on purpose would."""
    with suppress(ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
        head = json.loads((folder / "run.json").read_text("utf-8"))
        for name in head["files"]:
            head["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        rest = {key: value for key, value in head.items() if key != "checksum"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=False)
        head["checksum"] = hashlib.sha256(text.encode()).hexdigest()
        (folder / "run.json").write_text(json.dumps(head, indent=1, ensure_ascii=False) + "\n", "utf-8")


def use(run: Any, folder: Path) -> None:
    """Do with a run what people do: print it, look at documents, assign others, make its page."""
    from rich.console import Console

    from quire.cli.reports.run import run_report
    from quire.pages.payload import payload_of

    with Path("/dev/null").open("w") as nowhere:
        Console(file=nowhere, width=100).print(run_report(run))
    run.assign(["moon rocket bread"])
    payload = payload_of(run, folder, served=True)
    payload.whole(0)
    payload.listed([0, 1])
