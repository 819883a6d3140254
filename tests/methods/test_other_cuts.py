"""A fit cut at another number of topics: the same runs, their groups merged otherwise, wherever X lies."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import planted

from quire import NMF, Ensemble
from quire.methods.ensemble import estimator as ensemble
from quire.methods.ensemble.groups import Groups
from quire.places.checkpoint import Checkpoint, LoopKeeper
from quire.places.disk import DiskPlace
from quire.places.parts import Blocks
from quire.scores import metrics

SIZES = [400, 250, 150, 100, 60]
FITTED = ("components_", "prior_", "sharpness_", "unit_", "runs_", "labels_", "memberships_", "trace_")


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(ensemble, "_SAMPLE", 300)
    monkeypatch.setattr(ensemble, "_OF_TOPIC", 1)
    monkeypatch.setattr("quire.places.memory._BLOCK", 257)


@pytest.fixture(scope="module")
def problem():
    X, labels = planted(SIZES, d=120)
    silent = sp.csr_array((3, X.shape[1]), dtype=X.dtype)
    return sp.csr_array(sp.vstack([silent, X], "csr")), np.concatenate([[-1] * 3, labels])


def same(one, other):
    for name in FITTED:
        mine, its = getattr(one, name), getattr(other, name)
        if name == "trace_":
            mine, its = mine["objective"], its["objective"]
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(its), err_msg=name)
    assert one.objective_ == other.objective_
    assert one.reconstruction_err_ == other.reconstruction_err_


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.filterwarnings("ignore:.*lost all their documents")
def test_cut_where_it_was_fitted_it_is_the_fit(coarse, problem, small_sample):
    X, _ = problem
    fit = Ensemble(4, n_init=4, random_state=0, coarse=coarse).fit(X)
    same(fit, fit.at(4, X))
    same(fit, fit.at(3, X).at(4, X))  # by way of another cut


@pytest.mark.parametrize("coarse", [False, True])
def test_another_cut_finds_the_topics_that_are_there(coarse, problem, small_sample):
    X, labels = problem
    fit = Ensemble(4, n_init=9, random_state=0, coarse=coarse).fit(X)
    before = {name: np.array(getattr(fit, name)) for name in FITTED if name != "trace_"}
    finer = fit.at(5, X)
    assert finer.n_components_ == finer.get_params()["n_components"] == 5
    assert metrics.ari(labels[labels >= 0], finer.labels_[labels >= 0]) > 0.9
    assert (finer.labels_[:3] == -1).all()
    np.testing.assert_array_equal(finer.runs_, fit.runs_)
    assert finer.sharpness_ == fit.sharpness_
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(fit, name), value)  # a cut leaves the fit as it was


def test_no_topic_begins_with_a_handful_of_documents():
    groups = Groups(np.repeat(np.arange(5), [100, 80, 60, 3, 1]), np.eye(5), np.array([100, 80, 60, 3, 1]))
    assert groups.are_enough(2)
    assert not groups.are_enough(4)  # a fourth would have 3 of 244 documents
    assert sorted(np.bincount(groups.merged(3)))[0] >= 60
    np.testing.assert_array_equal(groups.merged(5), groups.of)


def test_a_cut_makes_no_further_run(problem, monkeypatch):
    X, _ = problem
    fit = Ensemble(3, n_init=3, random_state=0).fit(X)
    for name in ("weights_and_places", "document_places"):
        monkeypatch.setattr(ensemble, name, None)
    monkeypatch.setattr("quire.methods.ensemble.starts.KMeans", None)
    for k in (2, 4):
        assert fit.at(k, X).n_components_ == k


@pytest.mark.filterwarnings("ignore:.*lost all their documents")
def test_many_more_topics_are_cut_from_more_groups(problem):
    X, labels = problem
    fit = Ensemble(2, n_init=4, random_state=0).fit(X)
    assert not fit._made.groups.are_enough(12)
    many = fit.at(12, X)
    assert 8 <= many.n_components_ <= 12
    assert metrics.homogeneity(labels[3:], many.labels_[3:]) > 0.9
    same(many, fit.at(12, X))


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.filterwarnings("ignore:.*lost all their documents")
def test_a_cut_is_the_same_from_memory_and_from_blocks(coarse, problem, small_sample, tmp_path):
    X, _ = problem
    model = Ensemble(4, n_init=3, random_state=0, coarse=coarse)
    here = model.fit(X).at(5, X)
    with DiskPlace(tmp_path / "blocks") as place:
        blocks = Blocks.split(X, place, 300)
        there = model.fit(blocks).at(5, blocks)
        np.testing.assert_array_equal(here.labels_, there.labels_)
        np.testing.assert_array_equal(here.runs_, there.runs_)
        np.testing.assert_allclose(here.components_, there.components_, rtol=1e-3, atol=1e-7)
        np.testing.assert_allclose(here.memberships_, np.asarray(there.memberships_), rtol=1e-3, atol=1e-5)


class KilledError(BaseException):
    """Ends a fit without a chance to clean up."""


def test_a_fit_that_was_killed_is_cut_alike(problem, small_sample, tmp_path):
    X, _ = problem
    model = Ensemble(3, n_init=3, random_state=0, coarse=True, tol=0)
    with DiskPlace(tmp_path / "whole") as place:
        blocks = Blocks.split(X, place, 300)
        whole = model.fit(blocks).at(5, blocks)
        expected = whole.components_, np.array(whole.labels_)
    steps = []

    def kill(step):
        steps.append(step)
        if len(steps) == model.most_steps - 2:  # among the steps on all documents
            raise KilledError

    killed = DiskPlace(tmp_path / "killed")
    there = Blocks.split(X, killed, 300)
    Checkpoint(killed).save("X", there)
    half = Ensemble(3, n_init=3, random_state=0, coarse=True, tol=0, callback=kill)
    half._keeper = LoopKeeper(Checkpoint(killed), every=0)
    with pytest.raises(KilledError):
        half.fit(there)
    killed.leave()
    with DiskPlace(tmp_path / "killed") as place:
        blocks = Checkpoint(place).load("X")
        again = Ensemble(3, n_init=3, random_state=0, coarse=True, tol=0)
        again._keeper = keeper = LoopKeeper(Checkpoint(place), every=0)
        assert keeper._saved["agreed"].groups is not None
        cut = again.fit(blocks).at(5, blocks)
        np.testing.assert_array_equal(cut.components_, expected[0])
        np.testing.assert_array_equal(cut.labels_, expected[1])


def test_fitted_anew_it_has_forgotten_the_runs(problem):
    X, _ = problem
    cut = Ensemble(3, n_init=3, random_state=0).fit(X).at(2, X)
    same(cut.fit(X), Ensemble(2, n_init=3, random_state=0).fit(X))


def test_what_cannot_be_cut_is_refused_in_a_sentence(problem):
    X, _ = problem
    fit = Ensemble(2, n_init=2, random_state=0).fit(X)
    assert fit.finest_cut == 960 // 3
    for k in (0, -1, fit.finest_cut + 1, 2.5, "3"):
        with pytest.raises(ValueError, match="ask for 1 to"):
            fit.at(k, X)
    with pytest.raises(ValueError, match="not what was fitted"):
        fit.at(3, X[5:])
    with pytest.raises(ValueError, match="n_init=2"):
        Ensemble(2, n_init=1, random_state=0).fit(X).at(3, X)
    nmf = NMF(2, random_state=0).fit(X)
    assert nmf.finest_cut == 0
    with pytest.raises(ValueError, match="no other cuts"):
        nmf.at(3, X)
