"""Where a run is computed never changes what comes out: folders compared byte by byte."""

import json

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import THEMES

import quire
from quire.corpus import cut
from quire.places.dask.cluster import DaskPlace
from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.runs.options import Options
from quire.runs.pipeline import gather

PASSING = ("created", "timings", "checksum", "options")  # of run.json: what says when and where
RECIPES = ("default", "nmf", "tfidf", "xu2003", "kim2008", "ding2008-ppc", "plsi", "lsi", "kmeans")
SLOWER = [
    ("default", None),
    ("nmf", None),
    ("nmf", 0.6),
    ("plsi", None),
    ("plsi", 0.6),
    ("lsi", None),
    ("kim2008", None),
]
ROWS = 16  # documents of a part here, so that there are several


def texts(n=110, seed=0):
    """Texts of three themes with labels, dates and other columns; one is empty, some are the same, some are signed."""
    rng = np.random.default_rng(seed)
    names = [list(THEMES)[i % 3] for i in range(n)]
    more = {"space": " prime minister", "sport": "", "food": ""}  # a phrase that tells one theme from the others
    written = [" ".join(rng.choice(THEMES[name].split(), 9)) + f"{more[name]} {i % 7}" for i, name in enumerate(names)]
    written = [text + "\n\nSent from my telephone" * (i % 4 == 0) for i, text in enumerate(written)]
    written[7], written[60] = "", written[20]
    dates = [f"2020-{1 + i % 12:02d}-01" for i in range(n)]
    columns = {"id": [f"d{i}" for i in range(n)], "text": written, "label": names, "date": dates}
    others = {"age": [str(18 + i % 60) for i in range(n)], "region": [f"r{i % 4}" for i in range(n)]}
    return pl.DataFrame(columns | others)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    table = texts()
    table.write_parquet(folder / "table.parquet", row_group_size=23)
    table.write_csv(folder / "table.csv")
    (folder / "files").mkdir()
    for row in table.iter_rows(named=True):
        (folder / "files" / f"{row['id']}.txt").write_text(row["text"])
    vectors = np.random.default_rng(0).random((len(table), 6)).tolist()
    table.with_columns(vector=pl.Series(vectors)).write_parquet(folder / "vectors.parquet", row_group_size=23)
    sp.save_npz(folder / "matrix.npz", quire.Counts().fit_transform(table["text"]))
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="module")
def clusters():
    pytest.importorskip("distributed")
    with DaskPlace("local:1") as one, DaskPlace("local:5", threads=1) as five:
        yield {"dask of 1": one, "dask of 5": five}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(cut, "ROWS", ROWS)


@pytest.fixture
def several_cuts(monkeypatch):
    monkeypatch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [3, 5, 2])


def folder_of(source, options, place, out):
    """Make a run at a place; return its files, and its head without what says when and where."""
    made = gather(source, options, place)
    folder = made.write(out)
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    head = json.loads(files.pop("run.json"))
    return files, {name: value for name, value in head.items() if name not in PASSING}


def same_everywhere(source, options, places, tmp_path):
    with MemoryPlace() as memory:
        files, head = folder_of(source, options, memory, tmp_path / "memory")
        saved = gather(source, options, memory).run().save(tmp_path / "saved")
    assert head["parts"] > 1
    assert {path.name: path.read_bytes() for path in saved.iterdir() if path.name != "run.json"} == files
    for name, place in places.items():
        others, other_head = folder_of(source, options, place, tmp_path / name)
        for file, content in files.items():
            assert others[file] == content, f"{file} differs: {name}"
        assert other_head == head, name


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_run_is_the_same_from_memory_and_disk_with_any_threads(recipe, sources, tmp_path):
    options = Options(topics=3, recipe=recipe, seed=3)
    with DiskPlace(tmp_path / "files") as disk, DiskPlace(tmp_path / "room", room=1 << 30) as roomy:
        places = {"disk": disk, "disk with room": roomy}
        same_everywhere(sources["table.parquet"], options, places, tmp_path)
    whole = gather(sources["table.parquet"], Options(topics=3, recipe=recipe, seed=3, threads=1), MemoryPlace())
    for name in ("topics.json", "documents.parquet", "factors.safetensors"):
        one = whole.write(tmp_path / "one thread") / name
        assert one.read_bytes() == (tmp_path / "memory" / name).read_bytes(), name


@pytest.mark.parametrize("recipe", ["default", "tfidf"])
def test_a_tree_is_the_same_from_memory_and_disk_and_when_it_is_grown_later(recipe, sources, tmp_path):
    options = Options(topics=2, recipe=recipe, tree=True)
    with DiskPlace(tmp_path / "blocks") as disk:
        same_everywhere(sources["table.parquet"], options, {"disk": disk}, tmp_path)
    run = quire.load(tmp_path / "disk")
    assert len(run.hierarchy.leaves) > 2
    later = run.tree(leaves=64)
    assert later.as_dict() == run.hierarchy.as_dict()
    assert (later.deepest == run.hierarchy.deepest).all()


@pytest.mark.parametrize(("recipe", "abstain"), [("nmf", None), ("default", 0.9)])
def test_documents_without_a_topic_and_phrases_are_the_same(recipe, abstain, sources, tmp_path):
    options = Options(topics=3, recipe=recipe, abstain=abstain)
    with DiskPlace(tmp_path / "blocks") as disk:
        same_everywhere(sources["table.parquet"], options, {"disk": disk}, tmp_path)
    run = quire.load(tmp_path / "disk")
    assert (run.labels < 0).any(), "the corpus has no document without a topic"
    assert any("prime minister" in words for words in run.topics["keywords"].to_list())
    assert "«Sent from my telephone»" in " ".join(run.info["corpus"]["sentences"])
    assert run.documents["copy_of"][60] == "d20"
    assert not (tmp_path / "blocks").exists()


@pytest.mark.parametrize("recipe", ["default", "nmf", "lsi"])
def test_parts_of_long_documents_are_joined_for_the_fit(recipe, sources, tmp_path, monkeypatch):
    monkeypatch.setattr(cut, "BYTES", 400)
    options = Options(topics=3, recipe=recipe)
    with DiskPlace(tmp_path / "blocks") as disk, MemoryPlace() as memory:
        same_everywhere(sources["table.parquet"], options, {"disk": disk}, tmp_path)
        made = gather(sources["table.parquet"], options, memory)
        assert 1 < len(made.X.handles) < len(made.corpus.parts) == len(made.cut.W.handles)


def test_vectors_are_the_same_in_memory_and_on_disk(sources, tmp_path):
    with DiskPlace(tmp_path / "blocks") as disk:
        options = Options(topics=3, embeddings="vector")
        same_everywhere(sources["vectors.parquet"], options, {"disk": disk}, tmp_path)


def test_passages_and_weights_are_the_same_in_memory_and_on_disk(sources, tmp_path):
    with DiskPlace(tmp_path / "blocks") as disk:
        options = Options(topics=3, recipe="nmf", split="words:4", weight="age")
        same_everywhere(sources["table.parquet"], options, {"disk": disk}, tmp_path)


def posts(n=120):
    """Short posts in two languages with hashtags, addresses, numbers and emoji, the languages not mixed evenly."""
    rng, written = np.random.default_rng(0), []
    for i in range(n):
        theme = list(THEMES)[i % 3]
        words = " ".join(rng.choice(THEMES[theme].split(), 9))
        german = i > n // 2 and i % 4
        frame = "der {} und die {} ist das nicht auch wir" if german else "the {} and of {} is what they were"
        written.append(f"{frame.format(*rng.choice(THEMES[theme].split(), 2))} {words} #{theme} @ann {1990 + i % 30} "
                       f"https://ex.org/{i} a@b.de {'🚀' if theme == 'space' else '⚽️'}")  # fmt: skip
    return pl.DataFrame({"text": written})


@pytest.mark.parametrize(
    "options", [{"tokens": "auto,-urls"}, {"tokens": "hashtags,emoji,words", "language": "en,de", "recipe": "nmf"}]
)
def test_kinds_of_tokens_and_languages_are_the_same_in_memory_and_on_disk(options, tmp_path):
    posts().write_parquet(tmp_path / "posts.parquet", row_group_size=23)
    with DiskPlace(tmp_path / "blocks") as disk:
        same_everywhere(tmp_path / "posts.parquet", Options(topics=3, **options), {"disk": disk}, tmp_path)
    run = quire.load(tmp_path / "disk")
    assert any(sentence.startswith("Languages: ") for sentence in run.info["corpus"]["sentences"])
    assert {"🚀", "space"} <= set(run.words)
    assert not {"https", "ex", "1999", "und", "the"} & set(run.words)
    counts = run.recipe.make_counts(1)  # in memory, without parts
    assert (counts.fit_transform(run.documents["text"].to_list()) != run.recount()).nnz == 0
    assert counts.terms_ == run.counts.terms_


@pytest.mark.slow
def test_workers_know_the_same_tokens_and_languages(clusters, tmp_path):
    posts().write_parquet(tmp_path / "posts.parquet", row_group_size=23)
    same_everywhere(tmp_path / "posts.parquet", Options(topics=3), clusters, tmp_path)


@pytest.mark.slow
def test_workers_split_alike(sources, clusters, tmp_path):
    same_everywhere(sources["table.parquet"], Options(topics=3, recipe="nmf", split="words:4"), clusters, tmp_path)


@pytest.mark.slow
def test_workers_grow_the_same_tree(sources, clusters, tmp_path):
    same_everywhere(sources["table.parquet"], Options(topics=2, tree=True), clusters, tmp_path)


@pytest.mark.slow
def test_workers_have_the_same_vectors(sources, clusters, tmp_path):
    same_everywhere(sources["vectors.parquet"], Options(topics=3, embeddings="vector"), clusters, tmp_path)


@pytest.mark.parametrize("kind", ["table.csv", "files", "matrix.npz"])
def test_every_kind_of_source(kind, sources, tmp_path):
    with DiskPlace(tmp_path / "blocks") as disk:
        same_everywhere(sources[kind], Options(topics=3, recipe="nmf"), {"disk": disk}, tmp_path)


def test_other_cuts_are_the_same_from_memory_and_disk(sources, tmp_path, several_cuts):
    with DiskPlace(tmp_path / "files") as disk, DiskPlace(tmp_path / "room", room=1 << 30) as roomy:
        same_everywhere(sources["table.parquet"], Options(seed=3), {"disk": disk, "disk with room": roomy}, tmp_path)
    cuts = {name: quire.load(tmp_path / name).cuts for name in ("memory", "saved", "disk")}
    assert cuts["memory"] == cuts["saved"] == cuts["disk"]
    assert len(cuts["memory"]) > 1


@pytest.mark.slow
def test_workers_cut_alike(sources, clusters, tmp_path, several_cuts, monkeypatch):
    monkeypatch.setattr("quire.engine.start._LARGE_ROWS", 50)  # learn from a sample, go on with all of them
    monkeypatch.setattr("quire.methods.ensemble.estimator._SAMPLE", 60)
    same_everywhere(sources["table.parquet"], Options(seed=3, abstain=0.6), clusters, tmp_path)
    assert len(quire.load(tmp_path / "dask of 5").cuts) > 1


slow = pytest.mark.slow


@pytest.mark.parametrize(
    ("recipe", "abstain"), [("default", 0.6), *(pytest.param(*both, marks=slow) for both in SLOWER)]
)
def test_workers_change_nothing(recipe, abstain, sources, clusters, tmp_path):
    options = Options(topics=3, recipe=recipe, abstain=abstain)
    same_everywhere(sources["table.parquet"], options, clusters, tmp_path)


def test_the_command_says_so_too(sources, tmp_path):
    """``quire.cluster`` decides where by memory; what it returns and keeps is the same."""
    whole = quire.cluster(sources["table.parquet"], 3, random_state=0, out=tmp_path / "whole")
    parts = quire.cluster(
        sources["table.parquet"], 3, random_state=0, memory="400MB", dask="local:1", out=tmp_path / "parts"
    )
    assert whole.topics.equals(parts.topics)
    np.testing.assert_array_equal(whole.W, parts.W)
    np.testing.assert_array_equal(whole.H, parts.H)
