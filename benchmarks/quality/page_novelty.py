"""The page's section on documents that are unlike anything seen."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.novelty import CLASSES, CORPORA, FEWEST
from benchmarks.quality.results import Row
from benchmarks.quality.shown import distinct, mean, pick, section, source, table

BAR = 0.85
_COLUMNS = {"auroc": "novelty", "auroc_unknown": "unknown words", "auroc_gain": "telling words",
            "auroc_lead": "of one topic", "auroc_cosine": "usual words", "auroc_nearest": "nearest document",
            "auroc_unsure": "1 − membership", "above": "above 0.95", "above_half": "above 0.5"}  # fmt: skip


def novelty(data: dict[str, Any]) -> str:
    """Return how well the documents of a class that was left out are told from others, corpus by corpus."""
    rows = data["rows"]
    if not rows:
        return ""
    corpora = distinct(rows, "corpus", CORPORA)
    body = [[corpus, *_means(pick(rows, corpus=corpus))] for corpus in corpora]
    means = {
        column: mean([mean([row[column] for row in pick(rows, corpus=name)]) for name in corpora])
        for column in _COLUMNS
    }
    body.append(["mean", *(f"{value:.3f}" for value in means.values())])
    reached = "reaches" if means["auroc"] >= BAR else "misses"
    prose = (
        "A class is left out, the default recipe gathers 80% of the documents of the others into as many topics as "
        "there are classes, and `novelty` (`quire assign`) tells the documents of the class left out from the other "
        f"20%: AUROC, 0.5 being chance; means over up to {CLASSES} classes of {FEWEST} documents or more, spread over "
        f"their sizes. Over {len(corpora)} corpora its mean of {means['auroc']:.3f} {reached} the bar of {BAR}. Beside "
        "it, what it is made of, each alone, and 1 − membership. The last columns say whether it is calibrated: the "
        "share of the 20% whose novelty is above 0.95, which should be 0.05, and above 0.5."
    )
    cells = table(["corpus", *_COLUMNS.values()], body)
    return section("Documents unlike anything seen", prose, cells, source(data, "novelty"))


def _means(rows: list[Row]) -> list[str]:
    return [f"{mean([row[column] for row in rows]):.3f}" for column in _COLUMNS]
