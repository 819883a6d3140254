from sklearn.utils.estimator_checks import parametrize_with_checks

from quire import NMF


@parametrize_with_checks([NMF(), NMF(n_components=2, init="random", n_init=2)])
def test_sklearn_checks(estimator, check):
    check(estimator)
