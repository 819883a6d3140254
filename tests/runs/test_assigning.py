"""Other documents: their topics, how sure these are, and how unlike anything seen they are."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import THEMES, stories

import quire
from quire.corpus import cut
from quire.messages import Stages
from quire.runs import assign_file as assigning
from quire.runs.assign_file import assign_file
from quire.runs.assigning import COLUMNS
from quire.runs.need import Need
from quire.runs.write import mapped_arrays, write_arrays

NEW = ["violin", "sonata", "orchestra", "tempo", "cello", "chord", "melody", "quartet", "opera", "pianist"]
RECIPES = ("default", "nmf", "tfidf", "lsi", "kmeans")


def themed(k, n, seed=0):
    return stories(k * n, seed)[0]


def told(words, n, seed, length=8):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, length)) for _ in range(n)]


@pytest.fixture(scope="module", params=RECIPES)
def run(request):
    return quire.cluster(themed(3, 60), 3, recipe=request.param, random_state=0)


@pytest.fixture(scope="module")
def default():
    return quire.cluster(themed(3, 60), 3, random_state=0)


def test_the_table_says_what_assign_does(run):
    texts = [*themed(3, 5), "", "violin sonata"]
    table, assigned = run.assign_table(texts), run.assign(texts)
    assert tuple(table.columns) == COLUMNS
    np.testing.assert_array_equal(table["topic"], assigned.labels)
    own = table.filter(pl.col("topic") >= 0)
    np.testing.assert_allclose(own["membership"], assigned.memberships.max(axis=1)[assigned.labels >= 0], rtol=1e-6)
    assert own["name"].to_list() == [run.topics["name"][t] for t in own["topic"]]
    assert table["name"][-1] is None
    assert table["id"].to_list() == [str(i) for i in range(1, len(texts) + 1)]


def test_a_document_gets_the_same_answer_alone_and_in_a_batch(run):
    texts = [*themed(3, 200), *told(NEW, 5, 1), "", "moon violin goal"]
    whole = run.assign_table(texts)
    for row in (0, 7, 300, 601, 604, 605, 606):
        assert run.assign_table([texts[row]]).drop("id").rows() == whole.drop("id")[[row]].rows()


def test_documents_of_another_subject_are_more_unlike_than_nearly_all(run):
    mixed = [f"{one} {other}" for one, other in zip(told(NEW, 40, 0, 5), themed(3, 20))]
    unlike, like = run.assign_table(mixed)["novelty"], run.assign_table(themed(3, 60, seed=9))["novelty"]
    assert unlike.median() > 0.99
    assert like.median() < 0.8
    assert ((like >= 0) & (like <= 1)).all()


def test_novelty_is_calibrated_on_documents_like_the_runs_own():
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04d}" for i in range(2000)])
    usual = 1 / (1 + np.arange(500))

    def text(i):
        own = words[500 * (i % 3) : 500 * (i % 3) + 500]
        return " ".join(rng.choice(own, rng.integers(10, 60), p=usual / usual.sum()))

    run = quire.cluster([text(i) for i in range(900)], 3, random_state=0)
    novelty = run.assign_table([text(i) for i in range(900)])["novelty"].to_numpy()
    for share in (0.5, 0.8, 0.95):
        assert (novelty > share).mean() == pytest.approx(1 - share, abs=0.07)


def test_a_document_that_says_nothing_is_neither_like_nor_unlike(default):
    assert default.assign_table(["", "!!"])["novelty"].to_list() == [None, None]
    assert default.assign_table([]).height == 0


def test_confidence_is_that_of_the_runs_own_documents_of_like_membership(default):
    table = default.assign_table(themed(3, 20))
    assert table["confidence"].is_between(0, 1).all()
    assert quire.cluster(themed(2, 20), 2, recipe="nmf", random_state=0).assign_table(["moon"])["confidence"][0] is None


def test_what_a_run_knows_is_kept_with_it_and_a_run_without_it_is_told(default, tmp_path):
    folder = default.save(tmp_path / "run")
    texts = [*themed(3, 5), *told(NEW, 5, 0)]
    assert quire.load(folder).assign_table(texts).equals(default.assign_table(texts))
    old = quire.load(replace(default, novelty=None).save(tmp_path / "old"))
    assert old.novelty is None
    assert old.assign_table(texts)["novelty"].null_count() == len(texts)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("novelty.terms", lambda array: array + 10**6),
        ("novelty.topics", lambda array: array[::-1].copy()),
        ("novelty.scale", lambda array: array[:2]),
        ("novelty.quantiles", lambda array: array * np.nan),
        ("novelty.held", lambda array: array[:-1]),
        ("novelty.example_terms", lambda array: array - 10**6),
        ("novelty.whose", lambda array: array + 3),
        ("novelty.times", lambda array: -array),
    ],
)
def test_a_damaged_part_is_a_sentence(default, tmp_path, monkeypatch, name, change):
    folder = default.save(tmp_path / "run")
    path = folder / "factors.safetensors"
    arrays = {one: np.array(array) for one, array in mapped_arrays(path).items()}
    arrays[name] = change(arrays[name])
    write_arrays(path, arrays)
    monkeypatch.setattr(
        "quire.runs.folder._checksum", lambda path: json.loads((folder / "run.json").read_text())["files"][path.name]
    )
    with pytest.raises(ValueError, match="does not hold what it should"):
        quire.load(folder)


def test_another_cut_knows_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [3, 2])
    run = quire.cluster(themed(3, 40), "auto", random_state=0)
    loaded = quire.load(run.save(tmp_path / "run"))
    assert len(loaded.at(2).novelty.profile.documents) == 2
    assert loaded.at(2).assign_table(["moon rocket"]).equals(run.at(2).assign_table(["moon rocket"]))


def test_unsure_documents_of_a_run_that_abstains_have_no_topic_but_a_runner_up():
    run = quire.cluster(themed(3, 40), 3, random_state=0, abstain=0.99)
    table = run.assign_table(["moon rocket goal team"])
    assert table["topic"][0] == -1
    assert table["runner_up"][0] >= 0


# -- files -----------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    texts = [*themed(3, 40), *told(NEW, 10, 3), ""]
    table = pl.DataFrame({"key": [f"k{i}" for i in range(len(texts))], "body": texts})
    table.write_csv(tmp_path / "more.csv")
    return tmp_path / "more.csv", table


def assigned(run, path, out, **given):
    return assign_file(run, str(path), {"text": "body", "id": "key", **given}, out, Stages())


def read_back(path):
    return {".csv": pl.read_csv, ".json": pl.read_json, ".parquet": pl.read_parquet}[path.suffix](path)


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
def test_files_hold_the_same_table(default, file, tmp_path, ending, monkeypatch):
    path, documents = file
    monkeypatch.setattr(cut, "ROWS", 16)
    tally, _ = assigned(default, path, tmp_path / f"out{ending}")
    expected = default.assign_table(documents["body"].to_list(), documents["key"])
    found = read_back(tmp_path / f"out{ending}")
    assert found.columns == expected.columns
    for name in expected.columns:
        assert found[name].to_list() == pytest.approx(expected[name].to_list(), nan_ok=True), name
    assert (tally.documents, tally.unassigned) == (len(documents), int((expected["topic"] < 0).sum()))
    assert tally.topics.tolist() == [int((expected["topic"] == t).sum()) for t in range(3)]
    assert tally.unusual == int((expected["novelty"] > 0.95).sum())
    assert tally.most_unlike["novelty"].to_list() == sorted(expected["novelty"].drop_nulls(), reverse=True)[:5]


def test_more_than_fits_into_memory_goes_through_files_to_the_same_table(default, file, tmp_path, monkeypatch):
    path, documents = file
    monkeypatch.setattr(cut, "ROWS", 16)
    assigned(default, path, tmp_path / "one.csv")
    places = []
    monkeypatch.setattr(assigning, "need_of", lambda *_: Need(len(documents), 1000, 1 << 60))
    kept = assigning.DiskPlace
    monkeypatch.setattr(assigning, "DiskPlace", lambda *given: places.append(given[0]) or kept(*given))
    assigned(default, path, tmp_path / "other.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "other.csv").read_bytes()
    assert len(places) == 1
    assert not places[0].exists()
    assert len(assigned(default, path, None)[1]) > 1


def test_documents_are_split_as_the_runs_own_were(tmp_path):
    books = ["\n\n".join(told(words.split(), 4, seed)) for seed, words in enumerate([*THEMES.values()] * 6)]
    run = quire.cluster(books, 3, random_state=0, split="paragraphs")
    pl.DataFrame({"text": books[:2]}).write_parquet(tmp_path / "more.parquet")
    tally, tables = assign_file(run, str(tmp_path / "more.parquet"), {}, None, Stages())
    assert tally.documents == 8
    own = run.documents.head(8)
    assert pl.concat(tables)["topic"].to_list() == own["topic"].to_list()


def test_a_matrix_is_assigned_by_a_run_of_one(tmp_path):
    X = sp.csr_array(np.kron(np.eye(3), np.ones((20, 4))))
    run = quire.cluster(X, 3, random_state=0)
    sp.save_npz(tmp_path / "more.npz", X[:7])
    _, tables = assign_file(run, str(tmp_path / "more.npz"), {}, None, Stages())
    assert tables[0]["topic"].to_list() == run.labels[:7].tolist()
    sp.save_npz(tmp_path / "wide.npz", sp.csr_array(np.ones((2, 13))))
    with pytest.raises(ValueError, match="has 13 columns, the run's 12: give counts of the same terms"):
        assign_file(run, str(tmp_path / "wide.npz"), {}, None, Stages())
    (tmp_path / "text.csv").write_text("text\nmoon\n")
    with pytest.raises(ValueError, match="made from a matrix"):
        assign_file(run, str(tmp_path / "text.csv"), {}, None, Stages())


def test_a_frame_of_numbers_is_assigned_by_the_names_of_its_columns():
    A = np.kron(np.eye(3), np.ones((20, 4)))
    names = [f"gene {i}" for i in range(12)]
    frame = pl.DataFrame(A, schema=names)
    run = quire.cluster(frame, 3, random_state=0)
    for same in (A, frame, frame.to_pandas(), frame.select(names[::-1])):
        assert run.assign(same).labels.tolist() == run.labels.tolist()
        assert run.assign_table(same)["topic"].to_list() == run.labels.tolist()
    with pytest.raises(ValueError, match="column 'gene 3' is not in the table"):
        run.assign(frame.drop("gene 3"))
    with pytest.raises(ValueError, match="made from texts"):
        quire.cluster(themed(2, 20), 2, random_state=0).assign(frame)


def test_words_that_a_matrix_has_columns_for_but_the_run_never_saw_are_unknown():
    X = sp.csr_array(np.hstack([np.kron(np.eye(3), np.ones((20, 4))), np.zeros((60, 4))]))
    run = quire.cluster(X, 3, random_state=0)
    new = np.zeros((2, 16))
    new[0, :4] = 1
    new[1, 12:] = 1
    assert run.assign_table(sp.csr_array(new))["novelty"][1] == 1
