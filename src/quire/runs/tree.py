"""A tree of topics: the run's own in the middle, what they join to above, what they part into below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire.messages import counted
from quire.runs.values import fits

FEWEST_LEAVES, PER_TOPIC = 128, 4  # how many leaves a tree may have where nobody says: for each topic, or at least


@dataclass(frozen=True)
class Node:
    """A node of a tree: a topic of some of its cuts.

    Attributes
    ----------
    number : int
        Its number; 0 is the root, and who is below another comes after it.
    parent : int or None
        The node above it; None for the root.
    children : tuple of int
        The nodes below it, the largest first; none for a leaf.
    size : int
        Its documents, those below it among them.
    keywords : tuple of str
        The words that tell its documents from those of its siblings, most telling first; none for the root.
    topic : int or None
        The topic of the run that it is; None above and below these.
    parts_at : int or None
        The number of topics from which on a cut has its children instead of it; None for a leaf.
    worth : float or None
        What its children explain more than it does alone: for a node above the run's topics what these lose by
        being joined (documents × squared Hellinger distance), below them the log-likelihood gained beyond chance.
    aside : int
        Documents that are in none of its children: tiny groups, unlike the rest.
    whole : bool
        Whether it was looked at and no structure was seen below it.
    """

    number: int
    parent: int | None
    children: tuple[int, ...]
    size: int
    keywords: tuple[str, ...]
    topic: int | None = None
    parts_at: int | None = None
    worth: float | None = None
    aside: int = 0
    whole: bool = False


class TreeCut(NamedTuple):
    """Some nodes of a tree that hold all documents together, each once."""

    nodes: list[Node]
    """The largest first."""
    labels: NDArray[np.intp]
    """Which of these each document is in: a place in ``nodes``; −1 for one without a topic, or set aside above."""


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A tree of topics, above and below those of a run: :meth:`quire.Run.tree`.

    Attributes
    ----------
    nodes : list of Node
        By their numbers; the first is the root.
    deepest : array of int
        The deepest node of each document; −1 where it has no topic.

    Examples
    --------
    >>> import quire
    >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"] * 9
    >>> tree = quire.cluster(texts, 2, random_state=0).tree()
    >>> [tree.nodes[child].size for child in tree.root.children]
    [18, 18]
    """

    nodes: list[Node]
    deepest: NDArray[np.int32]

    @property
    def root(self) -> Node:
        """The node of all documents that have a topic."""
        return self.nodes[0]

    @property
    def leaves(self) -> list[Node]:
        """The nodes without children: as many as the largest number of topics that it can be cut at."""
        return [node for node in self.nodes if not node.children]

    def cut(self, k: int) -> TreeCut:
        """Return the k nodes at which the tree is cut: the split that explains most comes first.

        Parameters
        ----------
        k : int
            From 1 to the number of leaves.
        """
        most = len(self.leaves)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= most:
            leaves = counted(most, "leaf", "leaves")
            raise ValueError(f"The tree has {leaves} and cannot be cut at {k}: ask for 1 to {most:,} topics.")
        chosen = [node for node in self.nodes if self._born_at(node) <= k < (node.parts_at or most + 1)]
        chosen.sort(key=lambda node: (-node.size, node.number))
        place = np.full(len(self.nodes) + 1, -1, np.intp)  # −1 finds the last
        for number, node in enumerate(chosen):
            place[list(self.below(node.number))] = number
        return TreeCut(chosen, place[self.deepest])

    def below(self, number: int) -> Iterator[int]:
        """Give a node and all that are below it.

        Parameters
        ----------
        number : int
            The node.
        """
        there = [number]
        while there:
            yield (node := there.pop())
            there += self.nodes[node].children

    def documents(self, number: int) -> NDArray[np.intp]:
        """Return which documents (rows) are in a node, those of the nodes below it among them.

        Parameters
        ----------
        number : int
            The node.
        """
        if not 0 <= number < len(self.nodes):
            raise ValueError(f"There is no node {number}: they are numbered from 0 to {len(self.nodes) - 1}.")
        return np.flatnonzero(np.isin(self.deepest, list(self.below(number))))

    @cached_property
    def depths(self) -> list[int]:
        """How many nodes are above each."""
        depths: list[int] = []
        for node in self.nodes:
            depths.append(0 if node.parent is None else depths[node.parent] + 1)
        return depths

    def table(self) -> pl.DataFrame:
        """Return the nodes as a table, a row each, with the columns of :class:`Node` and the ``depth``."""
        kinds: dict[str, Any] = {
            "children": pl.List(pl.Int64),
            "keywords": pl.List(pl.String),
            "worth": pl.Float64,
            "topic": pl.Int64,
        }
        rows = [asdict(node) | {"depth": depth} for node, depth in zip(self.nodes, self.depths)]
        return pl.DataFrame(rows, schema_overrides=kinds | {"parent": pl.Int64, "parts_at": pl.Int64})

    def as_dict(self) -> dict[str, Any]:
        """Return the nodes as data for JSON."""
        return {"leaves": len(self.leaves), "nodes": [asdict(node) for node in self.nodes]}

    def newick(self) -> str:
        """Return the tree in the Newick format, which programs that draw trees read.

        The length of a branch is a number of documents: how many fewer than its parent a node has.
        """
        written: dict[int, str] = {}
        for node in reversed(self.nodes):
            below = ",".join(written.pop(child) for child in node.children)
            name = f"{node.number} {', '.join(node.keywords[:3]) or 'all'}".replace("'", "''")
            length = "" if node.parent is None else f":{self.nodes[node.parent].size - node.size}"
            written[node.number] = f"{f'({below})' if below else ''}'{name}'{length}"
        return f"{written[0]};"

    def _born_at(self, node: Node) -> int:
        return 1 if node.parent is None else int(self.nodes[node.parent].parts_at or 1)

    def __repr__(self) -> str:
        return f"<Tree: {counted(len(self.nodes), 'node')}, {counted(len(self.leaves), 'leaf', 'leaves')}>"


def default_leaves(n_topics: int) -> int:
    """Return how many leaves a tree may have where nobody says."""
    return max(FEWEST_LEAVES, PER_TOPIC * n_topics)


def check_tree(tree: Tree, labels: NDArray[Any], n_topics: int) -> None:
    """Refuse a tree that is none, or of other documents than those with these topics."""
    nodes, deepest, n = tree.nodes, tree.deepest, len(tree.nodes)
    _expect(n > 0 and deepest.shape == labels.shape and deepest.dtype == np.int32, "it is of other documents")
    _expect(bool(((deepest >= -1) & (deepest < n)).all()), "documents are in nodes that are not there")
    _expect([node.number for node in nodes] == list(range(n)), "nodes are not numbered as they should be")
    _expect(nodes[0].parent is None, "it has no root")
    _expect(
        all(node.parent is not None and 0 <= node.parent < node.number for node in nodes[1:]), "a node has no parent"
    )
    children: list[list[int]] = [[] for _ in nodes]
    for node in nodes[1:]:
        children[node.parent or 0].append(node.number)
    for node, own in zip(nodes, children):
        alike = list(node.children) == own and (node.parts_at is None) == (not own)
        _expect(alike, "children are not those they should be")
    topics = [node.topic for node in nodes if node.topic is not None]
    _expect(sorted(topics) == list(range(n_topics)), "topics of the run are not in it")
    sizes = np.bincount(deepest[deepest >= 0], minlength=n)
    for node in reversed(nodes[1:]):
        sizes[node.parent] += sizes[node.number]
    _expect(sizes.tolist() == [node.size for node in nodes], "sizes of nodes are no sizes")
    steps = sorted(node.parts_at for node in nodes if node.parts_at is not None)
    _expect(steps == list(range(2, len(steps) + 2)), "it cannot be cut")
    place = np.full(n + 1, -1)
    for node in nodes:
        if node.topic is not None:
            place[list(tree.below(node.number))] = node.topic
    _expect(bool((place[deepest] == labels).all()), "it is of other topics")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise TypeError(otherwise)  # of which the reader makes a sentence


def nodes_from(rows: Sequence[Mapping[str, Any]]) -> list[Node]:
    """Return the nodes that were written as data; refuse what is of another kind."""
    kinds = get_type_hints(Node) | {"children": list[int], "keywords": list[str]}
    for row in rows:
        _expect(set(row) == set(kinds), "a node lacks something")
        _expect(all(fits(value, kinds[name]) for name, value in row.items()), "a node is of another kind")
    tuples = ("children", "keywords")
    data: list[dict[str, Any]] = [
        {name: tuple(value) if name in tuples else value for name, value in row.items()} for row in rows
    ]
    return [Node(**row) for row in data]
