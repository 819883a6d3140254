"""Every kind of input and every file of a run, damaged, and read: sound, or refused with a sentence."""

from __future__ import annotations

import random
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import quire.cli.reports.run
import quire.corpus.corpus
import quire.pages.full_text_file
import quire.pages.payload
import quire.runs.assign_file
import quire.runs.pipeline
import quire.studies.labels_file
from quire.messages import Stages
from quire.pages.full_text import SEARCH, FullText
from quire.places.workfolder import CHECKPOINTS
from quire.runs.edits.log import LOG
from quire.runs.load import load
from quire.runs.pipeline import gather
from quire.runs.where import left_work, work_folder
from torture.bombs import BOMBS
from torture.case import FAILURES, Case, WrongError
from torture.child import made_in_child
from torture.inputs import NOTHING, source_of
from torture.led import led_out
from torture.mutate import mutated
from torture.runs import TIMES, digest, seal_all, use
from torture.seeds import make_seeds
from torture.settings import PLAIN, READ
from torture.warm import warm_kernels

NAME = "mutations"
TOGETHER = 10  # cases of one process: a fork takes as long as one of them
_HOW: tuple[dict[str, Any], ...] = (
    {"split": "paragraphs"}, {"split": "sentences:2"}, {"split": "words:5"}, {"strict": True}, {"keep_quotes": True},
    {"text": "text,title", "each": True}, {"text": "text", "id": "id", "date": "met", "weight": "age"},
    {"text": "text", "group": "label"},
)  # fmt: skip
_BESIDE = {"npz": {"vocabulary": "terms.txt"}, "vectors": {"embeddings": "v.npy"}}  # files that are named, too
_OF_BOMBS, _OF_CHECKPOINTS, _OF_LED, _OF_RUNS = 0.005, 0.05, 0.06, 0.35  # shares of all cases, added up


def cases(seed: int, work: Path) -> Iterator[Case]:
    """Yield damaged files, each with the way in which somebody reads it."""
    warm_kernels()
    seeds = work / "made" / "in"
    made = made_in_child(Case("seeds", lambda folder: make_seeds(folder), seconds=120), seeds.parent)
    if made.verdict in FAILURES:
        raise RuntimeError(f"The sound files could not be made: {made.words}")
    kinds = sorted(path for path in (seeds / "inputs").iterdir())
    files = [path for folder in (seeds / "run", seeds / "edited" / "run") for path in sorted(folder.rglob("*"))]
    files = [path for path in files if path.is_file()]
    number = 0
    while True:
        draw = random.Random(f"{seed} {number}")
        chance = draw.random()
        if chance < _OF_BOMBS:
            yield _bomb(draw)
        elif chance < _OF_CHECKPOINTS:
            yield _checkpoint(seeds / "unfinished", draw)
        elif chance < _OF_LED:
            yield led_out(seeds / "run", draw)
        elif chance < _OF_RUNS:
            yield _run(draw.choice(files), seeds, draw)
        else:
            yield _input(seeds, draw.choice(kinds), draw)
        number += 1


def _bomb(draw: random.Random) -> Case:
    name = draw.choice(list(BOMBS))
    draws = draw.randrange(1 << 30)

    def run(folder: Path) -> None:
        path = BOMBS[name](folder, random.Random(draws))
        corpus = quire.corpus.corpus.read_corpus(path)
        if corpus.matrix is None:
            for _ in corpus.texts():
                pass

    return Case(f"bomb: {name}", run)


def _input(seeds: Path, kind: Path, draw: random.Random) -> Case:
    targets = sorted(path for path in kind.rglob("*") if path.is_file())
    target = draw.choice(targets)
    use = draw.choices(["", "topics", "assign"], [0.8, 0.12, 0.08])[0]
    how = draw.choice(_HOW) if draw.random() < 0.3 and use != "assign" else {}
    state = draw.getstate()

    def run(folder: Path) -> None:
        draw.setstate(state)
        shutil.copytree(kind, folder / kind.name)
        path = folder / kind.name / target.relative_to(kind)
        data, ways = mutated(path.read_bytes(), path.name, draw)
        path.write_bytes(data)
        (folder / "ways.txt").write_text(f"{ways}\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read_changed(folder / kind.name, seeds, use, how)

    told = "".join(f", {name} {value}" for name, value in how.items())
    return Case(f"{kind.name}: {target.name}{f', {use}' * bool(use)}{told}", run)


def read_changed(folder: Path, seeds: Path, use: str = "", how: Mapping[str, Any] | None = None) -> None:
    """Read what is in the folder of a kind of input, as somebody would, or ``use`` it for topics, or to assign it."""
    settings = READ.get(folder.name)
    if settings is not None:
        settings(folder, seeds, bool(use))
    else:
        _read(folder, seeds, use, how or {})


def _read(folder: Path, seeds: Path, use: str, how: Mapping[str, Any]) -> None:
    source = source_of(folder)
    if source is NOTHING:
        return
    how = {**{name: folder / file for name, file in _BESIDE.get(folder.name, {}).items()}, **how}
    if use == "topics":
        quire.runs.pipeline.cluster(source, 2, recipe=PLAIN, random_state=0, n_jobs=1, **how)
        return
    if use == "assign":
        out = folder.parent / "assigned.csv"
        quire.runs.assign_file.assign_file(load(seeds / "run"), source, {}, out, Stages())
        return
    corpus = quire.corpus.corpus.read_corpus(source, **how)
    if corpus.matrix is None:
        for _ in corpus.texts():
            pass


def _run(target: Path, seeds: Path, draw: random.Random) -> Case:
    edited = seeds / "edited" in target.parents
    source = seeds / "edited" / "run" if edited else seeds / "run"
    name = str(target.relative_to(source))
    sealed = draw.random() < 0.5
    state = draw.getstate()

    def run(folder: Path) -> None:
        draw.setstate(state)
        copy = shutil.copytree(source, folder / "run")
        before = (copy / name).read_bytes()
        data, ways = mutated(before, name, draw)
        (copy / name).write_bytes(data)
        (folder / "ways.txt").write_text(f"{ways}\n")
        if sealed:
            seal_all(copy)
            if name == SEARCH:
                _seal_index(copy / SEARCH)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = load(copy)
            if name == SEARCH:
                _search(copy, loaded.documents, sealed)
                return
            said = name == LOG  # a log has no checksum: whoever changes it edits the run
            if not sealed and not said and digest(loaded) != (source.parent / "digest").read_text():
                raise WrongError(f"a run whose {name} was changed ({ways}) loads with other content")
            use(loaded, copy)

    told = re.sub(r"edited-[0-9a-f]+", "edited", name)
    return Case(f"{'edited ' * edited}run: {told}, {'checksums made valid' if sealed else 'as it was sealed'}", run)


def _seal_index(path: Path) -> None:
    with suppress(OSError, ValueError):
        quire.pages.full_text_file.seal(path)


def _search(folder: Path, documents: Any, sealed: bool) -> None:
    """Look into an index that was changed; one whose checksum is valid was made by somebody, who may say anything."""
    search = FullText(folder / SEARCH, documents)
    search.wait(10)
    search.search("moon rocket")
    if not search.wait(10):
        raise WrongError("a damaged index is not made anew")
    found = [row["row"] for row in search.search("moon rocket")["documents"]]
    search.close()
    if not sealed:
        (folder / SEARCH).unlink()
        fresh = FullText(folder / SEARCH, documents)
        fresh.wait(10)
        true = [row["row"] for row in fresh.search("moon rocket")["documents"]]
        fresh.close()
        if found != true:
            raise WrongError(f"a damaged index finds {found} instead of {true}")


def _checkpoint(seeds: Path, draw: random.Random) -> Case:
    left = seeds / ".whole.unfinished"
    target = draw.choice(sorted(path for path in (left / CHECKPOINTS).rglob("*") if path.is_file())).relative_to(left)
    state = draw.getstate()

    def run(folder: Path) -> None:
        draw.setstate(state)
        out = folder / "run"
        path = work_folder(out) / target
        shutil.copytree(left, work_folder(out))
        data, ways = mutated(path.read_bytes(), path.name, draw)
        path.write_bytes(data)
        (folder / "ways.txt").write_text(f"{ways}\n")
        work = left_work(out)
        with warnings.catch_warnings(), work.place:
            warnings.simplefilter("ignore")
            gather(work.source, work.options, work.place, recipe=work.recipe).write(out)
        if digest(load(out), but=TIMES) != (seeds / "digest").read_text():
            raise WrongError(f"a run whose {target} was changed ({ways}) goes on to another result")

    return Case(f"checkpoint: {re.sub(r'-[0-9]+', '', str(target))}", run)  # without the time at which it was made
