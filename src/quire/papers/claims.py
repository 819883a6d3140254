"""What the papers say of their tables and figures, held against the cells of a result.

Everything here follows from the numbers that are stored, so that old and new results are judged alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from quire.papers.experiment import Cell, Claim
from quire.papers.kim2008.claims import CLAIMS as KIM2008
from quire.papers.verdicts import FAILS, Table, claim, listed


def claims_of(name: str, cells: Sequence[Cell]) -> list[Claim]:
    """Return what a paper says of a table or figure, and what came of it."""
    return _CLAIMS[name](Table(cells)) if name in _CLAIMS else []


def _xu2003(table: Table) -> list[Claim]:
    """Tables 2 and 3, by average accuracy; other readings are k-means begun once, and the idf of all documents."""
    names = ("AA", "NC", "NMF", "NMF-NCW")
    as_is = {name: table("average", f"AC {name}") for name in names}
    readings = {
        "k-means begun once": {name: table("average", f"AC {name} once") for name in ("AA", "NC")},
        "the idf of all documents": {name: table("average", f"AC {name} idf of all") for name in names},
    }
    told = [f"{how}: {listed(of)}" for how, of in readings.items() if not any(map(math.isnan, of.values()))]
    evidence = "; ".join([f"accuracy {listed(as_is)}", *told])

    def ahead(text: str, better: str, worse: Sequence[str]) -> Claim:
        def holds(of: dict[str, float]) -> bool:
            return all(of[better] > of[name] for name in worse)

        under = [how for how, changed in readings.items() if holds(as_is | changed)]
        return claim(text, holds(as_is), evidence, f"holds only with {' or '.join(under)}" if under else FAILS)

    return [
        ahead("NMF-NCW is the most accurate of the four.", "NMF-NCW", names[:3]),
        ahead("NMF is more accurate than AA.", "NMF", ["AA"]),
        ahead("NC is more accurate than AA.", "NC", ["AA"]),
        ahead("Weighting as in normalized cut makes NMF more accurate.", "NMF-NCW", ["NMF"]),
    ]


def _xu2003_two_classes(table: Table) -> list[Claim]:
    similar, apart = (f"sizes {how} 1 : 3" for how in ("within", "beyond"))
    found = {row: table(row, "MI NMF") for row in (similar, apart)}
    evidence = f"MI {listed(found)}; with the larger class cut {table(apart, 'MI, larger class cut'):.3f}"
    only = "holds only for classes of similar size" if found[similar] >= 0.854 else FAILS
    mean = table("all draws", "MI NMF")
    return [claim("NMF of two classes has an MI of 0.854.", abs(mean - 0.854) < 0.05, f"{mean:.3f}; {evidence}", only)]


def _xu2003_figure2(table: Table) -> list[Claim]:
    row = "accuracy of the largest coordinate"
    nmf, svd = table(row, "NMF"), table(row, "SVD")
    evidence = f"accuracy of the largest coordinate {nmf:.3f}, in the space of the SVD {svd:.3f}"
    return [claim("In the space of NMF an axis is a cluster, in that of the SVD it is not.", nmf > 0.9 > svd, evidence)]


def _ding2008(table: Table) -> list[Claim]:
    methods = ("K-means", "NMF", "PLSI", "SPPC")
    plain = {name: table.mean(name) for name in methods}
    other = {name: table.mean(f"{name} log-tfidf") for name in methods}
    evidence = f"mean accuracy on frequencies {listed(plain)}"
    if not np.isnan(other["SPPC"]):
        evidence += f"; on log tf-idf {listed(other)}"
    first, second = (of["SPPC"] > max(of["NMF"], of["PLSI"]) for of in (plain, other))
    above, above_other = (of["K-means"] < min(of["NMF"], of["PLSI"], of["SPPC"]) for of in (plain, other))
    only = "holds only on log tf-idf"
    return [
        claim("SPPC performs slightly better than NMF and PLSI.", first, evidence, only if second else FAILS),
        claim("NMF, PLSI and SPPC are better than k-means.", above, evidence, only if above_other else
               "holds only for NMF and PLSI" if plain["K-means"] < min(plain["NMF"], plain["PLSI"]) else FAILS),
    ]  # fmt: skip


def _tsikhanovich_figure4(table: Table) -> list[Claim]:
    top, zero = table("mean NMI", "highest NMI"), table("mean NMI", "λ = 0")
    low, high = table("nλ, low end", "highest NMI"), table("nλ, high end", "highest NMI")
    dies = table("nλ with W all zero", "highest NMI")
    return [
        claim("Some λ above 0 gives a higher NMI than λ = 0.", top > zero + 0.02, f"NMI {zero:.3f} → {top:.3f}"),
        claim("The best λ are 3 to 7, of 20 at which W is zero.", low < 7 and high > 3,
               f"nλ = {low:.0f} to {high:.0f} of {dies:.0f}",
               "holds only as shares of the λ at which W is zero, which the start sets"
               if low / dies < 0.35 and high / dies > 0.15 else FAILS),
    ]  # fmt: skip


def _tsikhanovich_figure6(table: Table) -> list[Claim]:
    values = table.column("λ = 0")
    best = int(np.argmax(values))
    evidence = ", ".join(f"{row.removeprefix('k = ')}: {table(row, 'λ = 0'):.3f}" for row in table.rows)
    return [claim("NMI rises with k up to about the number of classes, then falls.", 0 < best < len(values) - 1,
                   f"NMI by k, λ = 0: {evidence}")]  # fmt: skip


def _tsikhanovich_figure7(table: Table) -> list[Claim]:
    r2, inside = table("R²", "TDT2"), table("observations inside the band", "TDT2")
    return [claim("NMI is a cubic function of λ.", r2 > 0.9, f"R² {r2:.2f}, {inside:.0%} inside the 95 % band")]


def _tsikhanovich_figure8(table: Table) -> list[Claim]:
    best, plain = table("NMI", "best found"), table("NMI", "λ = 0, k = 27")
    pure, plain_pure = table("purity", "best found"), table("purity", "λ = 0, k = 27")
    return [
        claim("The search finds a λ above 0 with a much higher NMI.", best > plain + 0.1, f"{plain:.2f} → {best:.2f}"),
        claim("Purity rises with it.", pure > plain_pure + 0.05, f"{plain_pure:.2f} → {pure:.2f}"),
    ]


def _tsikhanovich_figure9(table: Table) -> list[Claim]:
    nmi = [table(row, "NMI") for row in table.rows]
    return [claim("The solution with λ above 0 has the higher NMI.", nmi[-1] > nmi[0], f"{nmi[0]:.2f} → {nmi[-1]:.2f}")]


def _tsikhanovich_figure12(table: Table) -> list[Claim]:
    known, learnt = (table("classes with a topic", c) for c in ("W at the classes", "topics learnt, λ = 0"))
    own = table("documents nearest to their own class", "W at the classes")
    return [
        claim("With W at the classes every class gets words of its own; topics learnt alone do not match classes.",
               known > learnt and own > 0.9, f"{own:.0%} of documents nearest to their own class; topics learnt "
               f"alone cover {learnt:.0f} of {known:.0f}"),
    ]  # fmt: skip


def _conroy2023(gain: float, table: Table) -> list[Claim]:
    """Figures 4 and 5; the other reading of the cut of rare terms is five contexts or more."""
    scalings = ("Counts", "CS", "RS", "PWMI", "NL")
    best = {part: {s: table(f"{part}, highest", s) for s in scalings} for part in ("all", "df ≥ 5")}
    first, first_other = (max(of, key=lambda s: of[s]) == "NL" for of in best.values())
    ratio, other = (of["NL"] / of["Counts"] if of["Counts"] > 0 else 0.0 for of in best.values())
    only = "holds only for terms in five contexts or more"
    return [
        claim("NL is the best of the five scalings.", first,
               "; ".join(f"highest ARI, {part}: {listed(of)}" for part, of in best.items()),
               only if first_other else FAILS),
        claim(f"NL is {gain:g} times as good as counts.", ratio >= gain,
               f"{f'{ratio:.2f}' if ratio else 'counts are no better than chance'}; for terms in five contexts or more "
               f"{other:.2f}", only if other >= gain else FAILS),
    ]  # fmt: skip


def _conroy2023_figure6(table: Table) -> list[Claim]:
    counts, nl = ([table(f"{part}, highest", s) for part in ("words", "SentencePiece")] for s in ("Counts", "NL"))
    evidence = f"highest ARI, words → sub-words: counts {counts[0]:.3f} → {counts[1]:.3f}, NL {nl[0]:.3f} → {nl[1]:.3f}"
    return [
        claim("Counts and NL are better with sub-words.", counts[1] > counts[0] and nl[1] > nl[0], evidence),
        claim("With sub-words counts and NL are about equal.", abs(counts[1] - nl[1]) < 0.05, evidence),
    ]


_CLAIMS: dict[str, Callable[[Table], list[Claim]]] = {
    "xu2003/table2": _xu2003,
    "xu2003/table3": _xu2003,
    "xu2003/two-classes": _xu2003_two_classes,
    "xu2003/figure2": _xu2003_figure2,
    **KIM2008,
    "ding2008/table1": _ding2008,
    "tsikhanovich2011/figure4": _tsikhanovich_figure4,
    "tsikhanovich2011/figure6": _tsikhanovich_figure6,
    "tsikhanovich2011/figure7": _tsikhanovich_figure7,
    "tsikhanovich2011/figure8": _tsikhanovich_figure8,
    "tsikhanovich2011/figure9": _tsikhanovich_figure9,
    "tsikhanovich2011/figure12": _tsikhanovich_figure12,
    "conroy2023/figure4": lambda table: _conroy2023(3.0, table),
    "conroy2023/figure5": lambda table: _conroy2023(1.5, table),
    "conroy2023/figure6": _conroy2023_figure6,
}
