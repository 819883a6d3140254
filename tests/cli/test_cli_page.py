"""``quire page``, and the page that ``quire cluster`` writes."""

import json
import resource
import subprocess

import polars as pl
import pytest
import scipy.sparse as sp
from problems import MAIN, one_sentence, said, stories

import quire
from quire.pages import file as page


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    texts, labels = stories()
    file = tmp_path_factory.mktemp("corpus") / "notes.parquet"
    pl.DataFrame({"text": texts, "label": labels}).write_parquet(file)
    return file


@pytest.fixture(scope="module")
def run(corpus):
    out = corpus.parent / "kept run"
    found = said("cluster", corpus, "--topics", "3", "--out", out)
    assert found.returncode == 0, found.stderr
    assert f"Open {out / 'page.html'} in a browser" in found.stdout
    return out


def head_of(path):
    html = path.read_text("utf-8")
    return json.loads(html.partition('id="quire-head">')[2].partition("</script>")[0])


def test_a_run_has_a_page_and_it_can_be_written_again_elsewhere(run, tmp_path):
    head = head_of(run / "page.html")
    assert (head["title"], head["n"], len(head["topics"])) == ("kept run", 90, 3)
    assert head["classes"]["labels"]
    assert said("page", run, "-o", tmp_path / "again.html").returncode == 0
    again = head_of(tmp_path / "again.html")
    assert again["topics"] == head["topics"]
    assert again["columns"] == head["columns"]


def test_no_page_leaves_it_out(corpus, tmp_path):
    assert said("cluster", corpus, "--topics", "3", "--no-page", "--out", tmp_path / "run").returncode == 0
    assert not (tmp_path / "run" / "page.html").exists()


def test_what_does_not_fit_is_told_with_the_command_that_shows_it(run, tmp_path):
    found = said("page", run, "-o", tmp_path / "small.html", "--limit", "0.001")
    assert "0 of 90 documents" in found.stdout
    assert "larger than asked for" in found.stdout
    assert f"quire serve '{run}'" in found.stdout
    assert head_of(tmp_path / "small.html")["left"]["kept"] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--limit", "0"], "--limit 0 is no size"),
        (["--limit", "inf"], "--limit inf is no size"),
        (["--layout", "round"], "use topics or tsne"),
        (["-o", "nowhere/page.html"], "a folder that is not there"),
        (["-o", "."], "is no file that could be replaced"),
        (["--choice", "nowhere"], "nowhere"),
        (["--compare", "nowhere"], "There is no run at nowhere"),
    ],
)
def test_bad_options_are_one_sentence(run, arguments, words, tmp_path):
    one_sentence(said("page", run, *arguments, cwd=tmp_path), words)
    assert not list(tmp_path.iterdir())


def test_a_page_that_cannot_be_written_does_not_cost_the_run(corpus, tmp_path):
    size = len(page._app()) // 2  # the run is smaller, the page is larger

    def no_large_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    found = subprocess.run(
        [*MAIN, "cluster", str(corpus), "--topics", "3", "--out", str(tmp_path / "run")],
        capture_output=True, text=True, preexec_fn=no_large_files, check=False,
    )  # fmt: skip
    one_sentence(found, "but not its page", "quire page")
    assert len(quire.load(tmp_path / "run").documents) == 90
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]


def test_a_matrix_has_a_page_and_says_what_it_cannot_show(tmp_path):
    out, counts = tmp_path / "run", sp.csr_array(quire.Counts().fit_transform(stories()[0]))
    sp.save_npz(tmp_path / "counts.npz", counts)
    assert said("cluster", tmp_path / "counts.npz", "--topics", "3", "--out", out).returncode == 0
    found = said("page", out, "-o", tmp_path / "page.html")
    assert "keeps no counts" in found.stdout
    assert head_of(tmp_path / "page.html")["has"]["words"] is False
