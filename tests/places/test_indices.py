"""Whatever the check of indices lets pass is safe for compiled code, and whatever is safe passes."""

import numpy as np
import pytest
import scipy.sparse as sp
from any_sparse import compressed, coordinates, is_safe, summed
from hypothesis import event, given, settings

import quire
from quire.places.indices import as_csr, check_indices


def accepts(X):
    try:
        check_indices(X, "a test")
    except ValueError:
        return False
    return True


@settings(max_examples=100)
@given(compressed() | coordinates())
def test_accepted_is_safe_and_safe_is_accepted(X):
    safe = is_safe(X)
    event(f"safe: {safe}")
    assert accepts(X) == safe
    if safe:  # then, and only then, may SciPy look at it
        assert (as_csr(X, "a test").toarray() == summed(X)).all()


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array, sp.lil_array])
def test_what_scipy_makes_is_accepted(make):
    X = sp.random_array((12, 8), density=0.3, rng=np.random.default_rng(0))
    assert accepts(make(X))
    assert accepts(make((0, 3)))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("indptr", 0, 1), ("indptr", 1, 11), ("indptr", 2, -1), ("indptr", -1, 10**6), ("indices", 0, -1),
     ("indices", 3, 5), ("indices", -1, 2**31 - 1)],
)  # fmt: skip
def test_one_number_that_leads_outside_is_enough(name, place, value):
    X = sp.csr_array(np.ones((4, 5)))
    getattr(X, name)[place] = value
    assert not is_safe(X)
    assert not accepts(X)


@pytest.mark.parametrize("held", [np.asarray, sp.csr_array])
def test_complex_numbers_are_one_sentence(held):
    """scikit-learn says it too, with the whole matrix behind it."""
    for ask in (lambda X: quire.NMF(2).fit(X), lambda X: quire.cluster(X, 2, random_state=0)):
        with pytest.raises(ValueError, match=r"\.$") as error:
            ask(held(np.ones((6, 4)) * 1j))
        assert "\n" not in str(error.value)


def doubled(array):
    twice = np.zeros(2 * len(array), array.dtype)
    twice[::2] = array
    return twice[::2]


@pytest.mark.parametrize(
    "use",
    [
        lambda X: quire.cluster(X, 2, recipe="nmf", random_state=0).H,
        lambda X: quire.NMF(2, random_state=0).fit(X).components_,
    ],
)
def test_arrays_that_are_not_contiguous_are_as_good_as_others(use):
    X = sp.random_array((30, 12), density=0.4, format="csr", rng=np.random.default_rng(0))
    plain = use(X)
    X.data, X.indices, X.indptr = map(doubled, (X.data, X.indices, X.indptr))
    assert (use(X) == plain).all()


@pytest.mark.parametrize(
    "ask",
    [
        lambda X: quire.read_corpus(["a", "b", "c"], labels=X),
        lambda X: quire.read_corpus(["a", "b", "c"], ids=X),
        lambda X: quire.read_corpus(["a", "b", "c"], dates=X),
        lambda X: quire.read_corpus(sp.csr_array(np.eye(3)), vocabulary=X),
        lambda X: quire.read_corpus({"text": X, "id": ["a", "b", "c"]}),
    ],
)
def test_no_matrix_is_taken_for_a_list(ask):
    """SciPy gives rows of it one by one, and follows any index for that."""
    X = sp.csc_array(np.eye(3))
    X._shape = (-1, 3)
    with pytest.raises(ValueError, match="cannot be a sparse matrix"):
        ask(X)
