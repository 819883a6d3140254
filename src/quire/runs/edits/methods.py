"""The methods of a run by which it is edited: each returns another run, and changes none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np

from quire.runs.edits.draft import given_before
from quire.runs.edits.entry import new_edit
from quire.runs.edits.fold import Edits, edited
from quire.runs.edits.lines import listed_edits, read_edits
from quire.runs.edits.replay import replayed


class Editing:
    """What can be edited."""

    edits: Edits | None
    info: dict[str, Any]

    @property
    def history(self) -> list[dict[str, Any]]:
        """What became of the run since it was made, as plain data.

        First what each update did (``update``), then all edits since: what, who, when; those that were undone, too.
        """
        edits = () if self.edits is None else self.edits.history
        return [*self.updates, *(edit.as_dict() for edit in edits)]

    @property
    def updates(self) -> list[dict[str, Any]]:
        """What each update of the run did, the oldest first."""
        return list(self.info.get("history") or ())

    @property
    def notes(self) -> dict[int, str]:
        """The notes that people made of topics."""
        notes = (given_before(self) if self.edits is None else self.edits.given())[1]
        return {topic: note for topic, note in enumerate(notes) if note}

    @property
    def given_names(self) -> dict[int, str]:
        """The names that people gave to topics."""
        names = (given_before(self) if self.edits is None else self.edits.given())[0]
        return {topic: name for topic, name in enumerate(names) if name}

    def rename(self, topic: int, name: str) -> Self:
        """Return the run with another name for a topic; an empty one gives it its own back.

        Parameters
        ----------
        topic : int
            The topic.
        name : str
            What to call it.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal"]
        >>> run = quire.cluster(texts, 2, random_state=0).rename(0, "Space")
        >>> run.topics["name"][0], run.undo().topics["name"][0] == "Space", len(run.history)
        ('Space', False, 1)
        """
        return self._edited("rename", topic=topic, name=name)

    def note(self, topic: int, note: str) -> Self:
        """Return the run with a note beside a topic; an empty one takes it away.

        Parameters
        ----------
        topic : int
            The topic.
        note : str
            What there is to say of it.
        """
        return self._edited("note", topic=topic, note=note)

    def merge(self, *topics: int) -> Self:
        """Return the run with one topic in the place of several, under the number of the first.

        A document's membership in it is the sum of its memberships; topics after the others are numbered anew.

        Parameters
        ----------
        *topics : int
            Two topics or more.

        Examples
        --------
        >>> import quire
        >>> texts = ["the moon orbits", "a moon in orbit", "goal and team", "team goal", "tax law", "a law of tax"]
        >>> run = quire.cluster(texts, 3, random_state=0)
        >>> run.merge(0, 2).topics["size"].to_list()
        [4, 2]
        """
        return self._edited("merge", topics=list(topics))

    def split(self, topic: int, into: int = 2) -> Self:
        """Return the run with several topics in the place of one, whose documents alone move.

        The largest part keeps the number, the others come last.

        Parameters
        ----------
        topic : int
            The topic.
        into : int, default=2
            How many parts.
        """
        return self._edited("split", topic=topic, into=into)

    def remove(self, topic: int) -> Self:
        """Return the run without a topic, whose documents go to their next one each.

        Parameters
        ----------
        topic : int
            The topic; those after it are numbered anew.
        """
        return self._edited("remove", topic=topic)

    def pin(self, word: str, topic: int) -> Self:
        """Return the run with a word that speaks for one topic alone, and is among its keywords.

        Parameters
        ----------
        word : str
            A term of the run.
        topic : int
            The topic.
        """
        return self._edited("pin", word=word, topic=topic)

    def ban(self, word: str) -> Self:
        """Return the run with a word that speaks for no topic, and is among no keywords.

        Parameters
        ----------
        word : str
            A term of the run.
        """
        return self._edited("ban", word=word)

    def move(self, doc: str, topic: int) -> Self:
        """Return the run with a document in another topic, where it stays whatever is edited later.

        Parameters
        ----------
        doc : str
            The id of a document.
        topic : int
            The topic.
        """
        return self._edited("move", document=str(doc), topic=topic)

    def together(self, doc: str, other: str) -> Self:
        """Return the run with two documents in one topic, the one that fits both best.

        Parameters
        ----------
        doc, other : str
            The ids of two documents.
        """
        return self._edited("together", documents=[str(doc), str(other)])

    def apart(self, doc: str, other: str) -> Self:
        """Return the run with two documents in different topics: the one that loses less goes to its next.

        Parameters
        ----------
        doc, other : str
            The ids of two documents.
        """
        return self._edited("apart", documents=[str(doc), str(other)])

    def undo(self) -> Self:
        """Return the run as it was before its last edit; before the first one it is the first run, bit for bit."""
        return self._edited("undo")

    def redo(self) -> Self:
        """Return the run with the edit that was undone last."""
        return self._edited("redo")

    def replay(self, edits: str | Path | Iterable[dict[str, Any]]) -> tuple[Self, list[str]]:
        """Return the run with the edits of another one, and what of them could not be done here.

        Topics are found again by their words, documents by their ids.

        Parameters
        ----------
        edits : path or list
            The ``edits.jsonl`` of a run, what its page exported, or the `history` of another run.
        """
        return replayed(self, read_edits(edits) if isinstance(edits, str | Path) else listed_edits(edits))

    def _edited(self, what: str, **given: Any) -> Self:
        return edited(self, new_edit(what, **{name: _plain(value) for name, value in given.items()}))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    """Return numbers of NumPy's, as those of ``run.labels`` are, as the log keeps them."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return int(value) if isinstance(value, np.integer) else value
