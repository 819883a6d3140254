"""``quire classes``: what known classes are about."""

from __future__ import annotations

from typing import Any

from quire.cli.cluster import read
from quire.cli.options import Documents, Json, takes_options_of_a_run
from quire.cli.output import live_stages, print_result, source_of


@takes_options_of_a_run("classes")
def classes(*paths: Documents, json: Json = False, **given: Any) -> None:
    """Say what known classes are about, and which documents read like another class than theirs."""
    source = source_of(paths, "classes")
    from quire.cli.reports.classes import classes_report
    from quire.runs.options import options_of
    from quire.studies.classes import classes_of

    options = options_of("classes", given)
    with live_stages() as stages:
        study = classes_of(read(source, options, stages), options, stages)
    print_result(study.as_dict(), json, lambda width: classes_report(study, width))
