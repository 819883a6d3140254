"""The page's section on runs to which documents came."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.results import Row
from benchmarks.quality.shown import distinct, mean, pick, section, shown, source, table
from benchmarks.quality.update import NEW, SAME

from quire.messages import listed

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
    told = {corpus: _differences(pick(rows, corpus=corpus)) for corpus in distinct(rows, "corpus", SAME)}
    body = []
    for corpus, (updated, before) in told.items():
        own = pick(rows, corpus=corpus)
        nmi, whole = (shown([row[name] for row in own]) for name in ("nmi", "whole"))
        added = f"{mean([row['new_topics'] for row in own]):.1f}"
        body.append([corpus, str(len(own)), added, nmi, whole, *(f"{mean(one):+.3f}" for one in (updated, before))])
    means = [mean(updated) for updated, _ in told.values()]
    low = [f"{corpus} {mean(updated):+.3f}" for corpus, (updated, _) in told.items() if mean(updated) < -NEAR]
    prose = (
        "Where nothing new comes, a run of half of the documents that is updated with the other half, beside one of "
        "all of them: NMI with the classes, means over seeds, each of which halves the documents anew. Over "
        f"{len(means)} corpora an update is {mean(means):+.3f} beside it; {len(means) - len(low)} of them are "
        f"at most {NEAR} below{f' (not {listed(low)})' if low else ''}. The last column has the run before the update "
        "beside the fit of all, on the same half of the documents: topics that are kept are as good as the half of "
        "the documents that they were learnt from lets them be."
    )
    headings = ["corpus", "seeds", "new topics", "NMI updated", "of all at once", "difference", "before the update"]
    return f"{prose}\n\n{table(headings, body)}"


def _differences(rows: list[Row]) -> tuple[list[float], list[float]]:
    """Return what an update has over a fit of all documents, and what the run before it has on its own ones."""
    return [row["nmi"] - row["whole"] for row in rows], [row["before"] - row["whole_before"] for row in rows]
