"""What people are told to install is what is on the package index."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGES = [
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")),
]


def test_the_name_is_ours():
    """`quire` is another program's name there; import and command are called so all the same."""
    assert PROJECT["name"] == "quire-topics"
    assert list(PROJECT["scripts"]) == ["quire"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_is_told_to_install_another_program(path):
    text = path.read_text()
    assert not re.search(r"\bquire\\?\[[a-z]|install ['\"]?quire\b(?!-topics)", text)
    for extra in re.findall(r"quire-topics\[([a-z,]+)\]", text):
        assert set(extra.split(",")) <= PROJECT["optional-dependencies"].keys()
