"""NMF from batches: near the fit on everything, the same bits, and for every loss."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire import NMF, MiniBatchNMF


@pytest.fixture(scope="module")
def planted():
    """600 documents of 5 topics, counts."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(40, 0.1), 5)
    return rng.poisson(rng.dirichlet(np.full(5, 0.3), 600) @ topics * 60 + 0.01).astype(float)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", 0.5, 1.5])
def test_passes_come_near_the_fit_on_everything(planted, loss, form):
    common = {"beta_loss": loss, "random_state": 0, "n_jobs": 1}
    whole = NMF(5, **common).fit(planted)
    begun = NMF(5, **common, max_iter=1).fit(planted)
    batches = MiniBatchNMF(5, batch_size=60, **common).fit(form(planted))
    assert batches.objective_ < whole.objective_ + 0.1 * (begun.objective_ - whole.objective_)
    assert batches.n_steps_ > 10
    assert len(batches.trace_) == batches.n_iter_ == -(-batches.n_steps_ // 10)


def test_itakura_saito_is_learnt_from_batches_too(planted):
    common = {"beta_loss": "itakura-saito", "random_state": 0, "n_jobs": 1, "init": "random"}
    X = planted + 1
    whole, batches = NMF(3, **common).fit(X), MiniBatchNMF(3, batch_size=100, **common).fit(X)
    assert batches.objective_ < 1.15 * whole.objective_


def test_the_weights_are_those_of_transform_and_the_bits_the_same(planted):
    fits = [MiniBatchNMF(5, batch_size=100, random_state=3, n_jobs=jobs) for jobs in (1, 2)]
    W = [model.fit_transform(planted) for model in fits]
    np.testing.assert_array_equal(*W)
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)
    np.testing.assert_allclose(fits[0].transform(planted), W[0], atol=1e-12)


def test_one_batch_is_nmf(planted):
    common = {"random_state": 0, "n_jobs": 1, "max_iter": 20, "tol": 0}
    one, whole = MiniBatchNMF(5, batch_size=600, **common).fit(planted), NMF(5, **common).fit(planted)
    np.testing.assert_array_equal(one.components_, whole.components_)
    one.set_params(batch_size=100).fit(planted)
    assert one.n_steps_ == 20 * 6
    assert one.set_params(batch_size=600).fit(planted).n_steps_ == 20


def test_it_stops_where_the_cost_falls_no_more_or_somebody_says_so(planted):
    made = MiniBatchNMF(5, batch_size=50, random_state=0, tol=0, max_no_improvement=3, n_jobs=1).fit(planted)
    assert made.stopped_ == "tol"
    assert made.n_iter_ < 200
    made.set_params(callback=lambda step: step.iteration == 2).fit(planted)
    assert (made.stopped_, made.n_iter_, made.n_steps_) == ("callback", 2, 24)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", 1.5])
def test_a_term_that_only_later_batches_have_is_learnt(loss):
    X = np.kron(np.eye(2), np.ones((15, 4)))[np.random.default_rng(0).permutation(30)]
    model = NMF(2, beta_loss=loss, random_state=0, n_jobs=1).partial_fit(np.hstack([X, np.zeros((30, 1))]))
    assert model.components_[:, 8].max() < 1e-3 * model.components_.max()
    new = np.hstack([X, X[:, :1]])
    for _ in range(20):
        model.partial_fit(new)
    np.testing.assert_allclose(model.transform(new) @ model.components_, new, atol=0.05)


@pytest.mark.parametrize("bad", [{"batch_size": 0}, {"batch_size": 2.5}, {"max_no_improvement": 0}])
def test_what_makes_no_sense_is_refused(bad):
    with pytest.raises(ValueError, match=f"{next(iter(bad))}=.* must be a whole number of at least 1"):
        MiniBatchNMF(2, **bad).fit(np.eye(4))


def test_what_may_be_none_may_be_none(planted):
    model = MiniBatchNMF(5, batch_size=50, random_state=0, tol=0, max_no_improvement=None, max_iter=4, n_jobs=1)
    assert model.fit(planted).n_iter_ == 4
    with pytest.raises(ValueError, match="n_init=None must be a number"):
        MiniBatchNMF(5, n_init=None).fit(planted)


def test_empty_documents_end_nothing(planted):
    X = np.vstack([planted[:100], np.zeros((200, 40)), planted[100:200]])
    model = MiniBatchNMF(5, batch_size=50, random_state=0, n_jobs=1).fit(X)
    assert (model.labels_[100:300] == -1).all()
    assert model.objective_ < 1.1 * NMF(5, random_state=0, n_jobs=1).fit(X).objective_
