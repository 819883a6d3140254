"""What the numbers of each k say, which is believed, and all of it in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.engine.elbow import Elbow, profile_likelihood
from quire.messages import also_good, listed

_SAME = 0.0005  # dispersion lost, where the runs differ in a document or so
_AS_STEADY = 3.0  # a k counts as steady as the steadiest one up to so many times what that one loses
_STEADY = 0.01  # dispersion lost, beyond which no k is steady
_FAITHFUL = 0.9  # mean ARI of two runs below which no consensus is spoken of
_NAMES = {  # the first that was measured decides, where none was asked for
    "returning": "the topics that come back",
    "consensus": "the consensus of the runs",
    "held_out": "the error on held-out documents and terms",
    "elbow": "the elbow of the singular values",
    "coherence": "the coherence of the keywords",
}


def consistent_topics(table: pl.DataFrame) -> int | None:
    """Return the largest k before ρ drops (kim2008 §5), or None where no two runs were compared."""
    # A k is consistent where it loses (1 − ρ) at most three times what the steadiest k loses, but no more
    # than 0.01, or at most 0.0005; and every topic must be some document's own, since one that is nobody's
    # says that fewer are enough. First ρ is that of the runs which are as good as the best one: a bad start
    # is no sign of a bad k. If only the smallest k is consistent so, the better half of the runs is compared
    # instead. Where that says nothing either, it is the k whose runs agree best by the adjusted Rand index.
    known = table.filter(pl.col("rho_best").is_not_null())
    full = known.filter(pl.col("used") >= pl.col("k"))
    if not full.height:
        return int(known["k"][0]) if known.height else None
    for column in ("rho_near", "rho_best"):
        steady = _steady(full, column)
        if len(steady) and steady.max() > known["k"][0]:
            return int(steady.max())
    return int(steady.max() if len(steady) else full["k"].to_numpy()[full["stability"].to_numpy().argmax()])


def _steady(table: pl.DataFrame, column: str) -> NDArray[np.int64]:
    """Return the numbers of topics that are consistent by one of the dispersions."""
    lost = 1 - table[column].to_numpy()
    allowed = max(_SAME, min(_AS_STEADY * float(lost.min()), _STEADY))
    return np.asarray(table["k"].to_numpy()[lost <= allowed], np.int64)


def flattening_topics(table: pl.DataFrame) -> int | None:
    """Return the k after which the held-out error hardly falls any more, or None where it was not measured.

    The falls from one k to the next are cut in two where two levels explain them best (the profile
    likelihood of the elbow, on the falls); if the error rises from some k on, it is at most that k.
    """
    known = table.filter(pl.col("held_out").is_not_null())
    ks, error = known["k"].to_numpy(), known["held_out"].to_numpy()
    if len(ks) < 4:
        return int(ks[error.argmin()]) if len(ks) else None
    lowest = int(error.argmin())
    falls = -np.diff(error) / np.diff(ks)
    levels = np.minimum.accumulate(np.maximum(falls, 0))  # a fall after a flat part is noise
    cut = int(profile_likelihood(levels).argmax()) + 1
    return int(ks[min(cut, lowest)])


def decided(
    by: str, says: Mapping[str, int], table: pl.DataFrame, elbow: Elbow | None, also: Sequence[int] = ()
) -> tuple[int, list[str]]:
    """Return the number of topics, and why, in sentences."""
    ks = table["k"].to_list()
    if not says:
        raise ValueError("Nothing was measured: give a larger budget, or leave it out.")
    first = by if by in says else next(name for name in _NAMES if name in says)
    chosen = min(max(says[first], ks[0]), ks[-1])
    lines = [f"Chosen: {chosen}, by {_NAMES[first]}{also_good(also)}."]
    lines += [_sentence(name, says[name], table, elbow) for name in _NAMES if name in says]
    lines += _disagreements(first, chosen, says)
    if chosen == ks[-1] and first in ("consensus", "held_out", "elbow"):
        lines.append(f"{chosen} is the largest number that was tried: try more, with --topics {ks[0]}:{2 * chosen}.")
    return chosen, lines


def _faithful(row: Mapping[str, float]) -> bool:
    return row["stability"] >= _FAITHFUL or 1 - row["rho_near"] <= _STEADY


def _sentence(name: str, k: int, table: pl.DataFrame, elbow: Elbow | None) -> str:
    rows = table.filter(pl.col("k") == k)
    row = rows.row(0, named=True) if rows.height else {}
    if name == "returning":
        return f"Topics that come back: {k} of them do best, when they are learnt from other halves of the documents."
    if name == "consensus":
        level = f"ρ = {row['rho_near']:.4f}, and {row['rho_best']:.4f} over the better half of the runs"
        what = "the largest number" if _faithful(row) else "though no number is one"
        what += " at which good runs agree"
        return f"Consensus: {k} topics, {what}, with {level}."
    if name == "held_out":
        what = f"from there on further topics hardly lower it ({row['held_out']:.4f})"
        return f"Held-out error: {k} topics; {what}."
    if name == "elbow":
        assert elbow is not None
        which = "values fall sharply at the first" if elbow.sharp else f"the first is at {elbow.first}"
        return f"Elbow: {k} topics, by the singular values ({which}); a hint, too high where topics are few."
    return f"Coherence: {k} topics have the keywords that go together best (NPMI {row['coherence']:.3f})."


def _disagreements(first: str, chosen: int, says: Mapping[str, int]) -> list[str]:
    """Say which ways would have chosen otherwise."""
    others = {name: k for name, k in says.items() if name != first and k != chosen}
    same = [_NAMES[name] for name, k in says.items() if name != first and k == chosen]
    lines = [f"{_first_upper(listed(same))} {'says' if len(same) == 1 else 'say'} the same."] if same else []
    if others:
        apart = listed([f"{_NAMES[name]} says {k}" for name, k in others.items()])
        lines.append(f"Not all agree: {apart}.")
    return lines


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
