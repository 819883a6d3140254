"""Recipes named after papers: what they decide where the paper is silent keeps lengths out of the topics."""

import numpy as np
import pytest

import quire
from quire.runs.recipe import built_in, recipe
from quire.scores.metrics import accuracy

DECIDED = ("conroy2023-nl", "ding2008-ppc", "ding2008-sppc", "plsi", "tsikhanovich2011")


@pytest.fixture(scope="module")
def texts():
    """Two subjects with words of their own and common ones, in documents of 20 to 400 words."""
    rng = np.random.default_rng(0)
    own = [[f"{a}{b}o{c}" for b in "aeiu" for c in "lmnr"] for a in ("b", "d")]
    common = [f"v{b}{c}a" for b in "aeiu" for c in "lmnrst"]
    classes = np.arange(120) % 2
    lengths = np.where(rng.random(120) < 0.15, 400, 20)
    found = [" ".join([*rng.choice(own[c], n // 2), *rng.choice(common, n // 2)])
             for c, n in zip(classes, lengths, strict=True)]  # fmt: skip
    return found, classes


@pytest.mark.parametrize("name", DECIDED)
def test_documents_of_unequal_length_are_gathered_by_what_they_are_about(texts, name):
    found, classes = texts
    assert accuracy(classes, quire.cluster(found, 2, recipe=name, random_state=0).labels) > 0.9


@pytest.mark.parametrize("name", DECIDED)
def test_the_letter_of_the_paper_stays(name):
    decided, printed = recipe(name), recipe(f"{name}-as-printed")
    assert printed.paper == decided.paper
    assert (printed.counts, printed.weight) != (decided.counts, decided.weight)
    assert printed.factorization["method"] == decided.factorization["method"]


def test_what_the_papers_print():
    printed = {name: built_in()[f"{name}-as-printed"] for name in DECIDED}
    assert printed["conroy2023-nl"].counts["keep_share"] == 0.99
    assert {printed[name].weight["scheme"] for name in ("ding2008-ppc", "ding2008-sppc", "plsi")} == {"counts"}
    assert printed["tsikhanovich2011"].weight["scheme"] == "tfidf-cf"
    assert printed["tsikhanovich2011"].factorization["lam"] == 0
