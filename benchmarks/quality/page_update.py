"""The page's section on runs to which documents came."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.results import Row
from benchmarks.quality.shown import distinct, mean, pick, section, source, table
from benchmarks.quality.update import NEW, SAME

PURE, NEAR = 0.8, 0.02


def update(data: dict[str, Any]) -> str:
    """Return how an update finds a class that was left out, and what it does where nothing new came."""
    rows = data["rows"]
    if not rows:
        return ""
    classes, nothing = [row for row in rows if row["left_out"]], pick(rows, left_out="")
    return section("Documents that came later", _of_classes(classes), _of_nothing(nothing), source(data, "update"))


def _of_classes(rows: list[Row]) -> str:
    body = [
        [row["corpus"], row["left_out"], f"{row['documents']:,} of {row['came']:,}", str(row["new_topics"]),
         f"{row['purity']:.3f}" if row["new_topics"] else "–", f"{row['share']:.3f}" if row["new_topics"] else "–"]
        for corpus in distinct(rows, "corpus", NEW)
        for row in pick(rows, corpus=corpus)
    ]  # fmt: skip
    found = [row for row in rows if row["new_topics"]]
    prose = (
        "A class is left out, the default recipe gathers 80% of the documents of the others, and `run.update` is given "
        "the rest: the class and 20% of the others. Of the new topic that has most of the class, purity is the share "
        f"that is of it, over all documents. It was found in {len(found)} of {len(rows)} cases, as one new topic in "
        f"{sum(row['new_topics'] == 1 for row in found)}, with a purity of {mean([r['purity'] for r in found]):.3f} on "
        f"average (bar {PURE}; {sum(row['purity'] >= PURE for row in found)} reach it)."
    )
    headings = ["corpus", "left out", "of what came", "new topics", "purity", "share of the class"]
    return f"{prose}\n\n{table(headings, body)}"


def _of_nothing(rows: list[Row]) -> str:
    body = [
        [row["corpus"], f"{row['came']:,}", str(row["new_topics"]), f"{row['nmi']:.3f}", f"{row['whole']:.3f}",
         f"{row['nmi'] - row['whole']:+.3f}"]
        for corpus in distinct(rows, "corpus", SAME)
        for row in pick(rows, corpus=corpus)
    ]  # fmt: skip
    low = [row for row in rows if row["nmi"] < row["whole"] - NEAR]
    prose = (
        "Where nothing new comes, a run of half of the documents that is updated with the other half, beside one of "
        f"all of them: NMI with the classes. {len(rows) - len(low)} of {len(rows)} are at most {NEAR} below."
    )
    headings = ["corpus", "documents that came", "new topics", "NMI updated", "NMI of all at once", "difference"]
    return f"{prose}\n\n{table(headings, body)}"
