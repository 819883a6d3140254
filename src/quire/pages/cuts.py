"""The other cuts of a run in a file: what each says otherwise, as far as there is room for it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from quire.pages.encoding import packed_block, packed_json
from quire.pages.payload import Payload
from quire.pages.texts import Texts, reasons_within

_MOST = 0.25  # of the room: a cut that takes more is left out, since texts go into the rest
_SHARED = re.compile(r"label|date|by\d+")  # columns of the points that are the same in all cuts; they come last


class CutBlocks(NamedTuple):
    """The blocks of the cuts that a file holds, and the numbers of topics of those that it does not."""

    blocks: list[str]
    kept: list[Payload]
    left: list[int]

    @property
    def size(self) -> int:
        """Bytes of all blocks."""
        return sum(map(len, self.blocks))

    def reasons(self, texts: Texts, room: int) -> list[str]:
        """Return the blocks of what the cuts say of single documents, while there is room."""
        blocks: list[str] = []
        for payload in self.kept:
            more = reasons_within(payload, texts, room)
            blocks += more
            room -= sum(map(len, more))
        return blocks


def cuts_within(payload: Payload, room: int) -> CutBlocks:
    """Return the other cuts, nearest to the run's own number of topics first, as many as there is room for."""
    found, own = CutBlocks([], [], []), len(payload.run.H)
    for k in sorted(payload.others, key=lambda k: (abs(k - own), k)):
        cut = payload.at(k)
        blocks = _blocks_of(cut, k)
        size = sum(map(len, blocks))
        if size > _MOST * (room - found.size):
            found.left.append(k)
        else:
            found.blocks.extend(blocks)
            found.kept.append(cut)
    return found


def _blocks_of(cut: Payload, k: int) -> list[str]:
    columns = [column for column in cut.head["columns"] if not _SHARED.fullmatch(column["name"])]
    end = min((c["offset"] for c in cut.head["columns"] if _SHARED.fullmatch(c["name"])), default=len(cut.points))
    data: dict[str, Any] = {"head": cut.head | {"columns": columns}, "terms": cut.terms, "time": cut.time}
    blocks = [packed_json(f"quire-{name}-{k}", part) for name, part in data.items()]
    return [*blocks, packed_block(f"quire-points-{k}", cut.points[:end])]
