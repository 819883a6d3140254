"""What a server shows of a run: its cuts, made when they are first asked for, and made again when the run is edited."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from quire.messages import short
from quire.pages.edits import log_of
from quire.pages.encoding import json_bytes
from quire.pages.payload import Payload
from quire.runs.editing import edit_run
from quire.runs.edits.entry import Edit
from quire.runs.edits.fold import digest, named, parted
from quire.runs.edits.log import ConflictError
from quire.runs.load import load
from quire.runs.run import Run


class Cut:
    """One cut of the run as the routes answer it; what does not change is encoded once."""

    def __init__(self, payload: Payload, folder: Path, head: dict[str, Any]) -> None:
        self.payload, self._timing = payload, threading.Lock()
        has, allowed = payload.head["has"], os.access(folder, os.W_OK)
        head = {"has": has | {"rename": allowed, "edit": has["edit"] and allowed}, **head}
        self.head, self.terms = json_bytes(payload.head | head), json_bytes(payload.terms)

    @property
    def time(self) -> bytes:
        """It takes a while: once is enough."""
        with self._timing:
            return self._encoded_time

    @cached_property
    def _encoded_time(self) -> bytes:
        return json_bytes(self.payload.time)


class Shown:
    """A run as it is now; who edits waits for who edits, who looks waits for nobody."""

    def __init__(self, payload: Payload, folder: Path) -> None:
        self._folder = folder
        self._cutting, self._editing = threading.Lock(), threading.Lock()
        self._show(payload)

    def ready(self, asked: str) -> Cut | None:
        """Return a cut that is there already."""
        return self._cuts.get(asked)

    def made(self, asked: str) -> Cut | None:
        """Return a cut, made when it is first asked for; None where an edit meanwhile left none of that number."""
        found = self._cuts.get(asked)
        if found is not None:
            return found
        with self._cutting:  # once, and without keeping others waiting for the cuts that are there
            if asked not in self._cuts and int(asked) in self.payload.others:
                self._cuts[asked] = self._cut(self._named(int(asked)), int(asked))
            return self._cuts.get(asked)

    def edit(self, version: int, edit: Edit) -> bytes:
        """Make an edit, once those before it are made; return the head of the run as it is then."""
        with self._editing:
            try:
                run = edit_run(self._folder, edit, version)
            except ConflictError:
                self._look_again()
                raise
            if edit.cut is None:
                self._take(run)
            else:
                self._look_again()
            cut = self.made(self.own if edit.cut is None else str(edit.cut))
            return b"null" if cut is None else cut.head

    def _look_again(self) -> None:
        """Show what others made of the run meanwhile, or what topics are called now."""
        run = load(self._folder, texts=False)
        self._take(run if _same_topics(run, self.payload.run) else load(self._folder))

    def _take(self, run: Run) -> None:
        again = self.payload.again
        if again is not None and not _same_topics(run, self.payload.run):
            self._show(again(run))
        else:
            self._show(replace(self.payload, run=replace(self.payload.run, topics=run.topics, edits=run.edits)))

    def _show(self, payload: Payload) -> None:
        """Answer with a payload from now on; other cuts are made again when they are asked for."""
        with self._cutting:
            self.payload, self.own = payload, str(len(payload.run.H))
            self._cuts = {self.own: self._cut(payload, None)}

    def _cut(self, payload: Payload, number: int | None) -> Cut:
        """Return a cut with the names and notes that its topics have now."""
        run, first = payload.run, self.payload.run
        history, notes = () if first.edits is None else first.edits.history, run.notes
        topics = [
            topic | {"name": short(name), "note": notes.get(topic["topic"])}
            for topic, name in zip(payload.head["topics"], run.topics["name"], strict=True)
        ]
        return Cut(payload, self._folder, {"topics": topics, "edits": log_of(history, number)})

    def _named(self, number: int) -> Payload:
        """Return the payload of another cut, with the names and notes that people gave to its topics."""
        payload, edits = self.payload.at(number), self.payload.run.edits
        own = () if edits is None else tuple(replace(edit, cut=None) for edit in edits.history if edit.cut == number)
        return replace(payload, run=named(payload.run, own))


def _same_topics(run: Run, other: Run) -> bool:
    """Say whether two runs differ in words about topics alone."""
    known = [() if one.edits is None else parted(one.edits.history)[0] for one in (run, other)]
    return digest(known[0]) == digest(known[1])
