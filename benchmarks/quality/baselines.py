"""Two ways that were found while Quire was planned: NMF runs, put together or chosen from, then EM.

Each is NMF on log counts with ``nl-tau``, τ = 0.3, from random starts, then 15 steps of EM of a multinomial
mixture on log counts, started from the clusters. The log-likelihood of document i counts min(1, 10/ℓ_i)
times, ℓ_i being the sum of its log counts: words of one document are not independent.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from quire import NMF, Weight
from quire.backends.check import silent_rows

RUNS, STARTS, STEPS, LENGTH, SMOOTHING = 9, 4, 15, 10.0, 0.1
ABOUT = {
    "consensus + EM": f"{RUNS} NMF runs, k-means on their stacked square roots of memberships, "
    "then EM tempered by length.",
    "best of 4 + EM": f"NMF, the lowest objective of {STARTS} random starts, then EM tempered by length.",
}


def labels_of(name: str, counts: sp.csr_array, k: int, seed: int) -> NDArray[np.intp]:
    """Return each document's cluster by the baseline of that name; −1 for a document without terms."""
    found = np.full(counts.shape[0], -1)
    spoken = ~silent_rows(counts)
    counts = counts[spoken]
    counts = counts[:, np.bincount(counts.indices, minlength=counts.shape[1]) > 0]
    first = {"consensus + EM": consensus, "best of 4 + EM": best}[name](counts, k, seed)
    found[spoken] = tempered_em(np.log1p(counts), first, k)
    return found


def consensus(counts: sp.csr_array, k: int, seed: int) -> NDArray[np.intp]:
    """Return the clusters of several runs' stacked memberships."""
    X = Weight("log-nl-tau", tau=0.3).fit_transform(counts)
    stacked = np.hstack([np.sqrt(_fitted(X, k, 100 * seed + run).memberships_) for run in range(RUNS)])
    means = KMeans(k, n_init=4, random_state=seed).fit(stacked)
    return np.asarray(means.labels_, np.intp)


def best(counts: sp.csr_array, k: int, seed: int) -> NDArray[np.intp]:
    """Return the clusters of the start that came to the lowest objective."""
    X = Weight("log-nl-tau", tau=0.3).fit_transform(counts)
    return np.maximum(_fitted(X, k, 100 * seed, STARTS).labels_, 0)


def tempered_em(logs: sp.csr_array, clusters: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Return the likeliest class of each document after the steps of EM from hard clusters."""
    tempers = np.minimum(1, LENGTH / np.asarray(logs.sum(axis=1)).ravel())[:, None]
    shares = np.eye(k)[clusters]
    for _ in range(STEPS):
        words = np.asarray(logs.T @ shares) + SMOOTHING
        prior = shares.mean(axis=0) + np.finfo(float).tiny  # a class may have died
        scores = tempers * np.asarray(logs @ np.log(words / words.sum(axis=0))) + np.log(prior)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return shares.argmax(axis=1)


def _fitted(X: sp.csr_array, k: int, seed: int, n_init: int = 1) -> NMF:
    model = NMF(n_components=k, init="random", tol=1e-3, n_init=n_init, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)
