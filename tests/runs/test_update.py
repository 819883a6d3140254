"""A run to which documents came: topics keep their numbers, names and meaning, new ones are found, all is told."""

import json

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import THEMES

import quire
from quire.corpus import cut
from quire.messages import Stages
from quire.places.dask.cluster import DaskPlace
from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.runs.history import drifted
from quire.runs.run import Run
from quire.runs.update import Wanted, reading_options, updated

RECIPES = ("default", "nmf")
MUSIC = ["violin", "sonata", "orchestra", "tempo", "cello", "chord", "melody", "quartet", "opera", "pianist"]
WORDS = {**{name: words.split() for name, words in THEMES.items()}, "music": MUSIC}


def written(names, n, seed=0, year=2020, length=9):
    """Texts of themes in turn, with labels and dates."""
    rng = np.random.default_rng(seed)
    labels = [names[i % len(names)] for i in range(n)]
    texts = [" ".join(rng.choice(WORDS[name], length)) for name in labels]
    dates = [f"{year}-{1 + i % 12:02d}-01" for i in range(n)]
    return pl.DataFrame({"text": texts, "label": labels, "date": dates})


@pytest.fixture(scope="module", params=RECIPES)
def run(request):
    return quire.cluster(written(["space", "sport"], 90), 2, random_state=0, recipe=request.param)


@pytest.fixture(scope="module")
def grown(run):
    return run.update(written(["space", "food"], 60, 1, 2021))


def test_a_subject_that_was_never_seen_is_one_new_topic(run, grown):
    assert len(grown.H) == 3
    food = grown.documents["label"] == "food"
    assert set(grown.labels[food]) == {2}
    assert (grown.labels == 2).sum() == food.sum()
    assert set(WORDS["food"]) >= set(grown.topics["keywords"][2].to_list())
    changes = [row["change"] for row in grown.history[0]["topics"]]
    sport = int(run.labels[1])
    assert changes[2] == "new"
    assert changes[sport] == "faded"
    assert grown.history[0]["documents"], grown.history[0]["added"] == (90, 60)
    assert any("is new" in sentence for sentence in grown.history[0]["sentences"])


def test_what_people_said_of_topics_stays_with_them(run, tmp_path):
    said = run.rename(1, "Sport").note(0, "ask again")
    more = written(["space", "food"], 60, 1, 2021)
    grown = quire.load(said.update(more).save(tmp_path / "run"))
    assert len(grown.H) == 3
    assert (grown.given_names, grown.notes, grown.edits) == ({1: "Sport"}, {0: "ask again"}, None)
    edited = grown.merge(0, 2)  # what comes after begins with it
    assert (edited.given_names, edited.notes) == ({1: "Sport"}, {0: "ask again"})
    assert (edited.undo().given_names, edited.undo().notes) == (grown.given_names, grown.notes)
    named = grown.rename(2, "Food")
    assert named.given_names == {1: "Sport", 2: "Food"}
    assert named.update(more).given_names == named.given_names
    assert named.topics["name"].to_list()[1:] == ["Sport", "Food"]


def test_what_people_said_of_words_and_documents_holds_for_what_comes_too(run, tmp_path):
    word, ids = run.topics["keywords"][0][0], run.documents["id"]
    moved = ids[int(np.flatnonzero(run.labels == 0)[0])]
    said = run.rename(1, "Sport").ban(word).move(moved, 1)
    more = written(["space", "food"], 60, 1, 2021)
    grown = quire.load(said.update(more).save(tmp_path / "run"))
    assert [edit.what for edit in grown.edits.history] == ["ban", "move"]
    assert [(edit.who, edit.when) for edit in grown.edits.history] == [
        (edit.who, edit.when) for edit in said.edits.history[1:]
    ]
    assert not any(word in words for words in grown.topics["keywords"].to_list())
    assert grown.labels[(grown.documents["id"] == moved).arg_max()] == 1
    assert grown.given_names == {1: "Sport"}
    freed = grown.undo().undo()
    assert freed.edits.history[-1].what == "undo"
    np.testing.assert_array_equal(freed.W, grown.edits.first.W)
    again = grown.update(written(["food"], 30, 2, 2022))
    assert [edit.what for edit in again.edits.history] == ["ban", "move"]
    assert not any(word in words for words in again.topics["keywords"].to_list())


def test_what_updates_did_is_told_by_the_numbers_that_topics_have_now(grown):
    names = {row["name"]: row["topic"] for row in grown.updates[0]["topics"]}
    first = grown.topics["name"][0]
    without = grown.remove(0)
    told = without.updates[0]
    assert {row["name"]: row["topic"] for row in told["topics"]} == {
        name: topic - 1 for name, topic in names.items() if topic > 0
    }
    assert "Topic 1 (" in " ".join(told["sentences"])
    assert first not in " ".join(told["sentences"])
    assert without.undo().info == grown.info
    merged = grown.merge(1, 2)
    assert [row["topic"] for row in merged.updates[0]["topics"]] == [0, 1, 1]


def test_old_topics_keep_numbers_names_and_documents(run, grown):
    assert grown.topics["name"][:2].to_list() == run.topics["name"].to_list()
    np.testing.assert_array_equal(grown.labels[:90], run.labels)
    assert grown.documents["id"].to_list() == [str(i) for i in range(1, 151)]
    assert grown.documents["text"].to_list()[:90] == run.documents["text"].to_list()
    assert grown.vocabulary[: len(run.vocabulary)] == run.vocabulary
    assert set(grown.vocabulary[len(run.vocabulary) :]) >= set(WORDS["food"]) - {"oil"}
    assert grown.timeline["start"].max().year == 2021
    assert run.W.shape == (90, 2)  # nothing happened in place


def test_a_run_from_its_folder_is_updated_alike(tmp_path):
    """Signed texts: lines that are not counted are known by their hashes once a run was read."""
    first, more = (
        written(["space", "sport"], n, seed).with_columns(pl.col("text") + "\n\nSent from my telephone")
        for n, seed in ((80, 0), (40, 1))
    )
    run = quire.cluster(first, 2, random_state=0)
    assert run.counts.repeated_ is not None
    one, other = run.update(more), quire.load(run.save(tmp_path / "run")).update(more)
    assert one.topics.equals(other.topics)
    assert one.info["corpus"] == other.info["corpus"]
    np.testing.assert_array_equal(one.H, other.H)
    assert "telephone" not in other.vocabulary


def test_names_that_people_gave_stay(run, tmp_path):
    folder = run.rename(1, "My own name").save(tmp_path / "run")
    more = quire.load(folder).update(written(["space", "food"], 60, 1))
    assert more.topics["name"][1] == "My own name"


def test_words_of_a_topic_to_which_nothing_came_stay(run, grown):
    sport, space = int(run.labels[1]), int(run.labels[0])
    old, new = (np.asarray(one.weight.unscaled_topics(one.H), np.float64) for one in (run, grown))
    d = len(run.words)
    near = [_cosine(old[t], new[t, :d]) for t in (sport, space)]
    assert near[0] > 0.999
    assert near[1] > 0.98
    if run.recipe.name == "default":
        np.testing.assert_allclose(new[sport, :d] / new[sport, :d].sum(), old[sport] / old[sport].sum(), rtol=2e-3)


def _cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


def test_where_nothing_new_comes_no_topic_is_made(run):
    more = run.update(written(["space", "sport"], 80, 5))
    assert len(more.H) == 2
    assert more.scores["nmi"] == 1
    assert [row["change"] for row in more.history[0]["topics"]] == ["same", "same"]
    assert "No topic is new" in more.history[0]["sentences"][-1]


@pytest.mark.parametrize(("wanted", "there"), [(0, 2), (1, 3), (2, 4)])
def test_as_many_new_topics_as_are_asked_for(run, wanted, there):
    assert len(run.update(written(["food", "music"], 40, 2), wanted).H) == there


def test_two_subjects_are_two_topics(run):
    more = run.update(written(["food", "music", "space"], 120, 3))
    new = more.documents.filter(pl.col("topic") >= 2)
    assert len(more.H) == 4
    assert new.group_by("label").agg(pl.col("topic").n_unique())["topic"].to_list() == [1, 1]
    assert new["label"].n_unique() == 2


def leaning(n, share, seed):
    """Texts with words of two halves of one subject, this share of the first, and some words of all texts."""
    rng = np.random.default_rng(seed)
    halves = [[f"ship{c}" for c in "abcdefghijklmnop"], [f"port{c}" for c in "abcdefghijklmnop"]]
    anywhere = [f"any{c}" for c in "abcdefgh"]
    texts = []
    for _ in range(n):
        first = rng.binomial(12, share)
        words = [*rng.choice(halves[0], first), *rng.choice(halves[1], 12 - first), *rng.choice(anywhere, 4)]
        texts.append(" ".join(words))
    return texts


def test_what_is_new_only_together_is_a_topic(monkeypatch):
    """Every word of it is known, and one old topic would have it all; but no earlier document was like that."""
    other = [f"{' '.join(np.random.default_rng(i).choice(WORDS['food'], 9))} anya anyb" for i in range(120)]
    run = quire.cluster([*leaning(120, 0.7, 0), *other], 2, random_state=0)
    new, same = leaning(70, 0.0, 1), leaning(70, 0.7, 2)
    grown = run.update([*new, *same])
    assert len(grown.H) == 3
    assert (grown.labels[240:310] == 2).mean() > 0.9
    assert (grown.labels[310:] == 2).mean() < 0.1
    assert len(run.update(same).H) == 2
    monkeypatch.setattr("quire.runs.arrivals.Arrivals._with_strangers", lambda self, groups: groups)
    assert len(run.update([*new, *same]).H) == 2, "each of them is unusual, so that this tries nothing"


def test_a_chain_of_updates_keeps_working(run, tmp_path):
    for month in range(6):
        subjects = ["space", "sport"] if month < 3 else ["space", "food"]
        run = run.update(written(subjects, 30, month, 2021 + month))
        run = quire.load(run.save(tmp_path / "run"))
    assert len(run.H) == 3
    assert len(run.history) == 6
    assert [len(one["topics"]) for one in run.history] == [2, 2, 2, 3, 3, 3]
    assert run.scores["nmi"] == 1
    assert run.timeline.group_by("topic").len()["len"].n_unique() == 1
    remembered = [one["remembered"] for one in run.history]
    assert all(30 < one < 90 + 180 for one in remembered)


def test_the_updated_run_assigns_explains_and_can_be_kept(grown, tmp_path):
    back = quire.load(grown.save(tmp_path / "run"))
    assert back.history == json.loads(json.dumps(grown.history))
    assigned = back.assign(grown.documents["text"].to_list())
    np.testing.assert_array_equal(assigned.labels, grown.labels)
    assert back.explain("150").terms.height
    table = back.assign_table(["oven dough bread butter", "violin sonata opera cello"])
    assert table["topic"][0] == 2
    assert table["novelty"][0] < 0.9 < table["novelty"][1]


def test_forgetting_lets_words_move():
    run = quire.cluster(written(["space", "sport"], 90), 2, random_state=0)
    space = int(run.labels[0])
    mixed = pl.DataFrame({"text": [text + " tango" for text in written(["space"], 60, 4)["text"]]})
    shares = [run.update(mixed, 0, forget=forget) for forget in (0.1, 1.0)]
    tango = [one.H[space, one.vocabulary.index("tango")] / one.H[space].sum() for one in shares]
    assert tango[0] > 1.2 * tango[1] > 0
    moved = shares[0].history[0]["topics"][space]
    assert drifted(moved) == (len(moved["went"]) >= 3)
    assert "tango" in shares[0].topics["keywords"][space].to_list()


def test_documents_that_are_there_already_are_left_out_and_ids_stay_unique():
    first = written(["space", "sport"], 60).with_columns(id=pl.Series([f"d{i}" for i in range(60)]))
    run = quire.cluster(first, 2, random_state=0)
    came = written(["space", "sport"], 20, 7).with_columns(id=pl.Series([f"d{i}" for i in range(20)]))
    came = pl.concat([came[:10], first[10:20].select(came.columns), came[10:].with_columns(id="e" + pl.col("id"))])
    more = run.update(came)
    assert len(more.documents) == 60 + 20
    assert more.documents["id"].n_unique() == 80
    assert "d3 (2)" in more.documents["id"]
    assert any("10 documents were left out" in sentence for sentence in more.info["corpus"]["sentences"])
    with pytest.raises(ValueError, match="Nothing new came"):
        run.update(first)


def test_columns_may_differ():
    first = written(["space", "sport"], 60).with_columns(age=pl.lit(3))
    run = quire.cluster(first.drop("date"), 2, random_state=0)
    more = run.update(written(["space", "sport"], 20, 3).with_columns(age=pl.lit("old"), town=pl.lit("Bonn")))
    assert more.documents["age"].to_list() == ["3"] * 60 + ["old"] * 20
    assert more.documents["town"].null_count() == 60
    assert more.documents["date"].null_count() == 60


def test_passages_of_other_documents_stay_apart():
    texts = [f"{a}\n\n{b}" for a, b in zip(written(["space"], 20)["text"], written(["sport"], 20, 2)["text"])]
    run = quire.cluster(texts, 2, random_state=0, split="paragraphs")
    more = run.update(texts[:5])
    assert more.documents["id"].n_unique() == len(more.documents) == 50
    assert more.whole_documents().height == 25


def test_a_matrix_is_updated_where_it_was_just_made():
    counts = quire.Counts().fit_transform(written(["space", "sport", "food"], 150)["text"])
    labels = np.array(["space", "sport", "food"] * 50)
    old = sp.csr_array(counts[labels != "food"])
    run = quire.cluster(old, 2, random_state=0, dates=["2020-01-01"] * old.shape[0])
    more = run.update(sp.csr_array(counts[labels == "food"][:30]), labels=["food"] * 30, dates=["2021-05-01"] * 30)
    assert more.timeline["start"].max().year == 2021
    assert more.documents["label"].null_count() == old.shape[0]
    assert len(more.H) == 3
    assert set(more.labels[len(run.labels) :]) == {2}
    assert (more._assigned(more.W, more.silent()).labels == more.labels).all()
    with pytest.raises(ValueError, match="same terms"):
        run.update(sp.csr_array(counts[:5, :7]))
    with pytest.raises(ValueError, match="made from a matrix"):
        run.update(["the moon"])


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"new_topics": -1}, "is no number of new topics"),
        ({"forget": 2.0}, "from 0 to 1"),
        ({"new_topics": 500}, "cannot be found"),
        ({"new_topics": True}, "is no number of new topics"),
        ({"forget": "much"}, "from 0 to 1"),
        ({"topics": 7}, "keeps 'topics' as the run was made"),
        ({"stop_words": "moon"}, "keeps 'stop_words' as the run was made"),
    ],
)
def test_what_cannot_be_is_a_sentence(run, how, sentence):
    with pytest.raises(ValueError, match=sentence):
        run.update(["the moon in orbit", "a goal"], **how)


def test_the_number_of_new_topics_may_be_of_numpy(run):
    assert len(run.update(written(["food"], 40, 2), np.int64(1)).H) == 3


def test_a_method_that_learns_all_at_once_says_so():
    run = quire.cluster(written(["space", "sport"], 40), 2, random_state=0, recipe="kmeans")
    with pytest.raises(ValueError, match="cannot be updated: make a run of all documents"):
        run.update(["the moon"])


def test_abstaining_documents_and_confidence():
    run = quire.cluster(written(["space", "sport"], 90, length=3), 2, random_state=0, abstain=0.8)
    more = run.update(written(["space", "sport"], 60, 8, length=3))
    unsure = more.documents.filter(pl.col("topic") < 0)
    assert (unsure["membership"] == 0).all()
    stayed = more.documents[:90].filter((pl.col("topic") >= 0) & (run.documents["topic"] == pl.col("topic")))
    known = dict(run.documents.select("id", "confidence").rows())
    assert [known[id] for id in stayed["id"]] == stayed["confidence"].to_list()
    assert more.documents[90:].filter(pl.col("topic") >= 0)["confidence"].null_count() == 0


# -- where it is computed --------------------------------------------------------------------------------------


def files_of(run, source, place, out):
    made = updated(run, source, reading_options(run, {}), place, Stages(), Wanted(), Run)
    folder = made.write(out)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    head = json.loads(files.pop("run.json"))
    for entry in head["history"]:
        del entry["created"]
    return files, {name: head[name] for name in ("history", "terms", "corpus", "fingerprint", "n_topics", "fit")}


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(cut, "ROWS", 16)


def test_an_update_is_the_same_from_memory_and_disk(run, tmp_path, small_parts):
    written(["space", "food"], 60, 1, 2021).write_parquet(tmp_path / "more.parquet", row_group_size=7)
    with MemoryPlace() as memory, DiskPlace(tmp_path / "blocks") as disk:
        whole = files_of(run, tmp_path / "more.parquet", memory, tmp_path / "memory")
        assert files_of(run, tmp_path / "more.parquet", disk, tmp_path / "disk") == whole
    assert len(quire.load(tmp_path / "disk").H) == 3


@pytest.mark.slow
def test_workers_update_alike(run, tmp_path, small_parts):
    pytest.importorskip("distributed")
    written(["space", "food"], 60, 1, 2021).write_parquet(tmp_path / "more.parquet", row_group_size=7)
    with MemoryPlace() as memory, DaskPlace("local:2") as workers:
        whole = files_of(run, tmp_path / "more.parquet", memory, tmp_path / "memory")
        assert files_of(run, tmp_path / "more.parquet", workers, tmp_path / "workers") == whole


def test_what_is_tried_to_find_new_topics_is_not_warned_of(recwarn):
    themes = ["moon rocket orbit nasa launch", "goal team season league coach", "bread oven flour butter salt"]
    came = [f"tax law court judge tax law court judge case{i}" for i in range(12)]
    run = quire.cluster(themes * 8, 3, random_state=0).update(came)
    assert len(run.topics) == 4
    assert [str(one.message) for one in recwarn] == []
