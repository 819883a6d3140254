"""Make what the screenshots show: ``python make_demo.py FOLDER`` writes FOLDER/page.html.

Two runs of the demo, compared, and how many topics there are in it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import quire
from quire.cli.docstrings import demo_corpus


def main(folder: Path) -> None:
    """Write everything below the folder."""
    command = Path(sys.executable).with_name("quire")
    for name, topics in (("demo", "24"), ("demo-16", "16")):
        subprocess.run([command, "demo", "--topics", topics, "--tree", "--quiet", "--out", folder / name], check=True)
    quire.choose(demo_corpus(), range(2, 13), runs=6).save(folder / "choice")
    more = ("--choice", folder / "choice", "--compare", folder / "demo-16", "--out", folder / "page.html")
    subprocess.run([command, "page", folder / "demo", *more], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
