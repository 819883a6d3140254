"""What can be read is told by the registries alone: the tables in the docs, and the error for another ending."""

import importlib.util
from pathlib import Path

import pytest
from refusals import refused

from quire.corpus.formats.document import by_ending
from quire.corpus.formats.kinds import DOCUMENTS
from quire.corpus.sources import FORMATS

DOCS = Path(__file__).parents[2] / "docs"


def _inputs():
    spec = importlib.util.spec_from_file_location("inputs", DOCS / "inputs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("number", [0, 1])
def test_the_tables_are_those_of_the_registries(number):
    inputs = _inputs()
    page = inputs.PAGES[number].read_text("utf-8")
    assert inputs.MARKS.search(page)
    assert inputs.written(page) == page, "run `python docs/inputs.py`"
    for ending in (*by_ending(DOCUMENTS), *(ending for one in FORMATS for ending in one.endings)):
        assert f"`{ending}`" in page


def test_every_kind_says_what_a_document_is():
    assert all(one.about for one in (*FORMATS, *DOCUMENTS))
    assert all(one.endings or one.named for one in FORMATS)


def test_an_unknown_ending_names_those_that_are_known(tmp_path):
    path = tmp_path / "news.upper"
    path.write_text("moon")
    sentence = refused(path)
    for ending in (*by_ending(DOCUMENTS), *(ending for one in FORMATS for ending in one.endings)):
        assert f"{ending}," in sentence or f"{ending} " in sentence or f"{ending}." in sentence
