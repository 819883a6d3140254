"""The weightings by name; ``log-`` before any takes log(1 + TF) instead of TF. A new one is a line here."""

from __future__ import annotations

from quire.text.weights.powers import Powers
from quire.text.weights.rarity import NormalizedCut, RareInDocuments, RareTokens
from quire.text.weights.scheme import Scheme

SCHEMES: dict[str, Scheme] = {
    "counts": Powers(0, 0),  # TF (conroy2023)
    "rs": Powers(1, 0),  # D_r⁻¹ TF, D_r the row sums (conroy2023 eq. 2)
    "cs": Powers(0, 1),  # TF D_c⁻¹, D_c the column sums (conroy2023 eq. 3)
    "pwmi": Powers(1, 1),  # D_r⁻¹ TF D_c⁻¹ (conroy2023 eq. 4, which prints D_r twice)
    "nl": Powers(0.5, 0.5),  # D_r^-½ TF D_c^-½ (conroy2023 eq. 1)
    "nl-tau": Powers(0.5, 0.5, shifted=True),  # nl with D_r + τ·mean(D_r) and D_c + τ·mean(D_c) (Quire)
    "tfidf-cf": RareTokens(),  # TF·log(n / Σ_i TF_i), 0 where that is negative (tsikhanovich2011)
    "tfidf": RareInDocuments(),  # TF·log(n / df), rows to unit length (xu2003, kim2008)
    "ncw": NormalizedCut(),  # tfidf, then rows times d^-½ with d = X Xᵀ e (xu2003 §3.3)
}
