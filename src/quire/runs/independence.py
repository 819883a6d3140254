"""How many independent documents of equal weight would say as much as those that there are."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray


def independent_share(
    topics: NDArray[np.int64], n_topics: int, weight: NDArray[np.float64], whole: pl.Series | None = None
) -> NDArray[np.float64]:
    """Return, for each topic, the share of the documents that would say as much if they were independent.

    Unequal weights lower it by Kish's factor, (Σw)² / n Σw². So do passages of one text, or answers of one person, that
    are alike: by 1 + (m − 1) ρ, m being how many they are and ρ the correlation within them (Kish 1965).
    """
    share = float(weight.sum() ** 2 / (len(weight) * (weight**2).sum()))
    if whole is None:
        return np.full((n_topics, 1), share)
    codes = whole.rank("dense").to_numpy().astype(np.int64) - 1
    return share / design_effects(topics, codes, n_topics)[:, None]


def design_effects(topics: NDArray[np.int64], wholes: NDArray[np.int64], n_topics: int) -> NDArray[np.float64]:
    """Return 1 + (m − 1) ρ of each topic, ρ from the variances between and within whole documents (one-way ANOVA)."""
    sizes = np.bincount(wholes).astype(np.float64)
    n, n_wholes = len(topics), len(sizes)
    if n_wholes < 2 or n == n_wholes:
        return np.full(n_topics, n / n_wholes)
    joint = np.bincount(wholes * n_topics + topics, minlength=n_wholes * n_topics).reshape(n_wholes, n_topics)
    own, overall = joint / sizes[:, None], np.bincount(topics, minlength=n_topics) / n
    between = (sizes[:, None] * (own - overall) ** 2).sum(0) / (n_wholes - 1)
    within = (joint * (1 - own)).sum(0) / (n - n_wholes)
    usual = (n - (sizes**2).sum() / n) / (n_wholes - 1)
    total = between + (usual - 1) * within
    alike = np.clip(np.where(total > 0, (between - within) / np.where(total > 0, total, 1), 0), 0, 1)
    return np.asarray(1 + ((sizes**2).sum() / n - 1) * alike)
