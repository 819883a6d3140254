"""The ``quire`` command: parse, call, print."""

from __future__ import annotations

import sys
import time
from typing import Annotated

from cyclopts import App, Parameter

from quire._version import __version__

app = App(
    name="quire",
    help="Gather documents into topics with non-negative matrix factorization.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)


def main() -> None:
    """Run the command line, with one sentence for an error and 130 for Ctrl-C.

    Examples
    --------
    >>> from quire.cli import main
    >>> callable(main)
    True
    """
    try:
        app()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)
    except ValueError as error:
        print(f"quire: {error}", file=sys.stderr)
        sys.exit(2)


@app.command
def warm() -> None:
    """Compile the kernels for this machine, so that the first fit does not wait."""
    from quire.ops.compiled import cache_folder
    from quire.ops.compiled import warm as compile_all

    seconds = compile_all()
    print(f"Kernels ready after {seconds:.1f} s in {cache_folder()}")


@app.command
def demo(
    *,
    topics: Annotated[int, Parameter(help="how many topics")] = 24,
    seed: Annotated[int, Parameter(help="the same seed gives the same topics")] = 0,
) -> None:
    """Find the topics of the docstrings of the scientific Python packages on this machine."""
    import numpy as np
    from rich.console import Console

    from quire.demo import PACKAGES, demo_matrix, docstrings
    from quire.nmf import NMF
    from quire.report import topic_table

    console = Console()
    times = [time.perf_counter()]
    with console.status("Reading docstrings"):
        documents = docstrings()
        times.append(time.perf_counter())
    with console.status("Counting words"):
        X, vocabulary = demo_matrix([document.text for document in documents])
        times.append(time.perf_counter())
    with console.status("Finding topics"):
        model = NMF(topics, init="random", n_init=4, random_state=seed)
        W = model.fit_transform(X)
        times.append(time.perf_counter())
    read, counted, fitted = np.diff(times)
    names = [document.name for document in documents]
    console.print(
        topic_table(W, model.components_, model.labels_, model.memberships_, list(vocabulary), names)
    )
    console.print(
        f"\n{len(documents):,} docstrings of {', '.join(PACKAGES)}; {X.shape[1]:,} terms; {topics} topics, "
        f"the best of 4 starts.\nread {read:.1f} s, counted {counted:.1f} s, factorized {fitted:.2f} s "
        f"({model.n_iter_} iterations, stopped by {model.stopped_}); seed {seed}",
        style="dim",
        highlight=False,
    )
