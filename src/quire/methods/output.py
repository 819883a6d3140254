"""What transformers give to Quire itself, which a user's setting must not change."""

from __future__ import annotations

from typing import TypeVar

from sklearn.base import TransformerMixin

_Transformer = TypeVar("_Transformer", bound=TransformerMixin)


def giving_arrays(model: _Transformer) -> _Transformer:
    """Return a model of our own making that gives arrays, whatever ``sklearn.set_config(transform_output=…)`` says."""
    return model.set_output(transform="default")  # type: ignore[no-any-return]
