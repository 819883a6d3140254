"""The campaign judges what it tries: each verdict is given for what it is for, kept, and repeated by its seed."""

import ctypes
import importlib.util
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from torture import inputs, page, results
from torture.campaign import run_part
from torture.case import Case, WrongError
from torture.child import made_in_child
from torture.inputs import without_seeds
from torture.mutate import mutated
from torture.parts import PARTS
from torture.seeds import make_inputs


def raised(error):
    raise error


TRIED = {
    "ok": lambda folder: {"seen": 3},
    "sentence": lambda folder: raised(ValueError("The file is damaged: make it anew.")),
    "traceback": lambda folder: raised(KeyError("x")),
    "wrong": lambda folder: raised(WrongError("it loads")),
    "signal": lambda folder: ctypes.string_at(0),
    "hang": lambda folder: time.sleep(60),
}


@pytest.mark.parametrize("verdict", TRIED)
def test_each_verdict_is_given_for_what_it_is_for(tmp_path, verdict):
    case = Case(verdict, TRIED[verdict], seconds=0.3 if verdict == "hang" else 20)
    outcome = made_in_child(case, tmp_path / "case")
    assert outcome.verdict == verdict, outcome.words
    assert outcome.facts == ({"seen": 3} if verdict == "ok" else {})


@pytest.mark.parametrize("words", ["could not convert string to float: 'a'", "", "Two lines.\nAnd one."])
def test_an_error_that_is_no_sentence_is_wrong(tmp_path, words):
    outcome = made_in_child(Case("words", lambda folder: raised(ValueError(words))), tmp_path / "case")
    assert outcome.verdict == "wrong"


def test_memory_is_limited(tmp_path):
    outcome = made_in_child(
        Case("memory", lambda folder: {"n": len(bytes(1 << 30))}, memory=1 << 28), tmp_path / "case"
    )
    assert outcome.verdict == "sentence"


def part(tried):
    def cases(seed, work):
        for number, name in enumerate(tried):
            yield Case(
                f"{name} {number}", lambda folder, name=name: (folder / "a.txt").write_text("x") and TRIED[name](folder)
            )

    return SimpleNamespace(NAME="mutations", cases=cases)


def test_what_failed_is_kept_with_the_way_to_repeat_it_and_told_on_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr("torture.campaign.check_single_thread", lambda: None)  # these cases use no library
    tally = run_part(part(["ok", "wrong", "sentence"]), 5, 60, 2, tmp_path / "kept")
    assert dict(tally.verdicts) == {"ok": 1, "wrong": 1, "sentence": 1}
    (failure,) = tally.failures
    kept = tmp_path / "kept" / "mutations" / "5-1"
    assert json.loads((kept / "case.json").read_text())["repeat"] == failure["repeat"]
    assert failure["repeat"].endswith("--only mutations --seed 5 --case 1")
    assert (kept / "files" / "in" / "a.txt").read_text() == "x"
    again = run_part(part(["ok", "wrong", "sentence"]), 5, 60, 2, tmp_path / "kept", only=1)
    assert [one["name"] for one in again.failures] == ["wrong 1"]
    results.add(tmp_path / "reliability", tally, 0.1)
    written = page.write(tmp_path / "reliability").read_text()
    assert "| mutations | 3 mutations | 1 | 1 | 1 | 3 in 1, 1 failed |" in written
    assert failure["repeat"] in written
    for one in PARTS.values():
        assert one.promise in written


def test_what_ends_a_process_is_that_of_its_case_and_those_after_it_are_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr("torture.campaign.check_single_thread", lambda: None)
    several = part(["ok", "signal", "sentence", "traceback", "ok", "signal", "ok"])
    several.TOGETHER = 4
    tally = run_part(several, 5, 60, 2, tmp_path / "kept")
    assert dict(tally.verdicts) == {"ok": 3, "signal": 2, "sentence": 1, "traceback": 1}
    assert sorted(one["name"] for one in tally.failures) == ["signal 1", "signal 5", "traceback 3"]


def test_a_number_of_cases_may_be_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("torture.campaign.check_single_thread", lambda: None)
    assert run_part(part(["ok"] * 9), 5, 60, 2, tmp_path / "kept", most=4).cases == 4


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes, and at limits, as Linux has them")
def test_a_small_campaign_finds_nothing(tmp_path):
    """The same cases every time, by their number: what an hour of `make torture` tries more of."""
    command = [sys.executable, "-m", "torture", "--quick", "--seed", "17", "--jobs", "2"]
    found = subprocess.run(
        [*command, "--into", tmp_path / "results", "--kept", tmp_path / "kept"], capture_output=True, text=True,
        cwd=Path(__file__).parents[1], timeout=600, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    for one in PARTS.values():
        tried = json.loads((tmp_path / "results" / f"{one.name}.json").read_text())[0]["cases"] if one.quick else 0
        assert tried == one.quick


def test_the_same_seed_gives_the_same_damage():
    data = json.dumps({"a": [1, 2, {"b": "c"}]}).encode()
    once, again = ([mutated(data, "x.json", random.Random(i)) for i in range(200)] for _ in range(2))
    assert once == again
    assert len({changed for changed, _ in once}) > 120


@pytest.mark.parametrize("name", ["factors.safetensors", "run.json", "seeds.toml", "edits.jsonl"])
def test_what_is_nested_deeply_already_is_damaged_once_more(name):
    head = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    data = len(head).to_bytes(8, "little") + head if name.endswith(".safetensors") else head
    for i in range(40):
        assert isinstance(mutated(data, name, random.Random(i))[0], bytes)


def test_every_part_has_its_module():
    for name in PARTS:
        assert importlib.util.find_spec(f"torture.{name}") is not None, name


def test_every_kind_of_input_has_seeds(tmp_path, monkeypatch):
    """A reader that is added to a registry is mutated, or named here."""
    from quire.corpus.formats import kinds
    from quire.corpus.formats.document import DocumentKind
    from quire.corpus.formats.format import Format

    make_inputs(tmp_path)
    assert without_seeds(tmp_path) == []
    monkeypatch.setattr(inputs, "FORMATS", [*inputs.FORMATS, Format(lambda *_: None, {".toy": "toy"})])
    monkeypatch.setattr(inputs, "DOCUMENTS", [*kinds.DOCUMENTS, DocumentKind(lambda *_: [], (".doll",), "a doll")])
    assert without_seeds(tmp_path) == [".toy", ".doll"]
