"""Quire gathers documents into topics with non-negative matrix factorization.

>>> import quire
>>> quire.NMF(n_components=5)
NMF(n_components=5)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from quire._version import __version__

if TYPE_CHECKING:
    from quire.choosing.choice import Choice
    from quire.choosing.decide import choose
    from quire.comparison import Comparison, compare
    from quire.corpus import Corpus, read_corpus
    from quire.counts import Counts
    from quire.explore.sections import page
    from quire.factorization import Factorization
    from quire.known_classes import Classes, classes
    from quire.methods.ensemble import Ensemble
    from quire.methods.means import ProjectiveNMF
    from quire.methods.nmf import NMF
    from quire.methods.plsi import PLSI
    from quire.methods.posterior import PPC, SPPC
    from quire.methods.simplex import SimplexNMF
    from quire.methods.sparse import SparseNMF
    from quire.pipeline import cluster
    from quire.run import Run, load
    from quire.trace import Step
    from quire.weight import Weight

__all__ = [
    "NMF",
    "PLSI",
    "PPC",
    "SPPC",
    "Choice",
    "Classes",
    "Comparison",
    "Corpus",
    "Counts",
    "Ensemble",
    "Factorization",
    "ProjectiveNMF",
    "Run",
    "SimplexNMF",
    "SparseNMF",
    "Step",
    "Weight",
    "__version__",
    "choose",
    "classes",
    "cluster",
    "compare",
    "load",
    "page",
    "read_corpus",
]

_HOMES = {
    "Ensemble": "quire.methods.ensemble",
    "SparseNMF": "quire.methods.sparse",
    "SimplexNMF": "quire.methods.simplex",
    "PPC": "quire.methods.posterior",
    "SPPC": "quire.methods.posterior",
    "PLSI": "quire.methods.plsi",
    "ProjectiveNMF": "quire.methods.means",
    "Corpus": "quire.corpus",
    "Counts": "quire.counts",
    "NMF": "quire.methods.nmf",
    "Factorization": "quire.factorization",
    "Run": "quire.run",
    "Step": "quire.trace",
    "Weight": "quire.weight",
    "Choice": "quire.choosing.choice",
    "choose": "quire.choosing.decide",
    "Classes": "quire.known_classes",
    "Comparison": "quire.comparison",
    "classes": "quire.known_classes",
    "cluster": "quire.pipeline",
    "compare": "quire.comparison",
    "load": "quire.run",
    "page": "quire.explore.sections",
    "read_corpus": "quire.corpus",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import quire`` itself stays instant."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'quire' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
