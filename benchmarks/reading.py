"""Reading and counting cost what they did: CPU time of this tree beside that of another one.

``python benchmarks/reading.py --before DIR`` takes the folder of an older checkout (``git worktree add DIR COMMIT``).
Processes of both trees take turns, each with its own compiled kernels, on one thread; the least CPU time of all turns
counts, which other work on the machine hardly changes. Texts are generated. Writes a section of docs/benchmarks.md;
``--quick`` makes one turn and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # whichever tree quire itself is of

LETTERS = {
    "English": "etaoinshrdlcumwfgypbvk",
    "French": "esaitnruldoécpmévàqèçf",
    "Russian": "оеаинтсрвлкмдпуяыьгзбч",
    "Greek": "αοιετσνηυρπκμλωδγχθφβξ",
    "Turkish": "aeinrlıkdmyutsboüşzgçğ",
    "Korean": "".join(chr(0xAC00 + 37 * i) for i in range(300)),
}
KINDS = ("csv", "jsonl", "parquet")
DOCUMENTS, WORDS, VOCABULARY, REPEATS = 600, 250, 10_000, 4


def texts_in(language: str) -> list[str]:
    """Return texts whose words are of a language's letters, as frequent as words are."""
    import numpy as np

    rng, letters = np.random.default_rng(0), np.array(list(LETTERS[language]))
    often = 1 / (np.arange(len(letters)) + 3)
    longest = 4 if language == "Korean" else 11
    words = ["".join(rng.choice(letters, n, p=often / often.sum())) for n in rng.integers(2, longest, VOCABULARY)]
    share = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))
    drawn = np.searchsorted(share / share[-1], rng.random((DOCUMENTS, WORDS)))
    return [" ".join(words[i].capitalize() if n % 12 == 0 else words[i] for n, i in enumerate(row)) for row in drawn]


def write_tables(folder: Path) -> None:
    """Write one table in three formats."""
    import polars as pl

    texts = texts_in("English") * 40
    table = pl.DataFrame({"key": [f"d{i}" for i in range(len(texts))], "text": texts})
    table = table.with_columns(label=pl.Series(["a", "b", "c", "d"] * (len(texts) // 4)))
    table.write_csv(folder / "a.csv")
    table.write_ndjson(folder / "a.jsonl")
    table.write_parquet(folder / "a.parquet")


def tasks(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return what is measured, by name."""
    import quire
    from quire.runs.options import Options
    from quire.runs.terms import count_terms

    options = Options(threads=1)
    chosen = options.resolved_recipe(None)

    def reading(kind: str) -> Callable[[], Any]:
        return lambda: quire.read_corpus(folder / f"a.{kind}")

    def kernels(texts: list[str]) -> Callable[[], Any]:
        return lambda: quire.Counts(n_jobs=1).fit_transform(texts)

    def stage(texts: list[str]) -> Callable[[], Any]:
        corpus = quire.read_corpus(texts)
        return lambda: count_terms(corpus, chosen, options)

    spoken = {language: texts_in(language) for language in LETTERS}
    return (
        {f"reading .{kind}": reading(kind) for kind in KINDS}
        | {f"`Counts()`, {language}": kernels(texts) for language, texts in spoken.items()}
        | {f"the count stage of a run, {language}": stage(texts) for language, texts in spoken.items()}
    )


def measured(folder: Path) -> dict[str, float]:
    """Return the least CPU seconds of each task."""
    import resource

    def cpu() -> float:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    def least(task: Callable[[], Any]) -> float:
        task()
        times = []
        for _ in range(REPEATS):
            began = cpu()
            task()
            times.append(cpu() - began)
        return min(times)

    return {name: least(task) for name, task in tasks(folder).items()}


def of_tree(tree: Path, folder: Path) -> dict[str, float]:
    """Measure a tree in a process of its own."""
    env = os.environ | {"PYTHONPATH": str(tree / "src"), "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--measure", str(folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout
    return dict(json.loads(said.splitlines()[-1]))


def main() -> None:
    """Measure both trees in turn, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="the folder of an older checkout")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure is not None:
        print(json.dumps(measured(given.measure)))
        return
    if given.before is None:
        parser.error("name the folder of an older checkout: --before DIR")
    trees = {"before": given.before.resolve(), "now": Path(__file__).resolve().parents[1]}
    best: dict[str, dict[str, float]] = {name: {} for name in trees}
    with tempfile.TemporaryDirectory() as folder:
        write_tables(Path(folder))
        for _ in range(1 if given.quick else given.turns):
            for name, tree in trees.items():
                for task, seconds in of_tree(tree, Path(folder)).items():
                    best[name][task] = min(seconds, best[name].get(task, seconds))
    rows = [
        [task, f"{1000 * best['before'][task]:.1f}", f"{1000 * now:.1f}", f"{now / best['before'][task]:.2f}"]
        for task, now in best["now"].items()
    ]
    from measure import machine, table, write_section

    shown = table(["what", "before, ms", "now, ms", "ratio"], rows)
    print(shown)
    if not given.quick:
        write_section("reading", f"{ABOUT.format(turns=given.turns)}\n\n{shown}\n\n*{machine()}*")


ABOUT = """## Reading and counting cost what they did

CPU time on one thread, the least of {turns} turns of two trees: before the readers and languages of this edition, and
now (`python benchmarks/reading.py --before DIR`). `Counts()` is what the kernels take. The count stage of a run did
less before: it now also looks for addresses, emoji, letters of more than one form, repeated lines, and the language of
each document, most of which is done once for a vocabulary and weighs more for few texts, as here. On a machine that
others use, differences of a tenth or two are no more than noise."""

if __name__ == "__main__":
    main()
