"""How a user says how many topics."""

from __future__ import annotations

import re


def parse_topics(text: int | str) -> tuple[int, int | None] | int:
    """Read ``K``, ``auto`` or ``A:B``; a number, or the lowest and the highest to choose from.

    Examples
    --------
    >>> from quire.choosing.parse import parse_topics
    >>> parse_topics("20"), parse_topics("auto"), parse_topics("5:15")
    (20, (2, None), (5, 15))
    """
    said = str(text).strip().lower()
    if said == "auto":
        return 2, None
    number = re.fullmatch(r"\d+", said)
    if number and int(said) >= 1:
        return int(said)
    between = re.fullmatch(r"(\d+):(\d+)", said)
    if between and 1 <= int(between[1]) <= int(between[2]):
        return int(between[1]), int(between[2])
    raise ValueError(
        f"topics={text!r} is no number of topics: use a number such as 20, a range such as 5:30, or auto."
    )
