"""Quire gathers documents into topics with non-negative matrix factorization.

>>> import quire
>>> quire.NMF(n_components=5)
NMF(n_components=5)
"""

from __future__ import annotations

__version__ = "0.2.0.dev0"

TYPE_CHECKING = False  # as typing has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from quire.corpus.corpus import Corpus, read_corpus
    from quire.engine.loop import Factorization
    from quire.engine.trace import Step
    from quire.methods.ensemble.estimator import Ensemble
    from quire.methods.means import ProjectiveNMF
    from quire.methods.minibatch import MiniBatchNMF
    from quire.methods.nmf import NMF
    from quire.methods.nmf_function import non_negative_factorization
    from quire.methods.plsi import PLSI
    from quire.methods.posterior import PPC, SPPC
    from quire.methods.simplex import SimplexNMF
    from quire.methods.sparse import SparseNMF
    from quire.pages.file import page
    from quire.runs.load import load
    from quire.runs.pipeline import cluster
    from quire.runs.run import Run
    from quire.studies.choosing.choice import Choice
    from quire.studies.choosing.choose import choose
    from quire.studies.classes import Classes, classes
    from quire.studies.compare import Comparison, compare
    from quire.studies.evaluate import Evaluation, evaluate
    from quire.text.counts import Counts
    from quire.text.tfidf import Tfidf
    from quire.text.weight import Weight

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
    "Evaluation",
    "Factorization",
    "MiniBatchNMF",
    "ProjectiveNMF",
    "Run",
    "SimplexNMF",
    "SparseNMF",
    "Step",
    "Tfidf",
    "Weight",
    "__version__",
    "choose",
    "classes",
    "cluster",
    "compare",
    "evaluate",
    "load",
    "non_negative_factorization",
    "page",
    "read_corpus",
]

_HOMES = {
    "Ensemble": "quire.methods.ensemble.estimator",
    "SparseNMF": "quire.methods.sparse",
    "SimplexNMF": "quire.methods.simplex",
    "PPC": "quire.methods.posterior",
    "SPPC": "quire.methods.posterior",
    "PLSI": "quire.methods.plsi",
    "ProjectiveNMF": "quire.methods.means",
    "Corpus": "quire.corpus.corpus",
    "Counts": "quire.text.counts",
    "NMF": "quire.methods.nmf",
    "MiniBatchNMF": "quire.methods.minibatch",
    "non_negative_factorization": "quire.methods.nmf_function",
    "Factorization": "quire.engine.loop",
    "Run": "quire.runs.run",
    "Step": "quire.engine.trace",
    "Tfidf": "quire.text.tfidf",
    "Weight": "quire.text.weight",
    "Choice": "quire.studies.choosing.choice",
    "choose": "quire.studies.choosing.choose",
    "Classes": "quire.studies.classes",
    "Comparison": "quire.studies.compare",
    "classes": "quire.studies.classes",
    "cluster": "quire.runs.pipeline",
    "compare": "quire.studies.compare",
    "Evaluation": "quire.studies.evaluate",
    "evaluate": "quire.studies.evaluate",
    "load": "quire.runs.load",
    "page": "quire.pages.file",
    "read_corpus": "quire.corpus.corpus",
}

# What a run shows of itself, by name: it stands above the runs, which may import nothing from there.
_VIEWS = {
    "found_documents": "quire.pages.found",
    "map_figure": "quire.pages.figures.map",
    "page_in_cell": "quire.pages.cell",
    "stream_figure": "quire.pages.figures.stream",
    "topics_figure": "quire.pages.figures.topics",
}


def _view(name: str) -> Any:
    """Import what shows a run, when a run is asked to show itself."""
    import importlib

    return getattr(importlib.import_module(_VIEWS[name]), name)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import quire`` itself stays instant."""
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'quire' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
