"""docs/compare.md, from the results alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.compare import tutorials
from benchmarks.compare.corpora import ACL, NAMES
from benchmarks.compare.scores import COLUMNS, SCORES, Column, cells, values
from benchmarks.compare.tools.registry import ABSENT, TOOLS
from benchmarks.measure import DOCS
from benchmarks.quality.corpora import UNTOUCHED
from benchmarks.quality.results import Row, read
from benchmarks.quality.shown import distinct, mean, pick, section, table

from quire.messages import counted

CHOICES = {"classes": "As many topics as there are classes", "own": "As many topics as the tool chooses"}
QUIRE = "Quire"
HEAD = """# Beside other programs

Topics of labelled corpora found by Quire and by programs that one would pick instead, each used as its documentation
recommends and with one thread, in a process of its own. No tool sees a class. Made by `make compare`, which measures
what is not in `docs/compare` yet and writes this page. **Bold**: the best of a column. A document without a topic
counts as one of a cluster of its own, and as wrong for AC. Keywords are the first ten of a topic. ± is the standard
deviation over seeds; a value without it is of one seed.

Quire's default recipe was made with labelled corpora in view, and most of these were among them: only {untouched}
were left alone until it stood. The settings of other tools were looked at on small samples of BBC News and tweets.
"""


def page(folder: Path) -> str:
    """Return the page that the results of a folder give."""
    data = {name: found for name in NAMES if (found := read(folder, name))["rows"]}
    if not data:
        return f"{_head()}\nNothing has been measured yet.\n"
    blocks = [_head(), _columns(), _summary(data), *(_corpus(name, found) for name, found in data.items())]
    return "\n".join([*blocks, _installs(read(folder, "installs")), _settings(data), _absent(data)])


def _head() -> str:
    return HEAD.format(untouched=" and ".join(name for name in NAMES if name in UNTOUCHED))


def write_page(folder: Path) -> Path:
    """Write the page beside the folder, and the tutorials' tables where the folder is the documentation's."""
    path = folder.parent / f"{folder.name}.md"
    path.write_text(page(folder), "utf-8")
    if folder == DOCS / "compare":
        tutorials.write(folder)
    return path


def _columns() -> str:
    return section("What is measured", table(["column", "what it is"], [[c.heading, c.meaning] for c in COLUMNS]))


def _by_tool(rows: list[Row], choice: str) -> dict[str, list[Row]]:
    """Return the rows of each tool that came to an end, in the order of the registry."""
    good = [row for row in pick(rows, choice=choice) if "failed" not in row and row["tool"] in TOOLS]
    return {tool: pick(good, tool=tool) for tool in distinct(good, "tool", tuple(TOOLS))}


def _corpus(name: str, data: dict[str, Any]) -> str:
    """Return the tables of one corpus."""
    blocks: list[str] = []
    for choice, title in CHOICES.items():
        of = _by_tool(data["rows"], choice)
        columns = tuple(column for column in COLUMNS if any(values(rows, column) for rows in of.values()))
        if of:
            lines = [[tool, *line] for tool, line in cells(of, columns).items()]
            blocks += [f"### {title}", table(["", *(column.heading for column in columns)], lines)]
        blocks.append(_failed(data["rows"], choice))
    return section(name, *blocks, _source(name, data))


def _failed(rows: list[Row], choice: str) -> str:
    """Return a line about the cells that did not come to an end."""
    reasons = {
        f"{row['tool']} ({row['part']}): {row['failed']}" for row in pick(rows, choice=choice) if "failed" in row
    }
    return f"Without a result: {'; '.join(sorted(reasons))}." if reasons else ""


def _source(name: str, data: dict[str, Any]) -> str:
    seeds = len({row["seed"] for row in data["rows"]})
    limit = max(row["limit"] for row in data["rows"])
    command = f"python -m benchmarks.compare --corpora {name} --seeds {seeds} --minutes {limit / 60:g}"
    said = f"{data['date']}, {counted(seeds, 'seed')}, {limit / 60:g} CPU minutes a cell at most"
    return f"*{said}; {data['machine']}; `{command}`*"


def _summary(data: dict[str, Any]) -> str:
    """Return the means over the corpora, and who is ahead on each."""
    blocks = [_ahead(data)]
    of = {name: _by_tool(found["rows"], "classes") for name, found in data.items() if name != ACL}
    corpora = [name for name, tools in of.items() if QUIRE in tools]
    complete = [tool for tool in TOOLS if corpora and all(tool in of[name] for name in corpora)]
    if complete:
        columns = tuple(c for c in COLUMNS if c.name not in ("topics", "wall"))
        together = {tool: _averaged([of[name][tool] for name in corpora], columns) for tool in complete}
        lines = [[tool, *line] for tool, line in cells(together, columns).items()]
        prose = (
            f"Means over {', '.join(corpora)} with as many topics as classes; tools that came to an end on all of them:"
        )
        blocks += [prose, table(["", *(column.heading for column in columns)], lines)]
    return section("Summary", *blocks)


def _averaged(by_corpus: list[list[Row]], columns: tuple[Column, ...]) -> list[Row]:
    """Return a row a part with the mean over corpora of a tool's means over seeds; none where a corpus has none."""
    rows: dict[str, Row] = {}
    for column in columns:
        own = [values(rows_of, column) for rows_of in by_corpus]
        if all(own):
            rows.setdefault(column.part, {"part": column.part})[column.name] = mean([mean(one) for one in own])
    return list(rows.values())


def _ahead(data: dict[str, Any]) -> str:
    """Return, for each corpus and score, the best tool beside Quire's default."""
    body = []
    for name, found in data.items():
        for choice in CHOICES:
            of = _by_tool(found["rows"], choice)
            line = [_best(of, column) for column in SCORES]
            if any(cell != "–" for cell in line):
                body.append([name, "classes" if choice == "classes" else "its own", *line])
    prose = "The best tool of each corpus; where that is another one, Quire's default is in brackets:"
    return f"{prose}\n\n" + table(["corpus", "topics", *(column.heading for column in SCORES)], body)


def _best(of: dict[str, list[Row]], column: Column) -> str:
    found = {tool: mean(own) for tool, rows in of.items() if (own := values(rows, column))}
    if not found:
        return "–"
    best = max(found, key=lambda tool: found[tool])
    own = f" ({found[QUIRE]:.3f})" if best != QUIRE and QUIRE in found else ""
    return f"{best} {found[best]:.3f}{own}"


def _installs(data: dict[str, Any]) -> str:
    if not data["rows"]:
        return ""
    times = ("install_cpu", "install_wall", "first_cpu", "first_wall")
    body = [
        [
            row["family"], f"{row['packages']}", f"{row['megabytes']:,}",
            *(f"{row[name]:.0f}" if name in row else "–" for name in times),
        ]
        for row in data["rows"]
    ]  # fmt: skip
    prose = (
        "Packages that a program needs, directly or not, and their megabytes, compiled Python left out; PyTorch is the "
        "build for CPUs, the one for CUDA has some gigabytes more. Then the time from nothing: pip into a new "
        "environment (which hangs on the package index), and BBC News with five topics after that, nothing compiled or "
        "cached yet. A dash: not measured yet."
    )
    headings = ["", "packages", "MB", "install CPU s", "install s", "first result CPU s", "first result s"]
    line = f"*{data['date']}; {data['machine']}; `python -m benchmarks.compare --installs`*"
    return section("Installation", prose, table(headings, body), line)


def _settings(data: dict[str, Any]) -> str:
    """Return every tool with its version and all that is not a default."""
    rows = [row for found in data.values() for row in found["rows"]]
    body = []
    for tool in TOOLS.values():
        versions = sorted({row["version"] for row in pick(rows, tool=tool.name) if "version" in row})
        body.append([tool.name, f"{tool.packages[0]} {', '.join(versions) or '(not run yet)'}", tool.settings])
    return section("Versions and settings", table(["", "version", "settings"], body))


def _absent(data: dict[str, Any]) -> str:
    """Return what is not there, and why."""
    measured = {(name, row["tool"]) for name, found in data.items() for row in found["rows"]}
    lines = [f"- {name}: {why}." for name, why in ABSENT.items()]
    for name in NAMES:
        missing = [tool for tool in TOOLS if (name, tool) not in measured]
        if missing:
            which = "no tool yet" if len(missing) == len(TOOLS) else "not measured yet: " + ", ".join(missing)
            lines.append(f"- {name}: {which}.")
    return (
        section("What is not here", "\n".join(lines), "All versions are in `requirements/compare.lock`.")
        if lines
        else ""
    )
