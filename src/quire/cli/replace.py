"""A run does not take the place of another one unasked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.runs.options import Options

_WHERE = ("device", "dask")  # options that, with those declared free, say where a run is made and not what it is


def check_replacing(out: Path, source: str | None, options: Options, ask: bool) -> None:
    """Refuse to replace a run of other documents or other options; ask on a terminal.

    A run that is made again, of the same source with the same options, takes the place of its older self: of that
    nothing is lost. What comes from standard input (``source`` None) is never known to be the same.
    """
    from quire.runs.folder import stored_head

    head = stored_head(out)
    if head is None or _is_same(head, source, options):
        return
    if ask and sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{out} holds another run. Replace it? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            return
    raise ValueError(f"{out} holds another run: name another folder with --out, or replace that run with --replace.")


def _is_same(head: dict[str, Any], source: str | None, options: Options) -> bool:
    """Say whether a run was made of this source with these options."""
    from quire.runs.options import Options, declared_options

    corpus, stored = head.get("corpus"), head.get("options")
    if not isinstance(corpus, dict) or not isinstance(stored, dict) or source is None:
        return False
    named = [name for name, one in declared_options().items() if not one.free and name not in _WHERE]
    defaults = Options().as_dict()  # for options that the older one did not know
    given, before = options.as_dict(), defaults | stored
    same = all(_plain(given.get(name)) == _plain(before.get(name)) for name in named)
    return same and corpus.get("source") == source and head.get("recipe") == _plain(options.resolved_recipe().as_dict())


def _plain(value: Any) -> Any:
    """Return a value as it comes back from JSON."""
    return json.loads(json.dumps(value))
