"""A run: made, kept, read again, and the model that new documents are assigned by."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import THEMES, stories

import quire
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


def test_a_folder_may_be_called_as_a_pattern_is(run, tmp_path):
    folder = run.save(tmp_path / "a[b*?{c}")
    for texts in (True, False):
        assert len(quire.load(folder, texts=texts).documents) == 90


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


def test_a_run_of_moments_is_read_again(tmp_path):
    times = ["2020-01-01 10:00", "2020-02-01 11:00", "2020-03-01 10:00", None]
    table = pl.DataFrame({"text": ["moon orbit", "orbit moon", "goal team", "team goal"], "date": times})
    run = quire.cluster(table, 2, recipe="nmf", random_state=0)
    loaded = quire.load(run.save(tmp_path / "run"))
    assert loaded.documents["date"].to_list() == run.documents["date"].to_list()
    assert run.documents["date"][0].hour == 10
    assert run.by("date")["documents"].sum() == 3
