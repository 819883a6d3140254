"""Arguments that nobody means: what no matrix, no factor and no parameter is gets a sentence, at every door."""

import numpy as np
import pytest
import scipy.sparse as sp

import quire
from quire.methods.registry import METHODS
from quire.places.indices import check_indices
from quire.scores import metrics

X = sp.csr_array(np.random.default_rng(0).gamma(2.0, 1.0, (12, 6)))


def refused(ask, words=""):
    """Ask, and return the sentence that refuses it."""
    with pytest.raises(ValueError, match=words) as error:
        ask()
    sentence = str(error.value)
    assert sentence.endswith("."), sentence
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("key", [(0,), 3, ("a", 0), (0.5, 1), (99, 0), (0, -1)])
def test_keys_of_a_dictionary_that_lead_nowhere(key):
    damaged = sp.dok_array((4, 4))
    damaged._dict[key] = 1.0
    refused(lambda: check_indices(damaged, "a test"), "damaged")


@pytest.mark.parametrize("value", ["x", None, 1e400])
@pytest.mark.parametrize("held", ["dok", "lil"])
def test_values_that_are_no_numbers(held, value):
    damaged = sp.csr_array(np.eye(4, dtype=np.int64)).asformat(held)
    if held == "dok":
        damaged._dict[0, 0] = value
    else:
        damaged.data[0] = [value]
    refused(lambda: check_indices(damaged, "a test"), "damaged")


@pytest.mark.parametrize(
    "given", [np.ones((2, 5)), np.ones(4), np.array([["a", "b", "c"]]), np.full((2, 3), np.nan), 1]
)
def test_weights_that_do_not_fit_the_topics(given):
    model = quire.NMF(3, random_state=0).fit(X)
    refused(lambda: model.inverse_transform(given), "NMF.inverse_transform")
    if np.ndim(given) == 2 and np.asarray(given).dtype.kind == "f":
        refused(lambda: model.inverse_transform(sp.csr_array(given)), "NMF.inverse_transform")


def test_weights_of_damaged_indices_go_back_to_nothing():
    counts = quire.Counts().fit(["moon orbit rocket", "goal team match"])
    damaged = sp.csr_matrix(np.ones((2, 6)))
    damaged.indices[3] = 2**31 - 1
    refused(lambda: counts.inverse_transform(damaged), "damaged")
    refused(lambda: counts.inverse_transform(np.ones((2, 7))), "7 features")


def test_a_weighting_takes_back_what_it_could_have_given():
    weight = quire.Weight("tfidf").fit(X)
    refused(lambda: weight.inverse_transform(sp.csr_array(np.ones((12, 9)))), "9 features")
    refused(lambda: weight.inverse_transform(X[:5]), "row_scale")
    refused(lambda: weight.inverse_transform(X, np.ones(4)), "row_scale")
    refused(lambda: weight.unscale(np.ones((4, 2)), np.ones((2, 6))), "row_scale")
    refused(lambda: weight.unscaled_topics(np.ones((2, 5))), "5 features")
    weight.column_scale_ = weight.column_scale_[:3]
    refused(lambda: weight.inverse_transform(X), "column_scale_")


@pytest.mark.parametrize(
    "odd",
    [{"scheme": None}, {"scheme": []}, {"tau": "x"}, {"tau": None}, {"tau": 10**400}, {"dtype": "x"}, {"dtype": 3}],
)
def test_parameters_of_a_weighting(odd):
    refused(lambda: quire.Weight(**odd).fit_transform(X))


@pytest.mark.parametrize("method", list(METHODS))
@pytest.mark.parametrize(
    "odd",
    [{"max_time": "x"}, {"max_time": []}, {"verbose": "x"}, {"tol": 1j}, {"tol": 10**400}, {"max_iter": None},
     {"device": np.array([1, 2])}, {"random_state": -1}, {"random_state": 2**70},
     {"random_state": "x"}, {"n_components": 10**30}, {"callback": 3}],
)  # fmt: skip
def test_parameters_of_every_method(method, odd):
    refused(lambda: METHODS[method](3).set_params(**odd).fit(X), "" if "n_components" in odd else next(iter(odd)))


@pytest.mark.parametrize(
    "odd",
    [{"ngram_range": ()}, {"ngram_range": 3.5}, {"ngrams": "x"}, {"ngrams": {}}, {"max_df": "x"}, {"min_count": None},
     {"keep_share": []}, {"dtype": "x"}],
)  # fmt: skip
def test_parameters_of_counts(odd):
    refused(lambda: quire.Counts(**odd).fit_transform(["moon orbit rocket", "goal team match"]), next(iter(odd)))


@pytest.mark.parametrize("beta", [1e4, 2**31, 10**30, -(10**30)])
def test_a_divergence_of_powers_beyond_all_numbers_ends_at_once(beta):
    for method in (quire.NMF, quire.MiniBatchNMF):
        refused(lambda method=method: method(3, beta_loss=beta).fit(X), "beta_loss")


def test_scores_of_no_matrix():
    labels = np.arange(12) % 3
    for odd in (np.full((12, 6), "a"), np.ones(12), np.full((12, 6), np.inf), np.full((12, 6), 1e300)):
        refused(lambda odd=odd: metrics.sse(odd, labels))
        refused(lambda odd=odd: metrics.sse_lower_bound(odd, 2))
    assert metrics.sse_lower_bound([[1.0, 0.0], [0.0, 1.0]], 1) == pytest.approx(1)
    for odd in (X, np.ones((4, 3)), np.ones(12)):
        refused(lambda odd=odd: metrics.soft_nmi(labels, odd), "memberships")


def test_a_share_of_zeros_is_one_of_a_matrix():
    assert metrics.sparsity(np.eye(4)) == metrics.sparsity(sp.csr_array(np.eye(4))) == 0.75
    damaged = sp.csr_array(np.eye(4))
    damaged.indices[1] = 99
    for odd in (damaged, np.ones((0, 3)), np.ones(3)):
        refused(lambda odd=odd: metrics.sparsity(odd))


@pytest.mark.parametrize("method", list(METHODS))
def test_values_behind_the_last_row_are_nobody_s(method):
    """SciPy counts what the last pointer says, whatever lies behind it."""
    longer = X.copy()
    longer.data = np.append(longer.data, [np.nan, -1, 1e300])
    longer.indices = np.append(longer.indices, [0, 0, 0])
    model = METHODS[method](3, random_state=0)
    np.testing.assert_array_equal(model.fit(longer).labels_, METHODS[method](3, random_state=0).fit(X).labels_)
    emptied = X.copy()
    emptied.indptr[:] = 0
    if method != "NMF":  # which has topics of zeros for it, as scikit-learn's has
        refused(lambda: METHODS[method](3, random_state=0).fit(emptied), "zero")


def test_masked_arrays_within_a_sparse_matrix():
    masked = X.copy()
    masked.data = np.ma.masked_array(masked.data)
    refused(lambda: quire.NMF(3).fit(masked), "damaged")
