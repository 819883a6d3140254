"""A sparse matrix whose indices lead outside it is refused before compiled code follows them.

All cases run in another process, so that one that does follow them ends that process and not the tests.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from problems import random_sparse

from quire import NMF, Ensemble, Weight, choose, cluster, read_corpus
from quire.engine.elbow import elbow_topics
from quire.methods.registry import METHODS
from quire.places.disk import DiskPlace
from quire.places.indices import as_csr
from quire.places.memory import MemoryPlace, in_blocks
from quire.places.parts import Blocks
from quire.scores.coherence import coherence
from quire.scores.distances import sse, sse_lower_bound
from quire.studies.choosing.heldout import held_out_error


def _pointers(*changes):
    def damaged(X):
        for at, value in changes:
            X.indptr[at] = value
        return X

    return damaged


def _index(value, form="csr"):
    def damaged(X):
        X = X.asformat(form)
        (X.col if form == "coo" else X.indices)[3] = value
        return X

    return damaged


def _short(name):
    def damaged(X):
        setattr(X, name, getattr(X, name)[:4])
        return X

    return damaged


DAMAGES = {
    "pointers back to 0": _pointers((slice(None), 0), (1, 7)),
    "last pointer": _pointers((-1, 10**6)),
    "first pointer": _pointers((0, -5)),
    "order of pointers": _pointers((3, 60), (4, 2)),
    "index": _index(2**31 - 1),
    "negative index": _index(-3),
    "index of columns": _index(2**31 - 1, "csc"),
    "index of blocks": _index(2**31 - 1, "bsr"),
    "coordinates": _index(2**31 - 1, "coo"),
    "few values": _short("data"),
    "few indices": _short("indices"),
    "few pointers": _short("indptr"),
}


def _sound():
    X = random_sparse(30, 20, 0.4)
    X.sort_indices()
    return X


@cache
def _fitted(method):
    return method(3, random_state=0, max_iter=2).fit(_sound())


def _from_file(X):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        sp.save_npz(path, X)
        read_corpus(path)


def _on_disk(X):
    with tempfile.TemporaryDirectory() as folder, DiskPlace(Path(folder) / "work") as place:
        Blocks.split(X, place, 7)


ENTRIES = {
    **{f"{name}.fit": lambda X, method=method: method(3).fit(X) for name, method in METHODS.items()},
    **{f"{name}.transform": lambda X, method=method: _fitted(method).transform(X) for name, method in METHODS.items()},
    "NMF.partial_fit": lambda X: NMF(3).partial_fit(X),
    "NMF.partial_fit again": lambda X: NMF(3).partial_fit(_sound()).partial_fit(X),
    "NMF.fit_seeds": lambda X: NMF(3).fit_seeds(X, [0, 1]),
    "NMF.likely_topics": lambda X: NMF(3).likely_topics(X),
    "NMF.likely_topics of a sample": lambda X: NMF(3, coarse=True).likely_topics(X),
    "Ensemble.likely_cuts": lambda X: Ensemble(3).likely_cuts(X),
    "elbow_topics": elbow_topics,
    "Blocks.split": lambda X: Blocks.split(X, MemoryPlace(), 7),
    "Blocks.split on disk": _on_disk,
    "in_blocks": in_blocks,
    "read_corpus": read_corpus,
    "read_corpus of a file": _from_file,
    "cluster": lambda X: cluster(X, 3),
    "choose": lambda X: choose(X, [2, 3], runs=2),
    "Weight.fit": lambda X: Weight().fit(X),
    "Weight.transform": lambda X: Weight().fit(_sound()).transform(X),
    "Weight.inverse_transform": lambda X: Weight().fit(_sound()).inverse_transform(X),
    "coherence": lambda X: coherence([["1", "2", "3"]], X, [str(i) for i in range(20)]),
    "sse": lambda X: sse(X, [0, 1, 2] * 10),
    "sse_lower_bound": lambda X: sse_lower_bound(X, 2),
    "held_out_error": lambda X: held_out_error(X, 2),
}


def _run_all():
    warnings.simplefilter("ignore")
    for entry, call in ENTRIES.items():
        for damage, damaged in DAMAGES.items():
            print(json.dumps([entry, damage]), end=" ", flush=True)  # known also where the call does not come back
            try:
                call(damaged(_sound()))
                outcome = "nothing was said"
            except ValueError as error:
                outcome = f"refused: {error}"
            except Exception as error:
                outcome = repr(error)
            print(json.dumps(outcome), flush=True)


@pytest.fixture(scope="module")
def outcomes():
    folders = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    there = {**os.environ, "PYTHONPATH": folders, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run([sys.executable, __file__], env=there, capture_output=True, text=True, timeout=300)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0, f"ended by {ran.returncode} in {lines[-1]}\n{ran.stderr[-3000:]}"
    decoder = json.JSONDecoder()
    pairs = (decoder.raw_decode(line) for line in lines)
    return {tuple(case): json.loads(line[end:]) for line, (case, end) in zip(lines, pairs, strict=True)}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_damaged_matrix_is_refused_everywhere(entry, outcomes):
    for damage in DAMAGES:
        outcome = outcomes[entry, damage]
        assert outcome.startswith("refused: "), (damage, outcome)
        assert "damaged" in outcome or "holds no sparse matrix" in outcome, (damage, outcome)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"])
def test_a_sound_matrix_of_any_format_is_taken(form):
    X = _sound()
    for index in (np.int32, np.int64):
        given = sp.csr_array((X.data, X.indices.astype(index), X.indptr.astype(index)), X.shape).asformat(form)
        np.testing.assert_array_equal(as_csr(given, "a test").toarray(), X.toarray())
    assert as_csr(sp.csr_array((3, 4)).asformat(form), "a test").shape == (3, 4)


@pytest.mark.parametrize("form", ["lil", "dia", "dok"])
def test_other_formats_are_looked_at_too(form):
    X = _sound().asformat(form)
    if form == "lil":
        X.rows[2][0] = 99
    elif form == "dia":
        X.data = X.data[:-1]
    else:
        X._dict[99, 2] = 1.0
    with pytest.raises(ValueError, match="damaged"):
        as_csr(X, "a test")


if __name__ == "__main__":
    _run_all()
