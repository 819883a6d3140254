"""``quire cluster``: a run, kept in a folder and printed."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from quire.cli.options import OUTPUT, Documents, Json, NewRunFolder, Quiet, Replace, WithPage, takes_options_of_a_run
from quire.cli.output import PAGE_FILE, default_folder, live_stages, print_page, print_run, source_of, tell
from quire.cli.replace import check_replacing
from quire.corpus.presence import source_name

if TYPE_CHECKING:
    from quire.corpus.corpus import Corpus
    from quire.messages import Stages, Update
    from quire.places.place import Keeping
    from quire.runs.options import Options
    from quire.runs.run import Run
    from quire.runs.where import Work

_UNPACKED = 3  # times that texts in memory take what they take in a file


@takes_options_of_a_run("cluster")
def cluster(
    *paths: Documents,
    config: Annotated[Path | None, Parameter(help="a TOML file with any of these options")] = None,
    out: NewRunFolder = None,
    replace: Replace = False,
    resume: Annotated[
        Path | None, Parameter(group=OUTPUT, help="go on with the run of this folder, which was killed")
    ] = None,
    with_page: WithPage = True,
    json: Json = False,
    quiet: Quiet = False,
    **given: Any,
) -> None:
    """Gather documents into topics and keep the result as a run, with a page to look at."""
    if resume is not None:
        typed = {"paths": paths or None, "config": config, "out": out, "replace": replace or None, **given}
        resume_run(resume, typed, json, quiet, with_page)
        return
    source = source_of(paths, "cluster")
    from quire.runs.options import options_of
    from quire.runs.recipe import read_toml

    stored = read_toml(config, "configuration") if config else {}
    kept = stored.pop("out", None)
    if kept is not None and not (isinstance(kept, str) and kept):
        raise ValueError(f"Option out = {kept!r} must be the name of a folder.")
    options = options_of("cluster", stored, given)
    folder = out or Path(kept or default_folder(paths[0]))
    if not replace:
        check_replacing(folder, None if source == "-" else source_name(source), options, ask=not (json or quiet))
    make_run(source, options, folder, json, quiet, with_page)


def make_run(source: Any, options: Options, out: Path, as_json: bool, quiet: bool, page: bool) -> None:
    """Make a run, save it, write its page, print it; ``source`` may be a function that makes a corpus."""
    from quire.runs.folder import check_target
    from quire.runs.where import check_unfinished, work_on

    check_target(out)  # before any work is done
    check_unfinished(out)
    _make(lambda: work_on(source() if callable(source) else source, options, out), out, as_json, quiet, page)


def resume_run(out: Path, typed: dict[str, Any], as_json: bool, quiet: bool, page: bool) -> None:
    """Go on with a run that was killed; only options that change no result may be others now."""
    from quire.runs.folder import check_target
    from quire.runs.options import declared_options
    from quire.runs.where import left_work

    free = [name for name, one in declared_options().items() if one.free]
    more = [name for name, value in typed.items() if value is not None and name not in free]
    if more:
        named = ", ".join("the documents" if name == "paths" else f"--{name.replace('_', '-')}" for name in more)
        raise ValueError(f"A run is resumed with the options that it was begun with: leave {named} out.")
    check_target(out)
    work = left_work(out, {name: typed[name] for name in free if typed.get(name) is not None})
    _make(lambda: work, out, as_json, quiet, page)


def _make(begin: Callable[[], Work], out: Path, as_json: bool, quiet: bool, page: bool) -> None:
    from quire.places.machine import threads_kept
    from quire.places.portable import keep_one_heap
    from quire.runs.load import load

    keep_one_heap()
    left = None
    with threads_kept(), live_stages(quiet) as stages:
        work = begin()
        run = _made(work, out, stages)
        streamed = work.target is not None
        page = page and (not streamed or page_fits_here(run, out, work.options))
        if page:
            with stages.stage("page") as update:
                left = write_its_page(load(out) if streamed else run, out, update)
    print_run(run, out, as_json, quiet, work.options.by)
    if as_json or quiet:
        return
    if page:
        print_page(out / PAGE_FILE, left)
    elif streamed:
        print(f"Look at it with: quire serve {shlex.quote(str(out))}")


def _made(work: Work, out: Path, stages: Stages) -> Run:
    """Make a run and save it; one in blocks can go on after an interrupt or a full disk."""
    from quire.places.portable import give_back_memory
    from quire.runs.editing import replayed_on
    from quire.runs.pipeline import gather, kept_run
    from quire.runs.where import forget_work

    try:
        made = gather(work.source, work.options, work.place, stages, recipe=work.recipe)
        if work.target is not None:
            made.write(work.target)
    except BaseException as error:
        if not _can_go_on(work, error):
            work.place.close()
            raise
        cast("Keeping", work.place).leave()
        how = f"go on with `quire cluster --resume {shlex.quote(str(out))}`."
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(how) from None
        raise ValueError(f"{_what_broke(error)} Then {how}") from None
    if work.target is not None:
        work.place.close()
        return kept_run(out, work.options, tell=tell)
    run: Run = made.run()
    del made  # all that it was made from, in parts, is as large again
    give_back_memory()
    if work.options.edits is not None:
        with stages.stage("edit"):
            run = replayed_on(run, work.options.edits, tell)
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


def page_fits_here(run: Run, out: Path, options: Options) -> bool:
    """Say whether the page, for which all texts are read, can be made within the memory allowed."""
    from quire.runs.budget import memory_of, page_fits

    texts = _UNPACKED * (out / "documents.parquet").stat().st_size
    return page_fits(len(run.documents), sum(run.cuts), memory_of(options.memory) - texts)


def write_its_page(run: Run, out: Path, update: Update) -> dict[str, Any] | None:
    """Write the page of a run that is saved already; return what was left out of it."""
    from quire.pages.file import write_page
    from quire.pages.payload import payload_of

    try:
        return write_page(payload_of(run, out, update=update), out / PAGE_FILE, update=update).left
    except (ValueError, OSError) as error:
        raise ValueError(f"The run is in {out}, but not its page. {error} Then try: quire page {out}") from None


def read(source: Any, options: Options, stages: Stages) -> Corpus:
    """Read a corpus, or call the function that makes one."""
    from quire.runs.pipeline import read as read_documents

    with stages.stage("read") as update:
        if callable(source):
            return source()  # type: ignore[no-any-return]
        return read_documents(source, options, progress=lambda _, done, n: update(done, n))
