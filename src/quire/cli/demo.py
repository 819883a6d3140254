"""``quire demo``: topics of documents that every machine with Quire has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quire.cli.cluster import make_run
from quire.cli.options import Json, NewRunFolder, Quiet, Replace, WithPage, takes_options_of_a_run
from quire.cli.replace import check_replacing


@takes_options_of_a_run("demo")
def demo(
    *,
    out: NewRunFolder = None,
    replace: Replace = False,
    with_page: WithPage = True,
    json: Json = False,
    quiet: Quiet = False,
    **given: Any,
) -> None:
    """Find the topics of the docstrings of the scientific Python packages on this machine."""
    from quire.cli.docstrings import SOURCE, demo_corpus
    from quire.runs.options import options_of

    options, folder = options_of("demo", given), out or Path("quire-demo")
    if not replace:
        check_replacing(folder, SOURCE, options, ask=not (json or quiet))
    make_run(demo_corpus, options, folder, json, quiet, with_page)
