"""Seeds: topics that are to be about something are, as far as documents are; and what seeds could not find is told."""

import json

import numpy as np
import polars as pl
import pytest
from edited import GROUPS, texts
from problems import THEMES, one_sentence, said

import quire
from quire.corpus import cut
from quire.methods.ensemble.starts import GuidedStart, Starts
from quire.methods.ensemble.votes import summed
from quire.places.dask.cluster import DaskPlace
from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.runs.options import Options, merged
from quire.runs.pipeline import gather
from quire.runs.seeds import read_seeds

RECIPES = ("default", "nmf")
SEEDS = {"Baking": ["oven", "dough"], "Games": ["coach", "stadium"], "Rockets": ["orbit", "shuttle"]}
CLASSES = {"Baking": "food", "Games": "sport", "Rockets": "space"}


def written(n=150, seed=0, length=6):
    rng = np.random.default_rng(seed)
    labels = [list(THEMES)[i % 3] for i in range(n)]
    texts = [" ".join(rng.choice(THEMES[name].split(), length)) for name in labels]
    return pl.DataFrame({"id": [f"d{i}" for i in range(n)], "text": texts, "label": labels})


@pytest.fixture(scope="module", params=RECIPES)
def run(request):
    return quire.cluster(written(), 3, random_state=0, seeds=SEEDS, recipe=request.param)


def test_each_seed_names_the_topic_of_its_class(run):
    assert sorted(run.topics["name"]) == sorted(SEEDS)
    for row in run.info["seeds"]:
        assert run.topics["name"][row["topic"]] == row["name"]
        own = run.documents.filter(pl.col("topic") == row["topic"])["label"]
        assert (own == CLASSES[row["name"]]).mean() > 0.95
    assert run.topics["size"].is_sorted(descending=True)
    assert "3 of 3 seeds found their topic." in run.info["corpus"]["sentences"]


def test_a_run_keeps_its_seeds(run, tmp_path):
    back = quire.load(run.save(tmp_path / "run"))
    assert back.info["seeds"] == json.loads(json.dumps(run.info["seeds"]))
    assert list(back.info["options"]["seeds"]["topics"]) == list(SEEDS)
    assert back.topics["name"].to_list() == run.topics["name"].to_list()
    more = back.update(written(30, 3).drop("id"))
    assert more.topics["name"].to_list()[:3] == back.topics["name"].to_list()
    assert more.info["seeds"] == back.info["seeds"]


def test_seeds_go_with_their_topics_when_these_are_edited(run, tmp_path):
    of = {row["name"]: row["topic"] for row in run.info["seeds"]}

    def now(other):
        return {row["name"]: row["topic"] for row in other.info["seeds"]}

    def holds(other, name):
        return (other.documents.filter(pl.col("label") == CLASSES[name])["topic"] == now(other)[name]).mean() > 0.9

    gone = run.remove(of["Games"])
    assert now(gone)["Games"] is None
    assert holds(gone, "Baking")
    assert holds(gone, "Rockets")
    one, other = sorted([of["Games"], of["Rockets"]])
    both = run.merge(one, other)
    assert now(both)["Games"] == now(both)["Rockets"] != now(both)["Baking"]
    apart = both.split(now(both)["Games"])
    assert len(set(now(apart).values())) == 3
    assert all(holds(apart, name) for name in SEEDS)
    assert quire.load(apart.save(tmp_path / "run")).info["seeds"] == json.loads(json.dumps(apart.info["seeds"]))
    assert apart.undo().undo().info == run.info


def test_seeds_go_with_their_topics_into_a_cut():
    run = quire.cluster(written(300), 3, random_state=0, seeds=SEEDS)
    for k in (2, 3):
        cut = run.cut(k)
        for row in cut.info["seeds"]:
            own = cut.documents.filter(pl.col("topic") == row["topic"])["label"]
            assert (own == CLASSES[row["name"]]).mean() > 0.45
        assert len({row["topic"] for row in cut.info["seeds"]}) == k


@pytest.mark.parametrize("recipe", RECIPES)
def test_seeds_bring_together_what_words_alone_do_not(recipe):
    """Each document is of a kind and of a place, and places have more words: seeds ask for kinds."""
    rng = np.random.default_rng(0)
    kinds = [["apple", "pear", "plum", "fig"], ["hammer", "saw", "nail", "drill"]]
    places = [[f"north{i}" for i in range(8)], [f"south{i}" for i in range(8)]]
    pairs = [(i % 2, i // 2 % 2) for i in range(160)]
    texts = [" ".join([*rng.choice(kinds[a], 4), *rng.choice(places[b], 10)]) for a, b in pairs]
    wanted = np.array([a for a, _ in pairs])
    alone = quire.cluster(texts, 2, random_state=0, recipe=recipe)
    seeds = {"fruit": kinds[0][:2], "tools": kinds[1][:2]}
    guided = quire.cluster(texts, 2, random_state=0, recipe=recipe, seeds=seeds)
    assert _agreement(alone.labels, wanted) < 0.6
    assert _agreement(guided.labels, wanted) > 0.95


def _agreement(one, other):
    same = (one == other).mean()
    return max(same, 1 - same)


def test_names_alone_are_enough(run):
    guided = quire.cluster(written(), 3, random_state=0, seeds=["team", "bread", "moon"], recipe=run.recipe.name)
    assert sorted(guided.topics["name"]) == ["bread", "moon", "team"]
    assert guided.scores["accuracy"] > 0.95


def test_documents_are_examples(run):
    seeds = {"a": {"documents": ["d0", "d3", "d6"]}, "b": {"documents": ["d1", "d4"]}}
    guided = quire.cluster(written(), 3, random_state=0, seeds=seeds, recipe=run.recipe.name)
    classes = dict(guided.documents.select("topic", "label").unique(keep="first").rows())
    for row, wanted in zip(guided.info["seeds"], (written()["label"][0], written()["label"][1])):
        assert classes[row["topic"]] == wanted
    assert guided.scores["accuracy"] > 0.95


def test_topics_without_seeds_are_free_and_what_is_not_there_is_told(run):
    seeds = {"Baking": ["oven", "dough"], "Operas": ["soprano"], "Games": {"words": ["coach"], "documents": ["d999"]}}
    guided = quire.cluster(written(), 3, random_state=0, seeds=seeds, recipe=run.recipe.name)
    topics = {row["name"]: row["topic"] for row in guided.info["seeds"]}
    assert topics["Operas"] is None
    assert {topics["Baking"], topics["Games"]} < {0, 1, 2}
    assert guided.scores["accuracy"] > 0.9
    said = " ".join(guided.info["corpus"]["sentences"])
    assert "No topic came to be about Operas" in said
    assert "not in the documents: soprano, d999" in said


def test_a_seed_that_few_documents_name_has_its_topic_and_the_free_ones_are_those_of_the_others():
    documents, own = texts(400)
    for row in [row for row, group in enumerate(own) if group == 1][:12]:
        documents[row] += " sport"
    for seed in range(3):
        guided = quire.cluster(documents, 4, random_state=seed, seeds=["sport"], labels=own)
        assert guided.scores["accuracy"] > 0.95
        (row,) = guided.info["seeds"]
        assert row["share"] < 0.2
        assert set(guided.topics["keywords"][row["topic"]]) <= {*GROUPS[1].split(), "sport"}
        assert guided.topics["name"][row["topic"]] == "sport"


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("same", [["orbit"], ["Orbit", "xyzzy"]])
def test_seeds_that_say_the_same_are_refused(recipe, same):
    seeds = {"One": ["orbit"], "Two": same}
    with pytest.raises(ValueError, match=r"^The seeds of One and Two are the same words: .*\.$"):
        quire.cluster(written(), 3, random_state=0, seeds=seeds, recipe=recipe)
    apart = {"One": ["orbit"], "Two": {"words": same, "documents": ["d0"]}}
    assert len(quire.cluster(written(), 3, random_state=0, seeds=apart, recipe=recipe).info["seeds"]) == 2


def test_free_topics_of_guided_runs_are_matched_whatever_their_numbers_are():
    first = np.eye(5)[[0, 1, 2, 3, 4, 4]]
    total = summed([first, first[:, [0, 1, 4, 2, 3]], first[:, [0, 1, 3, 4, 2]]], 2)
    np.testing.assert_array_equal(total, 3 * first)
    seeded = summed([first, first[:, [1, 0, 2, 3, 4]]], 2)
    np.testing.assert_array_equal(seeded[:2, :2], [[1, 1], [1, 1]])


def test_a_seed_may_speak_for_no_document_that_is_learnt_from():
    """Its word may be in a few documents of very many, of which a sample has none."""
    points = np.random.default_rng(0).random((60, 3))
    nobody, all_free = np.full(60, -1), np.arange(60)
    start = GuidedStart(Starts(1.0, 0, 1, "cpu"), points, None, 4, nobody, all_free, 3)
    assert set(start.clusters(0, seed=0).tolist()) == {1, 2, 3}


def test_seeds_steer_and_do_not_force():
    """Words of two themes as one seed: documents stay with their like, however strong the seed is said to be."""
    guided = quire.cluster(written(), 3, random_state=0, seeds={"odd": ["oven", "orbit"], "sport": ["coach"]})
    assert guided.scores["accuracy"] > 0.6
    assert guided.topics["size"].max() < 110
    weak = quire.cluster(written(), 3, random_state=0, seeds={"strength": 0.0, "topics": SEEDS})
    assert weak.scores["accuracy"] > 0.95


@pytest.mark.parametrize(
    ("seeds", "sentence"),
    [
        ({}, "name no topic"),
        ({"a": 3}, "must be a list of words"),
        ({"a": {"sounds": ["moo"]}}, "must be a list of words"),
        ({"topics": {"a": ["oven"]}, "strength": -1}, "at least 0"),
        ({"topics": {"a": ["oven"]}, "strength": 1e300}, "at most 1,000,000"),
        ({"topics": {"a": ["oven"]}, "power": 1}, "'power', which is not known"),
        ({"  ": ["oven"]}, "needs the name of a topic"),
        ({"a": ["soprano"]}, "No word of the seeds is in the documents"),
        ({name: ["oven"] for name in "abcd"}, "seeds of 4 topics, and 3 were asked for"),
    ],
)
def test_what_cannot_be_is_a_sentence(seeds, sentence):
    with pytest.raises(ValueError, match=sentence):
        quire.cluster(written(), 3, random_state=0, seeds=seeds)


def test_a_method_without_seeds_says_so():
    with pytest.raises(ValueError, match="takes no seeds: take default or nmf"):
        quire.cluster(written(), 3, random_state=0, seeds=SEEDS, recipe="lsi")


def test_auto_makes_room_for_all_seeds():
    run = quire.cluster(written(), random_state=0, seeds=SEEDS)
    assert len(run.H) >= 3
    assert {row["topic"] is not None for row in run.info["seeds"]} == {True}


def test_the_command_reads_a_file(tmp_path):
    written().write_csv(tmp_path / "a.csv")
    lines = ["strength = 1", "[topics]", 'Baking = ["oven", "dough"]', 'Games = {words = ["coach"]}', '"moon" = []']
    (tmp_path / "seeds.toml").write_text("\n".join(lines))
    arguments = ["--topics", "3", "--seeds", str(tmp_path / "seeds.toml"), "--out", str(tmp_path / "run")]
    found = said("cluster", tmp_path / "a.csv", *arguments, "--json", "--no-page")
    assert {row["name"] for row in json.loads(found.stdout)["seeds"]} == {"Baking", "Games", "moon"}
    shown = said("show", tmp_path / "run").stdout
    assert "3 of 3 seeds found their topic" in shown
    assert "Baking" in shown
    for other in ("a = 3", "topics = 3", 'topics = ["oven"]', "[[topics]]"):
        (tmp_path / "seeds.toml").write_text(other)
        one_sentence(said("cluster", tmp_path / "a.csv", *arguments, "--replace"), "needs a table [topics]")


def test_seeds_are_read_when_a_run_is_made(tmp_path):
    path = tmp_path / "seeds.toml"
    path.write_text('[topics]\nhockey = ["puck"]')
    options = merged({"seeds": str(path)})
    path.unlink()
    assert options.seeds == read_seeds({"hockey": ["puck"]})
    assert merged(options.as_dict()) == options


# -- where it is computed --------------------------------------------------------------------------------------


def files_of(source, recipe, place, out):
    options = Options(topics=3, seeds=read_seeds({"Baking": ["oven"], "Games": {"documents": ["d1"]}}), recipe=recipe)
    folder = gather(source, options, place).write(out)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return files, json.loads(files.pop("run.json"))["seeds"]


@pytest.fixture
def source(tmp_path, monkeypatch):
    monkeypatch.setattr(cut, "ROWS", 16)
    written().write_parquet(tmp_path / "table.parquet", row_group_size=23)
    return tmp_path / "table.parquet"


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("recipe", RECIPES)
def test_guided_runs_are_the_same_from_memory_and_disk(recipe, large, source, tmp_path, monkeypatch):
    if large:
        monkeypatch.setattr("quire.engine.start._LARGE_ROWS", 50)  # learn from a sample, go on with all of them
        monkeypatch.setattr("quire.methods.ensemble.estimator._SAMPLE", 90)
    with MemoryPlace() as memory, DiskPlace(tmp_path / "blocks") as disk:
        whole = files_of(source, recipe, memory, tmp_path / "memory")
        assert files_of(source, recipe, disk, tmp_path / "disk") == whole
    assert quire.load(tmp_path / "disk").scores["accuracy"] > 0.8


@pytest.mark.slow
def test_workers_are_guided_alike(source, tmp_path):
    pytest.importorskip("distributed")
    with MemoryPlace() as memory, DaskPlace("local:2") as workers:
        whole = files_of(source, "default", memory, tmp_path / "memory")
        assert files_of(source, "default", workers, tmp_path / "workers") == whole
