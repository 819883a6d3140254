"""What people are told to install is what is on the package index."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGES = [
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "tutorials").glob("*.md"),
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


def _built(source):
    """The description as a package index shows it."""
    pytest.importorskip("hatchling")
    sys.path.insert(0, str(ROOT))
    try:
        from hatch_build import for_an_index
    finally:
        sys.path.remove(str(ROOT))
    return for_an_index((ROOT / "README.md").read_text("utf-8"), source)


@pytest.mark.parametrize("source", [None, "https://example.org/quire"])
def test_an_index_shows_no_link_that_leads_nowhere(source):
    shown = _built(source)
    targets = re.findall(r"\]\(([^)]+)\)", shown)
    assert all(target.startswith("https://") for target in targets)
    assert ("docs/page/topics.png" in shown) == ("[docs/cluster.md](" in shown) == (source is not None)
    assert "docs/cluster.md" in shown
    assert "```" in shown


def test_what_the_readme_links_to_is_there():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / "README.md").read_text("utf-8")):
        assert (ROOT / target).exists(), target


def test_the_description_is_built():
    pytest.importorskip("hatchling")
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    core = ProjectMetadata(str(ROOT), PluginManager()).core
    assert core.readme == _built(PROJECT.get("urls", {}).get("Source"))
    assert core.readme_content_type == "text/markdown"
