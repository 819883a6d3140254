"""What kim2008 says of its tables and figures."""

from __future__ import annotations

from collections.abc import Callable

from quire.papers.experiment import Claim
from quire.papers.verdicts import FAILS, Table, claim


def _table1(table: Table) -> list[Claim]:
    means = {name: table.mean(name) for name in ("SNMF", "NMF", "K-means")}
    holds = means["SNMF"] > means["NMF"] > means["K-means"]
    evidence = ", ".join(f"{name} {value:.0f} of 100" for name, value in means.items())
    return [claim("SNMF finds the optimal assignment more often than NMF, and NMF than k-means.", holds, evidence)]


def _table2(table: Table) -> list[Claim]:
    methods = ("NMF", "SNMF", "K-means")
    sse = {row: {m: table(row, f"SSE, {m}") for m in methods} for row in table.rows}
    highest = [row for row, of in sse.items() if max(of, key=lambda m: of[m]) == "K-means"]
    slow = [row for row in table.rows if table(row, "time, K-means") > table(row, "time, SNMF")]
    n = len(table.rows)
    return [
        claim("The SSE of k-means is above those of NMF and SNMF.", len(highest) == n, f"at {len(highest)} of {n} k"),
        claim("With more clusters k-means takes longer than SNMF.", len(slow) >= n - 1, f"at {len(slow)} of {n} k",
               "does not hold: Lloyd's algorithm on sparse rows is cheap today"),
    ]  # fmt: skip


def _quality(sign: int, table: Table) -> list[Claim]:
    worst, best = ("min", "max") if sign > 0 else ("max", "min")
    ahead = [r for r in table.rows if all(
        sign * table(r, f"{m} avg") > sign * table(r, "K-means avg") for m in ("NMF", "SNMF"))]  # fmt: skip
    apart = [r for r in table.rows if all(
        sign * table(r, f"{m} {worst}") > sign * table(r, f"K-means {best}") for m in ("NMF", "SNMF"))]  # fmt: skip
    said = ["k = 12", "k = 15", "k = 18"]
    n = len(table.rows)
    return [
        claim("NMF and SNMF are better than k-means on average.", len(ahead) == n, f"at {len(ahead)} of {n} k"),
        claim("From k = 12 on their worst runs are better than the best of k-means.", set(said) <= set(apart),
               f"at {', '.join(apart) or 'no k'}", f"holds only at {', '.join(apart)}" if apart else FAILS),
    ]  # fmt: skip


def _table7(table: Table) -> list[Claim]:
    pure = table.column("purity")
    evidence = f"purity {min(pure):.2f} to {max(pure):.2f} (published 0.94 to 0.96)"
    return [claim("Affinity propagation gives results comparable with SNMF.", min(pure) > 0.89, evidence)]


def _beta(table: Table) -> list[Claim]:
    small = [table(f"β = {beta:g}", "purity") for beta in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)]
    large = table("β = 5", "purity")
    return [
        claim("Results change little for β from 0.01 to 0.5.", max(small) - min(small) <= 0.03,
               f"purity {min(small):.2f} to {max(small):.2f}"),
        claim("With β = 5 purity falls.", large < min(small) - 0.02, f"purity {large:.2f}"),
    ]  # fmt: skip


def _figure1(table: Table) -> list[Claim]:
    known = "SSE of the known classes"
    reached = {m: [r for r in table.rows if table(r, f"least SSE, {m}") <= table(r, known) * (1 + 1e-9)]
               for m in ("NMF", "SNMF", "K-means")}  # fmt: skip
    n = len(table.rows)
    evidence = ", ".join(f"{name} at {len(rows)} of {n} k" for name, rows in reached.items())
    only = "holds only for SNMF" if len(reached["SNMF"]) == n else FAILS
    return [claim("The best runs of NMF and SNMF reach the SSE of the known classes at every k.",
                   len(reached["NMF"]) == len(reached["SNMF"]) == n, evidence, only)]  # fmt: skip


def _dispersion(method: str, table: Table) -> list[Claim]:
    rho = {row: table(row, method) for row in table.rows}
    rows = list(rho)
    drop = max(rows[:-1], key=lambda row: rho[row] - rho[rows[rows.index(row) + 1]])
    falls = rho[drop] > rho[rows[rows.index(drop) + 1]]
    evidence = ", ".join(f"{row.removeprefix('k = ')}: {value:.3f}" for row, value in rho.items())
    return [claim(f"The dispersion of {method} drops most after k = 5, the number of classes.",
                   falls and drop == "k = 5", f"ρ by k {evidence}")]  # fmt: skip


def _figure4(table: Table) -> list[Claim]:
    rho = [table(f"k = {k}", "SNMF") for k in (3, 4, 5, 6)]
    return [claim("The dispersion of SNMF is higher at k = 3 and 5 than at 4 and 6.",
                   min(rho[0], rho[2]) > max(rho[1], rho[3]), f"ρ at 3, 4, 5, 6: {', '.join(f'{r:.3f}' for r in rho)}",
                   "holds only for k = 3" if rho[0] > rho[3] else FAILS)]  # fmt: skip


CLAIMS: dict[str, Callable[[Table], list[Claim]]] = {
    "kim2008/table1": _table1,
    "kim2008/table2": _table2,
    "kim2008/table3": lambda table: _quality(1, table),
    "kim2008/table4": lambda table: _quality(-1, table),
    "kim2008/table7": _table7,
    "kim2008/table8": _beta,
    "kim2008/table9": _beta,
    "kim2008/figure1": _figure1,
    "kim2008/figure2": lambda table: _dispersion("SNMF", table),
    "kim2008/figure3": lambda table: [c for m in ("SNMF", "NMF") for c in _dispersion(m, table)],
    "kim2008/figure4": _figure4,
}
