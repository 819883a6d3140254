"""``quire doctor``: what this machine has that Quire can use."""

from __future__ import annotations

from quire.cli.options import Json
from quire.cli.output import print_result


def doctor(*, json: Json = False) -> None:
    """Say what Quire finds on this machine: versions, kernels, threads, memory, a GPU, extras."""
    from quire.cli.reports.machine import found_here, machine_report

    found = found_here()
    print_result(found, json, lambda _: machine_report(found))
