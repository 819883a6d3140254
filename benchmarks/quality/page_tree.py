"""The page's section on flat cuts of the tree."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.results import Row
from benchmarks.quality.shown import distinct, mean, pick, section, source, table

BAR = 0.03
_COLUMNS = [
    "corpus", "classes", "topics of `auto`", "leaves", "NMI flat", "NMI of the cut", "of its nodes", "difference",
]  # fmt: skip


def tree(data: dict[str, Any]) -> str:
    """Return what a cut at the number of classes loses against a run of so many topics, corpus by corpus."""
    rows = pick(data["rows"], by="mixture")
    if not rows:
        return ""
    corpora = distinct(rows, "corpus", LABELLED)
    means = {name: _means(pick(rows, corpus=name)) for name in corpora}
    whole = {key: mean([one[key] for one in means.values()]) for key in ("flat_nmi", "nmi", "nodes_nmi")}
    body = [[name, *_cells(pick(rows, corpus=name)[0], means[name])] for name in corpora]
    body.append(["mean", "", "", "", *_scores(whole)])
    lost = whole["flat_nmi"] - whole["nmi"]
    reached = "keeps" if lost <= BAR else "misses"
    missing = [name for name in LABELLED if name not in corpora]
    more = f" Not measured yet: {', '.join(missing)}." if missing else ""
    prose = (
        "The default recipe makes a run with `auto` topics and grows its tree (`--tree`), which is cut at the number "
        "of classes (`run.cut`) and held against a run in which so many topics were looked for. Where there are fewer "
        "leaves than classes, it is cut at the leaves. A cut settles all documents among its topics anew; beside it, "
        f"the nodes as they are in the tree. Over {len(corpora)} corpora a cut loses {lost:.3f} NMI in the mean, and "
        f"so {reached} the bar of {BAR}.{more}"
    )
    blocks = table(_COLUMNS, body), _ways(data["rows"]), source(data, "tree")
    return section("A tree cut at the number of classes", prose, *blocks)


def _ways(rows: list[Row]) -> str:
    """Say how splits by rank-2 NMF do beside those by the mixture, where both were tried."""
    tried = pick(rows, by="rank-2")
    if not tried:
        return ""
    pairs = [(one, next(iter(pick(rows, by="mixture", corpus=one["corpus"], seed=one["seed"])), None)) for one in tried]
    both = [(one, other) for one, other in pairs if other is not None and one["topics"] < one["classes"]]
    if not both:
        return ""
    names = ", ".join(dict.fromkeys(one["corpus"] for one, _ in both))
    rank, mixture = (mean([pair[place]["nmi"] for pair in both]) for place in (0, 1))
    seconds = [mean([pair[place]["seconds"] for pair in both]) for place in (0, 1)]
    return (
        f"Where leaves had to be parted ({names}), parting them by rank-2 NMF (Kuang and Park 2013) instead of by the "
        f"default's mixture gives cuts of NMI {rank:.3f} in the mean, the mixture {mixture:.3f}; trees take "
        f"{seconds[0]:.1f} and {seconds[1]:.1f} s of CPU time."
    )


def _means(rows: list[Row]) -> dict[str, float]:
    return {key: mean([row[key] for row in rows]) for key in ("flat_nmi", "nmi", "nodes_nmi")}


def _cells(row: Row, means: dict[str, float]) -> list[str]:
    return [str(row["classes"]), str(row["topics"]), str(row["leaves"]), *_scores(means)]


def _scores(means: dict[str, float]) -> list[str]:
    values = [f"{means[key]:.3f}" for key in ("flat_nmi", "nmi", "nodes_nmi")]
    return [*values, f"{means['nmi'] - means['flat_nmi']:+.3f}"]
