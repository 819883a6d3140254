"""The tree on the page: its nodes, and the deepest one of every document."""

from dataclasses import replace

import numpy as np
import pytest
from problems import THEMES

import quire
from quire.pages.payload import payload_of


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(theme.split(), 9)) for theme in THEMES.values() for _ in range(25)]
    return quire.cluster([*texts, ""], 2, random_state=0, tree=True)


def test_nodes_and_the_column_of_documents_agree(run):
    payload = payload_of(run)
    nodes = payload.head["tree"]["nodes"]
    column = next(column for column in payload.head["columns"] if column["name"] == "node")
    assert column["type"] == "u16"
    deepest = np.frombuffer(payload.points, np.uint16, len(run.documents), column["offset"]).astype(int)
    assert (np.where(deepest == 65535, -1, deepest) == run.hierarchy.deepest).all()
    assert deepest[-1] == 65535, "a document without a topic is in no node"
    sizes = np.bincount(deepest[deepest < len(nodes)], minlength=len(nodes))
    for number in range(len(nodes) - 1, 0, -1):
        sizes[nodes[number]["parent"]] += sizes[number]
    assert sizes.tolist() == [node["size"] for node in nodes]
    assert [node["topic"] for node in nodes if node["topic"] is not None] != []


def test_a_run_without_a_tree_has_no_section(run):
    payload = payload_of(replace(run, hierarchy=None))
    assert payload.head["tree"] is None
    assert all(column["name"] != "node" for column in payload.head["columns"])
