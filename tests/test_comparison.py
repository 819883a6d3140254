"""The comparison with other programs: cells are kept and resumed, a tool has its own process, pages follow results."""

import json
import os
import stat
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.compare import __main__ as command
from benchmarks.compare import cells, installs, process, size, tutorials
from benchmarks.compare.corpora import Visit
from benchmarks.compare.page import page
from benchmarks.compare.task import Found, Task, numbered, strongest
from benchmarks.compare.tools import of_quire, of_sklearn
from benchmarks.compare.tools.registry import TOOLS
from benchmarks.quality import results

from quire.scores import metrics

DOCS = Path(__file__).parents[1] / "docs"
WORDS = ("ball goal team score match player coach", "vote party law state court senate tax")


def planted(n=120, seed=0):
    """Texts of two subjects, which share three words, and the subject of each."""
    rng = np.random.default_rng(seed)
    own = [words.split() for words in WORDS]
    texts = [" ".join([*rng.choice(own[i % 2], 12), *rng.choice(["said", "new", "year"], 3)]) for i in range(n)]
    return texts, np.arange(n) % 2


@pytest.fixture
def visit(tmp_path):
    texts, subjects = planted()
    made = Visit("bbc", tmp_path / "scratch")
    made.__dict__["_corpus"] = (texts, pl.Series([f"class {i}" for i in subjects]))
    return made


def put(folder, tool, corpus="bbc", seed=0, choice="classes", part="whole", **values):
    row = {"date": "2026-01-01", "limit": 60, "version": "1.0", "topics": 2, "cpu": 1.0, "wall": 2.0, "memory": 100}
    key = {"corpus": corpus, "tool": tool, "choice": choice, "seed": seed, "part": part}
    results.Results(folder, corpus).put(key, [row | values])


def line_of(text, begin, after=""):
    return next(line for line in text[text.index(after) :].splitlines() if line.startswith(begin))


# -- cells -------------------------------------------------------------------------------------------------


def test_an_interrupted_comparison_goes_on_where_it_stopped(tmp_path, monkeypatch):
    done = []

    def measure(visit, cell, limit):
        if len(done) == 3:
            done.append(None)
            raise KeyboardInterrupt
        done.append(cell)
        return {"cpu": 1.0, "limit": limit}

    monkeypatch.setattr(cells, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        command.measure_corpus("bbc", 2, ["Quire", "scikit-learn NMF"], tmp_path, 60)
    command.measure_corpus("bbc", 2, ["Quire", "scikit-learn NMF"], tmp_path, 60)
    measured = [json.dumps(cell) for cell in done if cell]
    wanted = [json.dumps(cell) for cell in cells.cells("bbc", 2, ["Quire", "scikit-learn NMF"])]
    assert measured == wanted
    assert len(set(wanted)) == len(wanted) == 12  # NMF does not choose how many topics


def test_a_cell_that_ran_out_of_time_is_tried_again_with_more_of_it_only(tmp_path, monkeypatch):
    put(tmp_path, "Quire", failed="more than 1 CPU minutes")
    put(tmp_path, "Quire tfidf", failed="ValueError: no")
    kept = results.Results(tmp_path, "bbc")
    of = {row["tool"]: {name: row[name] for name in ("corpus", "tool", "choice", "seed", "part")} for row in kept.rows}
    tried = {tool: [not command._is_there(kept, cell, limit) for limit in (60, 120)] for tool, cell in of.items()}
    assert tried == {"Quire": [False, True], "Quire tfidf": [False, False]}


def test_a_cell_has_scores_of_the_topics_and_of_their_process(visit):
    cell = {"corpus": "bbc", "tool": "Quire tfidf", "choice": "classes", "seed": 0, "part": "whole"}
    row = cells.measure(visit, cell, 600)
    assert "failed" not in row, row
    assert (row["topics"], row["unassigned"]) == (2, 0.0)
    assert row["ari"] == pytest.approx(1.0)
    assert 20 < row["memory"] < 4000
    assert row["cpu"] > 0
    assert "same" not in row
    again = cells.measure(visit, cell | {"seed": 1}, 600)
    assert again["same"] == pytest.approx(1.0)
    half = cells.measure(visit, cell | {"part": "half"}, 600)
    assert -1 <= half["npmi"] <= 1
    assert "ari" not in half


def test_keywords_are_judged_on_the_documents_that_the_tool_has_not_seen(visit):
    texts = visit.texts
    texts[::2] = ["alpha beta"] * len(texts[::2])  # together in every document that was seen
    texts[1::4], texts[3::4] = ["alpha x"] * len(texts[1::4]), ["beta x"] * len(texts[3::4])
    assert cells._held_out(visit, [["alpha", "beta"]])["npmi"] == -1


# -- processes ---------------------------------------------------------------------------------------------


def stub(tmp_path, script):
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -XCPU $$", "more than 2 CPU minutes"),
        ("echo 'ValueError: not in /home/somebody/deep/file.txt' >&2; exit 1", "ValueError: not in …/file.txt"),
        ("exit 7", "the process ended with 7"),
    ],
)
def test_what_does_not_come_to_an_end_is_said_in_a_line(tmp_path, script, said):
    with pytest.raises(process.UnfinishedError) as caught:
        process.call("Quire", {"limit": 120}, tmp_path / "one.cell", stub(tmp_path, script))
    assert str(caught.value) == said


def test_the_limit_on_cpu_time_ends_a_process(tmp_path):
    script = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 11))\nwhile True: pass"
    endless = stub(tmp_path, f"exec {sys.executable} -c '{script}'")
    with pytest.raises(process.UnfinishedError, match="CPU minutes"):
        process.call("Quire", {"limit": 60}, tmp_path / "one.cell", endless)


# -- tools -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("find", [of_sklearn.nmf, of_sklearn.minibatch_nmf, of_sklearn.lda, TOOLS["Quire tfidf"].find])
def test_a_tool_finds_planted_subjects_and_their_words(find):
    texts, subjects = planted()
    found = find(Task(texts, 2, 0, []))
    assert metrics.ari(subjects, np.array(found.labels)) > 0.9
    for topic, own in enumerate(found.keywords):
        subject = subjects[found.labels.index(topic)]
        assert len(set(own[:5]) & set(WORDS[subject].split())) >= 4


def test_topics_of_any_name_are_numbered_and_the_rest_has_none():
    assert numbered(["b", "x", "a"], {"a": ["one"], "b": ["two"]}) == Found([1, -1, 0], [["one"], ["two"]])
    assert strongest(np.array([[0.0, 0.0], [0.1, 0.2]])) == [-1, 1]


def test_every_tool_says_how_it_is_used_and_can_be_asked_for_topics():
    assert all(tool.settings and tool.packages and (tool.takes_k or tool.chooses_k) for tool in TOOLS.values())
    assert set(of_quire.TOOLS) <= set(TOOLS.values())


def test_the_size_of_an_installation_is_of_all_that_is_needed():
    packages = size.needed(["scikit-learn"])
    assert {"scikit-learn", "numpy", "scipy", "joblib"} <= packages
    assert "pytest" not in packages
    assert size.megabytes(packages) > size.megabytes(["numpy"]) > 1


def test_the_versions_of_a_lock_file_are_taken_without_hashes():
    lines = installs._versions(Path(__file__).parents[1] / "requirements" / "compare.lock").splitlines()
    assert any(line.startswith("bertopic==") for line in lines)
    assert not any("hash" in line or line.endswith("\\") or line.startswith("torch==") for line in lines)


# -- the page ----------------------------------------------------------------------------------------------


def test_the_page_in_the_documentation_is_what_the_results_give():
    assert page(DOCS / "compare") == (DOCS / "compare.md").read_text("utf-8"), (
        "run `python -m benchmarks.compare --page`"
    )


@pytest.mark.parametrize("name", tutorials.PAGES)
def test_the_table_of_a_tutorial_is_what_the_results_give(name):
    told = tutorials.text(DOCS / "compare", tutorials.PAGES[name])
    assert told.strip() in (DOCS / name).read_text("utf-8"), "run `python -m benchmarks.compare --page`"


def test_the_page_says_who_is_best_and_who_has_no_result(tmp_path):
    for seed, (ours, theirs) in enumerate([(0.50, 0.70), (0.52, 0.72)]):
        put(tmp_path, "Quire", seed=seed, ari=ours, nmi=0.9, ac=0.5)
        put(tmp_path, "BERTopic", seed=seed, ari=theirs, nmi=0.8, ac=0.5, unassigned=0.3)
    put(tmp_path, "CorEx", failed="more than 1 CPU minutes")
    text = page(tmp_path)
    assert line_of(text, "| bbc |").split("|")[3:5] == [" BERTopic 0.710 (0.510) ", " Quire 0.900 "]
    told = line_of(text, "| BERTopic |", "## bbc").split("|")
    assert told[3].strip() == "**0.710 ± 0.014**"
    assert told[4].strip() == "0.800 ± 0.000"
    assert told[5].strip() == "**0.500 ± 0.000**"  # as good as Quire's
    assert "CorEx (whole): more than 1 CPU minutes" in text
    assert "--corpora bbc --seeds 2 --minutes 1" in text


def test_a_mean_over_corpora_is_of_tools_that_were_measured_on_all_of_them(tmp_path):
    for corpus, value in (("bbc", 0.8), ("tweets", 0.4)):
        put(tmp_path, "Quire", corpus, ari=value, nmi=value, ac=value)
    put(tmp_path, "BERTopic", ari=0.9, nmi=0.9, ac=0.9)
    summary = page(tmp_path).split("## bbc")[0]
    assert line_of(summary, "| Quire |").split("|")[2].strip() == "**0.600**"
    assert "| BERTopic |" not in summary


def test_only_quire_is_measured_anew_with_another_default_recipe(tmp_path):
    put(tmp_path, "Quire")
    put(tmp_path, "BERTopic")
    path = tmp_path / "bbc.json"
    data = json.loads(path.read_text("utf-8"))
    data["default"]["name"] = "another"
    path.write_text(json.dumps(data), "utf-8")
    kept = results.Results(tmp_path, "bbc", lambda row: not cells.is_quires(TOOLS[row["tool"]]))
    assert [row["tool"] for row in kept.rows] == ["BERTopic"]


def test_tools_run_with_one_thread_and_without_a_network():
    done = process._run(
        [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"], 60, {"HOME": "elsewhere"}
    )
    told = json.loads(done.stdout)
    assert (told["OMP_NUM_THREADS"], told["HF_HUB_OFFLINE"], told["HOME"]) == ("1", "1", "elsewhere")
    assert os.environ.get("HOME") != "elsewhere"
