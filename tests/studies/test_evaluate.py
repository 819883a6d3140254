"""`quire evaluate`: scores of a run, labels from any file, and a table that can be read at 80 columns."""

import gzip
import io
import json
import re

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import one_sentence, said, stories
from rich.console import Console

import quire
from quire.cli.reports.evaluation import class_tables, evaluation_report
from quire.scores import metrics
from quire.studies.evaluate import class_table, evaluate
from quire.studies.labels_file import read_labels


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run over documents with ids and labels, one without a word, in memory and on disk."""
    texts, labels = stories(60)
    texts[7] = ""
    frame = pl.DataFrame({"key": [f"d{i}" for i in range(60)], "text": texts, "label": labels})
    run = quire.cluster(frame, 3, id="key", random_state=0)
    return run, run.save(tmp_path_factory.mktemp("runs") / "run"), frame


def shown(found, width=80):
    """What is printed, without colours."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(evaluation_report(found, width))
    return console.file.getvalue()


# -- scores ----------------------------------------------------------------------------------------------


def test_scores_are_those_of_the_metrics(made):
    run, _, frame = made
    found = evaluate(run)
    assert (found.n_documents, found.n_labelled, found.source) == (60, 60, "run")
    assert {name: found.against[name] for name in run.scores} == run.scores
    assert found.against["accuracy"] == pytest.approx(59 / 60)
    for name in ("mi_hat", "nmi", "purity", "entropy", "ari"):
        assert found.against[name] == pytest.approx(getattr(metrics, name)(frame["label"], run.labels))
    assert found.against["soft_nmi"] == pytest.approx(metrics.soft_nmi(frame["label"], run.memberships))
    assert found.alone["sparsity"] == (run.W == 0).mean()
    assert found.alone["diversity"] == 1
    assert found.topics["npmi"].mean() == pytest.approx(found.alone["npmi"])
    assert -1 <= found.alone["c_v"] <= 1
    X = run.weight.transform(run.counts.transform(frame["text"])).toarray()
    error = np.linalg.norm(X - run.W @ run.H)
    assert found.alone["error"] == pytest.approx(error, rel=1e-3)
    assert found.alone["relative_error"] == pytest.approx(error / np.linalg.norm(X), rel=1e-4)


def test_documents_without_a_label_are_left_out_and_that_is_said(made):
    run, _, frame = made
    labels = [label if i < 45 else None for i, label in enumerate(frame["label"])]
    found = evaluate(run, labels)
    assert found.n_labelled == 45
    assert found.against["nmi"] == pytest.approx(metrics.nmi(labels[:45], run.labels[:45]))
    assert found.classes["documents"].sum() == 45
    assert "15 documents without a label were left out" in " ".join(shown(found).split())
    none = evaluate(run, [None] * 60)
    assert none.against == {}
    assert none.source is None
    assert "--labels" in shown(none)
    assert "diversity" in none.alone
    with pytest.raises(ValueError, match="59 labels for 60 documents"):
        evaluate(run, labels[:-1])


def test_a_run_from_a_matrix_has_no_coherence_and_says_so(tmp_path):
    texts, labels = stories(30)
    counts = quire.Counts().fit_transform(texts)
    run = quire.cluster(sp.csr_array(counts), 3, labels=labels, random_state=0)
    found = evaluate(quire.load(run.save(tmp_path / "run")))
    assert found.against["accuracy"] == 1
    assert "npmi" not in found.alone
    assert found.topics["npmi"].null_count() == 3
    assert "Coherence is left out" in shown(found)
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["scores"]["error"] > 0


def test_a_run_whose_tokens_a_function_made_says_why_coherence_is_missing(tmp_path):
    texts, labels = stories(30)
    run = quire.cluster(texts, 3, labels=labels, random_state=0, tokens=str.split)
    assert "npmi" in evaluate(run).alone
    again = evaluate(quire.load(run.save(tmp_path / "run")))
    assert "npmi" not in again.alone
    assert any("function for tokens" in line for line in again.notes)


def test_stemmed_keywords_are_found_among_the_counts():
    texts, labels = stories(60)
    run = quire.cluster([text.replace("goal", "goals") for text in texts], 3, stem=True, language="en",
                        labels=labels, random_state=0)  # fmt: skip
    assert evaluate(run).alone["npmi"] > 0


def test_one_topic_and_one_class():
    run = quire.cluster(["a moon", "the moon", "moon orbit"], 1, labels=["a"] * 3, random_state=0)
    found = evaluate(run)
    assert found.against["accuracy"] == 1
    assert found.against["entropy"] == 0
    assert "only class" in shown(found)


# -- the table -------------------------------------------------------------------------------------------


def test_classes_come_in_the_order_of_their_topics():
    rng = np.random.default_rng(0)
    clusters, classes = rng.integers(-1, 4, 200), rng.choice(["w", "x", "y", "z"], 200)
    table = class_table(pl.Series(classes), clusters, 4)
    assert table["main_topic"].is_sorted()
    for row in table.iter_rows(named=True):
        mine = clusters[classes == row["class"]]
        assert row["topics"] == [int((mine == t).sum()) for t in range(4)]
        assert row["unassigned"] == (mine < 0).sum()
        assert row["documents"] == len(mine)
        assert row["topics"][row["main_topic"]] == max(row["topics"])
    lost = class_table(pl.Series(["a", "b"]), np.array([-1, 1]), 2)
    assert lost["class"].to_list() == ["b", "a"]
    assert lost["main_topic"].to_list() == [1, -1]
    assert class_table(pl.Series([None], dtype=pl.String), np.array([0]), 2).height == 0


def test_the_largest_of_a_row_stands_out_and_hostile_names_do_not(made):
    run, _, frame = made
    names = frame["label"].replace({"food": "\x1b[31m[bold]food[/bold]"})
    console = Console(file=io.StringIO(), width=80, force_terminal=True, highlight=False, _environ={})
    console.print(evaluation_report(evaluate(run, names)))
    printed = console.file.getvalue()
    assert printed.count("\x1b[1;36m") == 3
    assert "\x1b[31m" not in printed
    assert "[bold]food" in printed


@pytest.mark.parametrize("width", [60, 80, 130, 400])
def test_twenty_classes_and_topics_can_be_read_at_any_width(width):
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(100)]
    themes = rng.integers(0, 20, 400)
    texts = [" ".join(f"w{t}x{j}" for j in rng.integers(0, 8, 12)) + " " + rng.choice(words) for t in themes]
    names = [f"a.rather.long.name.of.a.class.{t:02}" for t in themes]
    run = quire.cluster(texts, 20, labels=names, random_state=0)
    found = evaluate(run)
    printed = shown(found, width)
    assert max(map(len, printed.splitlines())) <= width
    assert all(f"a.class.{t:02}" in printed for t in range(20))
    if width < 100:
        assert "Topics of each class" in printed
        assert "--json" in printed
        assert printed.count("100%") + printed.count("9%") >= 10
    else:
        assert "Docs" in printed
        assert "Main topic" not in printed
        assert len(class_tables(found, width)) == 2


# -- labels from files -----------------------------------------------------------------------------------


def write_csv(frame, folder):
    frame.write_csv(folder / "d.csv")
    return folder / "d.csv"


def write_semicolons(frame, folder):
    (folder / "d.csv").write_bytes(frame.write_csv(separator=";").replace("\n", "\r\n").encode("utf-16"))
    return folder / "d.csv"


def write_tsv(frame, folder):
    (folder / "d.tsv.gz").write_bytes(gzip.compress(frame.write_csv(separator="\t").encode()))
    return folder / "d.tsv.gz"


def write_jsonl(frame, folder):
    frame.write_ndjson(folder / "d.jsonl")
    return folder / "d.jsonl"


def write_parquet(frame, folder):
    frame.write_parquet(folder / "d.parquet")
    return folder / "d.parquet"


WRITERS = [write_csv, write_semicolons, write_tsv, write_jsonl, write_parquet]


@pytest.mark.parametrize("write", WRITERS)
def test_labels_are_joined_by_id_from_every_kind_of_file(write, made, tmp_path):
    run, _, frame = made
    shuffled = frame.select("label", "key").sample(fraction=1, shuffle=True, seed=1)
    found = read_labels(write(shuffled, tmp_path), run)
    assert found.values.to_list() == frame["label"].to_list()
    assert found.notes == ()


def test_columns_are_named_or_guessed(made, tmp_path):
    run, _, frame = made
    texts = [text.replace("\n", " ") for text in frame["text"]]
    plain = pl.DataFrame({"no": frame["key"], "text": texts, "mood": ["x"] * 60, "category": frame["label"]})
    path = write_csv(plain, tmp_path)
    assert read_labels(path, run, id="no").values.to_list() == frame["label"].to_list()
    assert set(read_labels(path, run, "mood", "no").values) == {"x"}
    in_order = read_labels(path, run)
    assert in_order.values.to_list() == frame["label"].to_list()
    assert "no column of ids" in in_order.notes[0]
    two = write_csv(frame.select(pl.col("key"), pl.col("label").alias("what")), tmp_path)
    assert read_labels(two, run).values.to_list() == frame["label"].to_list()


def test_a_label_a_line(made, tmp_path):
    run, _, frame = made
    lines = [label if i else "" for i, label in enumerate(frame["label"])]
    for name in ("labels.txt", "labels"):
        (tmp_path / name).write_text("\r\n".join(lines) + "\n")
        found = read_labels(tmp_path / name, run)
        assert found.values.to_list() == [None, *frame["label"][1:]]


def test_what_does_not_fit_is_counted(made, tmp_path):
    run, _, frame = made
    more = pl.concat([frame.select("key", "label")[:50], pl.DataFrame({"key": ["zz"], "label": ["food"]})])
    path = write_csv(more, tmp_path)
    path.write_text(path.read_text() + "one,too,many\n" + "d0,space\n")  # the same again is no harm
    found = read_labels(path, run)
    assert found.values.null_count() == 10
    assert "1 label in" in found.notes[0]
    assert "1 malformed line" in found.notes[1]


def test_a_run_of_groups_takes_labels_by_group(tmp_path):
    texts, labels = stories(60)
    frame = pl.DataFrame({"author": [f"a{i % 12}" for i in range(60)], "text": texts, "label": labels})
    run = quire.cluster(frame, 3, group="author", random_state=0)
    found = read_labels(write_parquet(frame, tmp_path), run)  # i % 12 tells i % 3: an author has one label
    assert found.values.to_list() == labels[:12]


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_prints_scores_and_table_and_json(made, tmp_path):
    _, folder, frame = made
    found = said("evaluate", folder)
    assert found.returncode == 0, found.stderr
    for word in ("Accuracy", "0.983", "Soft NMI", "C_v", "space", "none", "3 classes of 60 documents"):
        assert word in found.stdout, found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80
    path = write_csv(frame.select("key", pl.col("label").alias("what")), tmp_path)
    again = said("evaluate", folder, "--labels", path, "--label", "what", "--id", "key", "--json")
    data = json.loads(again.stdout)
    assert data["scores"]["accuracy"] == pytest.approx(59 / 60)
    assert data["labels"] == str(path)
    assert [len(row["topics"]) for row in data["classes"]] == [3] * 3
    assert len(data["topics"]) == 3


def test_bad_input_is_one_sentence(made, tmp_path, monkeypatch):
    run, folder, frame = made
    write_csv(frame.select("key", "label"), tmp_path)
    frame.select(pl.col("text").str.head(3).alias("a"), pl.lit("b").alias("b")).write_csv(tmp_path / "ab.csv")
    frame.select(pl.lit("x").alias("id"), "label")[:1].write_csv(tmp_path / "ids.csv")
    frame.select(pl.lit("d0").alias("key"), "label").write_csv(tmp_path / "two.csv")
    frame.select("key", pl.lit(" ").alias("label")).write_csv(tmp_path / "blank.csv")
    frame.select("label")[:9].write_csv(tmp_path / "nine.csv")
    (tmp_path / "nine.txt").write_text("a\n" * 9)
    (tmp_path / "blank.txt").write_text(" \n" * 60)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" * 40)
    (tmp_path / "image.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" * 40)
    (tmp_path / "bad.parquet").write_text("<html>")
    whole = write_parquet(frame, tmp_path).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + b"\0" * 99 + whole[103:])
    (tmp_path / "bad.npz").write_text("")
    (tmp_path / "bad.jsonl").write_text("no json\n")
    cases = {
        ("none.csv",): "none.csv", (".",): "no file", ("d.csv", "lable"): "did you mean 'label'",
        ("d.csv", None, "zzz"): "'key'", ("ab.csv",): "--label", ("ids.csv",): "--id",
        ("two.csv",): "two labels", ("blank.csv",): "holds no label", ("nine.csv",): "9 rows",
        ("nine.txt",): "9 lines", ("blank.txt",): "blank.txt", ("empty.csv",): "empty",
        ("image.csv",): "PNG", ("image.txt",): "binary", ("bad.parquet",): "Parquet",
        ("bad.npz",): "CSV, TSV", ("bad.jsonl",): "no row", ("cut.parquet",): "Parquet",
        ("nine.txt", "x"): "no columns",
    }  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for (name, *columns), word in cases.items():
        with pytest.raises(ValueError, match=re.escape(word)) as error:
            read_labels(name, run, *columns)
        assert "\n" not in str(error.value)
    one_sentence(said("evaluate", folder, "--labels", "none.csv"), "none.csv")
    one_sentence(said("evaluate", folder, "--label", "x"), "--labels")
    one_sentence(said("evaluate", tmp_path), "run")
