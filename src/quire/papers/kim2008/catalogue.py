"""Kim and Park, Sparse NMF for clustering (2008): its tables and figures."""

from __future__ import annotations

from quire.papers.experiment import Experiment, Unavailable
from quire.papers.kim2008 import affinity, consensus, mixtures, text

_NO_NAMES = "it names topics of TDT2, and the cut of TDT2 that can be had numbers them without names"

EXPERIMENTS: tuple[Experiment, ...] = tuple(
    sorted(
        (*mixtures.EXPERIMENTS, *text.EXPERIMENTS, *affinity.EXPERIMENTS, *consensus.EXPERIMENTS),
        key=lambda experiment: (not experiment.name.startswith("kim2008/table"), experiment.name),
    )
)
UNAVAILABLE = (
    Unavailable("kim2008/table5", "the topics of figure 3", _NO_NAMES),
    Unavailable("kim2008/table6", "the topics of figure 4", _NO_NAMES),
)
