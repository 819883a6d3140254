"""The commands and Python blocks of a page, and how they are run: ``python docs/blocks.py PAGE FOLDER`` runs one page.

A block that cannot be run stands below ``<!-- not run: why -->``; all others are run in order, in one folder, Python
with one set of names.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]+?) -->\n+)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)
_FILE = re.compile(r"`([\w-]+\.toml)`:\s*\Z")
_TYPED = re.compile(r"^\$ (quire .+)$", re.MULTILINE)
COMMANDS, PYTHON, FILE = "sh", "python", "toml"


class Block(NamedTuple):
    """What a page tells its reader to type."""

    line: int
    language: str
    code: str
    why_not: str | None  # it cannot be run
    file: str = ""  # that the reader is told to write


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of commands and of Python; of a session in a terminal, what follows ``$ quire``.

    So is TOML, where the line above names the file to write it to.
    """
    for found in _FENCE.finditer(page):
        language, code = found["language"], found["code"]
        typed = _TYPED.findall(code)
        if language in ("", "text", "console") and typed:
            language, code = COMMANDS, "\n".join(typed)
        file = _FILE.search(page, 0, found.start())
        if language in (COMMANDS, PYTHON) or (language == FILE and file):
            yield Block(page.count("\n", 0, found.start("code")), language, code, found["why"], file[1] if file else "")


def run_page(path: Path, folder: Path, names: dict[str, Any], command: Callable[[Sequence[str]], str | None]) -> int:
    """Run all blocks of a page in a folder; return how many.

    ``command`` runs ``quire …`` and returns what went wrong.
    """
    before, ran = Path.cwd(), 0
    os.chdir(folder)
    try:
        for block in blocks(path.read_text("utf-8")):
            if block.why_not is None:
                _run(block, f"{path.name}, line {block.line}", names, command)
                ran += 1
    finally:
        os.chdir(before)
    return ran


def _run(block: Block, where: str, names: dict[str, Any], command: Callable[[Sequence[str]], str | None]) -> None:
    if block.language == PYTHON:
        exec(compile(block.code, where, "exec"), names)
        return
    if block.language == FILE:
        Path(block.file).write_text(block.code, "utf-8")
        return
    for line in re.sub(r"\\\n\s*", "", block.code).splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0] == "quire" and not {"|", ">", "&&", "<"} & set(words):
            wrong = command(words[1:])
        else:
            found = subprocess.run(["bash", "-ec", line], capture_output=True, text=True, check=False)
            wrong = found.stderr if found.returncode else None
        if wrong is not None:
            raise AssertionError(f"{where}: {line}\n{wrong}")


def apart(words: Sequence[str]) -> str | None:
    """Run ``quire …`` in a process of its own; not what serves, which has no end (the tests try it)."""
    if words[0] == "serve":
        return None
    main = [sys.executable, "-c", "from quire.cli.app import main; main()"]
    found = subprocess.run([*main, *words], capture_output=True, text=True, check=False)
    return found.stderr if found.returncode else None


if __name__ == "__main__":
    run_page(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), {}, apart)
