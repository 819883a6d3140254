"""Lines that come again in many texts are found by that, whatever the batches, and left out where others remain."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire.text import repeated
from quire.text.lines import Lines, keys_of
from quire.text.repeated import FEWEST, ONE_IN, Repeated, fewest_documents, repeated_among

SIGNATURE = "Ann Example, Institute of Examples\nhttps://example.org | call me any time"
DISCLAIMER = "This message is confidential and meant only for the person it is addressed to."


def mails(n=30, seed=0):
    """Return mails of which every third has a signature, every second a disclaimer."""
    rng = np.random.default_rng(seed)
    words = [f"word{i}" for i in range(200)]
    bodies = ["\n".join(" ".join(rng.choice(words, 8)) for _ in range(4)) for _ in range(n)]
    return [
        body + (f"\n-- \n{SIGNATURE}" if i % 3 == 0 else "") + (f"\n\n{DISCLAIMER}" if i % 2 == 0 else "")
        for i, body in enumerate(bodies)
    ]


def plain_lines(texts):
    """The kernel's twin: what each line says without blanks and case, its letters and its document."""
    for document, text in enumerate(texts):
        for line in text.split("\n"):
            said = "".join(chr(c) for c in line.encode("utf-8", "surrogatepass") if c > 32)
            said = "".join(c.lower() if c.isascii() else c for c in said)
            letters = sum((c.isascii() and c.isalnum()) + (c >= "\xc0") + (c >= "\xe0") for c in said)
            if letters:
                yield said, letters, document


@given(st.lists(st.text("aB 1.>-\n\t\ré中\U0001f600\ud800", max_size=30), max_size=6))
def test_lines_are_those_that_python_finds(texts):
    lines, expected = Lines.of(texts), list(plain_lines(texts))
    assert list(zip(lines.letters.tolist(), lines.document.tolist())) == [one[1:] for one in expected]
    same = {said: key for (said, *_), key in zip(expected, lines.hashes.tolist())}
    assert [same[said] for said, *_ in expected] == lines.hashes.tolist()
    assert len(set(same.values())) == len(same)
    assert all(0 <= lines.offsets[d] <= b < e <= lines.offsets[d + 1] for d, b, e in zip(
        lines.document.tolist(), lines.begins.tolist(), lines.ends.tolist()))  # fmt: skip


def test_the_number_of_a_line_never_changes():
    """Runs keep these numbers: another hash would count again what an older run left out."""
    assert Lines.of([" Sent  from my iPhone\r\n"]).hashes.tolist() == [8874387527627720902]
    assert keys_of(Lines.of(["one line here\nSent from my iPhone"])).keys.tolist() == [
        13395476033774517784,
        8791470231957205545,
    ]


def test_signatures_and_disclaimers_are_left_out():
    texts = mails()
    found = repeated_among(texts)
    left = list(found.left_out_of(texts))
    for before, after in zip(texts, left):
        own = "\n".join(before.split("\n")[:4])
        assert [line for line in after.split("\n") if line.strip(" -")] == own.split("\n")
    assert found.sentence() == (
        "3 lines that stand in 10 to 15 documents were not counted, such as "
        f"«{DISCLAIMER}»; --keep-repeated counts them."
    )


@pytest.mark.parametrize("size", [1, 200, 5000])
def test_batches_change_nothing(size, monkeypatch):
    texts = mails(40)
    expected = repeated_among(texts)
    left = list(expected.left_out_of(texts))
    monkeypatch.setattr(repeated, "_BATCH", size)
    found = repeated_among(texts)
    np.testing.assert_array_equal(found.keys, expected.keys)
    np.testing.assert_array_equal(found.documents, expected.documents)
    np.testing.assert_array_equal(found.lines, expected.lines)
    assert found.example == expected.example
    assert list(found.left_out_of(iter(texts))) == left


def test_full_buckets_do_not_make_a_line_repeated(monkeypatch):
    """Where all falls into a few buckets, as in a huge corpus, the exact count decides."""
    texts = mails(40)
    expected = repeated_among(texts)
    monkeypatch.setattr(repeated, "_SHIFT", np.uint64(62))
    np.testing.assert_array_equal(repeated_among(texts).keys, expected.keys)


def test_of_too_many_full_buckets_the_fullest_are_counted(monkeypatch):
    monkeypatch.setattr(repeated, "_FULLEST", 2)
    told = pl.DataFrame({"bucket": [9, 4, 7, 1], "times": [6, 200, 6, 3]}, schema_overrides={"times": pl.UInt32})
    assert repeated.full_buckets(told, 100).to_list() == [4, 7]


def test_how_many_documents_it_takes():
    assert [fewest_documents(n) for n in (0, 1000, ONE_IN * FEWEST, ONE_IN * 50)] == [FEWEST, FEWEST, FEWEST, 50]
    few = [f"own text {i} of this document\n{DISCLAIMER}" for i in range(FEWEST - 1)]
    assert repeated_among([*few, "another text\nwithout it"]) is None
    assert repeated_among([*few, f"another text\n{DISCLAIMER}"]) is not None


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""] * 20,
        ["Sent from my iPhone, which is the only line that is here"] * 20,
        [f"{DISCLAIMER}\nthe same text in all documents"] * 20,
        [f"{word}\n{('salt', 'eggs', 'milk')[i % 3]}\nstep {i}" for i, word in enumerate(["flour", "sugar"] * 15)],
        [f"answer number {i}\n> {DISCLAIMER}\nreply of {i}" for i in range(20)],
    ],
    ids=["none", "empty", "one line", "all the same", "short lines", "quoted"],
)
def test_what_stays(texts):
    found = repeated_among(texts)
    assert found is None or list(found.left_out_of(texts)) == texts


def test_a_copy_with_another_date_stays_whole_but_a_short_mail_loses_its_disclaimer():
    story = "\n".join(f"A long line of one story that came out more than once, number {i}" for i in range(5))
    copies = [f"Monday {i}\n{story}" for i in range(FEWEST + 1)]
    short = [f"Yes {i}\n{DISCLAIMER}" for i in range(12)]
    texts = [*copies, *short]
    left = list(repeated_among(texts).left_out_of(texts))
    assert left[: len(copies)] == copies
    assert [text.strip() for text in left[len(copies) :]] == [f"Yes {i}" for i in range(12)]


def test_a_text_of_very_many_lines():
    long = "\n".join(f"line {i}" for i in range(200_000))
    texts = [*mails(20), long, "\n" * 200_000, f"{DISCLAIMER}\n" * 200_000]
    left = list(repeated_among(texts).left_out_of(texts))
    assert left[20:] == texts[20:]


def test_counts_leave_them_out_of_the_same_and_of_other_texts():
    texts = mails()
    counts = quire.Counts(keep_repeated=False)
    X = counts.fit_transform(texts)
    assert not {"confidential", "institute"} & counts.vocabulary_.keys()
    assert (counts.transform(texts) != X).nnz == 0
    again = quire.Counts(keep_repeated=False).restore(counts.state())
    assert (again.transform(texts) != X).nnz == 0
    own = quire.Counts().fit(["word1 confidential"])
    assert own.transform([f"word1 here\n{DISCLAIMER}"]).sum() == 2
    own.repeated_ = counts.repeated_
    assert own.transform([f"word1 here\n{DISCLAIMER}"]).sum() == 1


def test_runs_of_words_and_functions_for_tokens_see_the_same_texts():
    for more in ({"ngrams": (1, 2), "stop_words": "english"}, {"tokens": str.split}):
        counts = quire.Counts(keep_repeated=False, **more).fit(mails())
        assert not any("confidential" in term for term in counts.vocabulary_)


@pytest.mark.parametrize(
    "state",
    [{}, {"keys": [], "documents": []}, {"keys": [1], "documents": []}, {"keys": [-1], "documents": [1]},
     {"keys": [2, 1], "documents": [5, 5]}, {"keys": ["a"], "documents": [1]}, {"keys": 3, "documents": 3},
     {"keys": [1], "documents": [1 << 70]}, {"keys": [1 << 64], "documents": [1]}],
)  # fmt: skip
def test_a_damaged_state_is_refused(state):
    with pytest.raises((TypeError, KeyError)):
        Repeated.restored(state)
