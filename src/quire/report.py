"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from quire.topics import keywords, typical_documents


def topic_table(
    W: NDArray[Any],
    H: NDArray[Any],
    labels: NDArray[Any],
    shares: NDArray[Any],
    vocabulary: Sequence[str],
    names: Sequence[str],
) -> Table:
    """Return the topics, largest first: size, share, keywords, most typical document.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.report import topic_table
    >>> W = np.array([[1.0], [2.0]])
    >>> topic_table(W, np.eye(1), np.zeros(2, int), W / W, ["moon"], ["a", "b"]).row_count
    1
    """
    sizes = np.bincount(labels[labels >= 0], minlength=len(H))
    words, typical = keywords(H, vocabulary), typical_documents(W, shares)
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim")
    for heading, justify in (("Topic", "right"), ("Docs", "right"), ("Share", "right")):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    table.add_column("Keywords", ratio=1)
    table.add_column("Most typical", max_width=30, overflow="ellipsis", no_wrap=True, style="cyan")
    for number, t in enumerate(np.argsort(-sizes, kind="stable"), start=1):
        first, *others = words[t] or ["–"]
        cells = Text.assemble((first, "bold"), " ", " ".join(others))
        share = f"{sizes[t] / len(labels):.1%}"
        table.add_row(str(number), f"{sizes[t]:,}", share, cells, Text(names[typical[t]]))
    return table
