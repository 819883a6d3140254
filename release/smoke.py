"""What an installed Quire must be able to do, run by ``release/check.py`` in each environment.

``python smoke.py VERSION [EXTRA …]`` works in the folder it is run in, with the Quire of its environment alone.
"""

from __future__ import annotations

import csv
import importlib.metadata
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

WORDS = {
    "space": "orbit moon rocket launch satellite mission astronaut lunar",
    "food": "bread oven flour butter recipe sugar dough kitchen",
    "sport": "goal team season player league coach match stadium",
}


def quire(*arguments: str) -> str:
    """Run the command of this environment."""
    command = Path(sys.executable).with_name("quire")
    found = subprocess.run([command, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)
    if found.returncode:
        sys.exit(f"quire {' '.join(arguments)}: {found.stderr or found.stdout}")
    return found.stdout


def loopback() -> None:
    """Let this machine reach itself where a new network has not even that, as processes of a Dask cluster must."""
    import fcntl
    import struct

    ask, tell, up = 0x8913, 0x8914, 1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP of Linux
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        name, flags = struct.unpack("16sh", fcntl.ioctl(asked, ask, struct.pack("16sh", b"lo", 0)))
        fcntl.ioctl(asked, tell, struct.pack("16sh", name, flags | up))


def alone() -> None:
    """Make sure that Quire is the installed one, and say whether anything beyond this machine can be reached."""
    import quire as package

    assert Path(package.__file__).is_relative_to(sys.prefix), package.__file__
    names = [name for _, name in socket.if_nameindex() if name != "lo"]
    if not names and sys.platform == "linux":
        loopback()
    print("offline" if not names else f"network there: {', '.join(names)}")


def small_table(path: Path) -> None:
    """Write 60 documents of three subjects."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"])
        for i in range(60):
            words = list(WORDS.values())[i % 3].split()
            writer.writerow([f"d{i}", " ".join(words[(i // 3 + j) % 8] for j in range(5))])


def walk() -> None:
    """From a table to a run, a page, another process that reads it, and new documents."""
    small_table(Path("small.csv"))
    quire("cluster", "small.csv", "--topics", "3")
    assert "rocket" in quire("show", "quire-small") + Path("quire-small/page.html").read_text("utf-8")
    quire("assign", "quire-small", "small.csv", "--out", "assigned.csv")
    import quire as package

    run = package.load("quire-small")
    topics = [run.labels[i] for i in range(3)]
    assert len(set(topics)) == 3, topics
    assert list(run.assign([text.replace("orbit", "moon") for text in WORDS.values()]).labels) == topics


def demo() -> None:
    """Find the topics of the packages around."""
    quire("demo", "--quiet")
    assert Path("quire-demo/page.html").stat().st_size > 100_000


def files() -> None:
    """Read letters of Word."""
    import docx
    import polars as pl

    Path("letters").mkdir()
    for i, words in enumerate(list(WORDS.values()) * 4):
        letter = docx.Document()
        letter.add_paragraph(words)
        letter.save(f"letters/{i}.docx")
    quire("cluster", "letters", "--topics", "3")
    assert len(pl.read_parquet("quire-letters/documents.parquet")) == 12


def arrow() -> None:
    """Read a table of Arrow."""
    import pyarrow as pa

    import quire as package

    assert len(package.cluster(pa.table({"text": list(WORDS.values()) * 8}), 3, random_state=0).labels) == 24


def cjk() -> None:
    """Find words without spaces."""
    import quire as package

    package.cluster(["我们喜欢吃面包", "火箭飞向月球", "球队赢得比赛"] * 8, 3, random_state=0)


def subword() -> None:
    """Count pieces of words."""
    quire("cluster", "small.csv", "--topics", "3", "--tokens", "subword", "--out", "pieces")


def plots() -> None:
    """Draw a choice."""
    import matplotlib as mpl

    import quire as package

    mpl.use("agg")
    package.choose(list(WORDS.values()) * 10, range(2, 4), runs=2, random_state=0).plot()


def serve() -> None:
    """Find what serves."""
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401

    quire("serve", "--help")


def embed() -> None:
    """Make vectors without a network."""
    quire("cluster", "small.csv", "--topics", "3", "--embeddings", "model:wordllama", "--out", "embedded")


def dask() -> None:
    """Compute in another process."""
    quire("cluster", "small.csv", "--topics", "3", "--dask", "local:1", "--out", "far")


EXTRAS: dict[str, list[Callable[[], None]]] = {
    "files": [files], "arrow": [arrow], "cjk": [cjk], "subword": [subword], "plots": [plots], "serve": [serve],
    "embed": [embed], "dask": [dask], "all": [files, arrow, subword, plots, serve, dask],
}  # fmt: skip


def main(version: str, extras: list[str]) -> None:
    """Try everything."""
    alone()
    assert quire("--version").strip() == version == importlib.metadata.version("quire-topics")
    walk()
    if not extras:
        demo()
    for extra in extras:
        for attempt in EXTRAS[extra]:
            attempt()
    print("works")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
