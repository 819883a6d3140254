"""Whether a column holds what its role needs, and the sentences for one that does not."""

from __future__ import annotations

MOSTLY = 0.9  # of a guessed column's dates must be readable


def no_rows(name: str) -> ValueError:
    """Return the error for a table without rows."""
    return ValueError(f"{name} has no rows: there is nothing to read.")


def no_id(whose: str, row: int) -> ValueError:
    """Return the error for a row without an id."""
    return ValueError(f"{whose} holds no id in row {row + 1:,}: choose another id, or leave it out.")


def same_id(whose: str, id: str, first: int, second: int) -> ValueError:
    """Return the error for two rows with one id."""
    return ValueError(
        f"{whose} holds the id {id!r} twice, in rows {first + 1:,} and {second + 1:,}: "
        "choose another id, or leave it out."
    )


def are_labels(distinct: int, rows: int) -> bool:
    """Return whether a column can be one of classes: with nearly a value a row, it holds names or titles."""
    return 0 < distinct <= rows / 2


def are_dates(read: int, unparsed: int) -> bool:
    """Return whether a column can be one of dates: most of what is there could be read."""
    return read > 0 and read >= MOSTLY * (read + unparsed)


def no_date(column: str, where: str, row: int, value: str) -> ValueError:
    """Return the error for a column that was named and holds no date."""
    return ValueError(
        f"Column {column!r} of {where} holds no date that could be read (row {row + 1:,}: "
        f"{value[:40]!r}): write dates as YYYY-MM-DD, or name another column."
    )


def no_group(column: str) -> ValueError:
    """Return the error for a column that was to name groups, and names none."""
    return ValueError(f"Column {column!r} names no group in any row: choose another column.")
