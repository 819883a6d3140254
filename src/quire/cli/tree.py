"""``quire tree``: the tree of a run's topics, grown and kept where it has none; and runs that are cut from it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from quire.cli.options import FLAG, OUTPUT, Json, RunFolder, whole
from quire.cli.output import live_stages, print_result, print_run
from quire.runs.folder import check_run, check_target

if TYPE_CHECKING:
    from quire.runs.run import Run
    from quire.runs.tree import Tree


def tree(
    run: RunFolder,
    *,
    leaves: Annotated[
        int | None,
        Parameter(converter=whole, help="grow it anew, with so many leaves at most [default: 4 a topic, at least 128]"),
    ] = None,
    depth: Annotated[int | None, Parameter(converter=whole, help="print so many levels [default: all]")] = None,
    cut: Annotated[int | None, Parameter(converter=whole, help="cut it at so many topics")] = None,
    out: Annotated[Path | None, Parameter(group=OUTPUT, help="with --cut: write the run with these topics")] = None,
    newick: Annotated[bool, Parameter(group=OUTPUT, help="print it in the Newick format", **FLAG)] = False,
    json: Json = False,
) -> None:
    """Print the tree of a run's topics; grow and keep one where there is none; cut it at any number of topics."""
    check_run(run)
    _check(leaves, depth, cut, out, newick, json)
    from quire.cli.reports.tree import cut_report, tree_report
    from quire.runs.load import load

    loaded = load(run)
    grown = _tree_of(loaded, run, leaves, quiet=json or newick)
    if newick:
        print(grown.newick())
    elif cut is None:
        data = {"run": str(run), **grown.as_dict()}
        print_result(data, json, lambda width: tree_report(grown, loaded, depth))
    elif out is None:
        nodes = grown.cut(cut).nodes
        data = {"run": str(run), "nodes": [node.number for node in nodes], "sizes": [node.size for node in nodes]}
        print_result(data, json, lambda width: cut_report(grown, cut, shlex.quote(str(run))))
    else:
        with live_stages(json) as stages, stages.stage("cuts"):
            other = loaded.cut(cut)
            other.save(out)
        print_run(other, out, as_json=json, quiet=False)


def _check(leaves: int | None, depth: int | None, cut: int | None, out: Path | None, newick: bool, json: bool) -> None:
    for name, value in (("leaves", leaves), ("depth", depth), ("cut", cut)):
        if value is not None and value < 1:
            raise ValueError(f"--{name} {value} must be a whole number of at least 1.")
    if out is not None and cut is None:
        raise ValueError("--out is for a run that is cut from the tree: say at how many topics with --cut.")
    if newick and (json or cut is not None):
        raise ValueError("--newick prints the whole tree: leave --json and --cut out.")
    if out is not None:
        check_target(out)


def _tree_of(run: Run, folder: Path, leaves: int | None, quiet: bool) -> Tree:
    """Return the tree that a run keeps, or grow one and keep it."""
    if run.hierarchy is not None and leaves is None:
        return run.hierarchy

    from quire.runs.edits.log import state_folder
    from quire.runs.tree_cut import grown_tree
    from quire.runs.tree_file import keep_tree

    with live_stages(quiet) as stages, stages.stage("tree") as update:
        grown = grown_tree(run, leaves, update=update)
    state = None if run.edits is None else state_folder(folder, run.edits)  # the first run keeps its own tree
    if state is None or state.is_dir():
        keep_tree(state or folder, grown)
    return grown
