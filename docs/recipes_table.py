"""Write the table of docs/methods.md: every recipe once on two labelled corpora, one seed.

``python docs/recipes_table.py`` runs all, which takes more than half an hour on 2 cores; with names of
recipes after it, those alone, and the other rows stay. The corpora are read from the folder that
``QUIRE_DATA`` names.
"""

import re
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from corpora import DATA
from measure import DOCS, machine, table, write_section

import quire
from quire.backends.kernels.compiled import warm
from quire.runs.recipe import built_in

SEED = 0
LEFT_OUT = {("20 Newsgroups", "affinity-propagation")}  # five arrays of 11,314² numbers, up to 30 times
HEADINGS = ["recipe", *(f"{corpus} {what}" for corpus in ("BBC", "20NG") for what in ("AC", "NMI", "ARI", "s"))]


def measured(path: Path, k: int, recipe: str) -> list[str]:
    """Return accuracy, NMI, ARI and seconds from file to run."""
    began = time.perf_counter()
    run = quire.cluster(path, k, recipe=recipe, random_state=SEED)
    taken = time.perf_counter() - began
    scores = [f"{round(run.info['scores'][name], 3) + 0:.3f}" for name in ("accuracy", "nmi", "ari")]
    found = "" if len(run.H) == k else f" ({len(run.H)} topics)"
    unsettled = "" if run.info["fit"]["stopped"] == "tol" else " *"
    return [*scores, f"{taken:.1f}{unsettled}{found}"]


def known_rows() -> dict[str, list[str]]:
    """Return the rows that the page has, by recipe."""
    section = (DOCS / "methods.md").read_text("utf-8").partition("<!-- begin recipes -->")[2]
    lines = re.findall(r"^\| (`.*) \|$", section.partition("<!-- end recipes -->")[0], re.MULTILINE)
    return {cells[0].strip("`"): cells for cells in (line.split(" | ") for line in lines)}


def main(chosen: list[str]) -> None:
    """Run the recipes, and write the section after each, so that a long run may be broken off."""
    warm()
    rows = known_rows()
    with tempfile.TemporaryDirectory() as folder:
        train = Path(folder) / "train.parquet"
        news = pl.read_parquet(DATA / "20newsgroups.parquet").filter(pl.col("split") == "train")
        news.drop("split").write_parquet(train)
        corpora = {"BBC News": (DATA / "bbc_news.parquet", 5), "20 Newsgroups": (train, 20)}
        for recipe in chosen or built_in():
            rows[recipe] = [f"`{recipe}`"]
            for corpus, (path, k) in corpora.items():
                left_out = (corpus, recipe) in LEFT_OUT
                rows[recipe] += ["–"] * 4 if left_out else measured(path, k, recipe)
            print(*rows[recipe], flush=True)
            kept = [rows[name] for name in built_in() if name in rows]
            where = f"Last measured {time.strftime('%Y-%m-%d')} on {machine()}."
            write_section("recipes", f"{table(HEADINGS, kept)}\n\n{where}", "methods.md")


if __name__ == "__main__":
    main(sys.argv[1:])
