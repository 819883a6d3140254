"""Write the table of docs/methods.md: every recipe once on two labelled corpora, one seed.

About ten minutes on 2 cores. The corpora are read from the folder that ``QUIRE_DATA`` names.
"""

import sys
import tempfile
import time
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from corpora import DATA
from measure import machine, table, write_section

import quire
from quire.ops.compiled import warm
from quire.recipe import built_in

SEED = 0
LEFT_OUT = {("20 Newsgroups", "affinity-propagation")}  # hours: all pairs of 11,314 documents, 30 times


def measured(path: Path, k: int, recipe: str) -> list[str]:
    """Return accuracy, NMI, ARI and seconds from file to run."""
    began = time.perf_counter()
    run = quire.cluster(path, k, recipe=recipe, random_state=SEED)
    taken = time.perf_counter() - began
    scores = [f"{run.info['scores'][name]:.3f}" for name in ("accuracy", "nmi", "ari")]
    found = "" if len(run.H) == k else f" ({len(run.H)} topics)"
    open_end = "" if run.info["fit"]["stopped"] == "tol" else " *"
    return [*scores, f"{taken:.1f}{open_end}{found}"]


def main() -> None:
    """Run everything and write the section."""
    warm()
    with tempfile.TemporaryDirectory() as folder:
        train = Path(folder) / "train.parquet"
        news = pl.read_parquet(DATA / "20newsgroups.parquet").filter(pl.col("split") == "train")
        news.drop("split").write_parquet(train)
        corpora = {"BBC News": (DATA / "bbc_news.parquet", 5), "20 Newsgroups": (train, 20)}
        rows = []
        for recipe in built_in():
            row = [f"`{recipe}`"]
            for corpus, (path, k) in corpora.items():
                left_out = (corpus, recipe) in LEFT_OUT
                row += ["–"] * 4 if left_out else measured(path, k, recipe)
            print(*row, flush=True)
            rows.append(row)
    names = ["recipe"] + [f"{short} {what}" for short in ("BBC", "20NG") for what in ("AC", "NMI", "ARI", "s")]
    where = f"Measured {time.strftime('%Y-%m-%d')} on {machine()}."
    write_section("recipes", f"{table(names, rows)}\n\n{where}", "methods.md")


if __name__ == "__main__":
    main()
