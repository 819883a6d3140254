"""The runs behind kim2008's tables: methods, trials, draws of topics, kept for all tables that share them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from quire.methods.estimator import TopicEstimator
from quire.methods.means import KMeans
from quire.methods.nmf import NMF
from quire.methods.sparse import SparseNMF
from quire.papers import protocol
from quire.papers.corpora import Labelled, read_matrix
from quire.papers.experiment import Setting
from quire.papers.protocol import Halt, drawn_classes, side_by_side
from quire.places.codec import storable
from quire.places.machine import single_threaded_blas
from quire.runs.recipe import recipe
from quire.scores.metrics import accuracy, entropy, purity, sparsity, sse
from quire.text.weight import Weight

T = TypeVar("T")
DEFAULT = "Quire"
METHODS = ("NMF", "SNMF", "K-means", DEFAULT)
SYNTHETIC_BETA, TEXT_BETA = 0.5, 0.1
TDT2 = ("tdt2.npz", "tdt2_labels.npy")
_FEWEST, _MOST = 30, 300  # articles of a topic


@storable
class Trial(NamedTuple):
    """What one fit came to."""

    optimal: bool
    """Whether the known classes were found without a mistake."""
    purity: float
    entropy: float
    sse: float
    seconds: float
    """Processor time of the fit."""
    zeros: float
    """Share of zeros in W."""
    error: float
    """‖X − WH‖."""


class Documents(NamedTuple):
    """Rows to cluster, as the paper's methods and as Quire's default recipe sees them, and their classes."""

    X: Any
    by_default: Any
    classes: NDArray[Any]


def model_of(method: str, k: int, beta: float, seed: int, halt: Halt | None = None) -> TopicEstimator:
    """Return one of the methods, to be fitted from one random start on one thread."""
    common: dict[str, Any] = {"random_state": seed, "n_jobs": 1, "callback": halt}
    if method == "NMF":
        return NMF(k, solver="anls", init="uniform", **common)
    if method == "SNMF":
        return SparseNMF(k, beta=beta, **common)
    if method == "K-means":
        return KMeans(k, init="rows", **common)
    return recipe(protocol.DEFAULT).make_estimator(k, seed, 1, halt)


def runs_of(method: str, n_runs: int) -> int:
    """Return how many runs of a method there are: fewer of Quire, each of which is a consensus of 15."""
    return max(1, n_runs // 5) if method == DEFAULT else n_runs


def trial(model: TopicEstimator, seen: Any, of: Documents) -> Trial:
    """Fit a model to what it sees of the documents, and score its clusters."""
    began = time.thread_time()
    W = model.fit_transform(seen)
    seconds, labels = time.thread_time() - began, model.labels_
    return Trial(
        bool(accuracy(of.classes, labels) == 1), purity(of.classes, labels), entropy(of.classes, labels),
        sse(of.X, labels), seconds, sparsity(W), float(model.reconstruction_err_),
    )  # fmt: skip


def task_of(method: str, k: int, beta: float, seed: int, of: Documents) -> Callable[[Halt], Trial]:
    """Return a trial as a task that can be done beside others."""
    seen = of.by_default if method == DEFAULT else of.X
    return lambda halt: trial(model_of(method, k, beta, seed, halt), seen, of)


def quietly(tasks: Sequence[Callable[[Halt], T]], setting: Setting, what: str) -> list[T]:
    """Do tasks side by side without their warnings: what did not settle is counted as it is."""
    # Held here and not by whichever fit is the first: in the gaps between fits BLAS would get its threads
    # back, and those of two fits at once wait for each other most of the time.
    with warnings.catch_warnings(), single_threaded_blas():
        warnings.simplefilter("ignore")
        return side_by_side(tasks, setting, what)


def seed_of(*numbers: int) -> int:
    """Return a seed that belongs to these numbers: the setting's seed, k, the draw, the run."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def topics_of(setting: Setting) -> Labelled:
    """Read the topics of TDT2 with 30 to 300 articles."""
    everything = read_matrix(setting.data, "tdt2")
    names, sizes = np.unique(everything.labels, return_counts=True)
    return everything.of_classes(names[(sizes >= _FEWEST) & (sizes <= _MOST)])


def text_of(topics: Labelled, names: NDArray[Any]) -> Documents:
    """Weigh the articles of some topics: tf-idf with rows of unit length, and as the default recipe does."""
    part = topics.of_classes(names)
    return Documents(Weight("tfidf").fit_csr(part.counts), as_quire_weighs(part.counts), part.labels)


def as_quire_weighs(rows: Any) -> Any:
    """Weigh rows as Quire does where nobody chooses a recipe."""
    return recipe(protocol.DEFAULT).make_weight().fit_csr(rows)


def draws_of(topics: Labelled, k: int, n_draws: int, seed: int) -> list[Documents]:
    """Draw k topics several times; the first draws are the same however many there are."""
    n_topics = len(np.unique(topics.labels))
    if n_topics < k:
        raise ValueError(
            f"tdt2 holds {n_topics} topics of {_FEWEST} to {_MOST} articles and {k} are needed: use a data "
            "folder with more of TDT2."
        )
    return [text_of(topics, drawn_classes(topics.labels, k, draw, seed)) for draw in range(n_draws)]
