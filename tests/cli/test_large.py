"""``quire cluster`` past memory: the same run from blocks, and one that was interrupted goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from problems import one_sentence, said, stories

import quire
from quire.cli.cluster import _made
from quire.messages import Stages
from quire.places.checkpoint import Checkpoint
from quire.places.disk import DiskPlace
from quire.runs.options import Options
from quire.runs.recipe import recipe
from quire.runs.where import Work, work_folder

# Everything is larger than memory here, blocks are small, and every iteration is kept.
SMALL = """
import os, signal, sys
import quire.corpus.cut as cut, quire.runs.need as need, quire.runs.where as where
import quire.runs.pipeline as pipeline, quire.places.checkpoint as checkpoint
cut.ROWS = 25
size = int(os.environ.get("TEXT_BYTES", 10**4))
where.need_of = lambda *given: need.Need(documents=90, text_bytes=size, memory=10**18, disk=10**6)
pipeline.LoopKeeper = lambda kept: checkpoint.LoopKeeper(kept, every=0)
stop = int(os.environ.get("STOP_AFTER", "0"))
if stop:
    from quire.engine.descent import Descent
    from quire.backends.rows.matrix import RowBlocks
    iterate, steps = Descent.iterate, []
    def counted(self):
        iterate(self)
        steps.extend([1] if isinstance(self.X, RowBlocks) else [])
        if len(steps) == stop:
            os.kill(os.getpid(), getattr(signal, os.environ["STOP_BY"]))
    Descent.iterate = counted
from quire.cli.app import main
main()
"""


def small(*arguments, **env):
    """Run the command with small blocks, all of them on disk."""
    return subprocess.run(
        [sys.executable, "-c", SMALL, *map(str, arguments)], capture_output=True, text=True, check=False,
        env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1"} | env, timeout=120,
    )  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    texts, labels = stories()
    texts = [text + "\nSent from my telephone" * (i % 4 == 0) for i, text in enumerate(texts)]
    texts[80] = texts[8]
    file = tmp_path_factory.mktemp("corpus") / "notes.parquet"
    pl.DataFrame({"text": texts, "label": labels}).write_parquet(file)
    return file


OPTIONS = ("--topics", "3", "--recipe", "nmf", "--no-page")


@pytest.fixture(scope="module")
def whole(corpus):
    out = corpus.parent / "whole"
    found = small("cluster", corpus, *OPTIONS, "--out", out)
    assert found.returncode == 0, found.stderr
    assert f"quire serve {out}" in found.stdout
    assert not work_folder(out).exists()
    return out


def test_the_run_is_that_from_memory(corpus, whole, tmp_path):
    assert said("cluster", corpus, *OPTIONS, "--out", tmp_path / "run").returncode == 0
    one, other = quire.load(whole), quire.load(tmp_path / "run")
    assert one.vocabulary == other.vocabulary
    assert one.info["fingerprint"] == other.info["fingerprint"]
    assert one.info["scores"]["nmi"] > 0.9
    assert_frame_equal(one.documents.select("id", "text", "label"), other.documents.select("id", "text", "label"))


@pytest.mark.parametrize(
    ("by", "code"), [("SIGKILL", -signal.SIGKILL), pytest.param("SIGINT", 130, marks=pytest.mark.slow)]
)
def test_a_run_that_was_stopped_goes_on_to_the_same_end(by, code, corpus, whole, tmp_path):
    out = tmp_path / "run"
    found = small("cluster", corpus, *OPTIONS, "--out", out, STOP_AFTER="3", STOP_BY=by)
    assert found.returncode == code, found.stderr
    assert not out.exists()
    assert work_folder(out).exists()
    if by == "SIGINT":
        assert f"quire: Interrupted: go on with `quire cluster --resume {out}`." in found.stderr
    again = small("cluster", "--resume", out, "--no-page")
    assert again.returncode == 0, again.stderr
    assert not work_folder(out).exists()
    one, other = quire.load(whole), quire.load(out)
    assert (one.W == other.W).all()
    assert (one.H == other.H).all()
    assert_frame_equal(one.documents, other.documents)
    assert_frame_equal(one.topics, other.topics)


@pytest.mark.slow
def test_a_run_on_workers_whose_driver_died_goes_on_to_the_same_end(corpus, whole, tmp_path):
    out = tmp_path / "run"
    found = small("cluster", corpus, *OPTIONS, "--dask", "local:2", "--out", out, STOP_AFTER="3", STOP_BY="SIGKILL")
    assert found.returncode == -signal.SIGKILL, found.stderr
    assert (work_folder(out) / "checkpoints" / "fit").exists()
    again = small("cluster", "--resume", out, "--no-page")
    assert again.returncode == 0, again.stderr
    assert not work_folder(out).exists()
    one, other = quire.load(whole), quire.load(out)
    assert (one.W == other.W).all()
    assert (one.H == other.H).all()
    assert_frame_equal(one.documents, other.documents)


def test_an_error_leaves_nothing(corpus, tmp_path):
    out = tmp_path / "run"
    found = small("cluster", corpus, "--topics", "3000", "--no-page", "--out", out)
    one_sentence(found, "3000 topics cannot be found in 32 terms")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_resumed(corpus, tmp_path):
    one_sentence(said("cluster", "--resume", tmp_path / "run"), "There is nothing to resume")
    one_sentence(
        said("cluster", corpus, "--resume", tmp_path / "run", "--seed", "3"), "leave the documents, --seed out"
    )
    one_sentence(said("cluster"), "needs documents")


@pytest.mark.slow
def test_documents_that_changed_cannot_be_resumed(corpus, tmp_path):
    file = tmp_path / "notes.parquet"
    pl.read_parquet(corpus).write_parquet(file)
    found = small("cluster", file, *OPTIONS, "--out", tmp_path / "run", STOP_AFTER="3", STOP_BY="SIGKILL")
    assert found.returncode == -signal.SIGKILL
    pl.read_parquet(corpus).head(50).write_parquet(file)
    one_sentence(small("cluster", "--resume", tmp_path / "run"), "is not what it was when the run was begun")


def _refused(out, *arguments, run=small):
    """Assert that a run is not begun where another is unfinished, and that this one is left as it was."""
    kept = work_folder(out) / "checkpoints"
    before = sorted(kept.rglob("*"))
    one_sentence(run(*arguments), f"go on with `quire cluster --resume {out}`", str(work_folder(out)))
    assert sorted(kept.rglob("*")) == before
    assert not out.exists()


@pytest.mark.slow
def test_a_run_is_begun_anew_where_the_killed_one_was_removed(corpus, whole, tmp_path):
    out = tmp_path / "run"
    small("cluster", corpus, *OPTIONS, "--seed", "5", "--out", out, STOP_AFTER="3", STOP_BY="SIGKILL")
    _refused(out, "cluster", corpus, *OPTIONS, "--out", out)
    shutil.rmtree(work_folder(out))
    assert small("cluster", corpus, *OPTIONS, "--out", out).returncode == 0
    assert np.array_equal(quire.load(out).H, quire.load(whole).H)
    assert not work_folder(out).exists()


@pytest.mark.slow
def test_what_cannot_go_on_is_forgotten(corpus, whole, tmp_path):
    out, file = tmp_path / "run", tmp_path / "notes.parquet"
    shutil.copy(corpus, file)
    small("cluster", file, *OPTIONS, "--seed", "5", "--out", out, STOP_AFTER="3", STOP_BY="SIGKILL")
    file.unlink()
    assert small("cluster", corpus, *OPTIONS, "--out", out).returncode == 0
    assert np.array_equal(quire.load(out).H, quire.load(whole).H)
    assert not work_folder(out).exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--memory", "much"), "memory='much'"),
        (("--memory", "1MB"), "memory"),
        (("--device", "tpu"), "device='tpu' is not known"),
        (("--dask", "nowhere"), "nowhere"),
        (("--dask", "tcp://127.0.0.1:9"), "127.0.0.1:9"),
    ],
)
def test_where_it_cannot_be_done(options, words, corpus, tmp_path):
    one_sentence(said("cluster", corpus, "--topics", "3", *options, "--out", tmp_path / "run"), words)
    assert list(tmp_path.iterdir()) == []


def test_json_of_a_run_in_blocks(corpus, tmp_path):
    found = small("cluster", corpus, *OPTIONS, "--json", "--out", tmp_path / "run")
    assert json.loads(found.stdout)["n_topics"] == 3


def test_what_it_was_made_with_is_kept(corpus, whole, tmp_path):
    """A recipe's file that is gone or changed, another folder to work in, another memory: the same run."""
    own, out = tmp_path / "own.toml", tmp_path / "a run"
    own.write_text('[weight]\nscheme = "tfidf"\n[factorization]\nmethod = "NMF"\n')
    options = ("--topics", "3", "--recipe", own, "--no-page", "--out", out)
    found = small("cluster", corpus, *options, STOP_AFTER="3", STOP_BY="SIGINT")
    assert f"--resume '{out}'`." in found.stderr
    own.unlink()
    again = small("cluster", "--resume", out, "--memory", "2GB", "--no-page")
    assert again.returncode == 0, again.stderr
    assert quire.load(out).recipe.weight == {"scheme": "tfidf"}


def test_an_error_while_resuming_costs_nothing(corpus, tmp_path):
    out = tmp_path / "run"
    small("cluster", corpus, *OPTIONS, "--out", out, STOP_AFTER="3", STOP_BY="SIGKILL")
    one_sentence(small("cluster", "--resume", out, "--memory", "1MB"), "are too few for these documents")
    assert small("cluster", "--resume", out, "--no-page").returncode == 0


def test_a_killed_run_is_never_thrown_away_unasked(corpus, whole, tmp_path):
    """Be the next one in memory, in blocks, the same or another: this one still goes on to the same end."""
    out = tmp_path / "run"
    small("cluster", corpus, *OPTIONS, "--out", out, STOP_AFTER="3", STOP_BY="SIGKILL")
    _refused(out, "cluster", corpus, *OPTIONS, "--out", out)
    _refused(out, "cluster", corpus, *OPTIONS, "--out", out, run=said)
    assert small("cluster", "--resume", out, "--no-page").returncode == 0
    assert np.array_equal(quire.load(out).H, quire.load(whole).H)


@pytest.mark.slow
def test_in_memory_what_cannot_go_on_is_forgotten_too(corpus, tmp_path):
    out, file = tmp_path / "run", tmp_path / "notes.parquet"
    shutil.copy(corpus, file)
    small("cluster", file, *OPTIONS, "--out", out, STOP_AFTER="3", STOP_BY="SIGKILL")
    file.unlink()
    assert said("cluster", corpus, *OPTIONS, "--out", out).returncode == 0
    assert [file.name for file in tmp_path.iterdir()] == ["run"]


def _of_numpy():
    with pytest.raises(MemoryError) as error:
        np.empty(10**17)
    return error.value


@pytest.mark.parametrize(
    "error",
    [
        _of_numpy(),
        MemoryError(),
        OSError(28, "No space left on device"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_breaks_a_run_it_says_how_to_go_on(error, tmp_path, monkeypatch):
    def gather(*_, **__):
        raise error

    monkeypatch.setattr("quire.runs.pipeline.gather", gather)
    out = tmp_path / "run"
    place = DiskPlace(work_folder(out))
    Checkpoint(place).save("command", {})
    work = Work("notes.csv", Options(), recipe("tfidf"), place, out, resumed=True)
    with pytest.raises(ValueError, match=r"\. Then go on with `quire cluster --resume .*`\.$") as found:
        _made(work, out, Stages())
    assert type(found.value) is ValueError
    assert "--memory" in str(found.value) or not isinstance(error, MemoryError)
    assert work_folder(out).exists()


def test_what_needs_x_in_memory_gets_it_where_it_fits_and_is_refused_at_once_elsewhere(corpus, tmp_path):
    how = "cluster", corpus, "--topics", "3", "--recipe", "kmeans", "--out"
    assert small(*how, tmp_path / "parts").returncode == 0
    assert said(*how, tmp_path / "whole").returncode == 0
    assert_frame_equal(quire.load(tmp_path / "parts").documents, quire.load(tmp_path / "whole").documents)
    one_sentence(small(*how, tmp_path / "more", TEXT_BYTES=str(10**13)), "KMeans needs X in memory")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts", "whole"]
