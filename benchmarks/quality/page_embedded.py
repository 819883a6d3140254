"""The page's section on vectors of a model beside the words."""

from __future__ import annotations

from typing import Any

from benchmarks.quality.embedded import TEXTS, WAYS
from benchmarks.quality.shown import SCORES, distinct, mean, pick, section, shown, source, table

_LESS = 0.005  # NMI that both together may be below the better of the two


def embedded(data: dict[str, Any]) -> str:
    """Return a table a model: corpora by ways, ARI / NMI / AC, and where both together are behind."""
    if not data["rows"]:
        return ""
    blocks = [
        "`both` is the default recipe with the vectors of a model (`--embeddings`), beside words alone and beside "
        "k-means on vectors of unit length (scikit-learn's, the best of 5 starts). ✓: its NMI is that of the better, "
        f"or above, or below by {_LESS} at most."
    ]
    for model in distinct(data["rows"], "model"):
        rows = pick(data["rows"], model=model)
        body = []
        for corpus in distinct(rows, "corpus", TEXTS):
            of = {way: pick(rows, corpus=corpus, way=way) for way in WAYS}
            nmi = {way: mean([row["nmi"] for row in these]) for way, these in of.items()}
            mark = "✓" if nmi["both"] >= max(nmi["words"], nmi["k-means on vectors"]) - _LESS else "✗"
            cells = [" / ".join(shown([row[score] for row in of[way]]) for score in SCORES) for way in WAYS]
            body.append([corpus, *cells, mark])
        blocks += [
            f"### {model}",
            table(["corpus", *(f"{way}: {' / '.join(SCORES.values())}" for way in WAYS), ""], body),
        ]
    return section("Vectors of a model", *blocks, source(data, "embedded"))
