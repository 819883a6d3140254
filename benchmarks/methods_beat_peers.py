"""Claim: each method of Quire beats the best public implementation of the same method that PyPI has.

One row a comparison: 20 Newsgroups train as log-tfidf, k = 20, float32, unless the row says otherwise; both
sides as a user calls them, in this one process, in turn, from the same start wherever the peer takes one.
Where both take the same steps they are given the same number of them; else Quire stops at the objective at
which the peer ends. Where PyPI has no peer it is a plain SciPy version of the printed algorithm, below; a
peer that is not installed is left out, with a line that says so. Writes a section of docs/benchmarks.md.
``--quick``, to try the script: a tenth of the documents, a third of the iterations, and nothing written.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.cluster
import sklearn.decomposition
from corpora import DATA, generated, newsgroups
from measure import machine, table, write_section
from old_numpy import old_numpy
from peers import relative_error, sklearn_errors, sklearn_fit
from sklearn.preprocessing import normalize

import quire
from quire.engine.rules.simplex import onto_simplex
from quire.engine.start import first_factors, seeds
from quire.methods.lsi import LSI
from quire.methods.means import KMeans, SoftKMeans, SphericalKMeans
from quire.methods.spectral import AA, NC

K, CLOSE, SLOW = 20, 1.001, 20.0  # topics; how near objectives must come; seconds from which 2 repeats do
DIFFERS = "NOT THE SAME: "
PEERS = ("scikit-learn", "nimfa", "enstop", "soyclustering", "opnmf")
NOTES = """
For `PPC`, `SPPC`, `SimplexNMF` and `SoftKMeans` no package was found on PyPI (libNMF's PNMF is another
method; PyMF does not import on Python 3), so the peer is the same algorithm, as it is printed, in plain
SciPy. opnmf's W is not quite orthogonal: of each row the largest entry is kept before its objective is
taken. `AA` and `NC` stand alone: scikit-learn's SpectralClustering and SpectralCoclustering are other
methods (a graph of neighbours or of all pairs; documents and words at once). `AffinityPropagation` passes
scikit-learn's own messages, and is not compared. nimfa, enstop and soyclustering install, but call names
that NumPy removed (`np.mat`, `np.Inf`, `np.float`, `np.int`): the script gives them these names back while
they run, and changes nothing else. Installable, but no peers: spherecluster imports a module that
scikit-learn has dropped, plsa holds documents × words × topics in memory, faiss has spherical k-means for
dense rows only, pyplanc (block principal pivoting in C++) asks for NumPy < 2.3 and, without that, hangs in
this process: its threads and its BLAS's do not go together.
"""


@dataclass
class Case:
    """One comparison: what is run, and whether both sides came to the same."""

    method: str
    peer: str
    how: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any] | None = None
    same: Callable[[Any, Any], str] | None = None
    bar: str = ""


class MissingPeerError(Exception):
    """A peer that is not installed."""


# -- running ---------------------------------------------------------------------------------------------


def needs(package: str) -> None:
    try:
        version(package)
    except PackageNotFoundError as missing:
        raise MissingPeerError(package) from missing


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    began = time.perf_counter()
    found = call()
    return time.perf_counter() - began, found


def in_turn(case: Case, repeats: int) -> tuple[list[list[float]], str]:
    """Return the seconds of both sides, and how they agree; the first round, which loads things, is not kept.

    But for a side that is slow enough for that not to matter: then one more repeat is all.
    """
    calls = [case.ours] if case.theirs is None else [case.ours, case.theirs]
    first = [timed(call) for call in calls]
    agreed = case.same(first[0][1], first[1][1]) if case.same and len(first) == 2 else "–"
    most = [2 if seconds >= SLOW else repeats for seconds, _ in first]
    times = [[seconds] if seconds >= SLOW else [] for seconds, _ in first]
    for _ in range(repeats):
        for call, kept, enough in zip(calls, times, most):
            if len(kept) < enough:
                kept.append(timed(call)[0])
    return times, agreed


def row(case: Case, repeats: int) -> list[str]:
    times, agreed = in_turn(case, repeats)
    low, middle = [min(t) for t in times], [float(np.median(t)) for t in times]
    figures = [f"{low[0]:.3f}", f"{middle[0]:.3f}"]
    if case.theirs is None:
        return [case.method, case.peer, case.how, *figures, "–", "–", "–", "–", agreed]
    ratio = f"**{middle[1] / middle[0]:.1f}×**" + (f" ({case.bar})" if case.bar else "")
    return [case.method, case.peer, case.how, *figures, f"{low[1]:.3f}", f"{middle[1]:.3f}",
            f"{low[1] / low[0]:.1f}×", ratio, agreed]  # fmt: skip


# -- agreeing --------------------------------------------------------------------------------------------


def objectives(ours: float, theirs: float) -> str:
    """Say how the objectives differ: Quire's must not be higher by 0.1 %."""
    good = ours <= CLOSE * theirs
    return f"{'' if good else DIFFERS}objective {ours / theirs - 1:+.1e}"


def labels(ours: Any, theirs: Any) -> str:
    """Say how many documents are in the same cluster; not the same from one in a hundred on elsewhere."""
    share = float(np.mean(np.asarray(ours) == np.asarray(theirs)))
    return f"{'' if share >= 0.99 else DIFFERS}{share:.2%} of labels"


def last(model: Any) -> float:
    """Return the objective of the last iteration, before W is solved once more for the H that is returned."""
    return float(model.trace_["objective"][-1])


def half_error(X: Any, W: Any, H: Any) -> float:
    """½‖X − WH‖²."""
    norm = squared_norm(X)
    return 0.5 * norm * relative_error(X, norm, W, H)


def squared_norm(X: Any) -> float:
    values = X.data if sp.issparse(X) else X
    return float(np.sum(np.asarray(values, np.float64) ** 2))


def fitted(model: Any, X: Any, W: Any, H: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, W=W, H=H)


def stopped_at(level: float, make: Callable[..., Any], X: Any, W: Any, H: Any, **options: Any) -> Any:
    """Fit Quire's estimator until it is at the level."""
    options |= {"init": "custom", "tol": 0, "max_iter": 2000}
    return fitted(make(W.shape[1], callback=lambda s: s.objective <= level, **options), X, W, H)


def to_level(name: str, make: Any, X: Any, start: Any, peer: str, theirs: Any, how: str, **more: Any) -> Case:
    """Return the case in which Quire stops at the objective that ``theirs()`` returns."""
    bar, slack = more.pop("bar", ""), more.pop("slack", 1.0)
    level = slack * theirs()
    ours = partial(stopped_at, level, make, X, *start, **more)
    return Case(name, peer, how, ours, theirs, lambda a, b: objectives(last(a), b), bar)


# -- multiplicative updates ------------------------------------------------------------------------------


def dense_part(X: Any) -> Any:
    """Return the 400 commonest terms of 600 documents, densely and in float64, as nimfa wants them."""
    common = np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")[:400]
    part = X[:, np.sort(common)][: 5 * 600].toarray().astype(np.float64)
    return np.ascontiguousarray(part[part.any(axis=1)][:600])


def random_start(X: Any, seed: int = 0) -> tuple[Any, Any]:
    return first_factors(X, K, "random", np.random.RandomState(seed))


def multiplicative(X: Any, steps: int) -> Iterator[Case]:
    """MU for the three losses, from the same start: as many iterations, nothing subtracted, where both step alike.

    Of Itakura–Saito Quire's steps go twice as far as scikit-learn's, so there it stops at the same objective.
    """
    for loss, data in cases_of_losses(X):
        W, H = random_start(data)
        model = quire.NMF(K, init="custom", solver="mu", beta_loss=loss, tol=0, max_iter=steps, coarse=False)

        def theirs(data=data, loss=loss, W=W, H=H):
            peer = sklearn.decomposition.NMF(K, init="custom", solver="mu", beta_loss=loss, tol=0, max_iter=steps)
            peer.fit_transform(data, W=W.copy(), H=H.copy())
            return 0.5 * peer.reconstruction_err_**2

        name, peer = f"`NMF`, mu, {loss}", "scikit-learn mu"
        if data is not X:
            make = partial(quire.NMF, solver="mu", beta_loss=loss, coarse=False)
            how = f"to the objective after its {steps} iterations, dense 600 × 400, {data.dtype}"
            yield to_level(name, make, data, (W, H), peer, theirs, how, bar="bar 1×")
            continue
        bar = "bar 2×" if loss == "frobenius" else ""
        same = partial(fitted, model, data, W, H)
        yield Case(name, peer, f"{steps} iterations", same, theirs, lambda a, b: objectives(last(a), b), bar)


def cases_of_losses(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield a loss and data for it."""
    yield from (("frobenius", X), ("kullback-leibler", X))
    positive = np.random.default_rng(0).gamma(2.0, 1.0, (600, 400)) + 0.01
    yield from (("itakura-saito", positive.astype(dtype)) for dtype in ("f4", "f8"))


# -- exact least squares ---------------------------------------------------------------------------------


def cd_to_its_end(X: Any, W: Any, H: Any) -> float:
    model = sklearn.decomposition.NMF(K, init="custom", solver="cd", tol=1e-4, max_iter=200)
    model.fit_transform(X, W=W.copy(), H=H.copy())
    return 0.5 * float(model.reconstruction_err_) ** 2


def anls(X: Any, steps: int) -> Iterator[Case]:
    """ANLS to 1.001 × the objective at which scikit-learn's cd ends."""
    W, H = random_start(X)
    make = partial(quire.NMF, solver="anls", coarse=False)
    first = to_level("`NMF`, anls", make, X, (W, H), "scikit-learn cd", partial(cd_to_its_end, X, W, H),
                     "to 1.001 × the objective at its own end", bar="bar 1×", slack=CLOSE)  # fmt: skip
    yield first
    norm = squared_norm(X)
    level = CLOSE * cd_to_its_end(X, W, H)
    errors = sklearn_errors(X, norm, W, H)
    count = next(i for i, error in enumerate(errors, 1) if 0.5 * norm * error <= level)

    def stopped():
        return half_error(X, *sklearn_fit(X, W, H, count))

    yield Case("`NMF`, anls", "scikit-learn cd, stopped by foreknowledge", "to the same level", first.ours,
               stopped, lambda a, b: objectives(last(a), b))  # fmt: skip


def nimfa_least_squares(X: Any, steps: int) -> Iterator[Case]:
    """Nimfa's Lsnmf, on a small dense matrix."""
    needs("nimfa")
    A = dense_part(X)
    W, H = random_start(A)

    def theirs():
        W_found, H_found = nimfa_fit("Lsnmf", A, W, H, steps)
        return half_error(A, W_found, H_found)

    yield to_level("`NMF`, anls", partial(quire.NMF, solver="anls"), A, (W, H), "nimfa Lsnmf", theirs,
                   f"to the objective after its {steps} iterations, dense {sized(A)}")  # fmt: skip


def nimfa_fit(name: str, V: Any, W: Any, H: Any, steps: int, **options: Any) -> tuple[Any, Any]:
    import nimfa

    with old_numpy(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = getattr(nimfa, name)(V, W=W.copy(), H=H.copy(), rank=K, max_iter=steps, min_residuals=1e-12, **options)
        found = method()
        return np.asarray(found.basis()), np.asarray(found.coef())


def sized(A: Any) -> str:
    return f"{A.shape[0]:,} × {A.shape[1]:,}"


def sparse(X: Any, steps: int) -> Iterator[Case]:
    """SparseNMF beside nimfa's Snmf, version r; its V is Xᵀ, and the square of its eta is kim2008's."""
    needs("nimfa")
    A = dense_part(X)
    W, H = random_start(A)
    beta, eta = 0.1, float(A.max())

    def theirs():
        basis, coef = nimfa_fit("Snmf", A.T, H.T, W.T, steps, version="r", eta=eta**0.5, beta=beta)
        W_found, H_found = coef.T, basis.T
        penalty = eta * squared_norm(H_found) + beta * float(np.sum(W_found.sum(axis=1) ** 2))
        return half_error(A, W_found, H_found) + 0.5 * penalty

    make = partial(quire.SparseNMF, beta=beta, eta=eta)
    how = f"to the objective after its {steps} iterations, dense {sized(A)}"
    yield to_level("`SparseNMF`", make, A, (W, H), "nimfa Snmf (r)", theirs, how)


def sparse_alone(X: Any, steps: int) -> Iterator[Case]:
    """SparseNMF on the whole matrix, which nimfa's would have to hold densely."""
    W, H = random_start(X)
    model = quire.SparseNMF(K, init="custom", tol=0, max_iter=steps)
    yield Case("`SparseNMF`", "none at this size", f"{steps} iterations", partial(fitted, model, X, W, H))


# -- PLSI ------------------------------------------------------------------------------------------------


def plsi(X: Any, steps: int) -> Iterator[Case]:
    """Beside enstop, on rows that sum to 1, as it brings them to: the same EM."""
    needs("enstop")
    shares = sp.csr_matrix(normalize(X[np.diff(X.indptr) > 0], "l1"))
    rng = np.random.RandomState(0)
    shapes = (shares.shape[0], K), (K, shares.shape[1])
    W, H = (normalize(rng.rand(*shape).astype(np.float32), "l1") for shape in shapes)

    def run():
        with old_numpy():
            import enstop

            model = enstop.PLSA(K, init=(W.copy(), H.copy()), n_iter=steps, tolerance=0.0)
            return model.fit_transform(shares), model.components_

    found, topics = run()
    level = CLOSE_LIKELIHOOD * kullback_leibler(shares, found, topics)
    yield Case("`PLSI`", "enstop PLSA", f"to the likelihood after its {steps} iterations, rows of sum 1",
               partial(stopped_at, level, quire.PLSI, shares, W, H), run,
               lambda a, b: objectives(last(a), kullback_leibler(shares, *b)))  # fmt: skip


CLOSE_LIKELIHOOD = 1 + 1e-6  # the same steps come to the same, but for rounding


def kullback_leibler(X: Any, W: Any, H: Any) -> float:
    """Σ x log(x / y) − x + y without the entries of WH where X is 0, but for their sum."""
    total = float(W.sum(axis=0, dtype=np.float64) @ H.sum(axis=1, dtype=np.float64))
    rows, value = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), 0.0
    turned = np.ascontiguousarray(H.T)
    for at in range(0, X.nnz, 200_000):
        part = slice(at, at + 200_000)
        x = X.data[part].astype(np.float64)
        y = np.einsum("it,it->i", W[rows[part]], turned[X.indices[part]], dtype=np.float64)
        value += float(np.sum(x * np.log(x / np.maximum(y, 1e-300)) - x))
    return value + total


# -- one topic a document --------------------------------------------------------------------------------


def means(X: Any, steps: int) -> Iterator[Case]:
    """K-means from the same centroids, until no document moves."""
    H = seeds(X, K, "rows", np.random.RandomState(0))
    W = np.zeros((X.shape[0], K), X.dtype)
    model = KMeans(K, init="custom", tol=0, max_iter=300)
    narrow = sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    peer = sklearn.cluster.KMeans(K, init=H, n_init=1, tol=0, max_iter=300)
    yield Case("`KMeans`", "scikit-learn KMeans", "to the end", partial(fitted, model, X, W, H),
               lambda: peer.fit(narrow), lambda a, b: labels(a.labels_, b.labels_))  # fmt: skip


def directions(X: Any, steps: int) -> Iterator[Case]:
    """Spherical k-means; soyclustering ends when at most one document moves."""
    needs("soyclustering")
    H = normalize(seeds(X, K, "rows", np.random.RandomState(1)))
    W = np.zeros((X.shape[0], K), X.dtype)
    model = SphericalKMeans(K, init="custom", tol=0, max_iter=300)
    units = sp.csr_matrix(normalize(X))

    def theirs():
        with old_numpy():
            from soyclustering import SphericalKMeans as Peer

            return Peer(K, init=H, tol=0.0, max_iter=300).fit(units)

    yield Case("`SphericalKMeans`", "soyclustering", "to the end", partial(fitted, model, X, W, H), theirs,
               lambda a, b: labels(a.labels_, b.labels_))  # fmt: skip


def soft(X: Any, steps: int) -> Iterator[Case]:
    """Soft k-means in plain SciPy: so many iterations of either."""
    H = seeds(X, K, "rows", np.random.RandomState(0))
    W = np.zeros((X.shape[0], K), X.dtype)
    model = SoftKMeans(K, init="custom", tol=0, max_iter=steps)
    beta = float(fitted(model, X, W, H).stiffness_)

    def theirs():
        from scipy.special import softmax

        centres = H
        for _ in range(steps):
            near = X @ np.ascontiguousarray(centres.T) - 0.5 * np.einsum("td,td->t", centres, centres)
            share = softmax(beta * near, axis=1).astype(X.dtype)
            centres = (X.T @ share).T / share.sum(axis=0)[:, None]
        return share.argmax(axis=1)

    yield Case("`SoftKMeans`", "plain SciPy, given the stiffness", f"{steps} iterations",
               partial(fitted, model, X, W, H), theirs,
               lambda a, b: labels(a.memberships_.argmax(axis=1), b))  # fmt: skip


def orthogonal(X: Any, steps: int) -> Iterator[Case]:
    """Alternate as ProjectiveNMF does, in plain SciPy, to the end, from the same topics."""
    H = random_start(X)[1] + seeds(X, K, "rows", np.random.RandomState(0))
    W = np.zeros((X.shape[0], K), X.dtype)

    def theirs():
        topics, old, rows = H, None, np.arange(X.shape[0])
        for _ in range(300):
            P, squares = X @ np.ascontiguousarray(topics.T), np.einsum("td,td->t", topics, topics)
            best = (P * P / squares).argmax(axis=1)
            if old is not None and np.array_equal(best, old):
                break
            weight = P[rows, best] / squares[best]
            picked = sp.csr_array((weight, (rows, best)), (X.shape[0], K))
            topics = (picked.T @ X).toarray() / np.bincount(best, weight**2, K)[:, None]
            old = best
        gain = np.take_along_axis(P * P / squares, best[:, None], 1)
        return 0.5 * (squared_norm(X) - float(np.sum(gain, dtype=np.float64)))

    how = "to the objective at which no document moves there"
    yield to_level("`ProjectiveNMF`", quire.ProjectiveNMF, X, (W, H), "plain SciPy", theirs, how)
    model = quire.ProjectiveNMF(K, init="custom", tol=0, max_iter=300)
    yield Case("`ProjectiveNMF`", "plain SciPy", "each to its own end", partial(fitted, model, X, W, H),
               theirs, lambda a, b: objectives(last(a), b))  # fmt: skip


def projective(X: Any, steps: int) -> Iterator[Case]:
    """ProjectiveNMF beside opnmf's multiplicative updates, both from NNDSVD, on a small dense matrix."""
    needs("opnmf")
    A = dense_part(X)
    W, H = first_factors(A, K, "nndsvda", np.random.RandomState(0))
    model = quire.ProjectiveNMF(K, init="custom", tol=0, max_iter=300)

    def theirs():
        from opnmf.opnmf import opnmf

        found = opnmf(A, K, max_iter=steps, init="custom", init_W=W.copy())[0]
        best = np.where(found == found.max(axis=1, keepdims=True), found, 0)
        lengths = np.linalg.norm(best, axis=0)
        best /= np.where(lengths > 0, lengths, 1)
        return half_error(A, best, best.T @ A)

    yield Case("`ProjectiveNMF`", "opnmf", f"to the end, at most its {steps} iterations, dense {sized(A)}",
               partial(fitted, model, A, np.zeros_like(W), H), theirs,
               lambda a, b: objectives(last(a), b))  # fmt: skip


# -- the printed algorithms ------------------------------------------------------------------------------


def row_sums_one(F: Any) -> Any:
    return F / np.maximum(F.sum(axis=1, keepdims=True), 1e-30)


def printed_step(F: Any, P: Any, G: Any) -> Any:
    """Ding2008 eqs 5 and 8: rows of F sum to 1."""
    quadratic = F @ G
    up = P + np.einsum("it,it->i", quadratic, F)[:, None]
    down = quadratic + np.einsum("it,it->i", P, F)[:, None]
    return row_sums_one(F * up / np.maximum(down, 1e-30))


def posterior(X: Any, steps: int) -> Iterator[Case]:
    """PPC to the lowest objective that the printed updates pass through."""
    W, H = first_factors(X, K, "kmeans", np.random.RandomState(0))

    def theirs():
        F, topics = row_sums_one(W), H.copy()
        for _ in range(steps):
            F = printed_step(F, X @ np.ascontiguousarray(topics.T), topics @ topics.T)
            topics = topics * (X.T @ F).T / np.maximum(F.T @ F @ topics, 1e-30)
        return half_error(X, F, topics)

    yield to_level("`PPC`", quire.PPC, X, (W, H), "plain SciPy, the printed updates", theirs,
                   f"to the objective after its {steps} iterations")  # fmt: skip


def both_sides(X: Any, steps: int) -> Iterator[Case]:
    """SPPC likewise: words and documents."""
    W = first_factors(X, K, "kmeans", np.random.RandomState(0))[0]
    words = first_factors(sp.csr_array(X.T), K, "kmeans", np.random.RandomState(0))[0]

    def theirs():
        F, V, turned = row_sums_one(words), row_sums_one(W), sp.csr_array(X.T)
        S = np.full((K, K), float(X.sum()) / (F.shape[0] * V.shape[0]), X.dtype)
        for _ in range(steps):
            product = turned @ V
            middle = np.maximum(F.T @ F @ S @ (V.T @ V), 1e-30)
            S = S * (F.T @ product) / middle
            F = printed_step(F, product @ S.T, S @ (V.T @ V) @ S.T)
            topics = (F @ S).T
            V = printed_step(V, X @ np.ascontiguousarray(topics.T), topics @ topics.T)
        return half_error(X, V, topics)

    yield to_level("`SPPC`", quire.SPPC, X, (W, words.T), "plain SciPy, the printed updates", theirs,
                   f"to the objective after its {steps} iterations")  # fmt: skip


def simplex(X: Any, steps: int) -> Iterator[Case]:
    """SimplexNMF beside RRI written with SciPy products and a loop over topics."""
    W, H = random_start(X)

    def theirs():
        V, topics = W.copy(), np.array([onto_simplex(h) for h in H])
        for _ in range(steps):
            P, G = X @ np.ascontiguousarray(topics.T), topics @ topics.T
            for t in range(K):
                V[:, t] = np.maximum(V[:, t] + (P[:, t] - V @ G[:, t]) / G[t, t], 0)
            P, G = (X.T @ V).T, V.T @ V
            for t in np.flatnonzero(np.diag(G) > 0):
                topics[t] = onto_simplex(topics[t] + (P[t] - G[t] @ topics) / G[t, t])
        return half_error(X, V, topics)

    make, how = partial(quire.SimplexNMF, n_init=1), f"to the objective after its {steps} iterations"
    yield to_level("`SimplexNMF`", make, X, (W, H), "plain SciPy, RRI", theirs, how)


# -- singular vectors ------------------------------------------------------------------------------------


def inexact(X: Any, Vt: Any) -> float:
    """‖XᵀXV − V diag(vᵀXᵀXv)‖ / ‖the latter‖: 0 for singular vectors."""
    V = np.ascontiguousarray(Vt.T, dtype=np.float64)
    XV = X.astype(np.float64) @ V
    squares = np.einsum("it,it->t", XV, XV)
    return float(np.linalg.norm(X.T.astype(np.float64) @ XV - V * squares) / np.linalg.norm(squares))


def singular(X: Any, steps: int) -> Iterator[Case]:
    """LSI beside randomized SVD with as many rounds as it needs to be as exact, and beside ARPACK."""
    model = LSI(K, random_state=0)
    ours = inexact(X, model.fit(X).components_)
    svd = sklearn.decomposition.TruncatedSVD
    for rounds in (8, 16, 32, 64, 128):
        peer = svd(K, algorithm="randomized", n_iter=rounds, random_state=0)
        if inexact(X, peer.fit(X).components_) <= max(2 * ours, 1e-5):  # near rounding both are exact
            break
    cases = {f"scikit-learn TruncatedSVD, {rounds} rounds": peer,
             "scikit-learn TruncatedSVD, ARPACK": svd(K, algorithm="arpack", random_state=0)}  # fmt: skip

    def off(a, b):
        return f"off by {inexact(X, a.components_):.0e}, {inexact(X, b.components_):.0e}"

    for name, other in cases.items():
        yield Case("`LSI`", name, "to the same exactness", partial(model.fit, X), partial(other.fit, X), off)


def alone(X: Any, steps: int) -> Iterator[Case]:
    """AA and NC, which have no peer."""
    for make in (AA, NC):
        model = make(K, random_state=0)
        yield Case(f"`{make.__name__}`", "none", "10 starts, to the end", partial(model.fit, X))


# -- the page --------------------------------------------------------------------------------------------

GROUPS = {
    "mu": (multiplicative, 100), "anls": (anls, 0),
    "lsnmf": (nimfa_least_squares, 30), "sparse": (sparse, 30), "sparse-alone": (sparse_alone, 30),
    "plsi": (plsi, 50), "means": (means, 0), "directions": (directions, 0), "soft": (soft, 30),
    "orthogonal": (orthogonal, 0), "opnmf": (projective, 300), "ppc": (posterior, 50),
    "sppc": (both_sides, 50), "simplex": (simplex, 30), "lsi": (singular, 0), "alone": (alone, 0),
}  # fmt: skip
HEADINGS = ["method", "peer", "how far", "Quire: min s", "median s", "peer: min s", "median s",
            "ratio of minima", "ratio of medians", "the same?"]  # fmt: skip


def measured(X: Any, names: list[str], repeats: int, quick: bool) -> tuple[list[list[str]], list[str]]:
    """Return the table's rows, and a line for each thing that was left out."""
    rows, left_out = [], []
    for name in names:
        group, steps = GROUPS[name]
        try:
            for case in group(X, max(steps // 3, 1) if quick and name != "mu" else steps):
                rows.append(row(case, repeats))
                print(*rows[-1], sep=" | ", flush=True)
        except MissingPeerError as missing:
            left_out.append(f"{missing} is not installed: its row ({name}) is left out.")
            print(left_out[-1], flush=True)
    return rows, left_out


def versions() -> str:
    found = []
    for package in PEERS:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return ", ".join(found)


def data(quick: bool) -> tuple[str, Any]:
    real = (DATA / "20newsgroups.parquet").exists()
    X = newsgroups() if real else generated(10_000)
    if quick:
        X = X[::10]
        X = sp.csr_array(X[:, np.bincount(X.indices, minlength=X.shape[1]) > 0])
    return "20 Newsgroups train" if real else "generated documents", X


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data; write nothing")
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=list(GROUPS), help="some groups")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    name, X = data(options.quick)
    rows, left_out = measured(X, options.only, options.repeats, options.quick)
    text = (
        f"### Method by method\n\n{name}{', a tenth of it' if options.quick else ''} ({sized(X)}), k = {K}; "
        f"{options.repeats} repeats in turn (2 of what takes over {SLOW:.0f} s), nothing subtracted: "
        "Quire's time has in it that W is solved once more for the H it returns.\n\n"
        f"{table(HEADINGS, rows)}\n\n{' '.join(NOTES.split())}\n\n"
        + "".join(f"{line}\n\n" for line in left_out)
        + f"Measured {time.strftime('%Y-%m-%d')} on {machine()}; {versions()}; "
        f"`python benchmarks/methods_beat_peers.py --repeats {options.repeats} "
        f"--only {' '.join(options.only)}`."
    )
    print(text)
    if not options.quick:
        write_section("methods", text)
    if DIFFERS in text:
        raise SystemExit("Two sides did not come to the same: see the last column.")


if __name__ == "__main__":
    main()
