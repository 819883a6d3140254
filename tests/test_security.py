"""The security page names what is there, licences are those of what is pinned, an audit claims no more than it saw."""

import importlib.util
import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_layers import PACKAGES, SOURCE

from quire.pages import full_text_readers, openapi, patience, server

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text()


def _script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_mechanism_that_is_named_is_there():
    named = [name for name in re.findall(r"`([a-z_]+(?:/\w+)+)`", PAGE) if name.split("/")[0] in PACKAGES]
    assert len(named) > 15
    for name in named:
        assert (SOURCE / f"{name}.py").exists(), name


def test_bounds_of_the_server_are_those_of_the_code():
    said = PAGE.split("Work is bounded: ")[1].split("\n-")[0]
    bounds = [
        int(patience.SECONDS),
        int(patience.TAKING),
        openapi.LONGEST_QUERY,
        openapi.MOST_ROWS,
        openapi.LARGEST_BODY,
    ]
    bounds += [int(server._BODY_SECONDS), int(full_text_readers.PATIENCE)]
    assert re.findall(r"\d[\d,]*", said.replace("429", "")) == [f"{bound:,}" for bound in bounds]


def test_every_package_that_is_pinned_has_its_licence_listed():
    licences = _script(ROOT / "docs" / "licences.py")
    rows = dict(re.findall(r"^\| (\S+) \| (.+) \|$", licences.PAGE.read_text(), re.MULTILINE))
    assert set(licences.locked()) | {name for name, _ in licences.of_the_page()} == rows.keys() - {"package"}


HOLE = {"name": "x", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}
SOUND = {"name": "x", "version": "1", "vulns": []}
SKIPPED = {"name": "x", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("told", "code", "words"),
    [
        (json.dumps({"dependencies": [HOLE]}), 1, "has PYSEC-1, mended in 2"),
        (json.dumps({"dependencies": [SOUND, SKIPPED]}), 0, "1 of 2 dependencies looked up"),
        (json.dumps({"dependencies": [SKIPPED]}), 0, "was not audited"),
        ("", 0, "was not audited"),
    ],
)
def test_an_audit_claims_no_more_than_it_saw(monkeypatch, capsys, told, code, words):
    audit = _script(ROOT / "requirements" / "audit.py")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=told))
    assert audit._audited(Path("dev.lock")) == code
    assert words in capsys.readouterr().out
