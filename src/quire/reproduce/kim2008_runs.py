"""The runs behind kim2008's tables: methods, trials, draws of topics, kept for all tables that share them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from quire.estimator import TopicEstimator
from quire.methods.means import KMeans
from quire.methods.nmf import NMF
from quire.methods.sparse import SparseNMF
from quire.metrics import accuracy, entropy, purity, sparsity, sse
from quire.ops.threads import single_threaded_blas
from quire.recipe import recipe
from quire.reproduce.corpora import Labelled, read_matrix
from quire.reproduce.experiment import Setting
from quire.reproduce.protocol import Halt, drawn_classes, side_by_side, trimmed
from quire.weight import Weight

T = TypeVar("T")
DEFAULT = "Quire nmf"
METHODS = ("NMF", "SNMF", "K-means", DEFAULT)
SYNTHETIC_BETA, TEXT_BETA = 0.5, 0.1
TDT2 = ("tdt2.npz", "tdt2_labels.npy")
_FEWEST, _MOST = 30, 300  # articles of a topic


class Trial(NamedTuple):
    """What one fit came to.

    Examples
    --------
    >>> from quire.reproduce.kim2008_runs import Trial
    >>> Trial(True, 1.0, 0.0, 2.0, 0.1, 0.5, 1.4).purity
    1.0
    """

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
    """Rows to cluster, as the paper's methods and as Quire's nmf sees them, and their classes.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.reproduce.kim2008_runs import Documents
    >>> Documents(np.eye(2), np.eye(2), np.array([0, 1])).X.shape
    (2, 2)
    """

    X: Any
    by_default: Any
    classes: NDArray[Any]


def model_of(method: str, k: int, beta: float, seed: int, halt: Halt | None = None) -> TopicEstimator:
    """Return one of the methods, to be fitted from one random start on one thread.

    Examples
    --------
    >>> from quire.reproduce.kim2008_runs import model_of
    >>> model_of("SNMF", 3, 0.5, seed=0).beta
    0.5
    """
    common: dict[str, Any] = {"random_state": seed, "n_jobs": 1, "callback": halt}
    if method == "NMF":
        return NMF(k, solver="anls", init="uniform", **common)
    if method == "SNMF":
        return SparseNMF(k, beta=beta, **common)
    if method == "K-means":
        return KMeans(k, init="rows", **common)
    return recipe("nmf").make_estimator(k, seed, 1, halt)


def trial(model: TopicEstimator, seen: Any, of: Documents) -> Trial:
    """Fit a model to what it sees of the documents, and score its clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.reproduce.kim2008_runs import Documents, model_of, trial
    >>> X, classes = np.kron(np.eye(2), np.ones((3, 2))), np.array([0, 0, 0, 1, 1, 1])
    >>> trial(model_of("SNMF", 2, 0.5, seed=0), X, Documents(X, X, classes)).optimal
    True
    """
    began = time.thread_time()
    W = model.fit_transform(seen)
    seconds, found = time.thread_time() - began, model.labels_
    return Trial(
        accuracy(of.classes, found) == 1, purity(of.classes, found), entropy(of.classes, found),
        sse(of.X, found), seconds, sparsity(W), float(model.reconstruction_err_),
    )  # fmt: skip


def task_of(method: str, k: int, beta: float, seed: int, of: Documents) -> Callable[[Halt], Trial]:
    """Return a trial as a task that can be done beside others.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.reproduce.kim2008_runs import Documents, task_of
    >>> X, classes = np.kron(np.eye(2), np.ones((3, 2))), np.array([0, 0, 0, 1, 1, 1])
    >>> task_of("SNMF", 2, 0.5, 0, Documents(X, X, classes))(lambda step: False).purity
    1.0
    """
    seen = of.by_default if method == DEFAULT else of.X
    return lambda halt: trial(model_of(method, k, beta, seed, halt), seen, of)


def quietly(tasks: Sequence[Callable[[Halt], T]], setting: Setting, what: str) -> list[T]:
    """Do tasks side by side without their warnings: what did not settle is counted as it is.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.reproduce.experiment import Setting
    >>> from quire.reproduce.kim2008_runs import quietly
    >>> quietly([lambda halt: 1], Setting(Path("data"), threads=1), "counting")
    [1]
    """
    # Held here and not by whichever fit is the first: in the gaps between fits BLAS would get its threads
    # back, and those of two fits at once wait for each other most of the time.
    with warnings.catch_warnings(), single_threaded_blas():
        warnings.simplefilter("ignore")
        return side_by_side(tasks, setting, what)


def seed_of(*numbers: int) -> int:
    """Return a seed that belongs to these numbers: the setting's seed, k, the draw, the run.

    Examples
    --------
    >>> from quire.reproduce.kim2008_runs import seed_of
    >>> seed_of(0, 1) == seed_of(0, 1), seed_of(0, 1) == seed_of(1, 0)
    (True, False)
    """
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def once(compute: Callable[[Setting], T]) -> Callable[[Setting], T]:
    """Make a function of a setting keep its answers, for tables that share their runs.

    The number of threads and who is told of the progress change no answer.

    Examples
    --------
    >>> from pathlib import Path
    >>> from quire.reproduce.experiment import Setting
    >>> from quire.reproduce.kim2008_runs import once
    >>> runs = once(lambda setting: object())
    >>> runs(Setting(Path("data"), threads=1)) is runs(Setting(Path("data"), threads=2))
    True
    """
    found: dict[tuple[Path, bool, int], T] = {}

    @wraps(compute)
    def kept(setting: Setting) -> T:
        key = (setting.data, setting.full, setting.seed)
        if key not in found:
            found[key] = compute(setting)
        return found[key]

    return kept


def topics_of(setting: Setting) -> Labelled:
    """Read the topics of TDT2 with 30 to 300 articles.

    Examples
    --------
    >>> import tempfile, numpy as np, scipy.sparse as sp
    >>> from pathlib import Path
    >>> from quire.reproduce.experiment import Setting
    >>> from quire.reproduce.kim2008_runs import topics_of
    >>> folder = Path(tempfile.mkdtemp())
    >>> sp.save_npz(folder / "tdt2.npz", sp.csr_array(np.ones((31, 2))))
    >>> np.save(folder / "tdt2_labels.npy", np.repeat([1, 2], [30, 1]))
    >>> topics_of(Setting(folder)).counts.shape
    (30, 2)
    """
    everything = read_matrix(setting.data, "tdt2")
    names, sizes = np.unique(everything.labels, return_counts=True)
    return everything.of_classes(names[(sizes >= _FEWEST) & (sizes <= _MOST)])


def text_of(topics: Labelled, names: NDArray[Any]) -> Documents:
    """Weigh the articles of some topics: tf-idf with rows of unit length, and as the nmf recipe does.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.reproduce.corpora import Labelled
    >>> from quire.reproduce.kim2008_runs import text_of
    >>> text_of(Labelled(sp.csr_array(np.eye(3)), np.array([1, 2, 3])), np.array([1, 3])).X.shape
    (2, 2)
    """
    part, default = topics.of_classes(names), recipe("nmf")
    by_default = default.make_weight().fit_transform(trimmed(part.counts, default))
    return Documents(Weight("tfidf").fit_transform(part.counts), by_default, part.labels)


def draws_of(topics: Labelled, k: int, n_draws: int, seed: int) -> list[Documents]:
    """Draw k topics several times; the first draws are the same however many there are.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from quire.reproduce.corpora import Labelled
    >>> from quire.reproduce.kim2008_runs import draws_of
    >>> topics = Labelled(sp.csr_array(np.eye(3)), np.array([1, 2, 3]))
    >>> [len(documents.classes) for documents in draws_of(topics, 2, n_draws=3, seed=0)]
    [2, 2, 2]
    """
    n_topics = len(np.unique(topics.labels))
    if n_topics < k:
        raise ValueError(
            f"tdt2 holds {n_topics} topics of {_FEWEST} to {_MOST} articles and {k} are needed: use a data "
            "folder with more of TDT2."
        )
    return [text_of(topics, drawn_classes(topics.labels, k, draw, seed)) for draw in range(n_draws)]
