"""Write docs/commands.md: what ``quire --help`` says of every command, so that no option is undocumented."""

import os
import subprocess
import sys
from pathlib import Path

from quire.cli.commands import app

COMMANDS = [name for name in app if not name.startswith("-")]


def page() -> str:
    """Return the page."""
    parts = ["# Commands\n\nWritten by `python docs/commands.py`; a test compares it with the commands.\n"]
    for command in COMMANDS:
        said = subprocess.run(
            [sys.executable, "-c", "from quire.cli.app import main; main()", command, "--help"],
            capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "96", "NO_COLOR": "1"},
        ).stdout  # fmt: skip
        lines = "\n".join(line.rstrip() for line in said.strip().splitlines())
        parts.append(f"## quire {command}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    (Path(__file__).parent / "commands.md").write_text(page(), "utf-8")
