"""The tables of the tutorials that come from another program: the same results as docs/compare.md."""

from __future__ import annotations

from pathlib import Path

from benchmarks.compare.corpora import NAMES
from benchmarks.compare.tools.registry import TOOLS
from benchmarks.measure import write_section
from benchmarks.quality.results import Row, read
from benchmarks.quality.shown import distinct, mean, pick, table

from quire.messages import counted

SECTION = "side by side"
PAGES = {
    "tutorials/from-bertopic.md": ("Quire", "BERTopic", "BERTopic k-means"),
    "tutorials/from-gensim.md": ("Quire", "gensim LDA", "gensim Nmf"),
    "tutorials/from-scikit-learn.md": ("Quire", "scikit-learn NMF", "scikit-learn LDA"),
}
PROSE = (
    "As many topics as there are classes, no class seen: {corpora} ({seeds} or more, one thread). Size: of all "
    "packages that are needed. CPU seconds: of the whole process, imports with it. More corpora, programs, scores "
    "and all settings are in [](../compare.md)."
)


def text(folder: Path, names: tuple[str, ...]) -> str:
    """Return the table of some tools, with the corpora on which each of them was measured."""
    rows = {name: _whole(read(folder, name)["rows"], names) for name in NAMES}
    corpora = [name for name, own in rows.items() if set(distinct(own, "tool")) == set(names)]
    if not corpora:
        return "Nothing has been measured yet."
    sizes = {row["family"]: row["megabytes"] for row in read(folder, "installs")["rows"]}
    body = []
    for name in names:
        own = sizes.get(TOOLS[name].family)
        line = [_named(name, rows[corpora[0]]), f"{own:,} MB" if own else "–"]
        for corpus in corpora:
            of = pick(rows[corpus], tool=name)
            means = {score: mean([row[score] for row in of]) for score in ("cpu", "nmi", "ari", "unassigned")}
            line += [f"{means['cpu']:.1f}", f"{means['nmi']:.3f} / {means['ari']:.3f}", f"{means['unassigned']:.0%}"]
        body.append(line)
    headings = ["", "size", *(f"{corpus}{what}" for corpus in corpora for what in (" CPU s", " NMI / ARI", " without"))]
    seeds = min(len(pick(rows[corpus], tool=name)) for corpus in corpora for name in names)
    prose = PROSE.format(corpora=", ".join(corpora), seeds=counted(seeds, "seed"))
    return f"{prose}\n\n{table(headings, body)}\n\n*without*: documents that have no topic."


def write(folder: Path) -> None:
    """Write the table of every tutorial."""
    for page, names in PAGES.items():
        write_section(SECTION, text(folder, names), page)


def _whole(rows: list[Row], names: tuple[str, ...]) -> list[Row]:
    found = pick(rows, choice="classes", part="whole")
    return [row for row in found if row["tool"] in names and "failed" not in row and "ari" in row]


def _named(name: str, rows: list[Row]) -> str:
    """Return a tool with its version after its program's name."""
    return f"{name} ({TOOLS[name].packages[0]} {pick(rows, tool=name)[-1]['version']})"
