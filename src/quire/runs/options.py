"""Every option of a run, declared once: its default, help and check, and the commands that take it.

The parameters of the commands, the keywords of :func:`quire.cluster`, what a configuration may hold,
``docs/commands.md`` and the command on a page that repeats a run all follow from the fields of `Options`.
The command line reads them at every start: what a check needs is imported when it checks.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, get_type_hints

from quire.runs.values import fits, in_words, is_text, parse_ngrams

if TYPE_CHECKING:
    from quire.corpus.request import Request
    from quire.runs.recipe import Recipe

COLUMNS, TERMS = "Columns (guessed where not given)", "Terms"  # headings of the help
READING = ("cluster", "choose", "classes")  # commands that read and count documents
ASSIGNING = (*READING, "assign", "update")  # and those that read them for a run that is there
GATHERING = ("cluster", "update")  # that make a run
FITTING = ("cluster", "choose")
FACTORIZING = "nmf"  # the recipe of commands that look at X and its factors: the default one has no such X
_LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Declared:
    """What is known of an option beside its name and type."""

    default: Any
    help: str
    commands: tuple[str, ...]  # that take it
    group: str | None  # the heading it stands under in the help
    standing: str | None  # what its default is called, where that says more than the default itself
    defaults: Mapping[str, Any]  # those of commands that have another
    check: Callable[[Any], object] | None  # raises the sentence that refuses a value
    counts: str | bool  # it is the parameter of that name (True: of its own name) of the recipe's first step
    free: bool  # it changes no result: a killed run may go on with another, a repeated one without

    def default_in(self, command: str) -> Any:
        """Return the default that a command has."""
        return self.defaults.get(command, self.default)


def option(
    default: Any,
    help: str = "",
    *,
    commands: tuple[str, ...] = READING,
    group: str | None = None,
    standing: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    check: Callable[[Any], object] | None = None,
    counts: str | bool = False,
    free: bool = False,
) -> Any:
    """Declare an option of a run: a field of `Options`."""
    declared = Declared(default, help, commands, group, standing, defaults or {}, check, counts, free)
    return field(default=default, metadata={"declared": declared})


def _within(name: str, low: float, high: float, words: str) -> Callable[[Any], None]:
    def check(value: float) -> None:
        if not low <= value <= high:
            raise ValueError(f"{name}={value} must be {words}.")

    return check


def _check_language(language: str) -> None:
    from quire.text.languages import language_codes

    if language not in ("none", "auto"):
        language_codes(language)


def _check_tokens(tokens: str) -> None:
    from quire.text.token_kinds import TokenKinds

    TokenKinds.of(tokens)


def _check_split(split: str) -> None:
    from quire.corpus.passages import parse_split

    parse_split(split)


def _check_words(name: str) -> Callable[[Any], None]:
    def check(given: str | list[str]) -> None:
        from quire.runs.word_lists import read_words

        read_words(given, name)

    return check


def _check_seeds(seeds: Any) -> None:
    from quire.runs.seeds import read_seeds

    read_seeds(seeds)


def _check_edits(path: str) -> None:
    from quire.runs.edits.lines import read_edits

    read_edits(path)


def _check_device(device: str) -> None:
    from quire.backends.backend import check_device

    check_device(device)


def _check_memory(memory: str | int) -> None:
    from quire.runs.budget import parse_memory

    parse_memory(memory)


def parse_topics(text: int | str) -> tuple[int, int | None] | int:
    """Read ``K``, ``auto`` or ``A:B``; a number, or the lowest and the highest to choose from."""
    spec = str(text).strip().lower()
    if spec == "auto":
        return 2, None
    number = re.fullmatch(r"\d+", spec)
    if number and int(spec) >= 1:
        return int(spec)
    between = re.fullmatch(r"(\d+):(\d+)", spec)
    if between and 1 <= int(between[1]) <= int(between[2]):
        return int(between[1]), int(between[2])
    raise ValueError(f"topics={text!r} is no number of topics: use a number such as 20, a range such as 5:30, or auto.")


@dataclass(frozen=True)
class Options:
    """What a run is made with. None means: guess, or what the recipe says."""

    text: str | None = option(
        None, "that holds the text; several are joined, as in likes,dislikes", commands=ASSIGNING, group=COLUMNS
    )
    each: bool = option(False, "of several texts, each is a document", commands=("cluster",), group=COLUMNS)
    split: str | None = option(
        None, "make passages the documents: paragraphs, sentences:5, words:300 or pages", commands=("cluster",),
        check=_check_split,
    )  # fmt: skip
    id: str | None = option(None, "that names each document, once", commands=ASSIGNING, group=COLUMNS)
    label: str | None = option(None, "known classes", commands=(*READING, "update"), group=COLUMNS)
    date: str | None = option(None, "for topics over time", commands=GATHERING, group=COLUMNS)
    title: str | None = option(None, "what to call a document", commands=GATHERING, group=COLUMNS)
    url: str | None = option(None, "where it is on the web: a link on the page", commands=GATHERING, group=COLUMNS)
    weight: str | None = option(
        None, "how much each document counts in shares, as for surveys", commands=GATHERING, group=COLUMNS
    )
    group: str | None = option(None, "rows with the same value here become one document", group=COLUMNS)
    vocabulary: str | list[str] | None = option(  # noqa: RUF009 (it is a field)
        None, "for a .npz matrix: a file with a term a line", group=COLUMNS
    )
    embeddings: str | None = option(
        None, "vectors of the documents: an .npy file, a column, or model:wordllama", commands=("cluster",),
        group=COLUMNS,
    )  # fmt: skip
    sheet: str | None = option(None, "of a spreadsheet, by its name", commands=ASSIGNING, group=COLUMNS)
    records: str | None = option(
        None, "where JSON or XML has its records, as in a.b", commands=ASSIGNING, group=COLUMNS
    )
    sql: str | None = option(None, 'of an SQLite database: a table, or "select …"', commands=ASSIGNING, group=COLUMNS)
    by: str | None = option(
        None, "compare topics by the values of these columns, as in age_group,region", commands=("cluster",),
        group=COLUMNS, free=True,
    )  # fmt: skip
    keep_quotes: bool = option(False, "keep what mail quotes, and signatures", commands=ASSIGNING, group=COLUMNS)
    encoding: str = option("cp1252", "of text that is not UTF-8", commands=ASSIGNING, group=COLUMNS)
    strict: bool = option(False, "a malformed line or unreadable file is an error", commands=ASSIGNING, group=COLUMNS)
    follow_links: bool = option(False, "read what links inside a folder lead to", commands=ASSIGNING, group=COLUMNS)
    topics: int | str = option(
        "auto", "how many: a number, a range such as 5:30, or auto", commands=("cluster", "demo"),
        defaults={"demo": "24"}, check=parse_topics,
    )  # fmt: skip
    recipe: str = option(
        "default", "see `quire recipes`, or a TOML file",
        defaults={"choose": FACTORIZING, "classes": FACTORIZING},
    )  # fmt: skip
    seeds: str | dict[str, Any] | None = option(  # noqa: RUF009 (it is a field)
        None, "a TOML file of words or documents that some topics are to be about", commands=("cluster", "demo"),
        check=_check_seeds,
    )  # fmt: skip
    language: str | None = option(
        None,
        "for stop words and stems: en, german, several as in en,de, auto or none",
        group=TERMS,
        check=_check_language,
    )
    stem: bool = option(False, "join words of one stem", group=TERMS)
    tokens: str | None = option(
        None, "kinds to count, as in words,hashtags,emoji or auto,-mentions; or word, char, char_wb, subword",
        group=TERMS, check=_check_tokens, counts=True,
    )  # fmt: skip
    ngrams: str | int | None = option(
        None, "runs of tokens that make a term, as in 1:2", group=TERMS, check=parse_ngrams, counts=True
    )
    min_count: int | None = option(
        None, "drop terms that occur less often", group=TERMS, counts=True,
        check=_within("min_count", 1, float("inf"), "a whole number of at least 1"),
    )  # fmt: skip
    min_docs: int | None = option(
        None, "drop terms that fewer documents hold", group=TERMS, counts="min_df",
        check=_within("min_docs", 1, float("inf"), "a whole number of at least 1"),
    )  # fmt: skip
    max_share: float | None = option(
        None, "drop terms that more than this share of the documents hold, as in 0.5", group=TERMS, counts="max_df",
        check=_within("max_share", 1e-9, 1, "a share of the documents, above 0 and 1 at the most"),
    )  # fmt: skip
    stop_words: str | list[str] | None = option(  # noqa: RUF009 (it is a field)
        None, "leave out beside the language's: word,word or a file (alone: with --language none)", group=TERMS,
        check=_check_words("stop_words"),
    )  # fmt: skip
    keep_words: str | list[str] | None = option(  # noqa: RUF009 (it is a field)
        None, "never leave out, common or rare: word,word or a file", group=TERMS, check=_check_words("keep_words")
    )
    keep_repeated: bool = option(False, "count lines that stand in many documents, as signatures do", group=TERMS)
    edits: str | None = option(
        None, "make the edits of another run again, from its edits.jsonl: topics are found by their words",
        commands=("cluster",), check=_check_edits,
    )  # fmt: skip
    seed: int = option(
        0, "the same seed gives the same topics", commands=(*FITTING, "demo", "reproduce"),
        check=_within("seed", 0, _LARGEST_SEED, f"a whole number from 0 to {_LARGEST_SEED}"),
    )  # fmt: skip
    threads: int | None = option(
        None, "at most so many", commands=(*READING, "update", "reproduce"), standing="all cores", free=True,
        check=_within("threads", 1, float("inf"), "at least 1; leave it out to use all cores"),
    )  # fmt: skip
    abstain: float | None = option(
        None, "leave documents unassigned whose membership is below this, from 0 to 1",
        commands=("cluster",), standing="none", check=_within("abstain", 0, 1, "a membership from 0 to 1"),
    )  # fmt: skip
    tree: bool = option(
        False, "grow a tree of topics above and below these, to browse and to cut", commands=("cluster", "demo")
    )
    device: str = option(
        "cpu", "where to compute: cpu, cuda (an NVIDIA GPU) or auto", commands=FITTING, check=_check_device
    )
    memory: str | int | None = option(
        None, "to stay below, as in 4GB: a larger corpus is worked on in blocks", commands=(*GATHERING, "assign"),
        standing="60% of what is free", check=_check_memory, free=True,
    )  # fmt: skip
    dask: str | None = option(
        None, "compute on a Dask cluster: the address of its scheduler, or local:4 for 4 processes here",
        commands=(*FITTING, "update"), free=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        kinds = get_type_hints(type(self))
        for name, declared in declared_options(type(self)).items():
            value = getattr(self, name)
            if not fits(value, kinds[name]):
                raise ValueError(f"Option {name} = {value!r} must be {in_words(kinds[name])}.")
            if not is_text(value):
                raise ValueError(f"Option {name} = {value!r} holds bytes that are no UTF-8: type it anew.")
            if declared.check is not None and value is not None:
                declared.check(value)

    def resolved_recipe(self, own: Recipe | None = None) -> Recipe:
        """Return the recipe, or the caller's own, with the options that change it."""
        from quire.runs.recipe import recipe

        chosen = own or recipe(self.recipe)
        normal = {"normalize": True} if "normalize" not in chosen.counts else {}
        changes = normal | self._languages() | self._words() | {
            name if declared.counts is True else declared.counts: value
            for name, declared in declared_options(type(self)).items()
            if declared.counts and (value := getattr(self, name)) is not None
        }  # fmt: skip
        if "ngrams" in changes:
            changes["ngrams"] = list(parse_ngrams(changes["ngrams"]))
        if "max_df" in changes:
            changes["max_df"] = float(changes["max_df"])  # as whole number it would be one of documents
        return chosen.with_counts(**changes)

    def _languages(self) -> dict[str, Any]:
        """Return the stop words and stems that the language stands for; refuse one that has none."""
        from quire.text.languages import EACH, language_codes, stemmer, stop_list

        if self.language in (None, "none", "auto"):
            if self.stem and self.language == "none":
                raise ValueError("--stem needs a language: name it with --language.")
            stem = {"stem": "auto"} if self.stem else {}
            words = None if self.language == "none" else EACH
            return stem if self.language is None else {"stop_words": words} | stem
        codes = language_codes(self.language)
        if self.stem and len(codes) > 1:
            raise ValueError("--stem joins words of one language: name one with --language, or leave --stem out.")
        for code in codes:
            (stemmer if self.stem else stop_list)(code)
        return {"stop_words": ",".join(codes)} | ({"stem": codes[0]} if self.stem else {})

    def _words(self) -> dict[str, Any]:
        """Return the words and lines that are left out or kept beside what the language and trimming say."""
        from quire.runs.word_lists import read_words

        given = {"extra_stop_words": (self.stop_words, "stop_words"), "keep_words": (self.keep_words, "keep_words")}
        lists = {name: read_words(words, option) for name, (words, option) in given.items() if words is not None}
        return lists | ({"keep_repeated": True} if self.keep_repeated else {})

    def request(self, **others: Any) -> Request:
        """Return how a source is to be read."""
        from quire.corpus.request import OWN, ROLES, Request, named_columns
        from quire.corpus.vectors import is_column

        columns = named_columns(**{role: getattr(self, role) for role in ROLES})
        if self.embeddings is not None and not is_column(self.embeddings):
            others["embeddings"] = columns.pop("embeddings")
        others |= {name: getattr(self, name) for name in ("follow_links", "keep_quotes", "split", "each", *OWN)}
        return Request(columns, self.vocabulary, self.encoding, self.strict, **others)

    def as_dict(self) -> dict[str, Any]:
        """Return the options as plain data, without those that were left open."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def declared_options(of: type[Options] | None = None, command: str | None = None) -> dict[str, Declared]:
    """Return what is declared, by name: all options, or those that a command takes."""
    every = {one.name: one.metadata["declared"] for one in fields(of or Options)}
    return {name: one for name, one in every.items() if command is None or command in one.commands}


def merged(*layers: Mapping[str, Any]) -> Options:
    """Put options together: a later layer overrides an earlier one; None overrides nothing."""
    from quire.runs.other_names import known_here
    from quire.runs.word_lists import read_words

    options: dict[str, Any] = {}
    known = list(declared_options())
    for layer in layers:
        for key, value in layer.items():
            name = key.replace("-", "_")
            if name not in known:
                raise ValueError(
                    f"Option {key!r} is not known{known_here(name, known)}; the options are {', '.join(known)}."
                )
            if not isinstance(value, int) and isinstance(value, numbers.Integral):  # of NumPy
                value = int(value)
            if name == "ngrams" and isinstance(value, list | tuple):
                value = ":".join(map(str, value))
            if name in ("stop_words", "keep_words") and isinstance(value, str):
                value = read_words(value, name)  # now: a run is what its file of words was when it was made
            if name == "seeds" and value is not None:
                value = _seeds_of(value)
            if value is not None:
                options[name] = value
    return Options(**options)


def _seeds_of(given: Any) -> dict[str, Any]:
    """Read seeds now: a run is what their file was when it was made."""
    from quire.runs.seeds import read_seeds

    return read_seeds(given)


def options_of(command: str, *layers: Mapping[str, Any]) -> Options:
    """Return the options of a command, over its own defaults; refuse a bad recipe before any work is done."""
    own = {name: one.default_in(command) for name, one in declared_options(command=command).items()}
    options = merged(own, *layers)
    options.resolved_recipe()
    return options
