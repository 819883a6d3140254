"""The tree of topics, as the page shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from quire.messages import short
from quire.pages.sections.section import Asked
from quire.runs.run import Run


def tree_section(run: Run, asked: Asked) -> dict[str, Any] | None:
    """Return the nodes by their numbers, children after their parents; None where a run has no tree."""
    if run.hierarchy is None:
        return None
    nodes = [
        {
            "parent": node.parent, "size": node.size, "keywords": [short(word) for word in node.keywords],
            "topic": node.topic, "parts_at": node.parts_at, "aside": node.aside, "whole": node.whole,
        }
        for node in run.hierarchy.nodes
    ]  # fmt: skip
    return {"nodes": nodes}


def node_column(run: Run) -> Iterator[tuple[str, str, Any]]:
    """Yield the deepest node of every document as a column of the points, where there is a tree."""
    if run.hierarchy is not None:
        few = len(run.hierarchy.nodes) < 65535
        none = 65535 if few else 2**32 - 1
        deepest = run.hierarchy.deepest.astype(np.int64)
        yield "node", "u16" if few else "u32", np.where(deepest < 0, none, deepest)
