"""The nodes of a tree: joins above the topics of a run, branches below, and the words that tell siblings apart."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from quire.messages import Update
from quire.methods.ensemble.branches import Branches, grown
from quire.methods.ensemble.groups import joins
from quire.places.parts import over_rows
from quire.runs.keywords import code_like
from quire.runs.telling import Held, documents_holding
from quire.runs.topics import one_per_family
from quire.runs.tree import Node, Tree, default_leaves

_WORDS, _LOOKED_AT = 10, 60  # keywords of a node, and terms that are looked at for them


def tree_of(
    X: Any, counts: Any, labels: NDArray[Any], H: NDArray[Any], words: Sequence[str], seed: int,
    leaves: int | None = None, n_jobs: int | None = None, update: Update = lambda done, total: None,
) -> Tree:  # fmt: skip
    """Return the tree above and below topics. X holds log counts, and like the counts it may lie anywhere."""
    most = default_leaves(len(H)) if leaves is None else leaves
    below = grown(X, labels, len(H), most, seed, n_jobs, update)
    inside = over_rows(documents_holding, counts, below.node, args=(below.n_nodes,))[1][0]
    return _Sketch.of(below, H).tree(inside, words)


@dataclass(frozen=True)
class _Sketch:
    """A tree while it is made: its nodes are topics first, then what is below them, then what is above."""

    below: Branches
    n_topics: int
    children: dict[int, tuple[int, int]] = field(default_factory=dict)
    parts_at: dict[int, int] = field(default_factory=dict)
    worth: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, below: Branches, H: NDArray[Any]) -> _Sketch:
        sketch = cls(below, len(H))
        sketch._join(H)
        sketch._branch()
        return sketch

    def _join(self, H: NDArray[Any]) -> None:
        """Put a node above the two topics that lose least by being one, and so on."""
        k, n_below = self.n_topics, self.below.n_nodes
        sizes = np.bincount(self.below.node[self.below.node >= 0], minlength=n_below)
        for branch in reversed(self.below.parted):
            sizes[branch.node] += sizes[list(branch.children)].sum()
        shares = np.maximum(H, 0).astype(np.float64)
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        top = list(range(k))  # the node that a topic is in by now
        for number, join in enumerate(joins(np.sqrt(shares), sizes[:k])):
            self._part(n_below + number, (top[join.one], top[join.other]), k - number, join.loss)
            top[join.one] = n_below + number

    def _branch(self) -> None:
        """Say when nodes part: of those that are there the one whose parts explain most is next."""
        branches = {branch.node: branch for branch in self.below.parted}
        ready = [(-branches[t].gain, t) for t in range(self.n_topics) if t in branches]
        heapq.heapify(ready)
        for at in range(self.n_topics + 1, self.n_topics + 1 + len(branches)):
            branch = branches[heapq.heappop(ready)[1]]
            self._part(branch.node, branch.children, at, branch.gain)
            for child in branch.children:
                if child in branches:
                    heapq.heappush(ready, (-branches[child].gain, child))

    def _part(self, node: int, children: tuple[int, int], at: int, worth: float) -> None:
        self.children[node], self.parts_at[node], self.worth[node] = children, at, worth

    def tree(self, inside: sp.csr_array, words: Sequence[str]) -> Tree:
        """Return the tree, its nodes numbered from the root down, the larger child first."""
        below, n = self.below, self.below.n_nodes + self.n_topics - 1
        holds = self._totals(inside)
        sizes = self._totals(sp.csr_array(np.bincount(below.node[below.node >= 0], minlength=below.n_nodes)[:, None]))
        sizes = np.asarray(sizes.toarray()).ravel().astype(np.int64)
        order, parent = list[int](), dict[int, int]()
        stack = [n - 1 if self.n_topics > 1 else 0]
        while stack:
            order.append(node := stack.pop())
            own = sorted(self.children.get(node, ()), key=lambda child: (sizes[child], -child))
            parent |= dict.fromkeys(own, node)
            stack += own  # the largest last, and so next
        number = {node: place for place, node in enumerate(order)}
        telling = self._keywords(holds, sizes, words)
        nodes = [
            Node(
                number[node], number[parent[node]] if node in parent else None,
                tuple(sorted(number[child] for child in self.children.get(node, ()))), int(sizes[node]),
                tuple(telling.get(node, ())), node if node < self.n_topics else None, self.parts_at.get(node),
                self.worth.get(node), below.aside.get(node, 0), node in below.whole,
            )
            for node in order
        ]  # fmt: skip
        places = np.array([number[node] for node in range(below.n_nodes)] + [-1], np.int32)  # −1 finds the last
        return Tree(nodes, places[below.node])

    def _totals(self, own: sp.csr_array) -> sp.csr_array:
        """Add what is known of the documents that are in no child to what is known of those that are."""
        n_below, n = self.below.n_nodes, self.below.n_nodes + self.n_topics - 1
        members: dict[int, list[int]] = {}
        for node in [*reversed(range(n_below)), *range(n_below, n)]:  # who is below another comes before it
            inner = [member for child in self.children.get(node, ()) for member in members[child]]
            members[node] = [node, *inner] if node < n_below else inner
        ends = np.cumsum([0, *(len(members[node]) for node in range(n))])
        columns = np.array([member for node in range(n) for member in members[node]], np.int64)
        return sp.csr_array(sp.csr_array((np.ones(len(columns)), columns, ends), (n, n_below)) @ own)

    def _keywords(self, holds: sp.csr_array, sizes: NDArray[np.int64], words: Sequence[str]) -> dict[int, list[str]]:
        """Return the words that tell each node's documents from those of its siblings."""
        telling = {}
        for node, children in self.children.items():
            inside = sp.csr_array(holds[list(children)])
            own = sizes[list(children)].astype(np.float64)
            anywhere = np.asarray(holds[[node]].toarray(), np.float64).ravel()
            held = Held(
                inside, sp.csc_array(inside), anywhere, np.column_stack([own, own]),
                np.array([sizes[node]] * 2, np.float64), holds.shape[1],
            )  # fmt: skip
            for place, child in enumerate(children):
                found = [words[j] for j in held.leading(place, _LOOKED_AT).columns]
                codes = dict(zip(found, code_like(found)))
                telling[child] = one_per_family([word for word in found if not codes[word]] or found)[:_WORDS]
        return telling
