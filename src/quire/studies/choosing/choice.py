"""What was found about the number of topics, and what was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from quire.engine.elbow import Elbow
from quire.studies.choosing.consensus import Consensus, averaged
from quire.studies.exports import Exported, export

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMA = {
    "k": pl.Int64, "runs": pl.Int64, "rho": pl.Float64, "rho_best": pl.Float64, "rho_near": pl.Float64,
    "stability": pl.Float64, "cophenetic": pl.Float64, "pac": pl.Float64, "used": pl.Float64,
    "error": pl.Float64, "held_out": pl.Float64, "coherence": pl.Float64, "objective": pl.Float64,
    "seconds": pl.Float64,
}  # fmt: skip
_MAPS, _BLOCKS = 6, 60  # heat-maps, and rows and columns of one that is made small
_PLACES = 61  # of λ, at which a cubic is told


@dataclass(frozen=True)
class Choice:
    """How many topics, and why.

    Attributes
    ----------
    table : polars.DataFrame
        A row a number of topics ``k``; null where it was not measured:
        ``runs``; ``rho`` (dispersion over all runs); ``rho_near`` (over those as good as the best);
        ``rho_best`` and ``stability`` (dispersion, and mean ARI of two runs, over the better half);
        ``cophenetic``; ``pac``; ``used`` (topics that are some document's own, on average); ``error``
        (‖X − WH‖² / ‖X‖² of the best run); ``held_out`` (the same on values the topics were not learnt from);
        ``coherence`` (mean NPMI of the best run's keywords); ``objective`` (of the best run); ``seconds`` (of
        a run, on one core, on average).
    k : int
        The number chosen.
    lam : float or None
        The λ chosen, by ``by="nmi"``.
    verdict : list of str
        What each way says, where they disagree, what was chosen and why.
    by : str
        How it was chosen.
    elbow : Elbow or None
        The elbows of the singular values.
    consensus : dict
        k → :class:`quire.studies.choosing.consensus.Consensus`.
    says : dict
        The number that each way would choose, by its name.
    search : object or None
        What the λ–k search found, with ``by="nmi"``.
    also : list of int
        Other numbers at which topics come back.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> import quire
    >>> X = sp.csr_array(np.kron(np.eye(3), np.ones((8, 5))) + 0.01)
    >>> choice = quire.choose(X, range(2, 5), runs=4, threads=1)
    >>> choice.k, choice.table["k"].to_list()
    (3, [2, 3, 4])
    """

    table: pl.DataFrame
    k: int
    lam: float | None = None
    verdict: list[str] = field(default_factory=list)
    by: str = "all"
    elbow: Elbow | None = None
    consensus: Mapping[int, Consensus] = field(default_factory=dict)
    says: Mapping[str, int] = field(default_factory=dict)
    search: Any = None
    also: list[int] = field(default_factory=list)

    @property
    def shown(self) -> list[int]:
        """The numbers of topics whose heat-maps are shown: the chosen one and its neighbours."""
        nearest = sorted(self.consensus, key=lambda k: (abs(k - self.k), k))
        return sorted(nearest[:_MAPS])

    def heat_maps(self) -> list[dict[str, Any]]:
        """Return the heat-maps made small: ``k``, and ``rows`` of whole percents, at most 60 × 60."""
        small = {k: averaged(self.consensus[k].matrix, _BLOCKS) for k in self.shown}
        return [{"k": k, "rows": np.rint(100 * C).astype(int).tolist()} for k, C in small.items()]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, without matrices."""
        data: dict[str, Any] = {
            "k": self.k, "also": list(self.also), "lam": self.lam, "by": self.by, "says": dict(self.says),
            "verdict": list(self.verdict), "table": self.table.to_dicts(),
        }  # fmt: skip
        if self.elbow is not None:
            values = [round(float(value), 8) for value in self.elbow.values]
            likelihood = [round(float(value), 4) for value in self.elbow.first_likelihood]
            data["elbow"] = {
                "k": self.elbow.k, "first": self.elbow.first, "second": self.elbow.second,
                "sharp": self.elbow.sharp, "singular_values": values,
                "likelihood": likelihood,
            }  # fmt: skip
        if self.search is not None:
            data["search"] = self.search.table.to_dicts()
            data["curves"] = [_curve(k, cubic) for k, cubic in sorted(self.search.cubics.items())]
        return data

    def plot(self) -> Figure:
        """Return a figure: agreement, held-out error and coherence against k, and the heat-maps of C."""
        from quire.studies.choosing.figure import choice_figure

        return choice_figure(self)

    def save(self, folder: str | Path) -> list[Path]:
        """Write ``choice.csv``, ``choice.json`` and, where matplotlib is installed, ``choice.svg``.

        ``choice.json`` holds what :meth:`as_dict` gives, and in ``heat`` what :meth:`heat_maps` gives.

        Parameters
        ----------
        folder : path
            Where to; made if it is not there, and files of these names are replaced.
        """
        try:
            exported = Exported(self.table, self.as_dict() | {"heat": self.heat_maps()}, self.plot)
            return export(exported, folder, "choice")
        except OSError as error:
            raise ValueError(
                f"The choice could not be written to {folder}: {error.strerror}; name another folder with --out."
            ) from None


def _curve(k: int, cubic: Any) -> dict[str, Any]:
    """Return a cubic in λ as points on it, from 0 to the end of its interval."""
    lams = np.linspace(0, cubic.end, _PLACES)
    return {
        "k": k, "lam": [float(f"{lam:.6g}") for lam in lams],
        "nmi": [round(cubic(lam), 6) for lam in lams],
    }  # fmt: skip
