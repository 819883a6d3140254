"""Making a run for the command line, and printing it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.cli.output import plain_console, print_json, print_page
from quire.cli.page import PAGE

if TYPE_CHECKING:
    from quire.corpus.corpus import Corpus
    from quire.messages import Stages, Update
    from quire.runs.options import Options
    from quire.runs.run import Run
    from quire.runs.where import Work

_FREE = ("memory", "threads")  # options that change no result
_UNPACKED = 3  # times that texts in memory take what they take in a file


def make_run(source: Any, options: Options, out: Path, as_json: bool, quiet: bool, page: bool) -> None:
    """Make a run, save it, write its page, print it; ``source`` may be a function that makes a corpus."""
    from quire.runs.folder import check_target
    from quire.runs.where import check_unfinished, work_on

    check_target(out)  # before any work is done
    check_unfinished(out)
    options.resolved_recipe()
    _make(lambda: work_on(source() if callable(source) else source, options, out), out, as_json, quiet, page)


def resume_run(out: Path, given: dict[str, Any], as_json: bool, quiet: bool, page: bool) -> None:
    """Go on with a run that was killed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.cli.cluster import resume_run
    >>> resume_run(Path("run"), {"seed": 3}, False, False, False)
    Traceback (most recent call last):
    ValueError: A run is resumed with the options that it was begun with: leave --seed out.
    """
    from quire.runs.folder import check_target
    from quire.runs.where import left_work

    free = ("resume", "json", "quiet", "page", *_FREE)
    more = [name for name, value in given.items() if value is not None and name not in free]
    if more:
        named = ", ".join(
            "the documents" if name == "path" else f"--{name.replace('_', '-')}" for name in more
        )
        raise ValueError(f"A run is resumed with the options that it was begun with: leave {named} out.")
    check_target(out)
    work = left_work(out, {name: given[name] for name in _FREE if given.get(name) is not None})
    _make(lambda: work, out, as_json, quiet, page)


def _make(begin: Callable[[], Work], out: Path, as_json: bool, quiet: bool, page: bool) -> None:
    from rich.console import Console

    from quire.cli.reports.run import LiveStages
    from quire.runs.run import load

    left = None
    with LiveStages(Console(stderr=True), quiet) as stages:
        work = begin()
        run = _made(work, out, stages)
        streamed = work.target is not None
        page = page and (not streamed or _page_fits(run, out, work.options))
        if page:
            with stages.stage("page") as update:
                left = _write_page(load(out) if streamed else run, out, update)
    print_run(run, out, as_json, quiet)
    if as_json or quiet:
        return
    if page:
        print_page(out / PAGE, left)
    elif streamed:
        print(f"Look at it with: quire serve {shlex.quote(str(out))}")


def _made(work: Work, out: Path, stages: Stages) -> Run:
    """Make a run and save it; one in blocks can go on after an interrupt or a full disk."""
    from quire.runs.pipeline import gather
    from quire.runs.run import load
    from quire.runs.where import forget_work

    try:
        made = gather(work.source, work.options, work.place, stages, recipe=work.recipe)
        if work.target is not None:
            made.write(work.target)
    except BaseException as error:
        if not _can_go_on(work, error):
            work.place.close()
            raise
        how = f"go on with `quire cluster --resume {shlex.quote(str(out))}`."
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(how) from None
        raise ValueError(f"{_what_broke(error)} Then {how}") from None
    if work.target is not None:
        work.place.close()
        return load(out, texts=False)
    run = made.run()
    with stages.stage("save"):
        run.save(out)
    forget_work(out)
    return run


def _what_broke(error: BaseException) -> str:
    """Return a sentence; an error of NumPy's or of a codec cannot be made anew with other words."""
    if isinstance(error, MemoryError):
        return "There was not enough memory: end other programs, or allow less with --memory."
    return f"{str(error).rstrip('.')}."


def _can_go_on(work: Work, error: BaseException) -> bool:
    """Say whether what is there is worth keeping: not after an error that would come again."""
    from quire.places.checkpoint import checkpoint_of

    kept = checkpoint_of(work.place)
    if kept is None or not kept.has("command"):
        return False
    if isinstance(error, KeyboardInterrupt):
        return True
    return isinstance(error, OSError | MemoryError) or (work.resumed and isinstance(error, ValueError))


def _page_fits(run: Run, out: Path, options: Options) -> bool:
    """Say whether the page, for which all texts are read, can be made within the memory allowed."""
    from quire.runs.budget import memory_of, page_fits

    texts = _UNPACKED * (out / "documents.parquet").stat().st_size
    return page_fits(len(run.documents), len(run.H), memory_of(options.memory) - texts)


def _write_page(run: Run, out: Path, update: Update) -> dict[str, Any] | None:
    """Write the page of a run that is saved already; return what was left out of it."""
    from quire.pages.file import write_page
    from quire.pages.sections import full_payload

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
    >>> from quire.cli.cluster import read
    >>> from quire.runs.options import Options
    >>> from quire.messages import Stages
    >>> len(read(["a moon"], Options(), Stages()))
    1
    """
    from quire.runs.pipeline import read as read_documents

    with stages.stage("read") as update:
        if callable(source):
            return source()  # type: ignore[no-any-return]
        return read_documents(source, options, progress=lambda _, done, n: update(done, n))


def print_run(run: Run, where: Path, as_json: bool, quiet: bool) -> None:
    """Print what was read, topics and scores; JSON; or only where the run is.

    Examples
    --------
    >>> from quire.cli.cluster import print_run
    >>> callable(print_run)
    True
    """
    from quire.cli.reports.run import run_report

    if as_json:
        print_json({"run": str(where), **run.info, "topics": run.topics.to_dicts()})
    elif quiet:
        print(where)
    else:
        console = plain_console()
        console.print(run_report(run))
        console.print(f"The run is in {where}", highlight=False, markup=False, soft_wrap=True)
