"""What ``make release-check`` looks for is found, and what it builds on is whole."""

import ast
import importlib
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "release"))
check, environments = importlib.import_module("check"), importlib.import_module("environments")
SMOKE = ast.parse((ROOT / "release" / "smoke.py").read_text("utf-8"))


def _made(folder, wheel=(), sdist=()):
    """A wheel and an sdist that hold what they should, and more."""
    needed = ["quire/pages/app.html", "quire/py.typed", "quire/runs/recipes/default.toml"]
    paths = folder / "quire.whl", folder / "quire.tar.gz"
    with zipfile.ZipFile(paths[0], "w") as archive:
        for name in (*needed, *wheel):
            archive.writestr(name, "")
    (folder / "empty").touch()
    with tarfile.open(paths[1], "w:gz") as archive:
        for name in ("quire-1/src/quire/__init__.py", *sdist):
            archive.add(folder / "empty", name)
    return paths


def test_the_version_stands_in_one_place(monkeypatch, tmp_path):
    import quire

    assert check.version() == quire.__version__
    for path in ("src/quire/__init__.py", "docs/conf.py", "pyproject.toml", "CITATION.cff"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text("utf-8"), "utf-8")
    monkeypatch.setattr(check, "ROOT", tmp_path)
    assert check.version() == quire.__version__
    with (tmp_path / "CITATION.cff").open("a") as file:
        file.write("version: 0.1.0\n")
    with pytest.raises(check.UnfitError, match=r"CITATION\.cff"):
        check.version()


def test_a_wheel_with_the_package_alone_is_sound(tmp_path):
    check.look_into(*_made(tmp_path, ["quire_topics-1.dist-info/METADATA"]))


@pytest.mark.parametrize("name", ["tests/test_x.py", "quire/__pycache__/a.pyc", "quire/tests/test_y.py", "notes.txt"])
def test_what_does_not_belong_into_a_wheel_is_named(tmp_path, name):
    with pytest.raises(check.UnfitError, match=re.escape(name)):
        check.look_into(*_made(tmp_path, [name]))


def test_what_was_made_does_not_belong_into_an_sdist(tmp_path):
    with pytest.raises(check.UnfitError, match="node_modules"):
        check.look_into(*_made(tmp_path, sdist=["quire-1/web/node_modules/x.js"]))


def test_every_extra_is_tried():
    found = next(
        node.value for node in ast.walk(SMOKE) if isinstance(node, ast.AnnAssign) and node.target.id == "EXTRAS"
    )
    assert {key.value for key in found.keys} | set(check.NOT_HERE) == set(check.PROJECT["optional-dependencies"])


def test_lowest_versions_are_those_of_the_lock(tmp_path):
    pins = environments.lowest_constraints(tmp_path).read_text("utf-8").splitlines()
    names = {pin.partition("==")[0].lower() for pin in pins}
    wanted = {re.match(r"[\w-]+", need)[0].lower() for need in check.PROJECT["dependencies"]}
    assert wanted <= names
    assert not [pin for pin in pins if "\\" in pin or "--hash" in pin]


def test_interpreters_are_what_they_are_taken_for():
    found = environments.interpreters()
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert here in found or here not in environments.PYTHONS
    assert list(found) == [version for version in environments.PYTHONS if version in found]
