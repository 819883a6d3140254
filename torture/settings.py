"""What is read beside documents, as somebody would: recipes, settings, labels, words, choices, seeds, edits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import quire.pages.payload
import quire.runs.pipeline
import quire.studies.labels_file
from quire.pages.encoding import json_bytes
from quire.runs.load import load
from torture.case import WrongError, is_sentence
from torture.runs import digest

PLAIN = {"name": "plain", "factorization": {"method": "NMF", "max_iter": 5}}


def _read_recipe(folder: Path, seeds: Path, whole: bool) -> None:
    from quire.runs.recipe import recipe

    read = recipe(folder / "r.toml")
    read.to_toml()
    if whole:
        quire.runs.pipeline.cluster(
            ["moon orbit", "moon rocket", "goal team"], 2, recipe=read, random_state=0, n_jobs=1
        )


def _read_config(folder: Path, seeds: Path, whole: bool) -> None:
    from quire.runs.options import options_of
    from quire.runs.recipe import read_toml

    options_of("cluster", read_toml(folder / "c.toml", "configuration"), {})


def _read_labels(folder: Path, seeds: Path, whole: bool) -> None:
    run = load(seeds / "run")
    labels = quire.studies.labels_file.read_labels(folder / "l.csv", run)
    if whole:
        from quire.studies.evaluate import evaluate

        evaluate(run, labels)


def _read_words(folder: Path, seeds: Path, whole: bool) -> None:
    from quire.runs.word_lists import read_words

    words = read_words(str(folder / "w.txt"), "--stop-words")
    if whole:
        texts = ["moon orbit", "moon rocket", "goal team"]
        quire.runs.pipeline.cluster(texts, 2, recipe=PLAIN, random_state=0, n_jobs=1, stop_words=words)


def _read_seeds(folder: Path, seeds: Path, whole: bool) -> None:
    from quire.runs.seeds import read_seeds

    path = folder / "s.toml"
    read_seeds(path)
    if whole:
        texts = ["moon rocket", "moon orbit", "goal team", "goal season", "bread oven", "bread flour"]
        quire.runs.pipeline.cluster(texts, 3, recipe=PLAIN, random_state=0, n_jobs=1, seeds=path)


def _read_edits(folder: Path, seeds: Path, whole: bool) -> None:
    """Make the edits of a file in another run, and keep them there, as far as they can be made."""
    from quire.runs.editing import import_edits
    from quire.runs.edits.lines import read_edits

    read_edits(folder / "e.jsonl")
    copy = folder.parent / "copy"
    shutil.rmtree(copy, ignore_errors=True)  # a search for examples reads many times in one folder
    shutil.copytree(seeds / "run", copy)
    run, left = import_edits(copy, folder / "e.jsonl")
    if digest(run) != digest(load(copy)) or not all(map(is_sentence, left)):
        raise WrongError(f"edits that were made are not those that are read: {left[:1]}")


def _read_choice(folder: Path, seeds: Path, whole: bool) -> None:
    payload = quire.pages.payload.payload_of(load(seeds / "run"), seeds / "run", choice=folder)
    json.loads(json_bytes(payload.head), parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise WrongError(f"the page would be given {name}, which no browser reads")


READ: dict[str, Callable[[Path, Path, bool], None]] = {
    "recipe": _read_recipe,
    "config": _read_config,
    "labels": _read_labels,
    "words": _read_words,
    "choice": _read_choice,
    "seeds": _read_seeds,
    "edits": _read_edits,
}
