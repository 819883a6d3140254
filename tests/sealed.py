"""Runs that somebody made on purpose, with valid checksums."""

import hashlib
import json

from quire.runs.folder import HEAD, _head_checksum


def seal(folder, **changed):
    """Make the checksums of a run valid again, as somebody who made it on purpose would."""
    head = json.loads((folder / HEAD).read_text()) | changed
    head["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in head["files"]}
    (folder / HEAD).write_text(json.dumps(head | {"checksum": _head_checksum(head)}))
