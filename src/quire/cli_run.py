"""Making a run for the command line, in memory or in blocks, and printing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.cli_output import plain_console, print_json, print_page
from quire.cli_page import PAGE

if TYPE_CHECKING:
    from quire.blocks.place import Place
    from quire.corpus import Corpus
    from quire.options import Options
    from quire.run import Run
    from quire.stages import Stages, Update


def make_run(source: Any, options: Options, out: Path, as_json: bool, quiet: bool, page: bool) -> None:
    """Make a run, save it, write its page, print it.

    Examples
    --------
    >>> from quire.cli_run import make_run
    >>> callable(make_run)
    True
    """
    from quire.blocks.where import place_for
    from quire.folder import check_target

    check_target(out)  # before any work is done
    options.resolved_recipe()
    read_from = None if callable(source) or source == "-" else source
    place = None if read_from is None else place_for(read_from, options, out)
    _make(source, options, out, place, as_json, quiet, page)


def resume_run(out: Path, given: dict[str, Any], as_json: bool, quiet: bool, page: bool) -> None:
    """Go on with a run that was killed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.cli_run import resume_run
    >>> resume_run(Path("run"), {"seed": 3}, False, False, False)
    Traceback (most recent call last):
    ValueError: A run is resumed with the options that it was begun with: leave --seed out.
    """
    from quire.blocks.where import left_work
    from quire.folder import check_target

    free = ("resume", "json", "quiet", "page")
    more = [name for name, value in given.items() if value is not None and name not in free]
    if more:
        named = ", ".join(
            "the documents" if name == "path" else f"--{name.replace('_', '-')}" for name in more
        )
        raise ValueError(f"A run is resumed with the options that it was begun with: leave {named} out.")
    check_target(out)
    source, options, place = left_work(out)
    _make(source, options, out, place, as_json, quiet, page)


def _make(
    source: Any, options: Options, out: Path, place: Place | None, as_json: bool, quiet: bool, page: bool
) -> None:
    from rich.console import Console

    from quire.making import run_of
    from quire.report import LiveStages
    from quire.run import load

    left = None
    with LiveStages(Console(stderr=True), quiet) as stages:
        if place is None:
            run = run_of(read(source, options, stages), options, stages)
            with stages.stage("save"):
                run.save(out)
        else:
            run = _made_in_blocks(source, options, out, place, stages)
            page = page and _page_fits(run, options)
        if page:
            with stages.stage("page") as update:
                left = _write_page(run if place is None else load(out), out, update)
    print_run(run, out, as_json, quiet)
    if as_json or quiet:
        return
    if page:
        print_page(out / PAGE, left)
    elif place is not None:
        print(f"Look at it with: quire serve {out}")


def _made_in_blocks(source: Any, options: Options, out: Path, place: Place, stages: Stages) -> Run:
    """Make a run whose documents are not in memory; what an interrupt leaves can be resumed."""
    from quire.blocks.disk import DiskPlace
    from quire.blocks.making import large_run, run_without_texts

    try:
        large_run(source, options, out, stages, place=place)
    except KeyboardInterrupt:
        if isinstance(place, DiskPlace):
            raise KeyboardInterrupt(f"go on with `quire cluster --resume {out}`.") from None
        place.close()
        raise
    except BaseException:
        place.close()
        raise
    place.close()
    return run_without_texts(out)


def _page_fits(run: Run, options: Options) -> bool:
    from quire.blocks.budget import memory_of, page_fits

    return page_fits(len(run.documents), len(run.H), memory_of(options.memory))


def _write_page(run: Run, out: Path, update: Update) -> dict[str, Any] | None:
    """Write the page of a run that is saved already; return what was left out of it."""
    from quire.explore.page import write_page
    from quire.explore.sections import full_payload

    try:
        return write_page(full_payload(run, out, update=update), out / PAGE, update=update).left
    except (ValueError, OSError) as error:
        raise ValueError(
            f"The run is in {out}, but not its page. {error} Then try: quire page {out}"
        ) from None


def read(source: Any, options: Options, stages: Stages) -> Corpus:
    """Read a corpus, or call the function that makes one.

    Examples
    --------
    >>> from quire.cli_run import read
    >>> from quire.options import Options
    >>> from quire.stages import Stages
    >>> len(read(["a moon"], Options(), Stages()))
    1
    """
    from quire.pipeline import read as read_documents

    with stages.stage("read") as update:
        if callable(source):
            return source()  # type: ignore[no-any-return]
        return read_documents(source, options, lambda _, done, n: update(done, n))


def print_run(run: Run, where: Path, as_json: bool, quiet: bool) -> None:
    """Print what was read, topics and scores; JSON; or only where the run is.

    Examples
    --------
    >>> from quire.cli_run import print_run
    >>> callable(print_run)
    True
    """
    from quire.report import run_report

    if as_json:
        print_json({"run": str(where), **run.info, "topics": run.topics.to_dicts()})
    elif quiet:
        print(where)
    else:
        console = plain_console()
        console.print(run_report(run))
        console.print(f"The run is in {where}", highlight=False, markup=False, soft_wrap=True)
