"""Part ``papers``: the recipes whose paper leaves something open, as decided and as printed."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.corpora import LABELLED, SHORT
from benchmarks.quality.recipes import Visit, scored, timed_run
from benchmarks.quality.results import Row
from benchmarks.quality.shown import SCORES, distinct, mean, pick, section, shown, source, table

BESIDE = "tfidf"  # common practice
DECIDED = {
    "conroy2023-nl": (
        "Rare tokens: the most frequent that make up 99 % of all counts end among those seen once, and a handful of "
        "documents that share such tokens with nobody take topics for themselves. Tokens in 5 documents or more are "
        "kept instead (fewer in a small corpus): with that cut NL is the best of the five scalings as in figures 4 and "
        "5, and with the printed one it is not."
    ),
    "ding2008-ppc": (
        "X is “the frequency of a word”, and rows of W sum to 1: a long document cannot weigh more than a short one, "
        "so that on frequencies lengths are clustered. Log tf-idf with rows of unit length; words in 5 documents or "
        "more."
    ),
    "ding2008-sppc": (
        "The same, and words are held alike. By the printed steps: exact ones go farther from the k-means that both "
        "begin with, to worse clusters."
    ),
    "plsi": "Frequencies, as printed; words of fewer than 5 documents, of which the paper says nothing, are left out.",
    "tsikhanovich2011": (
        "The printed tf·log(n / Σ tf) leaves rows as long as documents are, and a few long ones lead the least "
        "squares. tf·log(n / df) with rows of unit length is where the thesis's λ axis comes out (its program divides "
        "λ by n). λ = 0.0005 is nλ = 4.7 for its 9,394 documents, within its best 3 to 7."
    ),
}


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus."""
    if corpus in SHORT:
        return []
    names = [BESIDE, *(name for one in DECIDED for name in (one, f"{one}-as-printed"))]
    return [{"corpus": corpus, "recipe": name, "seed": seed} for seed in range(seeds) for name in names]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the scores of one recipe with one seed."""
    run, seconds = timed_run(visit, cell["recipe"], cell["seed"])
    largest = max(len(run.labels[run.labels == topic]) for topic in range(len(run.H))) / len(run.labels)
    return [{**scored(visit, run.labels, seconds), "largest": largest}]


def papers(data: dict[str, Any]) -> str:
    """Return the page's section: each recipe as decided and as printed, corpus by corpus."""
    rows = data["rows"]
    if not rows:
        return ""
    corpora = distinct(rows, "corpus", LABELLED)
    body = []
    for name in (BESIDE, *(one for kept in DECIDED for one in (kept, f"{kept}-as-printed"))):
        of = pick(rows, recipe=name)
        found = [_cell(pick(of, corpus=corpus)) for corpus in corpora]
        size = f"{mean([row['largest'] for row in of]):.0%}" if of else "–"
        body.append([f"`{name}`", *found, size])
    prose = (
        "Where a paper leaves weighting, length of rows, cut or λ open, the recipe named after it takes a reading "
        "that was chosen by its scores on these corpora, and `…-as-printed` is the letter; only for conroy2023 do the "
        "paper's own findings come out with it (SPPC is behind NMF and PLSI in both readings). NMI / AC, and the share "
        f"of the documents in the largest topic, mean of all; `{BESIDE}` is what is commonly done. With a matrix "
        "nothing is cut, so that only weighting and method differ there."
    )
    why = "\n".join(f"- `{name}`: {reason}" for name, reason in DECIDED.items())
    headings = ["recipe", *corpora, "largest topic"]
    return section("Recipes named after papers", prose, table(headings, body), why, source(data, "papers"))


def _cell(rows: list[Row]) -> str:
    if not rows:
        return "–"
    return " / ".join(shown([row[score] for row in rows]) for score in SCORES if score != "ari")
