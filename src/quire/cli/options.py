"""The parameters of commands: those of a run follow from their declarations, others that several share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from cyclopts import Group, Parameter

from quire.runs import options as run_options

OUTPUT = Group("Output")
_GROUPS = {name: Group(name) for name in (run_options.COLUMNS, run_options.TERMS)}
COLUMNS = _GROUPS[run_options.COLUMNS]
_Command = TypeVar("_Command", bound=Callable[..., None])


def whole(_: Any, tokens: Any) -> int:
    """Read a whole number; 1.5 is none."""
    return int(tokens[0].value)


def takes_options_of_a_run(name: str) -> Callable[[_Command], _Command]:
    """Let a command take each option that is declared for it, which it gets as ``**given`` where typed."""

    def with_parameters(command: _Command) -> _Command:
        signature = inspect.signature(command)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        kinds = get_type_hints(run_options.Options)
        declared = run_options.declared_options(command=name)
        hints = {option: _hint(kinds[option], one, name) for option, one in declared.items()}
        more = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
            for option, hint in hints.items()
        ]
        command.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        command.__annotations__ |= hints
        return command

    return with_parameters


def _hint(kind: Any, declared: run_options.Declared, command: str) -> Any:
    """Return an option as a parameter: None stands for what was not typed."""
    kinds = get_args(kind) or (kind,)
    plain: Any = str if str in kinds else kinds[0]
    default = declared.default_in(command)
    shown = declared.standing or ("" if default is None or default is False else str(default))
    more: dict[str, Any] = {}  # no group is not the same as none given
    if declared.group:
        more["group"] = _GROUPS.setdefault(declared.group, Group(declared.group))
    parameter = Parameter(
        converter=whole if plain is int else None,
        negative="" if plain is bool else None,
        help=declared.help + (f" [default: {shown}]" if shown else ""),
        **more,
    )
    return Annotated[plain | None, parameter]


Documents = Annotated[
    str,
    Parameter(
        allow_leading_hyphen=True,
        help="files, folders, archives, patterns such as 'notes/*.txt', or - for standard input",
    ),
]
RunFolder = Annotated[Path, Parameter(help="the folder of a run")]
_ANOTHER = "look at another good number of topics, of those that the run tells"
AnotherCut = Annotated[int | None, Parameter(name="--topics", converter=whole, help=_ANOTHER)]
NewRunFolder = Annotated[Path | None, Parameter(group=OUTPUT, help="folder for the run [default: quire-NAME here]")]
FLAG: dict[str, Any] = {"negative": "", "show_default": False}  # what is off unless it is typed needs no default
Replace = Annotated[
    bool, Parameter(group=OUTPUT, help="take the place of another run in that folder, without asking", **FLAG)
]
Json = Annotated[bool, Parameter(group=OUTPUT, help="print JSON instead of tables", **FLAG)]
Quiet = Annotated[bool, Parameter(group=OUTPUT, help="print only where the run is", **FLAG)]
WithPage = Annotated[
    bool,
    Parameter(
        name="--page",
        group=OUTPUT,
        negative="--no-page",
        help="write page.html, to look at [default: --page]",
        show_default=False,
    ),
]
ChoiceFolder = Annotated[
    Path | None, Parameter(help="what `quire choose --out` wrote: adds how the number of topics was found")
]
OtherRun = Annotated[Path | None, Parameter(help="another run over the same documents: adds a comparison")]
Layout = Annotated[str, Parameter(help="of the map: topics, or tsne, which takes long")]
