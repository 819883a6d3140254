"""An edit: who changed what, and when. It is a line of ``edits.jsonl``; nothing else is ever kept of it."""

from __future__ import annotations

import datetime
import getpass
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quire.messages import meant
from quire.runs.names import checked_name

LONGEST_NOTE, MOST_PARTS = 2000, 50
_N_WORDS = 10  # of a topic that an edit names, by which it is found again in another run
_LONGEST = 1000  # letters of an id, or a word
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Edit:
    """One thing that was changed.

    Attributes
    ----------
    what : str
        ``merge``, ``split``, ``rename`` … (``quire edit --help``), ``undo`` or ``redo``.
    given : dict
        To what: ``topic``, ``topics``, ``word``, ``document`` … and ``words`` of the topics.
    who, when : str
        The name of the user, and the time in UTC.
    cut : int or None
        The number of topics of the cut whose topics are meant; None: the run's own.
    """

    what: str
    given: Mapping[str, Any]
    who: str = ""
    when: str = ""
    cut: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        cut = {} if self.cut is None else {"cut": self.cut}
        return {"what": self.what, **self.given, **cut, "who": self.who, "when": self.when}

    def __str__(self) -> str:
        """Return it as a person would type it."""
        given = [self.given[name] for name in FIELDS[self.what] if name in self.given]
        flat = [str(one) for value in given for one in (value if isinstance(value, list | tuple) else [value])]
        return " ".join([self.what, *(json.dumps(one, ensure_ascii=False) if " " in one else one for one in flat)])


def new_edit(what: str, cut: int | None = None, **given: Any) -> Edit:
    """Return an edit of this user, made now, once it was found to be one."""
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return checked(Edit(what, given, _user(), when, cut))


def checked(edit: Edit) -> Edit:
    """Refuse what is no edit, whoever wrote it."""
    if not isinstance(edit.what, str) or edit.what not in FIELDS:
        raise ValueError(f"{edit.what!r} is no edit{meant(str(edit.what), FIELDS)}: there are {', '.join(FIELDS)}.")
    fields = FIELDS[edit.what]
    missing = [name for name in fields if name not in edit.given]
    more = [name for name in edit.given if name not in (*fields, "words")]
    if missing or more:
        wrong = f"lacks {missing[0]!r}" if missing else f"has {more[0]!r}, which nobody asked for"
        raise ValueError(f"An edit {edit.what!r} {wrong}: it has {', '.join(fields) or 'nothing'}.")
    if not all(isinstance(said, str) and len(said) <= _LONGEST and _is_text(said) for said in (edit.who, edit.when)):
        raise ValueError(f"An edit {edit.what!r} should say in words who made it, and when.")
    if edit.cut is not None and not (_is_topic(edit.cut) and edit.what in OF_A_CUT):
        raise ValueError(
            "Topics of another cut can only be named and noted: make it a run of its own, "
            "quire.load(RUN).at(CUT).save(FOLDER), and edit that."
        )
    values = {name: _CHECKS[name](value) for name, value in edit.given.items()}
    return replace(edit, given=values, who=" ".join(edit.who.split()), when=" ".join(edit.when.split()))


def edit_from(data: Any) -> Edit:
    """Return the edit that plain data is; refuse what is none."""
    if not isinstance(data, dict):
        raise ValueError('An edit should look like {"what": "rename", "topic": 0, "name": "Space flight"}.')
    rest = {name: value for name, value in data.items() if name not in ("what", "who", "when", "cut")}
    return checked(Edit(data.get("what", ""), rest, data.get("who", ""), data.get("when", ""), data.get("cut")))


def with_words(edit: Edit, keywords: Sequence[Sequence[str]]) -> Edit:
    """Return an edit that also says which words the topics have that it names by their numbers."""
    given = dict(edit.given)
    if "topic" in given and given["topic"] < len(keywords):
        given["words"] = _known_by(keywords[given["topic"]])
    if "topics" in given and max(given["topics"]) < len(keywords):
        given["words"] = [_known_by(keywords[topic]) for topic in given["topics"]]
    return replace(edit, given=given)


def _known_by(keywords: Sequence[str]) -> list[str]:
    """Return the words that a topic is found again by, none so long that no log takes it."""
    return [word for word in keywords if len(word) <= _LONGEST and _is_text(word)][:_N_WORDS]


def active(history: Iterable[Edit], cut: int | None = None) -> tuple[Edit, ...]:
    """Return the edits of a cut that hold, in order: undo takes the last one back, redo brings it again."""
    done: list[Edit] = []
    undone: list[Edit] = []
    for edit in history:
        if edit.cut != cut:
            continue
        if edit.what == "undo":
            undone += [done.pop()] if done else []
        elif edit.what == "redo":
            done += [undone.pop()] if undone else []
        else:
            done.append(edit)
            undone.clear()
    return tuple(done)


def undone(history: Iterable[Edit], cut: int | None = None) -> int:
    """Return how many edits of a cut could be brought again."""
    count = 0
    for edit in history:
        if edit.cut == cut:
            count = count + 1 if edit.what == "undo" else max(count - 1, 0) if edit.what == "redo" else 0
    return count


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # nobody known to the system
        return ""


def _is_topic(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _is_text(value: str) -> bool:
    """Say whether text can be written: JSON may hold halves of letters."""
    return not any(0xD800 <= ord(c) < 0xE000 for c in value)


def _topic(value: Any) -> int:
    if not _is_topic(value):
        raise ValueError(f"{str(value)[:20]!r} is no topic: they are numbered from 0.")
    return int(value)


def _topics(value: Any) -> list[int]:
    several = list(map(_topic, value)) if isinstance(value, list | tuple) else []
    if len(several) < 2 or len(set(several)) < len(several):
        raise ValueError("Name two topics or more, each once, as in: merge 3 7.")
    return several


def _into(value: Any) -> int:
    if not _is_topic(value) or not 2 <= value <= MOST_PARTS:
        raise ValueError(f"A topic can be split into 2 to {MOST_PARTS} parts, not into {str(value)[:20]}.")
    return int(value)


def _text(noun: str) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= _LONGEST or not _is_text(value):
            raise ValueError(f"{str(value)[:20]!r} is no {noun}: give it as text.")
        return value

    return check


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("A name should be text, or nothing for the topic's own name.")
    return checked_name(value)


def _note(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NOTE:
        raise ValueError(f"A note should be text of at most {LONGEST_NOTE:,} letters: shorten it.")
    for line in value.splitlines():
        for at in range(0, len(line), 200):
            checked_name(line[at : at + 200])  # lines may break, nothing else may
    return "\n".join(value.splitlines()).strip()


def _documents(value: Any) -> list[str]:
    both = list(map(_text("document"), value)) if isinstance(value, list | tuple) else []
    if len(both) != 2 or both[0] == both[1]:
        raise ValueError("Name two documents by their ids, as in: together 17 42.")
    return both


def _words(value: Any) -> list[Any]:
    flat = (
        [word for one in value for word in (one if isinstance(one, list) else [one])]
        if isinstance(value, list)
        else [0]
    )
    if len(flat) > 1000 or not all(isinstance(word, str) and len(word) <= _LONGEST and _is_text(word) for word in flat):
        raise ValueError("words should be a list of a topic's keywords.")
    return value  # type: ignore[no-any-return]


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "topic": _topic, "topics": _topics, "into": _into, "word": _text("word"), "document": _text("document"),
    "documents": _documents, "name": _name, "note": _note, "words": _words,
}  # fmt: skip
FIELDS: dict[str, tuple[str, ...]] = {
    "rename": ("topic", "name"), "note": ("topic", "note"), "merge": ("topics",), "split": ("topic", "into"),
    "remove": ("topic",), "pin": ("word", "topic"), "ban": ("word",), "move": ("document", "topic"),
    "together": ("documents",), "apart": ("documents",), "undo": (), "redo": (),
}  # fmt: skip
"""Every edit, and what it has, in the order in which a person types it."""
OF_A_CUT = ("rename", "note", "undo", "redo")
"""What can be done to another cut than the run's own, and changes nothing but words about topics."""
