"""Numbers at the ends of their range, and matrices with next to nothing in them: finite results, or a sentence."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire import NMF
from quire.methods.registry import METHODS
from quire.places.memory import MemoryPlace
from quire.places.parts import Blocks

DTYPES = {"float32": np.float32, "float64": np.float64, "int": np.int64}
FEWER = {"Ensemble": {"n_init": 2, "max_iter": 2, "last_iter": 2}, "SimplexNMF": {"n_init": 1}, "AA": {"n_init": 1},
         "NC": {"n_init": 1}, "AffinityPropagation": {"rounds": 30, "max_iter": 3}}  # fmt: skip


def _matrices(dtype):
    rng = np.random.default_rng(3)
    A = rng.integers(0, 4, (9, 6))
    A[0, 0] = 3
    plain = {
        "zeros": A * 0,
        "one row": A[:1],
        "one column": A[:, :1],
        "no row": A[:0],
        "no column": A[:, :0],
        "1 x 1": A[:1, :1],
        "constant": A * 0 + 2,
        "duplicates": np.tile(A[:1], (8, 1)),
        "one value": A * (np.arange(A.size).reshape(A.shape) == 0),
        "an empty row": A * (np.arange(9) != 4)[:, None],
    }
    if dtype is np.int64:
        units = {"largest": np.iinfo(dtype).max // 4}
    else:
        info = np.finfo(dtype)
        ends = {"largest": info.max / 4, "smallest": info.tiny, "subnormal": info.smallest_subnormal}
        units = {**ends, "root of the largest": np.sqrt(info.max), "root of the smallest": np.sqrt(info.tiny)}
    for name, unit in units.items():
        plain[name] = A * dtype(unit)
        mixed = A.astype(dtype)
        mixed[1, 1] = mixed[5, 3] = unit
        plain[f"{name} beside 1"] = mixed
    return {name: X.astype(dtype) for name, X in plain.items()}


def _numbers(model):
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, np.ndarray | float) and not np.asarray(value).dtype.names:
            yield name, value
    yield from ((name, model.trace_[name]) for name in ("objective", "residual"))


def _tried(call, X):
    """Return the sentence in which something was refused, "" for none, and the result."""
    refused, result = "", None
    try:
        result = call(X)
    except ValueError as error:
        refused = str(error)
    assert not refused or (20 < len(refused) < 400 and "\n" not in refused)
    return refused, result


def _check(model, X):
    """Fit and use a model; return what was refused, "" for nothing."""
    refused, W = _tried(model.fit_transform, X)
    if refused:
        assert not hasattr(model, "components_")
        return refused
    assert np.isfinite(np.asarray(W)).all()
    for name, value in _numbers(model):
        assert np.isfinite(value).all(), name
    refused, W = _tried(model.transform, X)
    assert "range" in refused if refused else np.isfinite(np.asarray(W)).all()
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", METHODS)
def test_a_fit_ends_in_finite_numbers_or_in_a_sentence(name, dtype):
    refused = {}
    for case, X in _matrices(DTYPES[dtype]).items():
        for form in (np.asarray, sp.csr_array) if dtype == "float64" else (sp.csr_array,):
            model = METHODS[name](2, random_state=0, n_jobs=1).set_params(**{"max_iter": 4, **FEWER.get(name, {})})
            refused[case, form] = _check(model, form(X))
    for case in ("zeros", "no row", "no column"):
        assert bool(refused[case, sp.csr_array]) == ((name, case) != ("NMF", "zeros"))  # as scikit-learn has it
    for case in ("duplicates", "constant", "an empty row"):
        assert not refused[case, sp.csr_array], case


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["NMF", "Ensemble", "PLSI", "SimplexNMF"])
@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e-165, 1e-100, 1e100, 1e160])
def test_row_blocks_end_as_a_matrix_in_memory_does(name, unit):
    """Also where squares of X leave the range of numbers."""
    X = sp.csr_array(np.random.default_rng(0).integers(0, 4, (12, 8)) * unit)
    outcomes = []
    for given in (X, Blocks.split(X, MemoryPlace(), 5)):
        model = METHODS[name](2, random_state=0, n_jobs=1).set_params(**{"max_iter": 4, **FEWER.get(name, {})})
        outcomes.append(bool(_check(model, given)))
    assert outcomes[0] == outcomes[1]


def test_blocks_with_values_that_are_no_numbers_are_refused():
    for bad, text in ((np.nan, "NaN or inf, in row 7"), (np.inf, "NaN or inf, in row 7"), (1e200, "holds 1e\\+200")):
        A = np.ones((12, 4))
        A[7, 2] = bad
        with pytest.raises(ValueError, match=text):
            NMF(2).fit(Blocks.split(sp.csr_array(A), MemoryPlace(), 5))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e-9, 1e9, 1e150])
@pytest.mark.parametrize("name", ["NMF", "Ensemble"])
def test_the_number_of_topics_does_not_depend_on_the_unit(name, unit):
    groups = np.kron(np.eye(4), np.ones((1, 6)))[np.arange(48) % 4]
    X = sp.csr_array(groups * np.random.default_rng(0).integers(1, 5, groups.shape))
    model = METHODS[name](random_state=0, n_jobs=1)
    assert model.likely_topics(X * unit) == model.likely_topics(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e150, 1e200])
def test_batches_of_other_units(unit):
    A = np.random.default_rng(0).integers(1, 4, (12, 6)).astype(float)
    for first, second in ((A, A * unit), (A * unit, A), (A * unit, A * unit)):
        model = NMF(2, random_state=0, n_jobs=1)
        for X in (first, second):
            before = vars(model).copy()
            refused, _ = _tried(model.partial_fit, X)
            if refused:
                assert "range" in refused or "rescale" in refused
                assert vars(model) == before
        assert np.isfinite(getattr(model, "components_", 0.0)).all()


def test_a_batch_of_no_documents():
    fresh, model = NMF(2), NMF(2, random_state=0).partial_fit(np.eye(5) + 1)
    H = model.components_.copy()
    for none in (np.zeros((0, 5)), sp.csr_array((0, 5)), []):
        assert not hasattr(fresh.partial_fit(none), "components_")
        np.testing.assert_array_equal(model.partial_fit(none).components_, H)
    with pytest.raises(ValueError, match="7 features"):
        model.partial_fit(np.zeros((0, 7)))


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8, np.longdouble])
def test_numbers_of_any_kind_in_blocks_are_those_in_memory(dtype):
    X = sp.csr_array((np.random.default_rng(0).random((20, 9)) < 0.4).astype(dtype))
    there = NMF(2, random_state=0).fit(Blocks.split(X, MemoryPlace(), 7))
    here = NMF(2, random_state=0).fit(Blocks.split(X.astype(np.float64), MemoryPlace(), 7))
    assert (there.components_ == here.components_).all()


@pytest.mark.parametrize("value", [1j, -1.0, -1])
def test_blocks_of_other_values_are_refused(value):
    X = sp.csr_array(np.full((9, 4), value))
    with pytest.raises(ValueError, match=r"^A (matrix|block) .*passed to Blocks.*\.$"):
        Blocks.split(X, MemoryPlace(), 5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_smallest_numbers_there_are_have_singular_vectors_at_once(dtype):
    """The residual of a subnormal X has no digits, so that no number of rounds would do."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 7, (40, 25)).astype(dtype)
    tiny, plain = (METHODS["LSI"](2, random_state=0, max_iter=9) for _ in range(2))
    tiny.fit(sp.csr_array(X * np.finfo(dtype).smallest_subnormal))
    plain.fit(sp.csr_array(X))
    assert tiny.n_iter_ == plain.n_iter_ < 9
    assert np.allclose(np.abs(tiny.components_), np.abs(plain.components_), atol=1e-3)
