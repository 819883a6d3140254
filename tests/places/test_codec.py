"""Things as files: what is written comes back, and nothing that a file says is executed."""

import ast
import contextlib
import errno
import json
import os
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import random_sparse

from quire import Counts, Weight
from quire.engine.trace import Step
from quire.places import codec
from quire.places.checkpoint import Checkpoint
from quire.places.codec import read_thing, write_thing
from quire.places.disk import DiskPlace

SOURCE = Path(__file__).parents[2] / "src" / "quire"
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(plain)
def test_plain_data_comes_back(tmp_path_factory, thing):
    path = tmp_path_factory.mktemp("codec") / "thing"
    write_thing(path, thing)
    np.testing.assert_equal(read_thing(path), thing)  # NaN is NaN here


def test_arrays_tables_and_instances_come_back(tmp_path):
    X = random_sparse(7, 5, dtype=np.float32)
    table = pl.DataFrame({"id": ["a", None], "n": [1, 2], "b": [b"x", b""]})
    step, rng = Step(1, 2.5, float("nan"), 0.1), np.random.RandomState(3)
    thing = {
        "X": X, "table": table, "column": table["id"], "steps": [step, step], "rng": rng,
        "none": np.zeros((0, 3)), "word": np.float32(2), "type": np.float32, "stops": frozenset({"a"}),
    }  # fmt: skip
    write_thing(tmp_path / "thing", thing)
    back = read_thing(tmp_path / "thing")
    assert (back["X"] != X).nnz == 0
    assert back["X"].dtype == np.float32
    assert back["table"].equals(table)
    assert back["column"].equals(table["id"])
    assert back["steps"][0] is back["steps"][1]
    assert back["steps"][0][:2] == step[:2]
    assert back["rng"].randint(1000) == np.random.RandomState(3).randint(1000)
    assert back["none"].shape == (0, 3)
    assert (back["word"], back["type"], back["stops"]) == (2, np.float32, frozenset({"a"}))


def test_fitted_transformers_come_back(tmp_path):
    texts = ["the moon orbits", "a moon and a goal", "the goal of teams"]
    counts = Counts(stop_words="en", stem="en").fit(texts)
    weight = Weight("log-tfidf")
    X = weight.fit_transform(counts.transform(texts))
    write_thing(tmp_path / "both", (counts, weight))
    again, other = read_thing(tmp_path / "both")
    assert (other.transform(again.transform(texts)) != X).nnz == 0


class Harmful:
    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.mkdir, (str(self.target),)


def test_what_is_not_declared_is_neither_written_nor_read(tmp_path):
    with pytest.raises(TypeError, match="not storable"):
        write_thing(tmp_path / "thing", Harmful(tmp_path))
    write_thing(tmp_path / "step", Step(1, 1.0, 1.0, 1.0))
    content = (tmp_path / "step").read_bytes()
    (tmp_path / "step").write_bytes(
        content.replace(b"quire.engine.trace.Step", b"subprocess.Popen.......")[: len(content)]
    )
    with pytest.raises((KeyError, ValueError, ImportError)):
        read_thing(tmp_path / "step")


@pytest.mark.parametrize("where", ["state", "name"])
def test_a_planted_file_is_damage_and_nothing_more(where, tmp_path):
    place = DiskPlace(tmp_path / "work")
    kept = Checkpoint(place)
    kept.save("fit", {"X": place.put(np.arange(4)), "n": 1})
    harmful = pickle.dumps(Harmful(tmp_path / "harmed"))
    (beside,) = (path for path in kept.folder.iterdir() if path.is_dir())
    if where == "state":
        (beside / "state").write_bytes(harmful)
    else:
        head = json.dumps({"special": "../../../../etc/passwd"}).encode()
        sizes = np.array([1, len(head)], np.int64).tobytes()
        (beside / "state").write_bytes(sizes + bytes(-len(sizes) % 64) + head)
    with pytest.raises(ValueError, match="damaged, or of another version"):
        kept.load("fit")
    assert not (tmp_path / "harmed").exists()
    place.close()


@given(st.data())
def test_damage_is_a_value_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("codec") / "thing"
    write_thing(path, (np.arange(5), sp.csr_array(np.eye(3)), [1, "two"]))
    content = bytearray(path.read_bytes())
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(bytes(content[:cut]))
    with contextlib.suppress(ValueError, TypeError, KeyError, IndexError, AttributeError):
        read_thing(path)  # anything else, a crash above all, fails here


def test_nothing_that_is_read_back_is_a_pickle():
    """Only what travels between the processes of one Dask cluster is, since Dask sends nothing else."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "dask" in path.parent.parts:
            continue
        nodes = list(ast.walk(ast.parse(path.read_text())))
        imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not imported & {"pickle", "cloudpickle", "marshal", "shelve", "dill"}, path
        allowed = [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "allow_pickle"]
        assert all(ast.unparse(node.value) == "False" for node in allowed), path
        named = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
        assert not named & {"joblib.load", "torch.load", "pd.read_pickle"}, path


def test_more_blocks_than_file_handles_are_told_in_a_sentence(tmp_path, monkeypatch):
    def too_many(*_, **__):
        raise OSError(errno.EMFILE, "Too many open files")

    write_thing(tmp_path / "block", [1])
    monkeypatch.setattr(codec.mmap, "mmap", too_many)
    with pytest.raises(OSError, match=r"^Too many files are open"):
        read_thing(tmp_path / "block")
