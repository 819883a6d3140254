"""Make what the browser tests look at: three runs of a small corpus with classes, dates and hostile documents.

``python make_runs.py FOLDER`` writes FOLDER/run, FOLDER/other, FOLDER/cuts, FOLDER/choice and FOLDER/page.html.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

WORDS = {
    "space": "moon orbit rocket shuttle launch satellite nasa telescope planet mars astronaut gravity",
    "sport": "goal team match player season coach league score stadium referee striker defence",
    "food": "recipe butter flour oven sauce garlic onion pepper pastry chef kitchen dessert",
    "law": "court judge trial lawyer verdict appeal statute jury evidence witness sentence crime",
    "music": "guitar melody rhythm concert album singer orchestra violin drummer lyrics chorus tempo",
}
COMMON = ["people", "time", "year", "place", "thing", "world", "group", "story", "work", "part", "number"]
HOSTILE = [
    "<script>window.hacked = 1</script> moon orbit rocket launch shuttle moon orbit",
    "</script><script>window.hacked = 2</script><!-- goal team match player season goal",
    '<img src=x onerror="window.hacked = 3"> recipe butter flour oven sauce recipe butter',
    "\u202egnihtyreve snrut siht\u202c court judge trial lawyer verdict court judge",
    "bell\x07 escape\x1b[31m null\x00 guitar melody rhythm concert album guitar melody",
    "x" * 1_000_000 + " moon orbit rocket launch satellite",
    "javascript:alert(1) {{constructor.constructor('window.hacked=4')()}} goal team match league score",
]


def corpus(n: int = 400) -> list[dict[str, str]]:
    """Return documents of five classes over three years; the topics come and go."""
    draw = random.Random(7)
    documents = []
    for number in range(n):
        kind = draw.choices(list(WORDS), weights=[5, 4, 3, 3, 2])[0]
        own, other = WORDS[kind].split(), WORDS[draw.choice(list(WORDS))].split()
        words = draw.choices(own, k=22) + draw.choices(other, k=5) + draw.choices(COMMON, k=8)
        draw.shuffle(words)
        text = " ".join(words).capitalize() + "."
        day = date(2019, 1, 1) + timedelta(days=int(1095 * draw.betavariate(2 + len(kind) % 3, 2)))
        title = f"{kind.capitalize()} note {number}"
        region = {"region": draw.choice(("north", "south", kind)), "link": f"https://example.org/{number}"}
        documents.append({"id": f"d{number}", "title": title, "text": text, "label": kind, "date": str(day)} | region)
    for number, text in enumerate(HOSTILE):
        marked = {"id": f"h{number}<b>", "title": f"Hostile {number} <i onclick=x>", "text": text}
        marked |= {"region": "<img src=x onerror='window.hacked = 5'>", "link": "javascript:window.hacked=6"}
        documents.append(marked | {"label": "space</script>", "date": "2020-05-05"})
    return documents


def quire(*arguments: str | Path) -> None:
    """Run the command line."""
    command = [Path(sys.executable).with_name("quire"), *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main(folder: Path) -> None:
    """Write everything below the folder."""
    source = folder / "notes.jsonl"
    source.write_text("".join(json.dumps(document) + "\n" for document in corpus()), "utf-8")
    quire("cluster", source, "--topics", "6", "--url", "link", "--tree", "--out", folder / "run")
    quire("cluster", source, "--topics", "4", "--seed", "1", "--out", folder / "other")
    quire("cluster", source, "--topics", "2:12", "--out", folder / "cuts")
    quire("choose", source, "--topics", "2:7", "--runs", "4", "--out", folder / "choice")
    more = ("--choice", folder / "choice", "--compare", folder / "other")
    quire("page", folder / "run", *more, "--out", folder / "page.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
