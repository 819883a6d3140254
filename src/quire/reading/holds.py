"""Whether a column holds what its role needs, and the sentences for one that does not."""

from __future__ import annotations

MOSTLY = 0.9  # of a guessed column's dates must be readable


def no_rows(name: str) -> ValueError:
    """Return the error for a table without rows.

    Examples
    --------
    >>> from quire.reading.holds import no_rows
    >>> no_rows("a.csv")
    ValueError('a.csv has no rows: there is nothing to read.')
    """
    return ValueError(f"{name} has no rows: there is nothing to read.")


def no_id(whose: str, row: int) -> ValueError:
    """Return the error for a row without an id.

    Examples
    --------
    >>> from quire.reading.holds import no_id
    >>> no_id("Column 'key'", 6)
    ValueError("Column 'key' holds no id in row 7: choose another id, or leave it out.")
    """
    return ValueError(f"{whose} holds no id in row {row + 1:,}: choose another id, or leave it out.")


def same_id(whose: str, id: str, first: int, second: int) -> ValueError:
    """Return the error for two rows with one id.

    Examples
    --------
    >>> from quire.reading.holds import same_id
    >>> same_id("Column 'key'", "a", 0, 2)
    ValueError("Column 'key' holds the id 'a' twice, in rows 1 and 3: choose another id, or leave it out.")
    """
    return ValueError(
        f"{whose} holds the id {id!r} twice, in rows {first + 1:,} and {second + 1:,}: "
        "choose another id, or leave it out."
    )


def are_labels(distinct: int, rows: int) -> bool:
    """Return whether a column can be one of classes: with nearly a value a row, it holds names or titles.

    Examples
    --------
    >>> from quire.reading.holds import are_labels
    >>> are_labels(20, 1000), are_labels(900, 1000)
    (True, False)
    """
    return 0 < distinct <= rows / 2


def are_dates(read: int, unparsed: int) -> bool:
    """Return whether a column can be one of dates: most of what is there could be read.

    Examples
    --------
    >>> from quire.reading.holds import are_dates
    >>> are_dates(99, 1), are_dates(0, 0)
    (True, False)
    """
    return read > 0 and read >= MOSTLY * (read + unparsed)


def no_date(column: str, where: str, row: int, value: str) -> ValueError:
    """Return the error for a column that was named and holds no date.

    Examples
    --------
    >>> from quire.reading.holds import no_date
    >>> str(no_date("when", "a.csv", 0, "soon"))[:64]
    "Column 'when' of a.csv holds no date that could be read (row 1: "
    """
    return ValueError(
        f"Column {column!r} of {where} holds no date that could be read (row {row + 1:,}: "
        f"{value[:40]!r}): write dates as YYYY-MM-DD, or name another column."
    )


def no_group(column: str) -> ValueError:
    """Return the error for a column that was to name groups, and names none.

    Examples
    --------
    >>> from quire.reading.holds import no_group
    >>> no_group("author")
    ValueError("Column 'author' names no group in any row: choose another column.")
    """
    return ValueError(f"Column {column!r} names no group in any row: choose another column.")
