"""Xu, Liu, Gong (SIGIR 2003), figure 2: documents in the spaces of NMF and of the SVD."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.methods.assignment import assign
from quire.methods.lsi import LSI
from quire.papers.corpora import Labelled, read_matrix
from quire.papers.experiment import Cell, Result, Setting
from quire.papers.protocol import with_factorization
from quire.runs.recipe import recipe
from quire.scores.metrics import accuracy
from quire.studies.figures import new_figure, svg_of

_SYMBOLS = "o+^"
_SIDES = (("NMF", "V"), ("SVD", "E"))
_PAIRS = ((0, 1), (0, 2), (1, 2))


def figure2(setting: Setting) -> Result:
    """Plot the documents of three classes along the axes of NMF and along the singular vectors."""
    corpus = read_matrix(setting.data, "tdt2")
    setting.update(0, 2, "NMF and SVD")
    mixed = corpus.of_classes(_middling_classes(corpus))
    X = recipe("xu2003").make_weight().fit_csr(mixed.counts)
    of = with_factorization(recipe("xu2003"), n_init=setting.pick(3, 10))
    model = of.make_estimator(3, setting.seed, setting.threads)
    W = model.fit_transform(X)
    setting.update(1, 2, "NMF and SVD")
    V = W * np.linalg.norm(model.components_, axis=1)  # topics of unit length, as in the paper
    E = LSI(3, random_state=setting.seed, n_jobs=setting.threads).fit_transform(X)
    E = E / np.linalg.norm(E, axis=0)
    setting.update(2, 2, "NMF and SVD")
    return Result(_cells(mixed, V, E), _differs(mixed), _findings(mixed, V, E), _figures(mixed, V, E))


def _middling_classes(corpus: Labelled) -> NDArray[Any]:
    """Choose the three classes of middle size: the paper does not name its own."""
    names, sizes = np.unique(corpus.labels, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    middle = max(len(order) // 2 - 1, 1)
    return np.asarray(names[order[middle - 1 : middle + 2]])


def _shares(mixed: Labelled, V: NDArray[Any], E: NDArray[Any]) -> dict[str, dict[str, float]]:
    """Return, for each space, the share of negative coordinates and the accuracy of the largest one."""
    unit = np.eye(V.shape[1])
    return {
        "NMF": {"negative": float((V < 0).mean()), "axis": accuracy(mixed.labels, assign(V, unit)[0])},
        "SVD": {"negative": float((E < 0).mean()), "axis": accuracy(mixed.labels, np.abs(E).argmax(axis=1))},
    }


def _cells(mixed: Labelled, V: NDArray[Any], E: NDArray[Any]) -> list[Cell]:
    shares = _shares(mixed, V, E)
    rows = (("negative coordinates", "negative"), ("accuracy of the largest coordinate", "axis"))
    return [
        Cell(row, space, 0.0 if (space, key) == ("NMF", "negative") else None, shares[space][key])
        for row, key in rows
        for space in ("NMF", "SVD")
    ]


def _differs(mixed: Labelled) -> list[str]:
    sizes = ", ".join(str(n) for n in np.unique(mixed.labels, return_counts=True)[1])
    return [
        "The paper does not say which three classes it shows, nor of which corpus: here three classes of "
        f"middle size of TDT2, with {sizes} documents."
    ]


def _findings(mixed: Labelled, V: NDArray[Any], E: NDArray[Any]) -> list[str]:
    shares = _shares(mixed, V, E)
    nmf, svd = shares["NMF"], shares["SVD"]
    along = "as" if nmf["axis"] > svd["axis"] else "not as"
    return [
        f"{along.capitalize()} in the paper, an axis of NMF is a class and an axis of the SVD is not: the "
        f"largest coordinate alone gives the class of {nmf['axis']:.1%} of the documents in the space of "
        f"NMF, of {svd['axis']:.1%} in that of the SVD, where {svd['negative']:.0%} of the coordinates are "
        "negative."
    ]


def _figures(mixed: Labelled, V: NDArray[Any], E: NDArray[Any]) -> dict[str, str]:
    figure, axes = new_figure(2, 3, 9.0, 6.0)
    names = np.unique(mixed.labels)
    for row, ((space, letter), places) in enumerate(zip(_SIDES, (V, E), strict=True)):
        for axis, (i, j) in zip(axes[row], _PAIRS, strict=True):
            for symbol, name in zip(_SYMBOLS, names, strict=True):
                some = places[mixed.labels == name]
                axis.scatter(some[:, i], some[:, j], s=12, marker=symbol, linewidths=0.7, label=f"class {name}")
            axis.set_xlabel(f"{letter}{i + 1}")
            axis.set_ylabel(f"{letter}{j + 1}")
        axes[row, 1].set_title(f"{'ab'[row]}) {space}")
    axes[0, 2].legend(frameon=False)
    return {"spaces": svg_of(figure)}
