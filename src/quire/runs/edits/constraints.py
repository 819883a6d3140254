"""What people said of single documents: in which topic they are, which belong together, which do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

_SAID = 0.99  # the share of a topic in a document of which a person said so
_MORE = 1.02  # how much larger than the next a share is that must be the largest


@dataclass(frozen=True)
class Constraints:
    """Documents, by their rows, held to topics and to each other."""

    held: Mapping[int, int] | None = None
    together: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nobody said anything."""
        return not (self.held or self.together or self.apart)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The documents that it is about."""
        pairs = [row for pair in (*self.together, *self.apart) for row in pair]
        return np.unique(np.array([*(self.held or {}), *pairs], np.intp))

    def moved(self, row: int, topic: int) -> Constraints:
        """Return the same with a document held to a topic."""
        return self._checked(replace(self, held={**(self.held or {}), row: topic}))

    def joined(self, first: int, second: int) -> Constraints:
        """Return the same with two documents held together."""
        return self._checked(replace(self, together=(*self.together, (first, second))))

    def parted(self, first: int, second: int) -> Constraints:
        """Return the same with two documents kept apart."""
        return self._checked(replace(self, apart=(*self.apart, (first, second))))

    def renumbered(self, new: Mapping[int, int]) -> Constraints:
        """Return the same for topics with other numbers; who was held to one that is gone is free."""
        held = {row: new[topic] for row, topic in (self.held or {}).items() if topic in new}
        return self._checked(replace(self, held=held))

    def groups(self) -> dict[int, int]:
        """Return, for each document, one of those that it is held together with, the same for all of them."""
        root = {int(row): int(row) for row in self.rows}

        def top(row: int) -> int:
            while root[row] != row:
                row = root[row]
            return row

        for first, second in self.together:
            low, high = sorted((top(first), top(second)))
            root[high] = low
        return {row: top(row) for row in root}

    def _checked(self, other: Constraints) -> Constraints:
        """Refuse what contradicts what was said before."""
        group, wanted = other.groups(), dict[int, int]()
        for row, topic in (other.held or {}).items():
            if wanted.setdefault(group[row], topic) != topic:
                raise ValueError("These documents are to be together and in different topics: undo one of both first.")
        for first, second in other.apart:
            if group[first] == group[second]:
                raise ValueError("These documents are to be together and apart: undo one of both first.")
            if wanted.get(group[first], -1) == wanted.get(group[second], -2):
                raise ValueError("These documents are to be apart and in the same topic: undo one of both first.")
        return other

    def applied(self, rows: NDArray[np.intp], shares: NDArray[np.float64], least: float) -> NDArray[np.float64]:
        """Return the shares of :attr:`rows` with all that was said kept; a topic has ``least`` at least."""
        group, place = self.groups(), {int(row): at for at, row in enumerate(rows)}
        members: dict[int, list[int]] = {}
        for row, one in group.items():
            members.setdefault(one, []).append(row)
        scores = {one: shares[[place[r] for r in own]].sum(axis=0) for one, own in members.items()}
        fixed = {group[row]: topic for row, topic in (self.held or {}).items()}
        chosen = {one: fixed.get(one, int(score.argmax())) for one, score in scores.items()}
        for _ in range(len(members)):  # each of them may send another on
            if not self._part(group, scores, fixed, chosen):
                break
        result = shares.copy()
        for one, own in members.items():
            for row in own:
                said = _SAID if row in (self.held or {}) else least
                result[place[row]] = led(shares[place[row]], chosen[one], said)
        return result

    def _part(
        self,
        group: dict[int, int],
        scores: dict[int, NDArray[np.float64]],
        fixed: dict[int, int],
        chosen: dict[int, int],
    ) -> bool:
        """Send one of two that are to be apart to its next topic; say whether any had to go."""
        gone = False
        for first, second in self.apart:
            pair = [one for one in (group[first], group[second]) if one not in fixed]
            if chosen[group[first]] != chosen[group[second]] or not pair:
                continue
            topic, gone = chosen[group[first]], True
            losses = []
            for one in pair:
                taken = {chosen[o] for o in self._rivals(one, group)} | {topic}
                free = [t for t in range(len(scores[one])) if t not in taken] or [
                    t for t in range(len(scores[one])) if t != topic
                ]
                if free:
                    best = max(free, key=lambda t: (scores[one][t], -t))
                    losses.append((scores[one][topic] - scores[one][best], one, best))
            if not losses:
                raise ValueError("There is one topic only, so no documents can be apart: split it first.")
            _, one, best = min(losses)
            chosen[one] = best
        return gone

    def _rivals(self, one: int, group: dict[int, int]) -> set[int]:
        pairs = ((group[first], group[second]) for first, second in self.apart)
        return {second if first == one else first for first, second in pairs if one in (first, second)}


def led(shares: NDArray[np.float64], topic: int, least: float = 0.0) -> NDArray[np.float64]:
    """Return shares of which a topic's is the largest, and ``least`` at least; the others keep their proportions."""
    others = shares.copy()
    others[topic] = 0
    rest = others.sum()
    if rest <= 0:
        return np.asarray(np.arange(len(shares)) == topic, np.float64)
    others /= rest
    most = float(others.max())
    if shares[topic] >= least and shares[topic] > others.max() * rest:
        return shares
    own = min(max(shares[topic], least, _MORE * most / (1 + most)), 1.0)
    result: NDArray[np.float64] = others * (1 - own)
    result[topic] = own
    return result
