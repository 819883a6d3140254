"""Several columns of texts: the answers of one respondent, joined into one text, or kept apart to be documents each."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from quire.corpus.roles import missing_column
from quire.corpus.strings import as_strings, blank_to_null

APART = "\x1e"  # between the answers of a respondent, where each will be a document


def names_in(asked: str, is_column: Callable[[str], object]) -> tuple[str, ...]:
    """Return the names in a list such as ``likes,dislikes``; a column's name may hold commas itself."""
    pieces, names, at = asked.split(","), [], 0
    while at < len(pieces):
        ends = range(len(pieces), at + 1, -1)
        end = next((end for end in ends if is_column(",".join(pieces[at:end]).strip())), at + 1)
        names.append(",".join(pieces[at:end]).strip())
        at = end
    return tuple(dict.fromkeys(filter(None, names)))


def answer_columns(asked: str, each: bool, columns: list[str], where: str) -> tuple[str, ...]:
    """Return the columns of answers that were asked for; none where there is one column of texts."""
    names = names_in(asked, columns.__contains__)
    if len(names) < 2:
        check_several(names, each)
        return ()
    for name in names:
        if name not in columns:
            raise ValueError(missing_column("text", name, columns, where))
    return names


def check_several(names: tuple[str, ...], each: bool = True) -> None:
    """Refuse to take answers apart where there is but one."""
    if each and len(names) < 2:
        raise ValueError("--each makes a document of each answer: name several columns, as in --text likes,dislikes.")


def joined_answers(frame: pl.DataFrame, names: tuple[str, ...], each: bool, called: str) -> pl.DataFrame:
    """Return rows with one text instead of several columns of answers."""
    answers = [blank_to_null(as_strings(frame[name])) for name in names]
    if each:
        whole = [answer.fill_null("").str.replace_all(APART, " ", literal=True) for answer in answers]
        text = pl.concat_str(whole, separator=APART)
    else:
        text = pl.concat_str(answers, separator="\n\n", ignore_nulls=True).fill_null("")
    return frame.drop(names).with_columns(pl.select(text).to_series().alias(called))
