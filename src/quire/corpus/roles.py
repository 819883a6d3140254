"""Which column of a table plays which role: those that were named, and guesses for the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import cast

import polars as pl

from quire.corpus.others import other_columns
from quire.messages import listed

# The roles of columns, and the names that usually mean them, the most telling first.
NAMES = {
    "text": "text fulltext body content contents message abstract document doc article description review "
    "reviewtext comment commenttext tweet post posttext selftext speech transcript summary note story "
    "paragraph sentence txt texte testo texto",
    "id": "id docid documentid uid uuid guid key url link doi pmid tweetid postid articleid reviewid "
    "filename file path name",
    "date": "date datetime createdat created timestamp time published publishedat publishdate pubdate "
    "publicationdate publicationyear postedat posted year day createdutc",
    "title": "title headline subject heading",
    "label": "label labels class category topic target newsgroup section genre tag sentiment party cluster",
}
_TEXT, _FEW = 20, 5  # characters of a text, on average; columns that a sentence names
STRINGY = (pl.String, pl.Categorical, pl.Enum, pl.List, pl.Array, pl.Binary)


@dataclass(frozen=True)
class Roles:
    """Which column plays which role, which of these are guesses, and which columns are kept beside them."""

    columns: dict[str, str]
    guessed: set[str]
    others: dict[str, bool] = field(default_factory=dict)
    """The other columns, and whether their strings may be numbers; guesses are among them until they hold."""

    def without(self, role: str) -> Roles:
        """Return the roles without one of them: a guess that the data did not bear out."""
        columns = {r: c for r, c in self.columns.items() if r != role}
        return replace(self, columns=columns, guessed=self.guessed - {role})

    @property
    def read(self) -> list[str]:
        """The columns to read, each once."""
        return list(dict.fromkeys([*self.columns.values(), *self.others]))


def choose(sample: pl.DataFrame, named: dict[str, str], where: str) -> Roles:
    """Return which column plays which role, from the first rows of a table.

    The text is the first column with a usual name, else the strings that are longest on average. Other roles
    are guessed by name only (a date also by its type), and checked once the whole column is known. Where
    rows are grouped, the group is the id and there is no title.

    Parameters
    ----------
    sample : polars.DataFrame
        The first rows, with all columns.
    named : dict
        The columns that the user named, by role (``group`` is one).
    where : str
        What the table is called in a message.

    Examples
    --------
    >>> import polars as pl
    >>> from quire.corpus.roles import choose
    >>> sample = pl.DataFrame({"Doc ID": ["a", "b"], "k": ["x", "y"], "said": ["one two", "three"]})
    >>> choose(sample, {"label": "k"}, "talks.csv").columns
    {'label': 'k', 'text': 'said', 'id': 'Doc ID'}
    """
    for role, column in named.items():
        if column not in sample.columns:
            raise ValueError(missing_column(role, column, sample.columns, where))
    columns, guessed = dict(named), set()
    for role in NAMES:
        if role in columns or (role in ("id", "title") and "group" in columns):
            continue
        free = sample.select(pl.exclude(list(columns.values()))) if columns else sample
        guess = _by_name(role, free) or _by_content(role, free)
        if guess is not None:
            columns[role] = guess
            guessed.add(role)
    if "text" not in columns:
        raise ValueError(f"{where} has no column of strings to read as text: name one (text=, --text).")
    others = other_columns(sample, [*named.values(), columns["text"]])
    doubtful = {columns[role]: False for role in guessed}  # a guess that fails is not looked at again
    return Roles(columns, guessed, {name: doubtful.get(name, numbers) for name, numbers in others.items()})


def is_usual_name(name: str) -> bool:
    """Return whether a column's name is one that tables usually have, so that its line is a header."""
    return any(_plain(name) in names.split() for names in NAMES.values())


def is_text_name(name: str) -> bool:
    """Return whether a column's name is one that texts usually have."""
    return _plain(name) in NAMES["text"].split()


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _by_name(role: str, free: pl.DataFrame) -> str | None:
    usual = NAMES[role].split()
    fits = [name for name in free.columns if _plain(name) in usual]
    if role == "text":
        fits = [name for name in fits if isinstance(free[name].dtype, STRINGY)]
    if role == "date" and not fits:
        return next((name for name in free.columns if _speaks_of_a_date(name)), None)
    return min(fits, key=lambda name: usual.index(_plain(name)), default=None)


def _speaks_of_a_date(name: str) -> bool:
    """Return whether a name is such as "Date of answer" or SubmissionDate, and not that of a birthday."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+", name)}
    return bool(words & {"date", "datetime", "timestamp"}) and not words & {"birth", "born"} and len(words) <= _FEW


def _by_content(role: str, free: pl.DataFrame) -> str | None:
    if role == "date":
        return next((name for name in free.columns if free[name].dtype in (pl.Date, pl.Datetime)), None)
    if role != "text":
        return None
    strings = [name for name in free.columns if free[name].dtype == pl.String]
    # An address or a date may be longer than what people say, so that names of other roles come last.
    length = {name: cast(float, free[name].str.len_chars().mean() or 0.0) for name in strings}
    return max(strings, key=lambda name: (not is_usual_name(name), length[name]), default=None)


def sentence_of_texts(sample: pl.DataFrame, roles: Roles) -> str | None:
    """Say which columns hold texts as long as those that were taken for the texts by their length; None for none."""
    text = roles.columns["text"]
    if "text" not in roles.guessed or is_text_name(text) or sample[text].dtype != pl.String:
        return None
    free = [name for name in roles.others if name not in roles.columns.values() and sample[name].dtype == pl.String]
    there = {name: sample[name].drop_nulls() for name in [text, *free]}
    length = {name: cast(float, values.str.len_chars().mean() or 0.0) for name, values in there.items()}
    least = max(_TEXT, length[text] / 3)
    more = [name for name in free if length[name] >= least and 2 * there[name].n_unique() > len(there[name])]
    if not more:
        return None
    shown = listed([*map(repr, more[:_FEW]), *["others"] * (len(more) > _FEW)])
    holds = "holds texts, too: --text with all names" if len(more) == 1 else "hold texts, too: --text with all names"
    return f"{shown} {holds}, commas between them, joins them; with --each every answer is a document."


def missing_column(role: str, column: str, columns: list[str], where: str) -> str:
    """Say which columns there are instead of one that was named, and which may be meant."""
    plain = {name.lower(): name for name in columns}
    close = get_close_matches(column.lower(), list(plain), n=1, cutoff=0.6)
    close = close or [name for name in plain if column.lower() in name][:1]  # a word of a long question
    words = {word: name for name in plain for word in re.findall(r"\w+", name)}  # or one that is mistyped
    close = close or [words[word] for word in get_close_matches(column.lower(), list(words), n=1, cutoff=0.75)]
    hint = f" Did you mean {plain[close[0]]!r}?" if close else ""
    shown = ", ".join(repr(name) for name in columns[:20]) + (", …" if len(columns) > 20 else "")
    return f"{where} has no column {column!r} for the {role}; its columns are {shown}.{hint}"
