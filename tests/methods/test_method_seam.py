"""A new method is a file and a line: here it is the class, and the line of the registry."""

from dataclasses import dataclass

import numpy as np
import pytest
from problems import stories

import quire
from quire.engine.rules.hals import Hals
from quire.engine.rules.rule import Penalty
from quire.methods.estimator import TopicEstimator
from quire.methods.registry import METHODS

RECIPE = {"name": "toy", "factorization": {"method": "Ridge", "weight": 0.5}}


@dataclass(kw_only=True, eq=False, repr=False)
class Ridge(TopicEstimator):
    """NMF with squares of both factors added: a parameter, and a rule."""

    weight: float = 0.1

    def _rule(self, shape):
        return Hals(Penalty(l2=self.weight), Penalty(l2=self.weight))


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(METHODS, "Ridge", Ridge)


def test_a_run_is_made_saved_and_loaded_with_it(tmp_path):
    texts, labels = stories(60)
    run = quire.cluster(texts, topics=3, recipe=RECIPE, labels=labels, seed=0)
    assert len(run.topics) == 3
    assert run.info["scores"]["ari"] > 0.9
    run.save(tmp_path / "run")
    again = quire.load(tmp_path / "run")
    assert isinstance(again.estimator, Ridge)
    assert again.estimator.weight == 0.5
    np.testing.assert_array_equal(again.W, run.W)
    np.testing.assert_array_equal(again.assign(texts[:5]).labels, run.assign(texts[:5]).labels)


def test_what_a_recipe_may_hold_comes_from_its_parameters():
    with pytest.raises(ValueError, match="weight"):
        quire.cluster(stories(9)[0], topics=3, recipe={"factorization": {"method": "Ridge", "wait": 1}})
    with pytest.raises(ValueError, match="Ridge"):
        quire.cluster(stories(9)[0], topics=3, recipe={"factorization": {"method": "Rigde"}})
