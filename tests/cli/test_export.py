"""A run for other programs, the runs of a folder, and what a machine has."""

import csv
import html.parser
import json
import shutil
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from problems import themed

import quire
from quire.cli.commands import app
from quire.studies.exporting.registry import EXPORTS, Format, export_run

HOSTILE = ["=cmd|' /C calc'!A0", "+1", "-1", "@sum", "\tx", "plain = text", "<script>alert(1)</script>\x01"]


@pytest.fixture(scope="module")
def run():
    made = quire.cluster(themed(), 5, random_state=0)
    titles = pl.Series("title", [HOSTILE[i % len(HOSTILE)] for i in range(len(made.documents))])
    return replace(made, documents=made.documents.with_columns(titles))


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    return run.save(tmp_path_factory.mktemp("runs") / "themes")


def quire_says(capsys, *typed):
    app([*map(str, typed)], exit_on_error=False, result_action="return_value")
    return capsys.readouterr().out


def test_csv_holds_every_document_and_no_formula(run, tmp_path):
    export_run(run, "csv", tmp_path / "out")
    with (tmp_path / "out" / "documents.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == run.documents["id"].to_list()
    assert not [row["title"] for row in rows if row["title"][:1] in ("=", "+", "-", "@", "\t", "\r")]
    assert {row["title"].removeprefix("'") for row in rows} == set(HOSTILE)
    assert [row["name"] for row in rows] == [run.topics["name"][int(topic)] for topic in run.labels]
    with (tmp_path / "out" / "topics.csv").open(newline="") as file:
        assert [row["keywords"] for row in csv.DictReader(file)] == [", ".join(w) for w in run.topics["keywords"]]


def test_a_workbook_is_read_back_and_holds_no_formula(run, tmp_path):
    pytest.importorskip("fastexcel")
    path = export_run(run, "xlsx", tmp_path / "run.xlsx")
    documents = pl.read_excel(path, sheet_name="documents")
    assert documents["membership"].to_numpy() == pytest.approx(run.documents["membership"].to_numpy(), rel=1e-6)
    assert documents["text"].to_list() == run.documents["text"].to_list()
    assert not documents["title"].str.contains(r"^[=+\-@\t]").any()
    assert pl.read_excel(path, sheet_name="topics")["size"].to_list() == run.topics["size"].to_list()
    import zipfile

    sheet = zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet


def test_json_and_parquet_say_the_same(run, tmp_path):
    data = json.loads(export_run(run, "json", tmp_path / "run.json").read_text())
    assert [row["id"] for row in data["documents"]] == run.documents["id"].to_list()
    assert data["info"]["n_topics"] == 5
    export_run(run, "parquet", tmp_path / "tables")
    again = pl.read_parquet(tmp_path / "tables" / "documents.parquet")
    assert again.drop("name").equals(run.documents)


def test_pyldavis_gets_distributions(run, tmp_path):
    data = json.loads(export_run(run, "pyldavis", tmp_path / "p.json").read_text())
    for name in ("topic_term_dists", "doc_topic_dists"):
        assert np.array(data[name]).sum(axis=1) == pytest.approx(1)
    assert np.array(data["topic_term_dists"]).shape == (5, len(data["vocab"]))
    assert len(data["doc_lengths"]) == len(data["doc_topic_dists"])
    assert len(data["term_frequency"]) == len(data["vocab"])


def test_bertopics_tables(run, tmp_path):
    export_run(run, "bertopic-like", tmp_path / "b")
    topics = pl.read_csv(tmp_path / "b" / "topic_info.csv")
    assert topics.columns == ["Topic", "Count", "Name", "Representation", "Representative_Docs"]
    assert topics["Count"].sum() == len(run.documents)
    documents = pl.read_csv(tmp_path / "b" / "document_info.csv")
    assert documents["Topic"].to_list() == run.labels.tolist()


def test_a_report_runs_nothing(run, tmp_path):
    named = run.rename(0, HOSTILE[-1].strip("\x01"))
    text = export_run(named, "html-report", tmp_path / "r.html").read_text()
    tags = set()

    class Tags(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            tags.add(tag)

    Tags().feed(text)
    assert not {"script", "img", "iframe", "link"} & tags
    assert "&lt;script&gt;" in text
    for number in range(5):
        assert f"Topic {number}: " in text


def test_a_format_is_one_line(run, folder, tmp_path, capsys, monkeypatch):
    made = []
    monkeypatch.setitem(EXPORTS, "toy", Format("a toy", ".toy", lambda run, path: made.append((len(run.H), path))))
    monkeypatch.chdir(tmp_path)
    assert "themes.toy" in quire_says(capsys, "export", folder, "--to", "toy")
    assert made[0][0] == 5
    with pytest.raises(ValueError, match="did you mean 'csv'"):
        quire_says(capsys, "export", folder, "--to", "cvs")
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="is no folder"):
        export_run(run, "csv", tmp_path / "file")


def test_runs_are_listed_with_the_names_that_people_gave(folder, capsys, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "renamed")
    quire.load(copy).rename(0, "Space flight").save(copy)
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / "topics.json").write_text("{")
    (tmp_path / "no run").mkdir()
    found = {one["run"]: one for one in json.loads(quire_says(capsys, "ls", tmp_path, "--json"))["runs"]}
    assert set(found) == {str(copy), str(broken)}
    one = found[str(copy)]
    assert (one["documents"], one["topics"], one["largest"][0]) == (600, 5, "Space flight")
    assert found[str(broken)]["topics"] is None
    assert "Space flight" in quire_says(capsys, "ls", tmp_path)
    assert "Space flight" in quire_says(capsys, "show", copy)
    assert "no run here" in quire_says(capsys, "ls", tmp_path / "no run")
    with pytest.raises(ValueError, match="is no folder"):
        quire_says(capsys, "ls", tmp_path / "nowhere")


def test_the_doctor_tells_what_is_there(capsys):
    found = json.loads(quire_says(capsys, "doctor", "--json"))
    assert found["quire"] == quire.__version__
    assert found["threads"]["used"] >= 1
    assert found["memory"]["free"] >= found["memory"]["budget"] > 0
    assert found["versions"]["numpy"] == np.__version__
    assert found["extras"]["plots"]["there"]
    assert len(quire_says(capsys, "doctor").splitlines()) <= 24


def test_the_doctor_says_what_a_gpu_needs(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)  # as where it is not installed
    told = next(line for line in quire_says(capsys, "doctor").splitlines() if line.startswith("GPU"))
    assert told.split(maxsplit=1)[1].strip() == "not in use. A GPU needs CuPy: pip install 'quire-topics[gpu]'."
