"""Part ``auto``: how many topics ``--topics auto`` takes, and what that costs in scores."""

from __future__ import annotations

from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.recipes import Visit, scored, timed_run
from benchmarks.quality.results import Row


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus; the number does not depend on the seed: two are enough."""
    return [{"corpus": corpus, "seed": seed} for seed in range(min(seeds, 2)) if corpus in LABELLED]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the scores at the number of topics that was chosen, and at the number of classes."""
    chosen, seconds = timed_run(visit, "default", cell["seed"], "auto")
    known, known_seconds = visit.run("default", cell["seed"])
    at_classes = scored(visit, known.labels, known_seconds)
    return [
        {
            "topics": len(chosen.H),
            "also": chosen.info["also"],
            "classes": visit.k,
            **scored(visit, chosen.labels, seconds),
            **{f"{name}_at_classes": at_classes[name] for name in ("ari", "nmi", "ac")},
        }
    ]
