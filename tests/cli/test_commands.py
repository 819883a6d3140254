"""The command line as a newcomer meets it."""

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import MAIN, PLAIN, mixed_stories, one_sentence, said, said_apart, several, stories
from rich.console import Console

import quire
from quire import __version__
from quire.backends.gpu.device import why_no_gpu
from quire.backends.kernels import compiled
from quire.cli.output import default_folder
from quire.cli.reports.document import document_report, document_row


@pytest.fixture
def table(tmp_path):
    texts, labels = stories(60)
    dates = [f"2021-{1 + i % 12:02d}-15" for i in range(60)]
    frame = pl.DataFrame({"id": [f"d{i}" for i in range(60)], "text": texts, "label": labels, "date": dates})
    return frame, tmp_path


def test_help_and_version():
    found = said("--help")
    assert found.returncode == 0
    for command in ("cluster", "classes", "choose", "evaluate", "reproduce", "show", "recipes", "demo", "warm"):
        assert command in found.stdout
    assert said("--version").stdout.strip() == __version__


def test_help_loads_nothing_heavy():
    heavy = "numpy scipy polars numba sklearn rich"
    code = f"import sys, quire.cli.app; print(*set('{heavy}'.split()) & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""


def test_the_page_of_commands_is_what_the_commands_say():
    folder = Path(__file__).parents[2] / "docs"
    made = subprocess.run(
        [sys.executable, "-c", "import commands; print(commands.page(), end='')"], cwd=folder,
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert made == (folder / "commands.md").read_text(), "run `python docs/commands.py`"


def test_demo_finds_readable_topics_and_repeats_itself(tmp_path):
    first, again = said("demo", cwd=tmp_path), said("demo", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    tables = [found.stdout.partition("Topic")[2].partition("recipe default")[0] for found in (first, again)]
    # Which words come out depends on the versions of the packages; most of these do with any.
    hoped = ("fourier", "spline", "filter", "polynomials", "hypothesis", "regex", "bessel", "masked", "diagonal")
    assert sum(word in tables[0] for word in hoped) >= 6, tables[0]
    assert tables[0] == tables[1]
    assert max(map(len, first.stdout.splitlines())) <= 80
    run = quire.load(tmp_path / "quire-demo")
    assert len(run.documents) > 3000
    assert run.documents["date"].count() > 500
    assert "scipy.interpolate" in run.documents["label"]


# -- every kind of input ---------------------------------------------------------------------------------


def write_folder_of_texts(frame, folder):
    for row in frame.iter_rows(named=True):
        (folder / "docs" / row["label"]).mkdir(parents=True, exist_ok=True)
        (folder / "docs" / row["label"] / f"{row['id']}.txt").write_text(row["text"])
    return folder / "docs"


def write_html(frame, folder):
    for row in frame.iter_rows(named=True):
        (folder / "docs" / row["label"]).mkdir(parents=True, exist_ok=True)
        page = f"<html><title>{row['id']}</title><script>var orbit</script><p>{row['text']}</p></html>"
        (folder / "docs" / row["label"] / f"{row['id']}.html").write_text(page)
    return folder / "docs"


def write_gz(frame, folder):
    (folder / "d.csv.gz").write_bytes(gzip.compress(frame.write_csv().encode()))
    return folder / "d.csv.gz"


def write_matrix(frame, folder):
    counts = quire.Counts()
    sp.save_npz(folder / "d.npz", counts.fit_transform(frame["text"]))
    np.save(folder / "d_labels.npy", frame["label"].to_numpy().astype(str))
    (folder / "terms.txt").write_text("\n".join(counts.terms_))
    return folder / "d.npz"


WRITERS = {
    "folder": write_folder_of_texts,
    "html": write_html,
    "csv": lambda frame, folder: frame.write_csv(folder / "d.csv") or folder / "d.csv",
    "tsv": lambda frame, folder: frame.write_csv(folder / "d.tsv", separator="\t") or folder / "d.tsv",
    "csv.gz": write_gz,
    "jsonl": lambda frame, folder: frame.write_ndjson(folder / "d.jsonl") or folder / "d.jsonl",
    "ndjson": lambda frame, folder: frame.write_ndjson(folder / "d.ndjson") or folder / "d.ndjson",
    "parquet": lambda frame, folder: frame.write_parquet(folder / "d.parquet") or folder / "d.parquet",
    "npz": write_matrix,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_from_every_kind_of_input_to_a_run(kind, table):
    frame, folder = table
    path = WRITERS[kind](frame, folder)
    more = ["--vocabulary", folder / "terms.txt"] if kind == "npz" else []
    found = said("cluster", path, "--topics", 3, "--out", folder / "out", *more)
    assert found.returncode == 0, found.stderr
    run = quire.load(folder / "out")
    assert run.scores["accuracy"] == 1
    assert "accuracy 1.000" in found.stdout
    assert str(folder / "out").split("/")[-1] in found.stdout
    assert "rocket" in found.stdout or "orbit" in found.stdout
    again = said("show", folder / "out")
    assert again.stdout.partition("read ")[0] == found.stdout.partition("read ")[0]


@pytest.mark.parametrize("kind", ["lines", "jsonl"])
def test_standard_input(kind, table):
    frame, folder = table
    text = "\n".join(frame["text"]) if kind == "lines" else frame.write_ndjson()
    found = said("cluster", "-", "--topics", 3, cwd=folder, input=text)
    assert found.returncode == 0, found.stderr
    assert len(quire.load(folder / "quire-stdin").documents) == 60


def test_group_joins_rows_and_the_guess_is_printed(table):
    frame, folder = table
    frame = frame.with_columns(pl.Series("author", [f"a{i % 12}" for i in range(60)]))
    frame.write_csv(folder / "d.csv")
    found = said("cluster", folder / "d.csv", "--group", "author", "--topics", 3, cwd=folder)
    assert found.returncode == 0, found.stderr
    assert "guessed" in found.stdout
    assert len(quire.load(folder / "quire-d").documents) == 12


# -- output ----------------------------------------------------------------------------------------------


def test_json_quiet_and_config(table):
    frame, folder = table
    frame.write_csv(folder / "d.csv")
    (folder / "c.toml").write_text('topics = 4\nmin-count = 2\nseed = 9\nout = "from-config"\n')
    found = said("cluster", "d.csv", "--config", "c.toml", "--topics", "3", "--json", cwd=folder)
    assert found.returncode == 0, found.stderr
    data = json.loads(found.stdout)
    assert (len(data["topics"]), data["options"]["min_count"], data["seed"]) == (3, 2, 9)
    assert json.loads(said("show", "from-config", "--json", cwd=folder).stdout)["scores"] == data["scores"]
    quiet = said("cluster", "d.csv", "--topics", "2:6", "--quiet", cwd=folder)
    assert quiet.stdout.strip() == "quire-d"
    assert quiet.stderr == ""
    options = quire.load(folder / "quire-d").info["options"]
    assert options["topics"] == "2:6"


@pytest.mark.parametrize("ending", [".csv.gz", ".TSV", ".tab", ".pq", ".text", ".md", ".rst", ".jsonl.zst"])
def test_the_folder_of_a_run_is_called_as_its_file_without_endings(ending):
    assert default_folder(f"talks/some.talks{ending}") == "quire-some.talks"
    assert default_folder("-") == "quire-stdin"


def test_of_one_document_only_its_own_memberships_are_computed(monkeypatch):
    texts, _ = stories(60)
    run = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    whole, asked = run.memberships[7], []
    monkeypatch.setattr(
        quire.Run, "memberships_of", lambda run, rows, of=quire.Run.memberships_of: asked.append(rows) or of(run, rows)
    )
    row = document_row(run, run.documents["id"][7])
    console = Console(width=200)
    with console.capture() as shown:
        console.print(document_report(run, row))
    assert [list(rows) for rows in asked] == [[7]]
    assert f"{whole[row['topic']]:.2f}" in shown.get()


def test_show_says_how_sure_a_topic_and_a_document_are(monkeypatch, tmp_path):
    several(monkeypatch)
    texts, labels = mixed_stories()
    dates = ["2021-03-15"] * len(texts)
    run = quire.cluster(texts, 3, labels=labels, dates=dates, recipe=PLAIN, abstain=0.7, random_state=0)
    run.save(tmp_path / "r")
    whole = said("show", tmp_path / "r").stdout
    unsure = run.documents.filter((pl.col("topic") < 0) & (pl.col("runner_up") >= 0))
    assert f"{len(unsure)} of 60 documents " in whole
    assert "membership is below 0.7" in whole
    assert "Stable" in whole
    assert f" {run.stability[0]:.0%} " in whole
    assert "coverage" in whole
    assert "20 runs" in whole
    split = run.documents.filter((pl.col("topic") >= 0) & (pl.col("confidence") < 1)).row(0, named=True)
    agreeing = round(20 * split["confidence"])
    found = said("show", tmp_path / "r", "--document", split["id"])
    assert f"topic {split['topic']} (membership {split['membership']:.2f}), in {agreeing} of 20 runs, else " in (
        found.stdout
    )
    left = said("show", tmp_path / "r", "--document", unsure["id"][0]).stdout
    assert f"unassigned, topic {unsure['runner_up'][0]} is nearest" in left
    assert "none of its terms is in a topic" in said("show", tmp_path / "r", "--document", "5").stdout
    for shown in (whole, found.stdout, left):
        assert max(map(len, shown.splitlines()[:-1])) <= 80
    data = json.loads(said("show", tmp_path / "r", "--document", split["id"], "--json").stdout)
    assert (data["topic"], data["else_topic"]) == (split["topic"], split["else_topic"])
    assert (data["runs"], data["date"]) == (20, "2021-03-15")
    one_sentence(said("show", tmp_path / "r", "--document", "none"), "'none'", "documents.parquet")


def test_abstain_is_an_option_of_a_run(table):
    frame, folder = table
    frame.write_csv(folder / "d.csv")
    (folder / "c.toml").write_text("topics = 3\nabstain = 0.8\n")
    found = said("cluster", "d.csv", "--config", "c.toml", "--abstain", "1", cwd=folder)
    assert found.returncode == 0, found.stderr
    run = quire.load(folder / "quire-d")
    assert run.info["options"]["abstain"] == 1
    left = int((run.labels < 0).sum())
    assert left == (run.memberships.max(axis=1) < 1).sum()
    assert (f"{left} of 60 documents" in found.stdout) == (left > 0)


def test_recipes_lists_each_with_its_paper():
    found = said("recipes")
    for name in ("default", "xu2003-ncw", "conroy2023-nl"):
        assert name in found.stdout
    assert "SIGIR 2003" in found.stdout


def test_hostile_text_cannot_reach_the_terminal(tmp_path):
    texts = [f"\x1b[31mrocket\x1b[0m [bold]orbit[/bold] moon \x07 {i}" for i in range(20)]
    pl.DataFrame({"title": texts, "text": texts}).write_parquet(tmp_path / "d.parquet")
    found = said("cluster", tmp_path / "d.parquet", "--topics", 1, cwd=tmp_path, env={"FORCE_COLOR": ""})
    assert found.returncode == 0, found.stderr
    assert "\x1b" not in found.stdout
    assert "[bold]" in found.stdout


# -- what goes wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["demo", "--topics", "0"], ["demo", "--topics", "x"], ["nonsense"], ["cluster"]])
def test_bad_arguments_are_refused(arguments):
    one_sentence(said(*arguments))


def test_bad_input_is_one_sentence_and_leaves_nothing(table):
    frame, folder = table
    frame.write_csv(folder / "d.csv")
    (folder / "empty").mkdir()
    (folder / "png.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" * 40)
    (folder / "bad.parquet").write_text("<html>")
    (folder / "bad.npz").write_text("no zip")
    (folder / "bad.jsonl").write_text("not json\nneither\n")
    (folder / "empty.csv").write_text("")
    (folder / "blank.csv").write_text("text\n \n \n")
    pl.concat([frame, frame]).write_csv(folder / "twice.csv")
    before = sorted(path.name for path in folder.iterdir())
    cases = {
        ("nowhere.csv",): "nowhere.csv", ("d.csv", "--text", "txt"): "txt", ("empty",): "empty",
        ("png.csv",): "png.csv", ("bad.parquet",): "bad.parquet", ("bad.npz",): "bad.npz",
        ("bad.jsonl",): "bad.jsonl", ("empty.csv",): "empty.csv", ("blank.csv",): "term",
        ("twice.csv", "--id", "id"): "d0", ("d.csv", "--recipe", "nonsense"): "quire recipes",
        ("d.csv", "--topics", "many"): "many", ("d.csv", "--topics", "99"): "99 topics",
        ("d.csv", "--language", "klingon"): "klingon", ("d.csv", "--min-count", "9999"): "No term is left",
        ("d.csv", "--config", "none.toml"): "none.toml", ("d.csv", "--out", "empty.csv"): "empty.csv",
        ("d.csv", "--tokens", "syllable"): "syllable", ("d.csv", "--ngrams", "3:1"): "3:1",
        ("d.csv", "--out", "d.csv/below"): "d.csv", ("d.csv", "--abstain", "2"): "abstain",
        ("d.csv", "--abstain", "most"): "most",
    }  # fmt: skip
    for arguments, word in cases.items():
        one_sentence(said("cluster", *arguments, cwd=folder), word)
    assert sorted(path.name for path in folder.iterdir()) == before
    one_sentence(said("show", "empty", cwd=folder), "empty")
    one_sentence(said("show", "nowhere", cwd=folder), "nowhere")


def test_what_can_be_tolerated_is_counted_and_named(tmp_path):
    texts, _ = stories(30)
    for i, text in enumerate(texts):
        (tmp_path / f"{i}.txt").write_text(text)
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "latin.txt").write_bytes("orbit caf\xe9 moon".encode("latin-1"))
    (tmp_path / "empty.txt").write_text("")
    found = said("cluster", tmp_path, "--topics", 3, "--out", tmp_path / ".." / f"{tmp_path.name}-out")
    assert found.returncode == 0, found.stderr
    for word in ("binary.txt", "1 document was empty", "UTF-8", "unassigned"):
        assert word in found.stdout, found.stdout
    one_sentence(said("cluster", tmp_path, "--topics", 3, "--strict", "--out", tmp_path / "out"))


def test_ctrl_c_is_130_and_leaves_nothing(tmp_path):
    texts, _ = stories(60_000)
    pl.DataFrame({"text": texts}).write_parquet(tmp_path / "d.parquet")
    (tmp_path / "slow.toml").write_text("[factorization]\nn_init = 500\ntol = 0.0\n")
    process = subprocess.Popen(
        [*MAIN, "cluster", "d.parquet", "--topics", "20", "--recipe", "slow.toml"], cwd=tmp_path,
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.parquet", "slow.toml"]


def test_a_reader_that_leaves_and_a_terminal_without_letters(table):
    frame, folder = table
    frame.with_columns(pl.lit("Мир – луна").alias("title")).write_csv(folder / "v1.2.csv")
    found = said_apart("cluster", "v1.2.csv", "--topics", 3, cwd=folder, env={"PYTHONIOENCODING": "ascii"})
    assert found.returncode == 0, found.stderr
    assert "???" in found.stdout
    assert (folder / "quire-v1.2").is_dir()
    command = f"{sys.executable} -c 'from quire.cli.app import main; main()' show quire-v1.2; echo $? >&2"
    piped = subprocess.run(
        f"({command}) | head -1", shell=True, cwd=folder, capture_output=True, text=True, check=False
    )
    assert piped.stderr.strip().endswith("0"), piped.stderr


def test_warm_says_where_the_kernels_are():
    assert "Kernels ready" in said("warm", "--device", "auto").stdout


ANY = "float32", "int32"  # of a kernel that knows neither
NEEDED = """
import sys
from quire.backends.kernels import compiled

kept = compiled._kept
compiled._kept = lambda path: print(path.stem, file=sys.stderr) or kept(path)
"""


@pytest.mark.parametrize("recipe", ["default", "tfidf"])
def test_a_run_needs_no_kernel_that_warm_leaves_out(recipe, tmp_path, monkeypatch):
    warmed = set()
    monkeypatch.setattr(
        compiled, "compiled", lambda name, *types: warmed.add("-".join([name, *map(str, types), *ANY[len(types) :]]))
    )
    compiled.warm()
    texts, _ = stories(200)
    pl.DataFrame({"text": [f"{text} climate change" for text in texts]}).write_csv(tmp_path / "d.csv")
    asked = ["cluster", tmp_path / "d.csv", "--topics", 3, "--recipe", recipe, "--out", tmp_path / "run", "--quiet"]
    found = subprocess.run(
        [sys.executable, "-c", NEEDED + MAIN[-1], *map(str, asked)], capture_output=True, text=True, check=True
    )
    needed = set(found.stderr.split())  # the phrase is counted, too
    assert "tally-float32-int32" in needed <= warmed


@pytest.mark.skipif(not why_no_gpu(), reason="a GPU is there")
def test_without_a_gpu_its_kernels_are_refused_in_a_sentence():
    refused = said("warm", "--device", "cuda")
    assert refused.returncode == 2
    assert "pip install 'quire-topics[gpu]'" in refused.stderr or "device='cpu'" in refused.stderr


def test_accuracy_is_told_only_where_topics_can_be_paired_with_labels(table):
    frame, folder = table
    frame.write_csv(folder / "d.csv")
    found = said("cluster", folder / "d.csv", "--topics", 2, "--out", folder / "two", "--no-page")
    assert "accuracy 0." not in found.stdout
    assert "homogeneity" in found.stdout
    assert "completeness" in found.stdout
    assert "chosen" not in found.stdout  # the number was given
    scores = quire.load(folder / "two").scores
    assert {"accuracy", "purity", "nmi", "ari", "homogeneity", "completeness"} <= set(scores)


def test_scores_against_guessed_classes_come_last_and_say_so(table):
    frame, folder = table
    frame.write_csv(folder / "d.csv")
    quick = ("--topics", 3, "--recipe", "nmf", "--no-page")
    guessed = said("cluster", folder / "d.csv", *quick, "--out", folder / "guessed").stdout
    given = said("cluster", folder / "d.csv", *quick, "--label", "label", "--out", folder / "given").stdout
    assert "known labels" not in guessed
    assert guessed.index("if these are known classes") > guessed.index("recipe nmf")
    assert given.index("known labels") < given.index("recipe nmf")


def test_a_number_that_was_chosen_is_told_with_the_others(table):
    frame, folder = table
    frame.write_csv(folder / "d.csv")
    found = said("cluster", folder / "d.csv", "--topics", "2:6", "--out", folder / "some", "--no-page")
    run = quire.load(folder / "some")
    others = run.info["also"]
    assert f"{run.info['n_topics']} topics chosen" in found.stdout
    assert ("--topics" in found.stdout) == (len(run.cuts) > 1)
    assert (f"also good: {', '.join(map(str, sorted(others)))}" in found.stdout) == bool(others)
