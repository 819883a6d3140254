"""A run knows other good cuts of the same documents: in memory, in its folder, and each as a run of its own."""

import json

import numpy as np
import polars as pl
import pytest
from problems import THEMES

import quire
from quire.runs.editing import edit_run
from quire.runs.edits.entry import new_edit

OWN, CUTS = 3, [2, 3, 5]


def frame(n=90):
    rng = np.random.default_rng(1)
    names = [list(THEMES)[i % 3] for i in range(n)]
    texts = [" ".join(rng.choice(THEMES[name].split(), 9)) for name in names]
    return pl.DataFrame({"text": texts, "label": names, "date": [f"2020-{1 + i % 12:02d}-01" for i in range(n)]})


@pytest.fixture(scope="module")
def run():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [OWN, 6, 2])
        return quire.cluster(frame(), random_state=0)


@pytest.fixture
def folder(run, tmp_path):
    return run.save(tmp_path / "run")


def same(one, other):
    assert one.documents.equals(other.documents)
    assert one.topics.equals(other.topics)
    assert one.timeline.equals(other.timeline)
    np.testing.assert_array_equal(one.W, other.W)
    np.testing.assert_array_equal(one.H, other.H)
    assert one.info == other.info
    assert one.cuts == other.cuts


def test_every_cut_is_a_run_of_the_same_documents(run):
    assert run.cuts == CUTS
    assert run.at(OWN) is run
    for k in CUTS:
        cut = run.at(k)
        assert cut is run.at(k)
        assert len(cut.topics) == len(cut.H) == cut.W.shape[1] == cut.info["n_topics"] == k
        assert cut.documents.drop(*quire_columns()).equals(run.documents.drop(*quire_columns()))
        assert cut.topics["size"].to_list() == sorted(np.bincount(cut.labels).tolist(), reverse=True)
        assert cut.labels.max() == k - 1
        assert all(cut.topics["keywords"].list.len() > 0)
        assert all(cut.topics["typical"].list.len() > 0)
        assert cut.scores.keys() == run.scores.keys()
        np.testing.assert_allclose(cut.memberships.sum(axis=1), 1, rtol=1e-5)


def test_what_em_leaves_is_what_is_told(run):
    """Six topics were asked for, and one of them lost its documents."""
    assert run.info["also"] == [5, 2]
    assert run.at(5).info["also"] == [3, 2]
    assert run.info["chosen"] == run.at(5).info["chosen"] == OWN
    assert any("1 of 6 topics" in sentence for sentence in run.at(5).info["corpus"]["sentences"])
    assert not any("1 of 6 topics" in sentence for sentence in run.info["corpus"]["sentences"])


def test_how_sure_topics_are_is_told_where_the_runs_can_tell(run):
    """Of runs of three topics: of three or fewer, not of more."""
    for k in (2, OWN):
        assert (run.at(k).stability > 0.9).all()
        assert (run.at(k).confidence > 0.8).mean() > 0.9
    assert run.at(5).stability is run.at(5).confidence is None


def quire_columns():
    return "topic", "membership", "runner_up", "runner_up_membership", "confidence", "else_topic"


def test_a_cut_assigns_documents_by_its_own_topics(run):
    for k in CUTS:
        cut = run.at(k)
        found = cut.assign(frame()["text"].to_list())
        np.testing.assert_array_equal(found.labels, cut.labels)
        np.testing.assert_array_equal(found.memberships, cut.memberships)


def test_cuts_know_each_other(run):
    assert run.at(5).at(2) is run.at(2)
    assert run.at(5).at(OWN) is run
    assert run.at(5).cuts == CUTS


def test_a_cut_that_is_not_there_is_refused_with_those_that_are(run):
    with pytest.raises(ValueError, match=r"no cut of 4 topics, but 2, 3, 5: .*--topics 4"):
        run.at(4)


def test_where_the_number_was_given_there_is_one_cut():
    run = quire.cluster(frame(30), 2, random_state=0)
    assert run.cuts == [2]
    assert "cuts" not in run.info


@pytest.mark.parametrize("recipe", ["nmf", "tfidf"])
def test_a_method_without_groups_has_one_cut(recipe):
    run = quire.cluster(frame(), recipe=recipe, random_state=0)
    assert run.cuts == [len(run.topics)]


def test_a_number_that_cannot_be_cut_is_told_all_the_same(monkeypatch):
    monkeypatch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [2, 40])
    run = quire.cluster(frame(), random_state=0)
    assert run.cuts == [2]
    assert run.info["also"] == [40]


def test_cuts_come_back_from_the_folder(run, folder):
    loaded = quire.load(folder)
    for k in CUTS:
        same(loaded.at(k), run.at(k))
        assert loaded.at(k).assign(["goal team"]).labels == run.at(k).assign(["goal team"]).labels
    assert loaded.at(5).at(OWN) is loaded


def test_without_texts_a_cut_has_those_of_its_typical_documents(run, folder):
    cut = quire.load(folder, texts=False).at(5)
    wanted = {ids[0] for ids in cut.topics["typical"]}
    assert set(cut.documents.filter(pl.col("text").is_not_null())["id"]) == wanted
    np.testing.assert_array_equal(cut.labels, run.at(5).labels)
    np.testing.assert_array_equal(cut.W, run.at(5).W)


def test_a_cut_that_is_saved_is_the_run_and_the_others_its_cuts(run, folder, tmp_path):
    other = quire.load(quire.load(folder).at(5).save(tmp_path / "five"))
    assert len(other.topics) == 5
    for k in CUTS:
        same(other.at(k), run.at(k))


@pytest.mark.parametrize("name", ["factors.safetensors", "documents.parquet", "topics.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_damage_to_a_cut_is_noticed(folder, name, damage):
    path = folder / f"cut-5-{name}"
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=path.name):
        quire.load(folder)


@pytest.mark.parametrize("name", ["factors.safetensors", "documents.parquet", "topics.json"])
def test_a_cut_that_went_since_the_run_was_read_is_a_sentence(folder, name):
    loaded = quire.load(folder)
    (folder / f"cut-5-{name}").unlink()
    with pytest.raises(ValueError, match="make it anew") as error:
        loaded.at(5)
    assert "\n" not in str(error.value)
    assert len(loaded.at(2).topics) == 2


def test_a_run_of_before_has_one_cut(folder):
    from quire.runs.folder import write_folder

    head = json.loads((folder / "run.json").read_text())
    files = {n: (folder / n).read_bytes() for n in head.pop("files") if not n.startswith("cut-")}
    head = {key: value for key, value in head.items() if key not in ("cuts", "chosen")}
    writers = {name: (lambda path, content=content: path.write_bytes(content)) for name, content in files.items()}
    old = quire.load(write_folder(folder.with_name("old"), head, writers))
    assert old.cuts == [OWN]


def test_names_belong_to_the_cut_they_were_given_at(folder):
    own = {k: quire.load(folder).at(k).topics["name"].to_list() for k in CUTS}
    edit_run(folder, new_edit("rename", topic=0, name="Flight"))
    edit_run(folder, new_edit("rename", 5, topic=1, name="Kitchen"))
    loaded = quire.load(folder)
    assert loaded.topics["name"].to_list() == ["Flight", *own[OWN][1:]]
    assert loaded.at(5).topics["name"].to_list() == [own[5][0], "Kitchen", *own[5][2:]]
    assert loaded.at(2).topics["name"].to_list() == own[2]
    edit_run(folder, new_edit("undo", 5))
    assert quire.load(folder).at(5).topics["name"].to_list() == own[5]
    with pytest.raises(ValueError, match="nothing to undo"):
        edit_run(folder, new_edit("undo", 5))


def test_names_that_an_older_quire_gave_to_topics_of_a_cut_are_there(folder):
    (folder / "cut-5-names.json").write_text('{"1": "Kitchen", "7": "Nothing"}')
    assert quire.load(folder).at(5).topics["name"][1] == "Kitchen"
    edit_run(folder, new_edit("rename", 5, topic=0, name="Flight"))
    assert not (folder / "cut-5-names.json").exists()
    assert quire.load(folder).at(5).topics["name"].to_list()[:2] == ["Flight", "Kitchen"]


def test_topics_that_were_changed_have_no_other_cuts_until_that_is_undone(folder):
    assert edit_run(folder, new_edit("merge", topics=[0, 1])).cuts == [OWN - 1]
    assert quire.load(folder).cuts == [OWN - 1]
    assert edit_run(folder, new_edit("undo")).cuts == CUTS
    with pytest.raises(ValueError, match="a run of its own"):
        new_edit("merge", 5, topics=[0, 1])
    own = quire.load(folder).at(5).merge(0, 1)  # a run of its own, where it is saved
    assert len(quire.load(own.save(folder.parent / "own")).H) == 4
