"""The pages speak of names that are there, and the reference of all that are public and of nothing else."""

import importlib
import re
from pathlib import Path

import pytest

import quire
from quire.scores import metrics

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "tutorials").glob("*.md"),
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
]
REFERENCE = re.findall(r"^\.\. auto\w+:: (quire[\w.]+)", (ROOT / "docs" / "reference.md").read_text(), re.MULTILINE)
PLACES = ["quire.places.parts.Blocks", "quire.places.disk.DiskPlace", "quire.places.dask.cluster.DaskPlace"]


def _look_up(name):
    """Find what a dotted name stands for: a module, or something in one."""
    found = quire
    for part in name.split(".")[1:]:
        is_module = not hasattr(found, part)
        found = importlib.import_module(f"{found.__name__}.{part}") if is_module else getattr(found, part)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_name_on_a_page_is_there(page):
    for name in re.findall(r"(?<![\w./-])quire(?:\.[A-Za-z_]\w*)+", page.read_text()):
        if not re.search(r"\.(json|toml|csv|html|md)$", name):
            _look_up(name)


def test_the_reference_has_what_is_public():
    public = {f"quire.{name}" for name in quire.__all__ if not name.startswith("_")}
    public |= {f"quire.scores.metrics.{name}" for name in metrics.__all__} | set(PLACES)
    assert public <= set(REFERENCE)
    assert all(name.startswith("quire.methods.") for name in set(REFERENCE) - public)
    assert len(REFERENCE) == len(set(REFERENCE))
