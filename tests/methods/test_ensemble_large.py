"""The default method on very many documents: a sample first, then all of them, in row blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import planted
from scipy.special import logsumexp, softmax

from quire import Ensemble
from quire.backends.backend import as_matrix
from quire.backends.gpu.matrix import why_no_gpu
from quire.backends.reference.matrix import ReferenceMatrix
from quire.methods.ensemble import estimator as ensemble
from quire.methods.ensemble.expectation import Posteriors, expectation_maximization, shares_of
from quire.methods.ensemble.membership import best_topics, divergence_from, topics_in_runs, weights_on_topics
from quire.methods.ensemble.mixture import Mixture, Reading, length_temper
from quire.places.checkpoint import Checkpoint, LoopKeeper
from quire.places.disk import DiskPlace
from quire.places.memory import in_memory
from quire.places.parts import Blocks, KeptRows
from quire.scores import metrics

SIZES = [900, 500, 300, 200, 100]


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setattr(ensemble, "_SAMPLE", 400)
    monkeypatch.setattr(ensemble, "_OF_TOPIC", 1)
    monkeypatch.setattr("quire.places.memory._BLOCK", 257)


@pytest.fixture
def place(tmp_path):
    with DiskPlace(tmp_path / "blocks") as place:
        yield place


def with_silent(X, labels, where=(0, 700, 701)):
    """Put documents without terms among the others."""
    keep = np.setdiff1d(np.arange(X.shape[0] + len(where)), where)
    at = np.full(X.shape[0] + len(where), -1)
    at[keep] = labels
    rows = sp.csr_array((np.ones(len(keep), X.dtype), (keep, np.arange(len(keep)))), (len(at), len(keep)))
    found = sp.csr_array(rows @ X)
    found.sort_indices()
    return found, at


# -- the estimator ---------------------------------------------------------------------------------------


def test_a_sample_is_enough_to_find_the_topics_of_all(small_sample):
    X, labels = planted(SIZES, d=200)
    coarse = Ensemble(5, random_state=0, coarse=True).fit(X)
    whole = Ensemble(5, random_state=0).fit(X)
    assert metrics.ari(labels, coarse.labels_) > 0.95
    assert metrics.ari(labels, coarse.labels_) > metrics.ari(labels, whole.labels_) - 0.02
    assert coarse.n_iter_ <= coarse.max_iter
    np.testing.assert_allclose(coarse.components_.sum(axis=1), 1, rtol=1e-4)
    np.testing.assert_allclose(coarse.prior_.sum(), 1)
    assert 0.1 < coarse.sharpness_[0] < 10


def test_runs_have_a_topic_for_every_document_in_few_bytes(small_sample):
    X, labels = with_silent(*planted(SIZES, d=200))
    model = Ensemble(5, random_state=0, n_init=4, coarse=True).fit(X)
    assert model.runs_.shape == (4, X.shape[0])
    assert model.runs_.dtype == np.int8
    assert ((model.runs_ == -1) == (labels == -1)).all()
    assert all(metrics.ari(labels, run) > 0.8 for run in model.runs_)


def test_silent_documents_have_no_topic_and_no_weight(small_sample, place):
    X, labels = with_silent(*planted(SIZES, d=200))
    for data in (X, Blocks.split(X, place, 300)):
        model = Ensemble(5, random_state=0, coarse=True)
        W = np.asarray(model.fit_transform(data))
        np.testing.assert_array_equal(model.labels_ == -1, labels == -1)
        assert (W[labels == -1] == 0).all()


def test_row_blocks_give_what_a_matrix_in_memory_gives(small_sample, place):
    X, _ = with_silent(*planted(SIZES, d=200))
    blocks = Blocks.split(X, place, 300)
    for coarse in (True, "auto"):
        here, there = (Ensemble(5, random_state=0, coarse=coarse) for _ in range(2))
        W_here, W_there = here.fit_transform(X), there.fit_transform(blocks)
        assert isinstance(W_there, KeptRows)
        np.testing.assert_array_equal(here.labels_, there.labels_)
        np.testing.assert_array_equal(here.runs_, there.runs_)
        np.testing.assert_allclose(here.components_, there.components_, rtol=1e-3, atol=1e-7)
        np.testing.assert_allclose(W_here, np.asarray(W_there), rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(here.reconstruction_err_, there.reconstruction_err_, rtol=1e-4)
        np.testing.assert_allclose(here.objective_, there.objective_, rtol=1e-5)


def test_a_document_has_the_same_weights_alone_in_a_batch_in_blocks_and_in_the_fit(small_sample, place):
    X, _ = with_silent(*planted(SIZES, d=200))
    model = Ensemble(5, random_state=0, coarse=True)
    W = model.fit_transform(X)
    np.testing.assert_array_equal(model.transform(X), W)
    np.testing.assert_array_equal(model.transform(X[[7]]), W[[7]])
    np.testing.assert_array_equal(np.asarray(model.transform(Blocks.split(X, place, 111))), W)


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(small_sample):
    X, _ = planted(SIZES, d=200)
    one, two = (Ensemble(5, random_state=3, n_jobs=n, coarse=True).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.memberships_, two.memberships_)
    np.testing.assert_array_equal(one.runs_, two.runs_)


def test_a_sample_is_taken_from_many_documents_only_unless_asked_for(small_sample, monkeypatch):
    X, _ = planted(SIZES, d=200)
    for from_documents, dtype in ((X.shape[0] + 1, np.int32), (X.shape[0], np.int8)):
        monkeypatch.setattr("quire.engine.start._LARGE_ROWS", from_documents)
        assert Ensemble(5, random_state=0, n_init=2).fit(X).runs_.dtype == dtype
    assert Ensemble(5, random_state=0, n_init=2, coarse=False).fit(X).runs_.dtype == np.int32
    with pytest.raises(ValueError, match="coarse"):
        Ensemble(5, coarse="perhaps").fit(X)


def test_the_sample_grows_with_topics_and_not_with_documents_or_values():
    X = sp.random_array((200_000, 50), density=0.02, rng=np.random.default_rng(0), format="csr")
    X.data[:] = 1
    X = sp.csr_array(X + sp.csr_array((np.ones(200_000), (np.arange(200_000), np.zeros(200_000, int))), X.shape))
    model, rng = Ensemble(), np.random.RandomState(0)
    sizes = [len(model._sample(X, k, rng)) for k in (2, 100, 500)]
    assert sizes == [30_000, 40_000, 60_000]
    few = sp.csr_array(sp.diags_array((np.arange(200_000) < 5).astype(float)) @ X)
    assert len(model._sample(few, 2, rng)) == 5

    class Heavy:
        nnz, shape = 200_000 * 4096, (200_000, 50)

        def sum(self, axis):
            return np.ones(200_000)

    assert len(model._sample(Heavy(), 2, rng)) == (1 << 24) // 4096


@pytest.mark.parametrize("k", [1, 2, 6])
def test_tiny_and_degenerate_matrices_from_a_sample_of_all(k, place):
    same = np.tile([1.0, 0.0], (6, 1))
    for X in (np.eye(6), np.ones((6, 6)), np.ones((6, 1)), same, np.diag([1e-6, 1, 1, 1, 1, 1e6])):
        for data in (X, Blocks.split(sp.csr_array(X), place, 4)):
            model = Ensemble(k, random_state=0, coarse=True).fit(data)
            assert np.isfinite(np.asarray(model.memberships_)).all()
            assert set(model.labels_) <= set(range(k))


def test_a_callback_and_max_time_end_it_with_what_there_is(small_sample):
    X, labels = planted(SIZES, d=200)
    for how in ({"callback": lambda step: True}, {"max_time": 1e-9}):
        model = Ensemble(5, random_state=0, coarse=True, **how).fit(X)
        assert (len(model.runs_), model.n_iter_) == (1, 1)
        assert model.stopped_ == ("callback" if "callback" in how else "max_time")
        assert metrics.ari(labels, model.labels_) > 0.5


@pytest.mark.parametrize("rounds", [1, 3, 8])
def test_a_killed_run_goes_on_and_ends_in_the_same_factors(small_sample, place, rounds):
    X, _ = with_silent(*planted(SIZES, d=200))
    blocks, runs = Blocks.split(X, place, 300), 3
    steps = []

    def killed(step):
        steps.append(step)
        if len(steps) > done and step.iteration == rounds:
            raise KeyboardInterrupt

    whole = Ensemble(5, random_state=0, coarse=True, n_init=runs, last_iter=8, tol=0, callback=steps.append)
    W = np.asarray(whole.fit_transform(blocks))
    done, steps = len(steps) - 8, []
    again = Ensemble(5, random_state=0, coarse=True, n_init=runs, last_iter=8, tol=0, callback=killed)
    again._keeper = LoopKeeper(Checkpoint(place), every=0)
    with pytest.raises(KeyboardInterrupt):
        again.fit(blocks)
    steps = []
    again.callback = steps.append
    again._keeper = LoopKeeper(Checkpoint(place), every=0)
    np.testing.assert_array_equal(np.asarray(again.fit_transform(blocks)), W)
    np.testing.assert_array_equal(again.runs_, whole.runs_)
    np.testing.assert_array_equal(again.trace_["objective"], whole.trace_["objective"])
    if rounds > 1:
        assert len(steps) == 8 - rounds + 1  # nothing was done twice but the step that was cut short


def test_the_number_of_topics_is_found_on_a_sample_and_in_blocks(small_sample, place):
    X, _ = with_silent(*planted([400] * 5, d=120, words=30))
    blocks = Blocks.split(X, place, 300)
    for coarse in (False, True):
        model = Ensemble(coarse=coarse)
        assert model.likely_topics(X, 2, 9) == model.likely_topics(blocks, 2, 9) == 5


def test_fewer_words_than_all_are_in_the_sample_and_all_get_a_probability(small_sample):
    X, labels = planted(SIZES, d=200)
    rare = sp.csr_array((np.full(len(labels), np.log(2), np.float32), (range(len(labels)), range(len(labels)))))
    model = Ensemble(5, random_state=0, coarse=True).fit(sp.csr_array(sp.hstack([X, rare])))
    assert (model.components_ > 0).all()
    assert metrics.ari(labels, model.labels_) > 0.9


@pytest.mark.skipif(bool(why_no_gpu()), reason=why_no_gpu() or "there is one")
def test_a_gpu_finds_the_same_topics(small_sample):
    X, _ = with_silent(*planted(SIZES, d=200))
    for coarse in (True, False):
        here, there = (Ensemble(5, random_state=0, coarse=coarse, device=d).fit(X) for d in ("cpu", "cuda"))
        assert metrics.ari(here.labels_, there.labels_) > 0.98


# -- the parts -------------------------------------------------------------------------------------------


def plain_em(X, memberships, smoothing, rounds):
    """EM written out: the mixture before the last E step, the memberships after it, objectives, residuals."""
    X, temper, trace = X.toarray(), length_temper(X.sum(axis=1), 5.0, 0.75), []
    part = memberships.any(axis=1)
    for _ in range(rounds):
        terms = memberships.T @ X + smoothing
        found = Mixture(terms / terms.sum(axis=1, keepdims=True), memberships.sum(axis=0) / part.sum())
        scores = temper[:, None] * (X @ np.log(found.terms).T) + np.log(found.sizes)
        new = softmax(scores, axis=1) * part[:, None]
        trace.append((-logsumexp(scores[part], axis=1).sum(), np.abs(new - memberships).sum() / 2 / part.sum()))
        memberships = new
    return found, memberships, np.array(trace)


@pytest.mark.parametrize("unit", [1.0, 3.0, 1e9])
def test_em_is_em_wherever_the_documents_are(unit, place):
    X, _ = with_silent(*planted([60, 40], d=30), where=(0, 5))
    X = X.astype(np.float64)
    start = np.random.RandomState(0).dirichlet(np.ones(2), X.shape[0]) * (np.diff(X.indptr) > 0)[:, None]
    expected, memberships, trace = plain_em(X, start, 0.1, 6)
    first, reading = plain_em(X, start, 0.1, 1)[0], Reading(np.full(30, unit), 5.0, 0.75)
    scaled = sp.csr_array(X * unit)
    cpu, blocks = as_matrix(scaled, 2), as_matrix(Blocks.split(scaled, place, 30))
    for matrix in (ReferenceMatrix(scaled.toarray()), cpu, blocks):
        for begun, rounds in ((start, 6), (first, 5)):  # the first round makes that mixture
            found, shares, seen = expectation_maximization(matrix, begun, reading, 0.1, rounds)
            np.testing.assert_allclose(found.terms, expected.terms, rtol=1e-8)
            np.testing.assert_allclose(found.sizes, expected.sizes, rtol=1e-8)
            steps = np.array([(step.objective, step.residual) for step in seen])
            np.testing.assert_allclose(steps, trace[-rounds:], rtol=1e-6)
            np.testing.assert_allclose(steps[:, 0], trace[-rounds:, 0], rtol=1e-9)
            there = np.asarray(matrix.array(shares, 2)) / matrix.scale
            np.testing.assert_allclose(there, memberships, rtol=1e-6, atol=1e-12)
        begun = np.asarray(matrix.array(shares_of(matrix, start), 3)) / matrix.scale
        np.testing.assert_allclose(begun, np.c_[start, start.any(axis=1)])
    cpu.close()


class Elsewhere(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that mixes with numbers and with its like only, as one on a device does."""

    def __init__(self, values):
        self.values, self.dtype = values, values.dtype

    def _taken(self, thing):
        if isinstance(thing, tuple):
            return tuple(map(self._taken, thing))
        assert not isinstance(thing, np.ndarray), "an array of the host"
        return thing.values if isinstance(thing, Elsewhere) else thing

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = self._taken(out)
        return Elsewhere(np.asarray(getattr(ufunc, method)(*self._taken(inputs), **kwargs)))

    def __array_function__(self, function, types, args, kwargs):
        args = args if function is np.asarray else self._taken(args)
        return Elsewhere(function(*args, **kwargs))

    def __array__(self, *args, **kwargs):
        raise TypeError("It must be brought to the host first.")

    def __getitem__(self, key):
        return Elsewhere(self.values[key])

    def __setitem__(self, key, value):
        self.values[key] = self._taken(value)

    def __float__(self):
        return float(self.values)

    def astype(self, dtype):
        return Elsewhere(self.values.astype(dtype))

    def sum(self, axis=None):
        return Elsewhere(self.values.sum(axis=axis))

    def max(self, axis=None):
        return Elsewhere(self.values.max(axis=axis))


def test_memberships_are_found_where_the_products_lie():
    rng = np.random.RandomState(0)
    P, F = np.c_[-rng.rand(6, 3), [0.0, 0.5, 1, 2, 30, 400]], rng.rand(6, 4)
    step, there = Posteriors(np.log([0.2, 0.3, 0.5]), 5.0, 0.75, 2.0, 0.5, 1.0), F.copy()
    assert step(Elsewhere(there), Elsewhere(P)) == step(F, P)
    np.testing.assert_array_equal(there, F)
    np.testing.assert_allclose(F[1:].sum(axis=1), 2)
    assert not F[0].any()


def test_terms_that_a_mixture_does_not_know_tell_nothing():
    known = Mixture(np.array([[0.7, 0.3], [0.2, 0.8]]), np.array([0.4, 0.6]))
    wide = known.among(np.array([3, 1]), 5)
    rng = np.random.RandomState(0)
    X = rng.poisson(2.0, (9, 5)).astype(float)
    reading = Reading(np.ones(5), 5.0, 0.75)
    expected = known.scores(ReferenceMatrix(X[:, [3, 1]]), reading, np.ones(9))
    np.testing.assert_allclose(wide.scores(ReferenceMatrix(X), reading, np.ones(9)), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_likeliest_topics_are_those_of_the_scores(dtype):
    rng = np.random.RandomState(0)
    products, by = rng.normal(size=(50, 8)).astype(dtype), rng.uniform(0.1, 1, (50, 2))
    sizes = np.log(rng.dirichlet(np.ones(5)))  # three columns are padding
    expected = (products[:, :5] * by[:, :1] + by[:, 1:] * sizes).argmax(axis=1)
    assert best_topics(products, by, sizes).tolist() == expected.tolist()


def test_blocks_change_neither_weights_nor_topics_nor_the_divergence(monkeypatch):
    X, _ = with_silent(*planted([60, 40], d=30), where=(0, 5))
    X, reading = X.astype(np.float64), Reading(np.linspace(0.5, 2, 30), 5.0, 0.75, prior=0.5)
    rng = np.random.RandomState(0)
    runs = [Mixture(rng.dirichlet(np.ones(30), 2), np.array([0.5, 0.5])) for _ in range(5)]
    made = [lambda run=run: run for run in runs]
    whole, cut = in_memory(X, len(X.indptr)), in_memory(X, 7)
    expected = topics_in_runs(whole, made, reading)
    np.testing.assert_array_equal(topics_in_runs(cut, made, reading), expected)
    monkeypatch.setattr("quire.methods.ensemble.membership.MOST", 2 * 60)  # two runs at a time
    np.testing.assert_array_equal(topics_in_runs(cut, made, reading), expected)
    W, W_cut = (weights_on_topics(blocks, runs[0], 0.5, reading) for blocks in (whole, cut))
    np.testing.assert_array_equal(np.asarray(W), np.asarray(W_cut))
    X = reading.in_words(X)
    np.testing.assert_allclose(np.asarray(W).sum(axis=1), X.sum(axis=1))
    errors = [divergence_from(*pair, runs[0].terms, reading) for pair in ((whole, W), (cut, W_cut))]
    Y = np.asarray(W) @ runs[0].terms
    logs = np.log(np.divide(X.toarray(), Y, out=np.ones(X.shape), where=X.toarray() > 0))
    np.testing.assert_allclose(errors, (X.toarray() * logs).sum() - X.sum() + Y.sum(), rtol=1e-9)


def test_blocks_in_memory_are_views():
    X = sp.random_array((100, 20), density=0.2, rng=np.random.default_rng(0), format="csr")
    blocks = in_memory(X, 30)
    assert blocks.sizes.tolist() == [30, 30, 30, 10]
    parts = [blocks.place.fetch(handle) for handle in blocks.handles]
    assert all(np.shares_memory(part.data, X.data) for part in parts)
    np.testing.assert_array_equal(sp.vstack(parts).toarray(), X.toarray())
