"""What a model learnt is checked when it is used: arrays that were cut or changed are refused in a sentence."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse

from quire import NMF
from quire.methods.registry import METHODS

X = random_sparse(30, 12, 0.5)


@pytest.fixture(scope="module")
def fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: method(3, random_state=0, max_iter=5).fit(X) for name, method in METHODS.items()}


DAMAGES = {
    "no topic": lambda H: H[:0],
    "few terms": lambda H: H[:, :5],
    "no term": lambda H: H[:, :0],
    "a vector": lambda H: H[0],
    "not a number": lambda H: np.where(H.max() == H, np.nan, H),
    "infinite": lambda H: np.where(H.max() == H, np.inf, H),
    "objects": lambda H: H.astype(object),
    "texts": lambda H: H.astype(str),
    "sparse": sp.csr_array,
    "nothing": lambda H: None,
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_topics_that_were_changed_are_refused(fitted, name, damage):
    model = fitted[name]
    kept = model.components_
    try:
        model.components_ = DAMAGES[damage](kept)
        with pytest.raises(ValueError, match=r"components_ is not what a fit leaves.*anew"):
            model.transform(X)
        with pytest.raises(ValueError, match="components_"):
            model.inverse_transform(np.ones((2, 3)))
        if damage != "few terms":  # which may be a sound model of these
            with pytest.raises(ValueError, match="components_"):
                METHODS[name](3).restore(model.state())
    finally:
        model.components_ = kept


@pytest.mark.parametrize("name", METHODS)
def test_what_lies_beside_the_topics_is_checked_too(fitted, name):
    model = fitted[name]
    for attribute, axes in model._learnt.items():
        kept = getattr(model, attribute)
        broken = [np.asarray(kept, float) * np.nan, np.asarray(kept)[..., None][:0]]
        broken += [np.take(kept, [0], axis) for axis in axes if len(model.components_) > 1]
        for value in broken:
            setattr(model, attribute, value)
            with pytest.raises(ValueError, match=f"{attribute}.*anew"):
                model.transform(X)
        setattr(model, attribute, kept)
    assert np.isfinite(model.transform(X)).all()


def test_another_batch_is_not_learnt_by_a_damaged_model():
    model = NMF(3, random_state=0).partial_fit(X)
    model.components_ = model.components_[:0]
    with pytest.raises(ValueError, match="components_"):
        model.partial_fit(X)
