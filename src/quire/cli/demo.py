"""``quire demo``: topics of documents that every machine with Quire has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.cli.cluster import make_run
from quire.cli.options import Json, NewRunFolder, Quiet, WithPage, takes_options_of_a_run


@takes_options_of_a_run("demo")
def demo(
    *, out: NewRunFolder = None, with_page: WithPage = True, json: Json = False, quiet: Quiet = False, **given: Any
) -> None:
    """Find the topics of the docstrings of the scientific Python packages on this machine."""
    from quire.cli.docstrings import demo_corpus
    from quire.runs.options import options_of

    options = options_of("demo", given)
    make_run(demo_corpus, options, out or Path("quire-demo"), json, quiet, with_page)
