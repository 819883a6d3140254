"""A tree of topics for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree as Drawn

from quire.cli.reports.run import called_by_people, keyword_line
from quire.messages import counted, were
from quire.runs.run import Run
from quire.runs.tree import Node, Tree

_WORDS = 6


def tree_report(tree: Tree, run: Run, depth: int | None) -> RenderableType:
    """Return the tree of a run, down to so many levels, and what was set aside."""
    called = called_by_people(run)
    drawn = {0: Drawn(_line(tree.root, called), guide_style="dim")}
    for node, level in list(zip(tree.nodes, tree.depths))[1:]:
        if depth is None or level <= depth:
            drawn[node.number] = drawn[node.parent or 0].add(_line(node, called))
    return Group(drawn[0], Text(""), *(Text(line, "dim") for line in _about(tree, len(run.H))))


def cut_report(tree: Tree, k: int, run: str) -> RenderableType:
    """Return the nodes at which a tree is cut."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("Node", "Docs"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Keywords, which tell it from its sibling")
    for node in tree.cut(k).nodes:
        table.add_row(str(node.number), f"{node.size:,}", keyword_line(list(node.keywords[:_WORDS])))
    how = f"Make a run of these topics with: quire tree {run} --cut {k} --out FOLDER"
    return Group(table, Text(""), Text(how, "dim"))


def _line(node: Node, called: Mapping[int, Text]) -> Text:
    text = Text.assemble((f"{node.number} ", "dim"), (f"{node.size:,} ", "cyan"))
    if node.topic is not None:
        text.append(f"topic {node.topic} ", "green")
    if node.parent is None:
        return text.append("all documents with a topic")
    words = keyword_line(list(node.keywords[:_WORDS]))
    text.append_text(words if node.topic is None else Text.assemble(called.get(node.topic, ""), words))
    return text.append(f"  ({node.aside:,} set aside)", "dim") if node.aside else text


def _about(tree: Tree, n_topics: int) -> list[str]:
    aside, whole = sum(node.aside for node in tree.nodes), sum(node.whole for node in tree.nodes)
    lines = [
        f"{counted(len(tree.leaves), 'leaf').replace('leafs', 'leaves')} below {counted(n_topics, 'topic')}; "
        + f"in {whole:,} of the leaves nothing more is seen than chance would have"
    ]
    if aside:
        lines.append(
            f"{counted(aside, 'document')} {were(aside)} set aside: tiny groups, unlike the rest of their node"
        )
    return lines
