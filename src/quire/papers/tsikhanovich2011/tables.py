"""tsikhanovich2011: soft NMI against λ and k, the search for both, and topics over time."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from quire.papers.experiment import Cell, Experiment, Result, Setting, Unavailable
from quire.papers.protocol import once
from quire.papers.tsikhanovich2011.runs import (
    DIFFERS,
    TDT2,
    Weighted,
    default_scores,
    lambda_axis,
    means,
    read_tdt2,
    scored_runs,
)
from quire.papers.tsikhanovich2011.streams import REUTERS, figure9, figure12
from quire.studies.choosing.lambda_arithmetic import Cubic, fitted_cubic
from quire.studies.choosing.lambdas import LambdaSearch, search_lambda
from quire.studies.figures import new_figure, svg_of

_NO_NEWEGG = "the 11,675 Newegg reviews were never published"


@once
def _against_lambda(setting: Setting) -> tuple[int, pl.DataFrame]:
    """Return the number of documents, and the runs for k = 30 along λ that figures 4 and 7 share."""
    of = read_tdt2(setting)
    lams = lambda_axis(of, 30, setting.pick(quick=9, full=21), setting)
    return of.n, scored_runs(of, [(30, lam) for lam in lams], setting.pick(2, 15), setting)


def figure4(setting: Setting) -> Result:
    """Draw soft NMI against λ for k = 30: mean and standard deviation of several runs."""
    n, runs = _against_lambda(setting)
    table = means(runs, "lam")
    scaled, top = (table["lam"] * n).to_numpy(), table["mean"].to_numpy()
    best = int(top.argmax())
    high = np.flatnonzero(top >= top[best] - max(0.02, table["sd"][best]))
    cells = [
        Cell("nλ, low end", "highest NMI", 3.0, float(scaled[high[0]])),
        Cell("nλ, high end", "highest NMI", 7.0, float(scaled[high[-1]])),
        Cell("nλ with W all zero", "highest NMI", 20.0, float(scaled[-1])),
        Cell("mean NMI", "highest NMI", None, float(top[best]), float(table["sd"][best])),
        Cell("mean NMI", "λ = 0", None, float(top[0]), float(table["sd"][0])),
    ]
    shares = scaled[high] / scaled[-1]
    findings = [
        _hump(scaled, top),
        f"The axis is longer, for p is not the thesis's: W dies at nλ = {scaled[-1]:.0f}, not 20. As shares "
        f"of that the best λ are {shares[0]:.2f} to {shares[-1]:.2f} (thesis 0.15 to 0.35).",
    ]
    return Result(cells, _counts_differ(setting, 15), findings, {"nmi": _error_bars(scaled, table)})


def _counts_differ(setting: Setting, full: int) -> list[str]:
    return DIFFERS if setting.full else [*DIFFERS, f"Fewer runs and values than the thesis's, {full} runs a value."]


def _hump(scaled: Any, top: Any) -> str:
    best = int(top.argmax())
    if 0 < best < len(top) - 1 and top[best] > top[0] + 0.02:
        return (
            f"The shape is that of figure 4: soft NMI rises from {top[0]:.2f} at λ = 0 to {top[best]:.2f} at "
            f"nλ = {scaled[best]:.0f}, and falls to {top[-1]:.2f} where W is all zero."
        )
    return f"No hump as in figure 4: the highest mean, {top[best]:.2f}, is at nλ = {scaled[best]:.0f}."


def _error_bars(scaled: Any, table: pl.DataFrame) -> str:
    figure, axes = new_figure()
    axes[0, 0].errorbar(scaled, table["mean"], table["sd"], fmt="o-", capsize=3)
    axes[0, 0].axvspan(3, 7, color="grey", alpha=0.2, label="best in the thesis, 3 to 7")
    axes[0, 0].axvline(20, color="grey", linestyle=":", label="W all zero in the thesis, 20")
    axes[0, 0].set(xlabel="nλ", ylabel="NMI", ylim=(0, None))
    axes[0, 0].legend(frameon=False)
    return svg_of(figure)


def figure6(setting: Setting) -> Result:
    """Draw soft NMI against k."""
    of = read_tdt2(setting)
    ks = setting.pick(quick=(5, 10, 20, 30, 45, 60), full=tuple(range(5, 81, 5)))
    lam = lambda_axis(of, 30, 4, setting)[1]
    runs = scored_runs(of, [(k, x) for k in ks for x in (0.0, lam)], setting.pick(2, 15), setting)
    figure, axes = new_figure()
    cells, findings = [], []
    for x, name in ((0.0, "λ = 0"), (lam, f"nλ = {lam * of.n:.0f}")):
        table = means(runs.filter(pl.col("lam") == x), "k")
        axes[0, 0].errorbar(table["k"], table["mean"], table["sd"], fmt="o-", capsize=3, label=name)
        cells += [Cell(f"k = {k}", name, None, mean, sd) for k, mean, sd in table.iter_rows()]
        findings.append(f"{name}: {_peak(table)}")
    axes[0, 0].set(xlabel="k", ylabel="NMI")
    axes[0, 0].legend(frameon=False)
    differs = [
        *_counts_differ(setting, 15),
        "Figure 6 prints no numbers and does not say its λ; here 0, and a third of the λ at which W dies.",
        "The Newegg half of the figure cannot be had.",
    ]
    return Result(cells, differs, findings, {"nmi": svg_of(figure)})


def _peak(table: pl.DataFrame) -> str:
    best = int(table["mean"].arg_max() or 0)
    k, mean = table["k"][best], table["mean"][best]
    if 0 < best < len(table) - 1:
        return f"as in figure 6, NMI rises up to k = {k} ({mean:.2f}) and falls after it."
    side = "falls from the smallest k on" if best == 0 else "still rises at the largest k"
    return f"unlike in figure 6, NMI {side}: {mean:.2f} at k = {k}."


def figure7(setting: Setting) -> Result:
    """Fit a cubic to soft NMI against λ: its R², and a 95 % band."""
    n, runs = _against_lambda(setting)
    x, y = runs["lam"].to_numpy(), runs["nmi"].to_numpy()
    cubic = fitted_cubic(x, y, float(x.max()))
    band = 1.96 * float(np.std(y - [cubic(v) for v in x], ddof=4))
    inside = float(np.mean([abs(cubic(v) - value) <= band for v, value in zip(x, y, strict=True)]))
    cells = [Cell("R²", "TDT2", None, cubic.r2), Cell("observations inside the band", "TDT2", None, inside)]
    findings = [
        f"The cubic explains {cubic.r2:.0%} of the variance; the thesis calls its own R² good.",
        f"As in the thesis most observations, {inside:.0%}, lie inside the 95 % band."
        if inside > 0.5
        else f"Unlike in the thesis only {inside:.0%} of the observations lie inside the 95 % band.",
    ]
    differs = [*_counts_differ(setting, 15), "The Newegg half of the figure cannot be had."]
    return Result(cells, differs, findings, {"cubic": _cubic_figure(x * n, y, cubic, band, n)})


def _cubic_figure(scaled: Any, y: Any, cubic: Cubic, band: float, n: int) -> str:
    figure, axes = new_figure()
    line = np.linspace(0, cubic.end, 200)
    values = np.array([cubic(v) for v in line])
    axes[0, 0].plot(scaled, y, "o", markersize=3)
    axes[0, 0].plot(line * n, values, label=f"cubic, R² = {cubic.r2:.2f}")
    axes[0, 0].fill_between(line * n, values - band, values + band, alpha=0.15, label="95 %")
    axes[0, 0].set(xlabel="nλ", ylabel="NMI")
    axes[0, 0].legend(frameon=False)
    return svg_of(figure)


def figure8(setting: Setting) -> Result:
    """Search for k and λ: the answer, and every k and λ that was tried."""
    of = read_tdt2(setting)
    ks = setting.pick(quick=(27, 29, 31, 33), full=tuple(range(27, 35)))
    search = search_lambda(
        of.X, of.labels, ks, starts=setting.pick(2, 10), cap=setting.pick(2, 8), seed=setting.seed,
        n_jobs=setting.threads, update=setting.update,
    )  # fmt: skip
    plain = scored_runs(of, [(27, 0.0)], setting.pick(2, 10), setting)
    cells = [
        Cell("k", "best found", 31, search.k), Cell("nλ", "best found", 5.4, search.lam * of.n),
        Cell("NMI", "best found", 0.62, search.soft_nmi), Cell("purity", "best found", 0.62, search.purity),
        *_plain_cells(plain), *_default_cells(of, search.k, setting),
    ]  # fmt: skip
    lost = "" if setting.full else f" Here only k = {', '.join(map(str, ks))}, and fewer starts."
    differs = [*DIFFERS, f"The thesis searches [0, λ_max], here [0, the λ that leaves W all zero].{lost}"]
    text = "\n".join(search.sentences)
    return Result(cells, differs, _search_findings(search, plain), {"space": _space(search, of.n)}, text)


def _plain_cells(plain: pl.DataFrame) -> list[Cell]:
    (nmi, purity), (sd, sd_purity) = (
        plain.select(pl.col("nmi", "purity").mean()).row(0),
        plain.select(pl.col("nmi", "purity").std()).row(0),
    )
    column = "λ = 0, k = 27"
    return [
        Cell("k", column, 27, 27), Cell("nλ", column, 0, 0),
        Cell("NMI", column, 0.39, nmi, sd), Cell("purity", column, 0.42, purity, sd_purity),
    ]  # fmt: skip


def _default_cells(of: Weighted, k: int, setting: Setting) -> list[Cell]:
    nmi, purity = default_scores(of, k, setting)
    column = "Quire"
    return [
        Cell("k", column, None, k), Cell("NMI", column, None, nmi), Cell("purity", column, None, purity),
    ]  # fmt: skip


def _search_findings(search: LambdaSearch, plain: pl.DataFrame) -> list[str]:
    nmi, pure = plain.select(pl.col("nmi", "purity").mean()).row(0)
    gain = search.soft_nmi - nmi
    ranks = "As in the thesis some λ is" if gain > 0 and search.lam > 0 else "Unlike in the thesis no λ is"
    return [
        f"{ranks} better than λ = 0: NMI {gain:+.2f} (thesis +0.23).",
        "Which k is best is not settled: the maxima for other k lie inside the interval of the best."
        if "undecided" in search.sentences[-1]
        else f"The search settles on k = {search.k} (thesis 31).",
        f"Purity does not follow: {pure:.2f} at λ = 0, {search.purity:.2f} at best (thesis 0.42 and 0.62). "
        "Ours is the printed share of documents in the largest class of their topic.",
    ]  # fmt: skip


def _space(search: LambdaSearch, n: int) -> str:
    figure, axes = new_figure()
    table = search.table
    drawn = axes[0, 0].scatter(table["k"], table["lam"] * n, c=table["max"], s=60, vmin=0)
    axes[0, 0].plot([search.k], [search.lam * n], "o", markersize=12, fillstyle="none", color="black")
    axes[0, 0].plot([31], [5.4], "x", markersize=9, color="black", label="found in the thesis: 31, 5.4")
    axes[0, 0].set(xlabel="k", ylabel="nλ")
    axes[0, 0].legend(frameon=False)
    figure.colorbar(drawn, ax=axes[0, 0], label="highest NMI")
    return svg_of(figure)


EXPERIMENTS = (
    Experiment("tsikhanovich2011/figure4", "NMI against λ, k = 30", figure4, TDT2),
    Experiment("tsikhanovich2011/figure6", "NMI against k", figure6, TDT2),
    Experiment("tsikhanovich2011/figure7", "a cubic fitted to NMI against λ", figure7, TDT2),
    Experiment("tsikhanovich2011/figure8", "the search for k and λ", figure8, TDT2),
    Experiment("tsikhanovich2011/figure9", "topics over time", figure9, (*TDT2, "tdt2_dates.npy")),
    Experiment("tsikhanovich2011/figure12", "what known classes are about", figure12, (REUTERS,)),
)
UNAVAILABLE = (
    Unavailable("tsikhanovich2011/figure1", "classes of the Newegg reviews", _NO_NEWEGG),
    Unavailable("tsikhanovich2011/figure5", "NMI against λ on Newegg reviews", _NO_NEWEGG),
    Unavailable("tsikhanovich2011/figure10", "the search for k and λ on Newegg reviews", _NO_NEWEGG),
    Unavailable("tsikhanovich2011/figure11", "topics of Newegg reviews over time", _NO_NEWEGG),
)
