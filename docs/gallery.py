"""Write the gallery: ``make gallery`` gathers five real corpora and photographs their pages.

They are those of $QUIRE_DATA, or of shared/data beside the checkout. ``python docs/gallery.py bbc`` makes one anew.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from pictures import photograph

import quire

HERE = Path(__file__).parent
DATA = Path(os.environ.get("QUIRE_DATA", HERE.parents[1] / "shared" / "data"))
SHOWN = 8  # of the topics, the largest


class Exhibit(NamedTuple):
    """A corpus, what it is, and which view of its page to show."""

    name: str
    file: str
    title: str
    about: str
    view: str
    options: dict[str, object]


EXHIBITS = [
    Exhibit("bbc", "bbc_news.parquet", "BBC News", "2,225 articles of 2004 and 2005", "#/map", {}),
    Exhibit("tweets", "tweet_trec.parquet", "Tweets", "2,472 tweets of about eight words", "#/topics", {}),
    Exhibit("reuters", "reuters21578_single51.parquet", "Reuters-21578", "9,465 telegrams of 1987", "#/time", {}),
    Exhibit(
        "sotu", "sotu.parquet", "State of the Union", "233 speeches, 1790 to 2021, in passages of 300 words", "#/time",
        {"split": "words:300"},
    ),
    Exhibit("newsgroups", "20newsgroups.parquet", "20 Newsgroups", "18,846 posts with headers and quotes", "#/map", {}),
]  # fmt: skip


def exhibit(one: Exhibit, pictures: Path) -> str:
    """Gather a corpus, photograph its page and return its section."""
    with tempfile.TemporaryDirectory() as folder:
        run = quire.cluster(DATA / one.file, random_state=0, **one.options)  # type: ignore[arg-type]
        page = Path(folder) / f"{one.title}.html"
        quire.page(run, page)
        photograph(page, one.view, pictures / f"{one.name}.png")
    lines = [
        f"## {one.title}",
        f"{one.about}; {len(run.topics)} topics, chosen by Quire.",
        f"![{one.title}](gallery/{one.name}.png)",
    ]
    table = ["| topic | documents | stable | words |", "|---|---|---|---|"]
    largest = run.topics.sort("size", descending=True).head(SHOWN)
    for row in largest.iter_rows(named=True):
        words = ", ".join(row["keywords"][:7])
        table.append(f"| {row['topic']} | {row['size']:,} | {_percent(row.get('stability'))} | {words} |")
    more = len(run.topics) - len(largest)
    return "\n\n".join([*lines, "\n".join(table), *([f"… and {more} smaller ones."] if more else [])])


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def main(names: list[str]) -> None:
    """Write docs/gallery.md and its pictures, or those that are named; without the corpora, leave them as they are."""
    missing = [one.file for one in EXHIBITS if not (DATA / one.file).is_file()]
    if missing:
        sys.exit(f"The gallery stays as it is without {', '.join(missing)}: set QUIRE_DATA to their folder.")
    pictures = HERE / "gallery"
    pictures.mkdir(exist_ok=True)
    head = (
        "# Gallery\n\nFive real corpora with the default options, nothing picked or cleaned by hand. Made by "
        f"`make gallery`; the corpora are not part of Quire. Shown are the largest {SHOWN} topics of each."
    )
    written = HERE / "gallery.md"
    before = re.split(r"\n\n(?=## )", written.read_text("utf-8").rstrip()) if written.is_file() else []
    sections = {part.partition("\n")[0]: part for part in before[1:]}
    for one in EXHIBITS:  # written as it grows: the last ones take long
        if not names or one.name in names:
            sections[f"## {one.title}"] = exhibit(one, pictures)
            order = [sections[f"## {each.title}"] for each in EXHIBITS if f"## {each.title}" in sections]
            written.write_text("\n\n".join([head, *order]) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
