"""One row, several documents: passages of long texts, and answers of several columns."""

import numpy as np
import polars as pl
import pytest
from tables import compared, written

import quire
from quire.corpus.passages import parse_split, passages_of
from quire.runs.by import columns_named
from quire.runs.options import Options

SPEECH = "\n\n".join(
    [
        "My fellow citizens:",
        *(f"Sentence {i} is here. And {i} more follow! So it goes on for a while." for i in range(9)),
    ]
)
SPLITS = ("paragraphs", "sentences", "sentences:2", "words:10", "words:300", "pages")


@pytest.mark.parametrize("how", SPLITS)
@pytest.mark.parametrize("text", [SPEECH, "", " \n ", "one", "a\fb c\fd", "x. " * 50, "é…\n\n\n" * 20, "no end " * 40])
def test_passages_are_the_text_but_for_blanks(text, how):
    pieces = passages_of(text, parse_split(how))
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece.strip() for piece in pieces) or pieces == [text]


def test_each_way_to_split():
    assert len(passages_of(SPEECH, parse_split("paragraphs"))) == 9, "a heading goes with the next"
    assert len(passages_of("one line of some words\nanother line of some words", parse_split("paragraphs"))) == 2
    assert passages_of("a b\fc d\f\fe", parse_split("pages")) == ["a b", "c d", "e"]
    words = [len(piece.split()) for piece in passages_of("w " * 1000, parse_split("words:300"))]
    assert words == [333, 334, 333] or (sum(words) == 1000 and max(words) - min(words) <= 1)
    assert len(passages_of("w " * 440, parse_split("words:300"))) == 1
    sentences = passages_of("One here. Two there! Is it three? Four it is.", parse_split("sentences:2"))
    assert sentences == ["One here. Two there!", "Is it three? Four it is."]


@pytest.mark.parametrize("wrong", ["", "letters", "words:0", "words:x", "pages:2", "words:300:3", "words:9999999"])
def test_what_is_no_way_to_split_is_refused(wrong):
    with pytest.raises(ValueError, match="no way to split"):
        Options(split=wrong)


def table(n=40):
    rng = np.random.default_rng(0)
    texts = ["\n\n".join(" ".join(rng.choice(["moon", "goal", "bread"], 7)) for _ in range(i % 4)) for i in range(n)]
    return pl.DataFrame(
        {"key": [f"k{i}" for i in range(n)], "text": texts, "label": list("ab") * (n // 2), "age": range(n)}
    )


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_passages_are_the_same_in_parts(kind, tmp_path, monkeypatch):
    from quire.corpus import cut
    from quire.places.disk import DiskPlace

    monkeypatch.setattr(cut, "ROWS", 7)
    source, options = written(table(), tmp_path / f"a.{kind}"), Options(id="key", split="paragraphs")
    from quire.corpus.corpus import read_parts

    whole = quire.read_corpus(source, id="key", split="paragraphs")
    with DiskPlace(tmp_path / "parts") as place:
        parts = read_parts(source, options.request(), place)
        assert parts.documents.equals(whole.documents)
        assert parts.notes == whole.notes
        assert parts.sizes.tolist() == whole.sizes.tolist()
        assert parts.fingerprint() == whole.fingerprint()
        assert parts.passages.tolist() == whole.passages.tolist() == [1, 1, 2, 3] * 10
    documents = whole.documents
    assert documents["id"].n_unique() == len(documents) == 40 * 3 // 2 + 10
    assert documents.filter(pl.col("document") == "k7").select("id", "passage", "label", "age").rows() == [
        (f"k7#{j}", j, "b", 7) for j in (1, 2, 3)
    ]
    assert documents["length"].to_list() == documents["text"].str.len_chars().to_list()
    assert "40 documents were split into 70 passages: paragraphs." in whole.notes.sentences()


ANSWERS = pl.DataFrame(
    {
        "who": [f"r{i}" for i in range(20)],
        "likes": [None if i == 4 else f"good {i}" for i in range(20)],
        "dislikes": ["" if i % 2 else f"bad {i}" for i in range(20)],
        "region": ["north", "south"] * 10,
    }
)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_answers_are_joined(kind, place, tmp_path):
    source = written(ANSWERS, tmp_path / f"a.{kind}")
    documents = compared(source, Options(text="likes, dislikes", id="who"), place).documents
    assert documents["text"].to_list()[:5] == ["good 0\n\nbad 0", "good 1", "good 2\n\nbad 2", "good 3", "bad 4"]
    assert documents.columns == ["id", "text", "region"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_each_answer_is_a_document_of_its_respondent(kind, tmp_path):
    source = written(ANSWERS, tmp_path / f"a.{kind}")
    corpus = quire.read_corpus(source, text="likes,dislikes", id="who", each=True)
    documents = corpus.documents
    rows = (
        documents.filter(pl.col("document").is_in(["r0", "r1", "r4"])).select("id", "text", "question", "region").rows()
    )
    assert rows == [
        ("r0#1", "good 0", "likes", "north"), ("r0#2", "bad 0", "dislikes", "north"),
        ("r1#1", "good 1", "likes", "south"), ("r4#2", "bad 4", "dislikes", "north"),
    ]  # fmt: skip
    assert len(documents) == 29
    silent = quire.read_corpus(
        ANSWERS.head(3).with_columns(likes=None, dislikes=pl.Series(["", "x", None])),
        text="likes,dislikes",
        id="who",
        each=True,
    )
    assert silent.documents.select("id", "text").rows() == [("r0#1", ""), ("r1#2", "x"), ("r2#1", "")]
    assert "20 rows became 29 documents, one for each answer." in corpus.notes.sentences()


def test_a_column_may_have_a_comma_in_its_name_and_a_wrong_one_is_named():
    frame = pl.DataFrame({"likes,dislikes": ["a b", "c d"], "x": ["e", "f"]})
    assert quire.read_corpus(frame, text="likes,dislikes").documents["text"].to_list() == ["a b", "c d"]
    with pytest.raises(ValueError, match=r"no column 'dislike' for the text.*Did you mean 'dislikes'"):
        quire.read_corpus(ANSWERS, text="likes,dislike")


def test_questions_with_commas_are_named_beside_each_other():
    liked, missed = "What, if anything, did you like?", "And what, please, was missing?"
    rows = {
        liked: [f"the food there was good {i}" for i in range(6)],
        missed: [f"there was no chair for me {i}" for i in range(6)],
    }
    survey = pl.DataFrame(rows | {"age, in years": [20, 30] * 3, "name": [f"n{i}" for i in range(6)]})
    corpus = quire.read_corpus(survey, text=f"{liked},{missed}", each=True)
    assert corpus.documents["question"].unique(maintain_order=True).to_list() == [liked, missed]
    alone = quire.read_corpus(survey, text=liked)
    assert (alone.notes.answers, len(alone)) == ((), 6)
    guessed = " ".join(quire.read_corpus(survey).notes.sentences())
    assert f"{liked!r} holds texts, too: --text" in guessed
    assert "too: --text" not in " ".join(alone.notes.sentences())
    assert columns_named(corpus.documents, "age, in years:2,question", {}) == ["age, in years:2", "question"]
    with pytest.raises(ValueError, match="Did you mean 'What, if anything, did you like"):
        quire.read_corpus(survey, text="anythng")


def test_what_cannot_be_split_is_refused():
    with pytest.raises(ValueError, match="name several columns"):
        quire.read_corpus(ANSWERS, text="likes", each=True)
    with pytest.raises(ValueError, match="name several columns"):
        quire.read_corpus(["one", "two"], each=True)
    with pytest.raises(ValueError, match="leave --each or --split out"):
        quire.read_corpus(ANSWERS, text="likes,dislikes", each=True, split="pages")
    with pytest.raises(ValueError, match="no texts to split"):
        quire.read_corpus(quire.Counts().fit_transform(["moon orbit", "orbit goal"] * 3), split="pages")
    with pytest.raises(ValueError, match="all texts are empty"):
        quire.read_corpus(pl.DataFrame({"a": ["", None], "b": [" ", ""]}), text="a,b", each=True)


def test_ids_labels_and_dates_beside_whole_documents_are_those_of_their_passages():
    texts = ["one two three four five.\n\nsix seven eight nine ten.", "a b c d e f"]
    corpus = quire.read_corpus(texts, split="paragraphs", labels=["x", "y"], dates=["2020-01-01", "2021-01-01"])
    assert corpus.documents["label"].to_list() == ["x", "x", "y"]
    assert corpus.documents["document"].to_list() == ["1", "1", "2"]


@pytest.mark.parametrize("name", ["book.txt", "book.md", "book.html"])
def test_one_document_can_be_split(tmp_path, name):
    path = tmp_path / name
    lines = SPEECH.replace(" is here", "\nis here")  # as books are wrapped
    path.write_text("".join(f"<p>{one}</p>" for one in lines.split("\n\n")) if name.endswith("html") else lines)
    corpus = quire.read_corpus(path, split="words:30")
    assert " ".join(corpus.texts()).split() == SPEECH.split()
    assert set(corpus.documents["document"]) == {str(path)}
    assert f"1 document was split into {len(corpus)} passages: about 30 words each." in corpus.notes.sentences()
    if name.endswith("html"):
        with pytest.raises(ValueError, match="single document: put documents into a folder and name that, or split it"):
            quire.read_corpus(path)
