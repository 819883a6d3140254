"""scikit-learn's own tests of its CountVectorizer, run with ours; those that may differ must differ."""

import sys

import pytest
from borrowed import borrowed, functions_of
from text_differences import DIFFERENCES, PAGE, written

import quire

_THEIRS = borrowed(
    "sklearn.feature_extraction.tests.test_text",
    "sklearn.feature_extraction.text",
    CountVectorizer=quire.Counts,
    TfidfVectorizer=quire.Tfidf,
)
sys.modules[_THEIRS.__name__] = _THEIRS  # so that functions of theirs can be pickled
globals().update(functions_of(_THEIRS))


@pytest.fixture(autouse=True)
def _may_differ(request):
    if reason := DIFFERENCES.get(request.node.name):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))


def test_the_page_has_the_differences():
    assert PAGE.read_text("utf-8") == written(PAGE.read_text("utf-8"))


def test_every_difference_is_a_test_of_theirs():
    assert {name.split("[")[0] for name in DIFFERENCES} <= set(vars(_THEIRS))
