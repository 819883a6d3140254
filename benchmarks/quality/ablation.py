"""Part ``ablation``: the default recipe with one ingredient changed at a time."""

from __future__ import annotations

import copy
from typing import Any

from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.recipes import Visit, scored, timed_run
from benchmarks.quality.results import Row

from quire.runs.recipe import built_in

# What is changed in which table of the recipe; a key that is None is taken out.
CHANGES: list[dict[str, Any]] = [
    {"name": "one run", "about": "`n_init = 1`: no consensus", "changes": {"factorization": {"n_init": 1}}},
    {
        "name": "even sizes",
        "about": "`groups = 1`: consensus by k-means, nothing is merged",
        "changes": {"factorization": {"groups": 1}},
    },
    {
        "name": "no temper",
        "about": "`words = 1e9`: every word of a document is believed",
        "changes": {"factorization": {"words": 1e9}},
    },
    {"name": "one step", "about": "`max_iter = 1`: hardly any EM", "changes": {"factorization": {"max_iter": 1}}},
    {
        "name": "no τ",
        "about": "`tau = 0`: the normalized Laplacian as it is",
        "changes": {"factorization": {"tau": 0.0}},
    },
    {
        "name": "2k vectors",
        "about": "`dimensions = 1`: 2k singular vectors, not 100",
        "changes": {"factorization": {"dimensions": 1}},
    },
    {"name": "counts", "about": "`scheme = counts`: no logarithms", "changes": {"weight": {"scheme": "counts"}}},
    {
        "name": "rarer terms cut",
        "about": "`min_df = auto`: terms of fewer than 5 documents are left out",
        "changes": {"counts": {"min_df": "auto"}},
    },
    {
        "name": "common terms cut",
        "about": "`cut_common = true`, as in `default-0.1`",
        "changes": {"counts": {"cut_common": True}},
    },
    {
        "name": "no weights",
        "about": "`weigh = false`: all terms count alike",
        "changes": {"factorization": {"weigh": False}},
    },
    {
        "name": "sizes in full",
        "about": "`prior = 0`: the log of the topics' sizes is not tempered",
        "changes": {"factorization": {"prior": 0.0}},
    },
    {
        "name": "sizes tempered",
        "about": "`prior = 1`: it is tempered as the words are",
        "changes": {"factorization": {"prior": 1.0}},
    },
    {"name": "longer voice", "about": "`words = 5`, as in `default-0.1`", "changes": {"factorization": {"words": 5.0}}},
    {
        "name": "fewer steps",
        "about": "`max_iter = 8`, as in `default-0.1`",
        "changes": {"factorization": {"max_iter": 8}},
    },
    {
        "name": "more last steps",
        "about": "`last_iter = 30`: EM goes on from what the runs agree on",
        "changes": {"factorization": {"last_iter": 30}},
    },
    {
        "name": "one last step",
        "about": "`last_iter = 1`: what the runs agree on, as it is",
        "changes": {"factorization": {"last_iter": 1}},
    },
    {
        "name": "no NMF",
        "about": "`nmf_every = 0`: all runs begin with k-means",
        "changes": {"factorization": {"nmf_every": 0}},
    },
    {
        "name": "NMF alone",
        "about": "`nmf_every = 1`: all runs begin with NMF",
        "changes": {"factorization": {"nmf_every": 1}},
    },
]


def changed(changes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the default recipe as data, with these changes."""
    recipe = copy.deepcopy(built_in()["default"].as_dict())
    for table, keys in changes.items():
        together = {**recipe[table], **keys}
        recipe[table] = {key: value for key, value in together.items() if value is not None}
    return recipe


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus; what was changed is part of a cell's name."""
    return [
        {"corpus": corpus, "change": change["name"], "changes": change["changes"], "seed": seed}
        for change in [{"name": "default", "changes": {}}, *CHANGES]
        for seed in range(seeds)
        if corpus in LABELLED
    ]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the scores of one changed recipe with one seed."""
    if not cell["changes"]:
        run, seconds = visit.run("default", cell["seed"])
    else:
        run, seconds = timed_run(visit, changed(cell["changes"]), cell["seed"])
    return [scored(visit, run.labels, seconds)]
