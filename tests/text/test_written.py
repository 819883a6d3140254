"""How words are written: lower case, unless they are written otherwise inside sentences; bits of addresses."""

import pytest

from quire.text.written import written_forms

TEXT = (
    "Space is what NASA looks at. Israel and NASA, said the white paper of the White House, are in space. "
    "Space! He is in Israel; Windows are closed and the windows are open. Nasa wrote to jim@cs.pitt.edu and "
    "to geb@cs.pitt.edu. Visit Israel, visit the White\nHouse, look through windows."
)


@pytest.mark.parametrize(
    ("word", "form"),
    [("nasa", "NASA"), ("israel", "Israel"), ("space", "space"), ("windows", "windows"), ("white house", "White House"),
     ("edu", None), ("pitt", None), ("absent", "absent")],
)  # fmt: skip
def test_a_word_has_the_form_that_it_has_inside_sentences(word, form):
    assert written_forms([TEXT], [word]) == {word: form}


def test_a_paragraph_begins_a_sentence():
    assert written_forms(["I look for a driver\n\nThanks, Jim. Many thanks to all"], ["thanks"]) == {"thanks": "thanks"}


def test_letters_whose_lower_case_is_longer_change_nothing():
    assert written_forms(["İzmir and the NASA of İzmir, then NASA again"], ["nasa"]) == {"nasa": "NASA"}
    assert written_forms([], ["nasa"]) == {"nasa": "nasa"}


def test_bits_of_markup_are_no_words():
    texts = ["A deal for &lt;b&gt;shares&lt;/b&gt; of gt and company"] * 3
    assert written_forms(texts, ["lt", "shares", "company"]) == {"lt": None, "shares": "shares", "company": "company"}
