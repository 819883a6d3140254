"""NMF as a function, called as scikit-learn's is."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quire.backends.check import check_given
from quire.methods.nmf import NMF


def non_negative_factorization(
    X: Any,
    W: ArrayLike | None = None,
    H: ArrayLike | None = None,
    n_components: int | str | None = "auto",
    *,
    update_H: bool = True,
    **parameters: Any,
) -> tuple[Any, Any, int]:
    """Return W, H and the number of iterations of an NMF, or the best W for a given H.

    Parameters
    ----------
    X : sparse or dense matrix of shape (n_samples, n_features)
        Non-negative.
    W, H : arrays, optional
        The start, with ``init="custom"``; H alone with ``update_H=False``.
    n_components : int, None or "auto", default="auto"
        As for :class:`quire.NMF`.
    update_H : bool, default=True
        False: H stays as it is given, and W is the best one for it, whatever the start.
    **parameters
        Those of :class:`quire.NMF`, such as ``init``, ``solver``, ``beta_loss``, ``alpha_W`` and ``random_state``.

    Examples
    --------
    >>> import numpy as np
    >>> from quire import non_negative_factorization
    >>> X = np.array([[2.0, 1, 0, 0], [4, 2, 0, 0], [0, 0, 1, 3], [0, 0, 2, 6]])
    >>> W, H, n_iter = non_negative_factorization(X, n_components=2, random_state=0)
    >>> bool(np.allclose(W @ H, X, atol=1e-2))
    True
    """
    model = NMF(n_components, **parameters).set_output(transform="default")  # a function returns arrays
    if update_H:
        found = model.fit_transform(X, W=W, H=H)
        return found, model.components_, model.n_iter_
    if W is not None:
        warnings.warn("When update_H=False, the provided initial W is not used.", RuntimeWarning, stacklevel=2)
    if H is None:
        raise ValueError("update_H=False needs H: pass the topics whose weights are wanted.")
    model._check_parameters()
    X = check_given(X, "NMF")
    topics = model._as_given(X, "H", H)
    k = topics.shape[0] if topics.ndim == 2 else 0
    model._checked_start(X, np.zeros((X.shape[0], k), X.dtype), topics)
    return model.restore({"components_": topics}).transform(X), topics, 1
