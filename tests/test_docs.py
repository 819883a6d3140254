"""Every command and every Python block of the README and the documentation is run as it stands there."""

import re
import shutil
import sys
import zipfile
from pathlib import Path

import documented
import matplotlib as mpl
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
from blocks import blocks, run_page  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
# It makes hundreds of runs.
SLOW = {"choose.md"}
RUN = [page for page in PAGES if any(block.why_not is None for block in blocks(page.read_text("utf-8")))]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.fixture(scope="session")
def furnished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("furnished") / "here"
    folder.mkdir()
    documented.furnish(folder)
    return folder, documented.fewer_docstrings()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW), id=str(page.relative_to(ROOT)))
        for page in RUN
    ],
)
def test_what_a_page_tells_to_type_works(page, furnished, tmp_path, monkeypatch):
    mpl.use("agg")
    ready, documents = furnished
    here, text = tmp_path / "here", page.read_text("utf-8")
    shutil.copytree(page.parent / "data" if page in TUTORIALS else ready, here)
    for name in re.findall(r"quire cluster (\w+)\.", text):  # which the page will make
        shutil.rmtree(here / f"quire-{name}", ignore_errors=True)
    monkeypatch.setattr("quire.cli.docstrings.docstrings", lambda: documents)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    names = {} if page in TUTORIALS else documented.names_of(ready)
    assert run_page(page, here, names, documented.command) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_is_not_run_says_why(page):
    text = page.read_text("utf-8")
    for block in blocks(text):
        assert block.why_not is None or len(block.why_not.split()) >= 3, f"{page.name}, line {block.line}"
    assert not re.search(r"^```(bash|shell|zsh|py|python3|pycon)\b", text, re.MULTILINE), (
        "write sh or python: those are run"
    )


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.name)
def test_a_tutorial_has_a_picture_and_runs(page):
    text = page.read_text("utf-8")
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert page.stem == "index" or pictures
    assert all((page.parent / picture).is_file() for picture in pictures)


def test_the_data_of_the_tutorials_are_what_their_script_writes(tmp_path):
    sys.path.insert(0, str(ROOT / "docs" / "tutorials"))
    import make_data

    make_data.main(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in make_data.DATA.iterdir()}
    assert kept.keys() == made.keys()
    assert all(kept[name] == made[name] for name in made if name.endswith(".csv"))
    with zipfile.ZipFile(tmp_path / "papers.zip") as new, zipfile.ZipFile(make_data.DATA / "papers.zip") as old:
        assert {name: new.read(name) for name in new.namelist()} == {name: old.read(name) for name in old.namelist()}
