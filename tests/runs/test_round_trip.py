"""A run: made, kept, read again, and the model that new documents are assigned by."""

import dataclasses
import json
import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import PLAIN, THEMES, mixed_stories, several, stories

import quire
from quire.runs.folder import HEAD, SCHEMA, read_head, write_file, write_folder
from quire.runs.recipe import built_in


@pytest.fixture(scope="module")
def run():
    texts, labels = stories()
    dates = [f"2020-{1 + i % 12:02d}-01" for i in range(len(texts))]
    return quire.cluster(texts, 3, labels=labels, dates=dates, random_state=0)


def test_the_themes_are_found_and_scored(run):
    assert run.scores["accuracy"] == 1
    assert sorted(run.topics["size"].to_list()) == [30, 30, 30]
    for row in run.topics.iter_rows(named=True):
        theme = THEMES[run.documents.filter(pl.col("topic") == row["topic"])["label"][0]].split()
        assert set(row["keywords"][:5]) <= set(theme)
        assert all(word in theme for word in row["name"].split(", "))
    assert run.timeline["documents"].sum() == 90
    assert run.info["bin"] == "month"


def test_topics_come_largest_first_and_keep_their_number():
    texts, labels = stories(60)
    keep = [i for i, label in enumerate(labels) if label != "food" or i % 2]
    run = quire.cluster([texts[i] for i in keep], 3, random_state=1)
    sizes = run.topics["size"].to_list()
    assert sizes == sorted(sizes, reverse=True)
    assert sizes == np.bincount(run.labels).tolist()


def test_a_saved_run_is_the_same_run(run, tmp_path):
    again = quire.load(run.save(tmp_path / "kept"))
    assert again.documents.equals(run.documents)
    assert again.topics.equals(run.topics)
    assert again.timeline.equals(run.timeline)
    assert again.vocabulary == run.vocabulary
    assert again.scores == run.scores
    for name in ("W", "H", "totals", "memberships"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    new = ["a rocket to the moon", "the coach of the team", "", "zzz"]
    np.testing.assert_array_equal(again.assign(new).memberships, run.assign(new).memberships)
    assert again.assign(new).labels[2:].tolist() == [-1, -1]
    assert "pickle" not in {path.suffix for path in (tmp_path / "kept").iterdir()}


@pytest.mark.parametrize("recipe", built_in())
def test_training_documents_get_their_own_memberships_in_any_batch(recipe, tmp_path):
    texts, _ = stories(45)
    texts[7] = ""
    run = quire.cluster(texts, 3, recipe=recipe, random_state=3)
    loaded = quire.load(run.save(tmp_path / "r"))
    whole = loaded.assign(texts)
    np.testing.assert_array_equal(whole.memberships, run.memberships)
    np.testing.assert_array_equal(whole.labels, run.labels)
    assert run.labels[7] == -1
    np.testing.assert_allclose(whole.memberships.sum(axis=1), 1, rtol=1e-6)
    for i in (0, 7, 44):
        np.testing.assert_array_equal(loaded.assign([texts[i]]).memberships[0], run.memberships[i])


def test_the_same_seed_gives_the_same_bytes_whatever_the_threads(tmp_path):
    texts, _ = stories(300)
    files = []
    for name, n_jobs in (("one", 1), ("two", 2), ("again", 2)):
        folder = quire.cluster(texts, 4, random_state=5, n_jobs=n_jobs).save(tmp_path / name)
        files.append((folder / "factors.safetensors").read_bytes())
    assert files[0] == files[1] == files[2]


def test_a_seed_is_drawn_and_kept_where_none_is_given():
    texts, _ = stories(30)
    run = quire.cluster(texts, 3)
    same = quire.cluster(texts, 3, random_state=run.info["seed"])
    np.testing.assert_array_equal(run.W, same.W)


@pytest.mark.parametrize("kind", ["list", "series", "polars", "pandas", "path"])
def test_every_kind_of_documents_gives_the_same_factors(kind, run, tmp_path):
    texts, labels = stories()
    frame = pl.DataFrame({"text": texts, "label": labels})
    if kind == "pandas":
        pandas = pytest.importorskip("pandas")
        docs = pandas.DataFrame({"text": texts, "label": labels})
    elif kind == "path":
        docs = tmp_path / "d.parquet"
        frame.write_parquet(docs)
    else:
        docs = {"list": texts, "series": frame["text"], "polars": frame}[kind]
    np.testing.assert_array_equal(quire.cluster(docs, 3, random_state=0).W, run.W)


def test_a_matrix_without_words(tmp_path):
    X = sp.csr_array(np.kron(np.eye(3, dtype=int), np.ones((8, 5), int)))
    run = quire.load(quire.cluster(X, 3, random_state=0).save(tmp_path / "m"))
    assert run.vocabulary[0] == "#0"
    assert run.topics["size"].to_list() == [8, 8, 8]
    np.testing.assert_array_equal(run.assign(X).memberships, run.memberships)


def test_a_function_for_tokens_is_not_stored(tmp_path):
    texts, _ = stories(30)
    run = quire.cluster(texts, 3, tokens=str.split, random_state=0)
    folder = run.save(tmp_path / "f")
    with pytest.raises(ValueError, match=r"quire\.load"):
        quire.load(folder).assign(texts)
    np.testing.assert_array_equal(quire.load(folder, tokens=str.split).assign(texts).labels, run.labels)


def test_stems_and_ngrams_and_subwords_are_kept(tmp_path):
    texts, _ = stories(60)
    for number, options in enumerate(({"stem": True, "language": "en"}, {"ngrams": "1:2"}, {"tokens": None})):
        recipe = (
            {"name": "sub", "counts": {"tokens": "subword", "subword_size": 60}} if "tokens" in options else "default"
        )
        kept = {name: value for name, value in options.items() if value is not None}
        run = quire.cluster(texts, 3, recipe=recipe, random_state=0, **kept)
        again = quire.load(run.save(tmp_path / str(number)))
        np.testing.assert_array_equal(again.assign(texts).memberships, run.memberships)


def test_documents_that_are_all_alike():
    run = quire.cluster(["orbit of the same moon"] * 20, 2, random_state=0)
    assert len(set(run.labels)) == 1
    with pytest.raises(ValueError, match="every term occurs in every document"):
        quire.cluster(["orbit of the same moon"] * 20, 2, recipe="tfidf", random_state=0)


@pytest.mark.parametrize(
    ("docs", "k", "said"),
    [
        ([], 2, "no texts"),
        (["", "  "], 2, "No term"),
        (["moon", "goal"], 3, "3 topics cannot be found"),
        (["moon goal", "moon goal"], "5:9", "5 topics or more"),
        ("one string", 2, "one string"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(docs, k, said):
    with pytest.raises(ValueError, match=said) as error:
        quire.cluster(docs, k, random_state=0)
    assert "\n" not in str(error.value)


def test_assign_takes_what_cluster_takes_and_refuses_the_rest(run, tmp_path):
    texts, labels = stories()
    frame = pl.DataFrame({"label": labels, "text": texts})
    frame.write_parquet(tmp_path / "d.parquet")
    for docs in (texts, frame, frame["text"], iter(texts), tmp_path / "d.parquet", quire.read_corpus(texts)):
        np.testing.assert_array_equal(run.assign(docs).memberships, run.memberships)
    assert run.assign("a rocket to the moon").labels.shape == (1,)
    assert run.assign([]).memberships.shape == (0, 3)
    np.testing.assert_array_equal(run.assign([None, float("nan"), ""]).labels, [-1, -1, -1])
    with pytest.raises(ValueError, match="made from texts"):
        run.assign(np.ones((2, 5)))
    with pytest.raises(ValueError, match="made from a matrix"):
        quire.cluster(sp.eye_array(6, format="csr"), 2, random_state=0).assign(["moon"])


@pytest.mark.parametrize("tokens", ["subword", "char", "char_wb"])
def test_tokens_named_by_a_word_are_kept(tokens, tmp_path):
    texts = [text.replace(" the ", "\n") for text in stories(45)[0]]
    recipe = {"name": "r", "counts": {"subword_size": 60}}
    run = quire.cluster(texts, 3, recipe=recipe, tokens=tokens, random_state=0)
    again = quire.load(run.save(tmp_path / "r"))
    np.testing.assert_array_equal(again.assign(texts).memberships, run.memberships)
    assert again.info["options"]["recipe"] == "r"


def test_a_run_is_shown_in_a_line_and_python_numbers_are_taken(run):
    assert repr(run) == "<Run: 90 documents, 3 topics, recipe default>"
    assert run != 3
    texts, labels = stories(30)
    corpus = quire.read_corpus(texts)
    made = quire.cluster(corpus, np.int64(3), labels=labels, n_jobs=-1, ngrams=(1, 2), random_state=np.int64(1))
    assert made.scores["accuracy"] == 1
    with pytest.raises(ValueError, match="did you mean 'stem'"):
        quire.cluster(texts, 3, stemm=True)
    with pytest.raises(ValueError, match="must be a whole number"):
        quire.cluster(texts, 3, random_state=1.5)
    with pytest.raises(ValueError, match="read already"):
        quire.cluster(corpus, 3, text="body")
    with pytest.raises(ValueError, match="as it is"):
        quire.cluster(sp.eye_array(6, format="csr"), 2, min_count=5)


# -- how sure --------------------------------------------------------------------------------------------


def test_runs_give_confidence_and_stability_that_are_kept(monkeypatch, tmp_path):
    several(monkeypatch)
    texts, labels = mixed_stories()
    run = quire.cluster(texts, 3, labels=labels, recipe=PLAIN, random_state=0)
    again = quire.load(run.save(tmp_path / "r"))
    assert again.documents.equals(run.documents)
    assert again.topics.equals(run.topics)
    assert again.info["runs"] == 20
    np.testing.assert_array_equal(again.confidence, run.confidence)
    assert np.isnan(run.confidence[4])
    assert np.nanmean(run.confidence) == pytest.approx(1 - 0.1 * 2 / 3, abs=0.02)
    assert (run.stability > 0.8).all()
    assert (run.stability < 1).all()
    placed = run.documents.filter(pl.col("topic") >= 0)
    assert (placed["else_topic"] != placed["topic"]).all()
    assert ((placed["else_topic"] >= 0) == (placed["confidence"] < 1)).all()


def test_runs_that_agree_are_sure_and_one_run_says_nothing(monkeypatch):
    texts, _ = stories(30)
    single = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    assert single.confidence is single.stability is single.info["runs"] is None
    assert single.documents["confidence"].null_count() == 30
    assert single.topics["stability"].null_count() == 3
    several(monkeypatch, strayed=0)
    sure = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    assert (sure.confidence == 1).all()
    assert (sure.stability == 1).all()
    assert (sure.documents["else_topic"] == -1).all()


def test_a_run_from_before_there_was_confidence_is_read(monkeypatch, tmp_path):
    texts, _ = stories(30)
    run = quire.cluster(texts, 3, recipe=PLAIN, random_state=0)
    older = dataclasses.replace(
        run,
        documents=run.documents.drop("confidence", "else_topic"),
        topics=run.topics.drop("stability"),
        info={name: value for name, value in run.info.items() if name != "runs"},
    )
    again = quire.load(older.save(tmp_path / "old"))
    assert again.documents.equals(run.documents)
    assert again.topics.equals(run.topics)
    assert again.confidence is again.stability is None
    np.testing.assert_array_equal(again.assign(texts).labels, run.labels)


def test_unsure_documents_are_left_unassigned(monkeypatch, tmp_path):
    several(monkeypatch)
    texts, labels = mixed_stories()
    dates = ["2020-01-01"] * len(texts)
    given = {"labels": labels, "dates": dates, "recipe": PLAIN, "random_state": 0}
    forced, run = quire.cluster(texts, 3, **given), quire.cluster(texts, 3, abstain=0.7, **given)
    shares = run.memberships
    unsure = (shares.max(axis=1) < 0.7) & (np.arange(60) != 4)
    assert 1 <= unsure.sum() <= 6
    np.testing.assert_array_equal(run.labels == -1, unsure | (np.arange(60) == 4))
    table = run.documents.filter(pl.Series(unsure))
    assert (table["membership"] == 0).all()
    np.testing.assert_array_equal(table["runner_up"], shares[unsure].argmax(axis=1))
    np.testing.assert_array_equal(table["runner_up_membership"], shares[unsure].max(axis=1))
    assert table["confidence"].null_count() == 0
    np.testing.assert_array_equal(np.sort(shares, axis=1), np.sort(forced.memberships, axis=1))
    sizes = run.topics["size"].to_list()
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == run.timeline["documents"].sum() == 59 - unsure.sum()
    assert not {i for ids in run.topics["typical"] for i in ids} & set(table["id"])
    assert run.scores["coverage"] == sum(sizes) / 60
    assert run.scores["accuracy"] >= forced.scores["accuracy"]
    assert "coverage" not in forced.scores
    again = quire.load(run.save(tmp_path / "r"))
    np.testing.assert_array_equal(again.memberships, shares)
    found = again.assign(texts)
    np.testing.assert_array_equal(found.labels, run.labels)
    np.testing.assert_array_equal(found.memberships, shares)
    from quire.studies.evaluate import evaluate

    assert {name: evaluate(again).against[name] for name in run.scores} == run.scores


def test_abstaining_from_everything_and_from_nothing():
    texts, labels = mixed_stories()
    given = {"labels": labels, "recipe": PLAIN, "random_state": 0}
    assert (quire.cluster(texts, 3, abstain=0, **given).labels >= 0).sum() == 59
    none = quire.cluster([*texts[6:12], *texts[6:12]], 2, recipe=PLAIN, random_state=0, abstain=1)
    assert none.topics["size"].sum() == (none.documents["membership"] == 1).sum()
    for bad in (-0.1, 1.1, float("nan"), "0.6", True):
        with pytest.raises(ValueError, match="abstain") as error:
            quire.cluster(texts, 3, abstain=bad, **given)
        assert "\n" not in str(error.value)


# -- the folder ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(run, tmp_path):
    return run.save(tmp_path / "run")


@pytest.mark.parametrize(
    "name", ["run.json", "factors.safetensors", "documents.parquet", "topics.json", "vocabulary.json"]
)
@pytest.mark.parametrize("damage", ["cut", "edited", "gone"])
def test_a_damaged_run_says_which_file(folder, name, damage):
    path = folder / name
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(content[:-9] if damage == "cut" else content.replace(b"a", b"b", 1))
    with pytest.raises(ValueError, match="run") as error:
        quire.load(folder)
    assert name in str(error.value)
    assert "\n" not in str(error.value)


def test_a_newer_schema_is_refused(folder):
    head = json.loads((folder / HEAD).read_text())
    (folder / HEAD).write_text(json.dumps(head | {"schema": SCHEMA + 1}))
    with pytest.raises(ValueError, match="newer Quire"):
        quire.load(folder)


def test_an_edited_option_is_noticed(folder):
    head = json.loads((folder / HEAD).read_text())
    head["seed"] = 12345
    (folder / HEAD).write_text(json.dumps(head))
    with pytest.raises(ValueError, match="changed after it was written"):
        quire.load(folder)


def test_a_failed_write_leaves_the_old_run_and_no_litter(folder, run):
    before = sorted(path.name for path in folder.parent.iterdir())

    def fail(path):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(ValueError, match="disk is full"):
        write_folder(folder, {"seed": 1}, {"a": fail})
    assert sorted(path.name for path in folder.parent.iterdir()) == before
    assert quire.load(folder).info["seed"] == run.info["seed"]


def test_a_run_is_replaced_but_nothing_else_is(folder, run, tmp_path):
    run.save(folder)
    assert quire.load(folder).scores == run.scores
    other = tmp_path / "precious"
    other.mkdir()
    (other / "thesis.txt").write_text("do not delete")
    with pytest.raises(ValueError, match="is no run"):
        run.save(other)
    assert (other / "thesis.txt").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="is no run"):
        run.save(tmp_path / "file")


def test_a_run_that_holds_other_things_is_not_replaced(folder, run):
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"also holds notes\.txt"):
        run.save(folder)
    assert (folder / "notes.txt").read_text() == "mine"


def test_derived_files_may_come_change_and_go(run, tmp_path):
    folder = run.save(tmp_path / "run")
    for change in (lambda page: page.write_text("<p>anew"), lambda page: page.unlink()):
        change(folder / "page.html")
        assert quire.load(folder).labels.tolist() == run.labels.tolist()
    for name in ("page.html", "search.sqlite"):
        (folder / name).write_text("old")
    run.save(folder)
    assert not (folder / "page.html").exists()  # it would show the run that was there before
    (folder / "names.json").write_text("{}")  # a person's work
    with pytest.raises(ValueError, match=r"also holds names\.json"):
        run.save(folder)


def test_the_weighted_counts_are_kept_in_memory_and_counted_anew_from_the_texts(run, folder):
    assert run.X.shape == (len(run.documents), len(run.words))
    loaded = quire.load(folder)
    assert loaded.X is None
    counted = loaded.weight.transform(loaded.recount())
    assert (counted != run.X).nnz == 0
    some = np.array([3, 0])
    assert (loaded.recount(some) != loaded.recount()[some]).nnz == 0
    assert np.array_equal(loaded.memberships_of(some), run.memberships[some])


def test_nothing_is_made_where_nothing_can_be(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="cannot take the place"):
        run.save(".")
    with pytest.raises(ValueError, match=r"Nothing can be written|cannot take the place"):
        run.save("/proc/quire/run")
    assert not list(tmp_path.iterdir())
    from quire.runs.folder import check_target

    check_target("a/b/c")
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_place_is_one_sentence(run, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ValueError, match="read-only"):
            run.save(tmp_path / "x" / "run")
    finally:
        tmp_path.chmod(0o700)


def test_a_killed_process_leaves_the_old_run_or_none(folder, tmp_path):
    code = textwrap.dedent(f"""
        import sys, time, quire
        run = quire.load({str(folder)!r})
        print("ready", flush=True)
        while True:
            run.save({str(folder)!r})
            run.save({str(tmp_path / "new")!r})
    """)
    for wait in (0.05, 0.12, 0.2):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline().strip() == "ready"
        time.sleep(wait)
        process.kill()
        process.wait()
        for path in (folder, tmp_path / "new"):
            if path.exists():
                read_head(path)  # whole and sound
        if not folder.exists():  # killed between two renames: nothing half-written is in its place
            quire.load(tmp_path / "new").save(folder)


def test_a_file_is_replaced_with_its_mode_and_through_links(tmp_path):
    file, link, plain = tmp_path / "page.html", tmp_path / "link.html", tmp_path / "plain"
    write_file(file, "one")
    plain.touch()
    assert file.stat().st_mode == plain.stat().st_mode
    plain.unlink()
    file.chmod(0o600)
    link.symlink_to(file)
    write_file(link, "two")
    assert link.is_symlink()
    assert file.read_text() == "two"
    assert file.stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is no file that could be replaced"):
        write_file(tmp_path / "pipe", "three")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "page.html", "pipe"]
