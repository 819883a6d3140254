"""Options that several commands share, with their help: each is described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

COLUMNS, TERMS, OUTPUT = Group("Columns (guessed where not given)"), Group("Terms"), Group("Output")


def whole(_: Any, tokens: Any) -> int:
    """Read a whole number; 1.5 is none.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from quire.cli.options import whole
    >>> whole(int, [SimpleNamespace(value="3")])
    3
    """
    return int(tokens[0].value)


# -- what to read ----------------------------------------------------------------------------------------

_SOURCE = Parameter(
    allow_leading_hyphen=True,
    help="a folder, a CSV, TSV, JSONL, Parquet or .npz file, or - for standard input",
)
Source = Annotated[str, _SOURCE]
OptionalSource = Annotated[str | None, _SOURCE]
Column = Annotated[str | None, Parameter(group=COLUMNS)]
GroupColumn = Annotated[
    str | None, Parameter(group=COLUMNS, help="rows with the same value here become one document")
]
Vocabulary = Annotated[
    str | None, Parameter(group=COLUMNS, help="for a .npz matrix: a file with a term a line")
]
Encoding = Annotated[str | None, Parameter(group=COLUMNS, help="of text that is not UTF-8 [default: cp1252]")]
Strict = Annotated[
    bool | None,
    Parameter(group=COLUMNS, negative="", help="a malformed line or unreadable file is an error"),
]

# -- which terms -----------------------------------------------------------------------------------------

Language = Annotated[
    str | None, Parameter(group=TERMS, help="for stop words and stems: en, german, …, auto or none")
]
Stem = Annotated[bool | None, Parameter(group=TERMS, negative="", help="join words of one stem")]
Tokens = Annotated[str | None, Parameter(group=TERMS, help="word, char, char_wb or subword")]
Ngrams = Annotated[str | None, Parameter(group=TERMS, help="runs of tokens that make a term, as in 1:2")]
MinCount = Annotated[
    int | None, Parameter(converter=whole, group=TERMS, help="drop terms that occur less often")
]

# -- how -------------------------------------------------------------------------------------------------

Topics = Annotated[
    str | None, Parameter(help="how many: a number, a range such as 5:30, or auto [default: auto]")
]
RecipeName = Annotated[str | None, Parameter(help="see `quire recipes`, or a TOML file [default: default]")]
Factorizing = Annotated[str | None, Parameter(help="see `quire recipes`, or a TOML file [default: nmf]")]
Seed = Annotated[
    int | None, Parameter(converter=whole, help="the same seed gives the same topics [default: 0]")
]
Abstain = Annotated[
    float | None,
    Parameter(help="leave documents unassigned whose membership is below this, from 0 to 1 [default: none]"),
]
Device = Annotated[
    str | None, Parameter(help="where to compute: cpu, cuda (an NVIDIA GPU) or auto [default: cpu]")
]
Memory = Annotated[
    str | None,
    Parameter(
        help="to stay below, as in 4GB: a larger corpus is worked on in blocks [default: 60% of what is free]"
    ),
]
Dask = Annotated[
    str | None,
    Parameter(
        help="compute on a Dask cluster: the address of its scheduler, or local:4 for 4 processes here"
    ),
]
Threads = Annotated[int | None, Parameter(converter=whole, help="at most so many [default: all cores]")]

# -- what comes out --------------------------------------------------------------------------------------

Out = Annotated[Path | None, Parameter(group=OUTPUT, help="folder for the run [default: quire-NAME here]")]
Resume = Annotated[
    Path | None, Parameter(group=OUTPUT, help="go on with the run of this folder, which was killed")
]
Json = Annotated[bool, Parameter(group=OUTPUT, negative="", help="print JSON instead of tables")]
WithPage = Annotated[
    bool, Parameter(group=OUTPUT, negative="--no-page", help="write page.html, to look at in a browser")
]
Quiet = Annotated[bool, Parameter(group=OUTPUT, negative="", help="print only where the run is")]
