"""What stands in many documents is not counted in a run; the texts stay whole, and copies are told."""

import json

import numpy as np
import polars as pl
import pytest
from problems import stories

import quire
from quire.corpus.corpus import Corpus
from quire.runs.copies import copies_in
from quire.runs.options import Options
from quire.runs.terms import count_terms

SIGNED = "\n-- \nAnn Example, Institute of Rare Examples\nWritten in a hurry"
DISCLAIMER = "\n\nThis message is confidential and meant only for the person it is addressed to."
ALIEN = {"institute", "hurry", "confidential", "addressed"}


@pytest.fixture(scope="module")
def mails():
    texts, labels = stories(60)
    texts = [
        text.replace(" the ", "\nthe ") + SIGNED * (i % 3 == 0) + DISCLAIMER * (i % 2) for i, text in enumerate(texts)
    ]
    return pl.DataFrame({"id": [f"m{i}" for i in range(60)], "text": texts, "label": labels})


@pytest.fixture(scope="module")
def run(mails):
    return quire.cluster(mails, 3, random_state=0)


def words_of(run):
    return {word for words in run.topics["keywords"].to_list() for phrase in words for word in phrase.lower().split()}


def test_they_are_neither_counted_nor_keywords_but_the_texts_are_whole(mails, run):
    assert not ALIEN & set(run.vocabulary)
    assert not ALIEN & words_of(run)
    assert run.documents["text"].to_list() == mails["text"].to_list()
    (said,) = [one for one in run.info["corpus"]["sentences"] if "not counted" in one]
    assert said.startswith("3 lines that stand in 20 to 30 documents")
    assert said.endswith("; --keep-repeated counts them.")


@pytest.mark.parametrize("recipe", ["default", "nmf"])
def test_they_are_counted_where_that_is_asked_for(mails, recipe):
    kept = quire.cluster(mails, 3, random_state=0, recipe=recipe, keep_repeated=True)
    assert set(kept.vocabulary) >= ALIEN
    assert not any("not counted" in one for one in kept.info["corpus"]["sentences"])


def test_quoted_lines_are_told_and_left_out_where_that_is_asked_for(mails, run, tmp_path):
    quoting = mails.with_columns(
        text=pl.when(pl.int_range(60) % 4 == 0)
        .then("Bob wrote:\n> " + pl.col("id") + " quasar\n" + pl.col("text"))
        .otherwise("text")
    )
    told, own = (quire.cluster(quoting, 3, random_state=0, tokens=tokens) for tokens in (None, "-quotes"))
    said = [[one for one in each.info["corpus"]["sentences"] if "begin with >" in one] for each in (told, own, run)]
    assert said == [
        ["In 15 documents lines begin with >, as quotations do, and are counted; --tokens=-quotes counts what was "
         "written by the author alone."],
        ["In 15 documents lines begin with >, as quotations do; these, and what stands below a line of --, were "
         "not counted."],
        [],
    ]  # fmt: skip
    assert "quasar" in told.vocabulary
    assert "quasar" not in own.vocabulary
    stored = quire.load(own.save(tmp_path / "run"))
    np.testing.assert_array_equal(stored.assign(quoting["text"].to_list()).memberships, own.memberships)


def test_recipes_that_do_not_ask_for_it_count_all(mails):
    assert set(quire.cluster(mails, 3, random_state=0, recipe="tfidf").vocabulary) >= ALIEN


def test_a_stored_run_leaves_out_the_same_lines(mails, run, tmp_path):
    stored = quire.load(run.save(tmp_path / "run"))
    np.testing.assert_array_equal(stored.assign(mails["text"].to_list()).memberships, run.memberships)
    assert (stored.recount() != run.recount()).nnz == 0
    text = mails["text"][1]
    one, other = stored.assign(text), stored.assign(text.removesuffix(DISCLAIMER))
    np.testing.assert_array_equal(one.memberships, other.memberships)


def test_a_run_of_before_counts_all(run, tmp_path):
    folder = run.save(tmp_path / "run")
    state = json.loads((folder / "vocabulary.json").read_text())
    del state["repeated"]
    older = run.recipe.make_counts(None).restore(state)
    assert older.repeated_ is None


def test_passages_are_documents(mails):
    long = pl.DataFrame({"text": ["\f".join(mails["text"][i : i + 6]) for i in range(0, 60, 6)]})
    run = quire.cluster(long, 3, random_state=0, split="pages")
    assert len(run.documents) == 60
    assert not ALIEN & set(run.vocabulary)
    assert "copy_of" not in run.whole_documents().columns


def test_answers_and_rows_of_a_group_are_no_lines():
    said = {
        "likes": ["the good food at this place and everything else"] * 30,
        "dislikes": [f"price {i % 3}" for i in range(30)],
    }
    table = pl.DataFrame(said | {"who": [f"p{i % 10}" for i in range(30)]})
    joined = quire.cluster(table, 2, random_state=0, text="likes,dislikes")
    assert "food" in joined.vocabulary
    assert "food" in quire.cluster(table, 2, random_state=0, text="likes,dislikes", each=True).vocabulary
    assert "food" in quire.cluster(table, 2, random_state=0, text="likes", group="who").vocabulary


def test_all_documents_the_same():
    text = "the moon orbits the earth\nand rockets fly there, as they did before, again and again"
    run = quire.cluster([text] * 20, 1, random_state=0)
    assert "moon" in run.vocabulary
    assert run.documents["copy_of"].to_list() == [None] + ["1"] * 19


def _copies(texts):
    corpus = Corpus.of(pl.DataFrame({"id": [f"d{i}" for i in range(len(texts))], "text": texts}))
    options = Options()
    return copies_in(corpus, count_terms(corpus, options.resolved_recipe(), options))


def long_texts(n=40, seed=0, words=60):
    rng = np.random.default_rng(seed)
    known = [f"word{i}" for i in range(400)]
    return [list(rng.choice(known, words, replace=False)) for _ in range(n)]


@pytest.mark.parametrize("rows", [7, 1000])
def test_copies_and_near_ones_are_found_in_any_parts(rows, monkeypatch):
    from quire.corpus import cut

    monkeypatch.setattr(cut, "ROWS", rows)
    words = long_texts()
    texts = [" ".join(one) for one in words]
    texts += [texts[3], " ".join([*words[5][:-1], "word1"]), texts[3], " ".join(words[5][1:]), "", ""]
    copies = _copies(texts)
    assert copies.rows.tolist() == [40, 41, 42, 43]
    assert copies.ids.to_list() == ["d3", "d5", "d3", "d5"]
    assert copies.n_near == 2
    assert copies.sentences() == ["2 documents are nearly copies of an earlier one, which the column copy_of names."]
    assert copies.column(39, 3).to_list() == [None, "d3", "d5"]
    assert copies.column(44, 2).to_list() == [None, None]


def test_texts_on_one_subject_are_no_copies():
    words = long_texts()
    half = [" ".join(one) for one in words] + [" ".join(one[:40] + words[0][:20]) for one in words]
    assert _copies(half) is None
    assert _copies([f"short text number {i % 3} here {i}" for i in range(40)]) is None


def test_a_column_of_that_name_is_kept_under_another():
    table = pl.DataFrame({"text": stories(12)[0] + stories(1)[0], "copy_of": ["x"] * 13})
    run = quire.cluster(table, 2, random_state=0)
    assert run.documents["given_copy_of"].to_list() == ["x"] * 13
    assert run.documents["copy_of"].to_list() == [None] * 12 + ["1"]
    assert "copy_of" not in quire.cluster(table.head(12), 2, random_state=0).documents.columns
