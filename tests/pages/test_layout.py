"""The map: topics apart, documents by their topic, no two in one place, always the same."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from problems import themed

import quire
from quire.pages.layout import LAYOUTS, leaves_below_topics, positions_of, topic_discs
from quire.pages.points import label_names, packed_points
from quire.runs.ranks import typicality_ranks

K, EACH = 5, 120


@pytest.fixture(scope="module")
def run():
    return quire.cluster(themed(), K, random_state=0)


@pytest.fixture(scope="module")
def found(run):
    return positions_of(run, typicality_ranks(run))


def test_no_two_documents_lie_in_one_place_though_many_are_alike(run):
    alike = quire.cluster(["moon orbit"] * 300 + ["goal team"] * 300, 2, random_state=0)
    for each in (run, alike):
        table = positions_of(each, typicality_ranks(each)).documents
        assert len(np.unique(np.rint(table * 65535), axis=0)) == len(table)


def test_documents_lie_nearest_to_their_own_topic(run, found):
    distance = np.linalg.norm(found.documents[:, None] - found.topics, axis=2)
    assert (distance.argmin(axis=1) == run.labels).mean() > 0.9


def test_the_most_typical_document_lies_nearer_to_the_centre_than_most(run, found):
    distance = np.linalg.norm(found.documents - found.topics[run.labels], axis=1)
    first = typicality_ranks(run) == 0
    for t in range(K):
        own = run.labels == t
        assert distance[own & first][0] < np.median(distance[own])


def test_documents_lie_on_the_side_of_their_runner_up():
    run = quire.cluster(themed(), K, recipe="nmf", random_state=0)
    found = positions_of(run, typicality_ranks(run))
    own, second = run.labels, run.documents["runner_up"].to_numpy()
    near = (second >= 0) & (run.documents["runner_up_membership"].to_numpy() > 0.2)
    assert near.sum() > 20
    way = found.topics[second] - found.topics[own]
    moved = ((found.documents - found.topics[own]) * way).sum(axis=1)
    assert moved[near].mean() > moved[~near].mean()


def test_everything_is_inside_the_square_and_the_same_again(run, found):
    for table in found:
        assert table.min() >= 0
        assert table.max() <= 1
    again = positions_of(quire.cluster(themed(), K, random_state=0), typicality_ranks(run))
    assert np.array_equal(again.documents, found.documents)


def test_discs_of_topics_do_not_overlap_whatever_the_topics_are():
    rng = np.random.default_rng(0)
    for H in (rng.random((30, 50)), np.ones((12, 4)), np.zeros((7, 3)), np.eye(2), np.ones((1, 1))):
        shares = rng.random(len(H)) ** 3
        centres, radii = topic_discs(H, shares)
        distance = np.linalg.norm(centres[:, None] - centres, axis=2) + 9 * np.eye(len(H))
        assert np.isfinite(centres).all()
        assert (distance > 0.98 * (radii[:, None] + radii)).all()
        assert ((centres - radii[:, None] > 0.03) & (centres + radii[:, None] < 0.97)).all()


def test_similar_topics_are_nearer_than_others():
    H = np.kron(np.eye(2), np.ones((3, 8))) + 0.05 * np.random.default_rng(0).random((6, 16))
    centres, _ = topic_discs(H, np.full(6, 1 / 6))
    distance = np.linalg.norm(centres[:, None] - centres, axis=2)
    same = np.kron(np.eye(2), np.ones((3, 3))) - np.eye(6) > 0
    assert distance[same].mean() < distance[~same & ~np.eye(6, dtype=bool)].mean()


def test_documents_without_a_topic_lie_at_the_border_or_between_topics():
    silent = quire.cluster([*themed(2, 30), "", "!!!"], 2, random_state=0)
    table = positions_of(silent, typicality_ranks(silent)).documents[-2:]
    assert (np.minimum(table, 1 - table).min(axis=1) < 0.03).all()
    unsure = quire.cluster(themed(2, 30), 2, recipe="nmf", random_state=0, abstain=1.0)
    assert (unsure.labels < 0).sum() > 5
    table = positions_of(unsure, typicality_ranks(unsure)).documents
    assert len(np.unique(np.rint(table * 65535), axis=0)) == len(table)


def test_other_layouts(run):
    table = positions_of(run, typicality_ranks(run), "tsne").documents
    assert table.shape == (K * EACH, 2)
    assert ((table >= 0) & (table <= 1)).all()
    with pytest.raises(ValueError, match="'sphere' is not known: use topics or tsne"):
        positions_of(run, typicality_ranks(run), "sphere")
    few = quire.cluster(["the moon", "a moon", "goal"], 2, random_state=0)
    assert set(LAYOUTS) == {"topics", "tsne"}
    assert positions_of(few, typicality_ranks(few), "tsne").documents.shape == (3, 2)


def test_columns_of_points_say_what_the_table_says(run):
    table = run.documents.with_columns(
        pl.Series("label", ["b", None, "a"] * (K * EACH // 3)),
        pl.Series("date", [None, "1969-07-20", "2020-02-29"] * (K * EACH // 3)).str.to_date(),
    )
    known = replace(run, documents=table)
    rank = typicality_ranks(known)
    labels = label_names(table)
    data, columns = packed_points(known, positions_of(known, rank), rank, labels)
    kinds = {"u8": "u1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4"}
    got = {c["name"]: np.frombuffer(data, kinds[c["type"]], len(table), c["offset"]) for c in columns}
    assert all(c["offset"] % 4 == 0 for c in columns)
    assert got["topic"].tolist() == table["topic"].to_list()
    assert got["other"].tolist() == table["runner_up"].to_list()
    assert np.abs(got["membership"] / 255 - table["membership"].to_numpy()).max() < 0.003
    assert np.abs(got["confidence"] / 254 - table["confidence"].to_numpy()).max() < 0.003
    assert got["label"][:3].tolist() == [1, 65535, 0]
    assert got["date"][:3].tolist() == [-(2**31), -165, 18321]
    assert sorted(rank[run.labels == 0]) == list(range((run.labels == 0).sum()))
    typical = [run.topics["typical"][t][0] for t in range(K)]
    own = [table["id"][int(np.flatnonzero((run.labels == t) & (rank == 0))[0])] for t in range(K)]
    assert own == typical


def test_parts_of_a_topic_lie_side_by_side_where_there_is_a_tree():
    themes = [f"{a} {b}" for a in ("moon orbit", "goal team") for b in ("red crimson", "blue azure", "green lime")]
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.permutation((theme + " ").split() * 4)) for theme in themes for _ in range(40)]
    run = quire.cluster(texts, 2, random_state=0, tree=True)
    found = positions_of(run, typicality_ranks(run))
    deepest = run.hierarchy.deepest
    parts = leaves_below_topics(run.hierarchy)[deepest]
    assert len(np.unique(parts[parts >= 0])) >= 4
    for topic in range(2):
        own = np.flatnonzero((run.labels == topic) & (parts >= 0))
        distance = np.linalg.norm(found.documents[own][:, None] - found.documents[own], axis=2)
        same = parts[own][:, None] == parts[own]
        off = ~np.eye(len(own), dtype=bool)
        assert distance[same & off].mean() < 0.6 * distance[~same].mean()
    table = np.rint(found.documents * 65535)
    assert len(np.unique(table, axis=0)) == len(table)
    assert np.array_equal(positions_of(run, typicality_ranks(run)).documents, found.documents)
