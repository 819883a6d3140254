"""Where topics and documents lie on the map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.methods.output import giving_arrays
from quire.pages.parts import parts_of
from quire.places.machine import allowed_threads, in_order
from quire.runs.run import Run
from quire.runs.tree import Tree

_MARGIN = 0.04
_FILLED = 0.4  # of the square by the discs of topics
_SMALLEST = 0.012  # radius
_MOST_PAIRS = 20_000_000  # looked at in all rounds: some seconds
_ROUNDS = 300
_PULL = 0.6  # how far towards the mean of its topics a document is moved
_GOLDEN = np.pi * (3 - np.sqrt(5))
_BLOCK = 1 << 16  # documents at a time
_TSNE = (30.0, 50)  # perplexity; fewest documents


class Positions(NamedTuple):
    """Places in the unit square: of topics (k × 2) and of documents (n × 2)."""

    topics: NDArray[np.float64]
    documents: NDArray[np.float64]


def positions_of(run: Run, rank: NDArray[Any], layout: str = "topics") -> Positions:
    """Place topics and documents."""
    # ``"topics"``, which costs next to nothing: topics by the similarity of their words, each a disc as large
    # as its share; a document in the disc of its topic, the most typical in the centre, and moved towards its
    # other topics in proportion to its memberships. ``"tsne"``: documents by t-SNE of their memberships.
    if layout not in LAYOUTS:
        raise ValueError(f"Layout {layout!r} is not known: use {' or '.join(LAYOUTS)}.")
    return LAYOUTS[layout](run, rank)


def topic_discs(H: NDArray[Any], shares: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centres and the radii of topics: classical scaling of 1 − cosine, discs pushed apart."""
    shares = np.asarray(shares, np.float64)
    parts = shares / max(float(shares.sum()), np.finfo(float).tiny)
    radii = np.maximum(np.sqrt(_FILLED * parts / np.pi), _SMALLEST)
    centres = _pushed_apart(_scaled(1 - cosines(H)), radii)
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    unit = (1 - 2 * _MARGIN) / float((high - low).max())
    return 0.5 + (centres - (low + high) / 2) * unit, radii * unit


def cosines(H: NDArray[Any]) -> NDArray[np.float64]:
    """Return the cosine of every two topics; 0 for a topic without words."""
    H = np.asarray(H, np.float64)
    lengths = np.linalg.norm(H, axis=1, keepdims=True)
    unit = np.divide(H, lengths, out=np.zeros_like(H), where=lengths > 0)
    return np.asarray(np.clip(unit @ unit.T, -1, 1))


def _scaled(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places whose distances are like these, spread over the unit square; signs are fixed."""
    k = len(distances)
    centred = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-0.5 * centred @ distances**2 @ centred)
    positions = np.zeros((k, 2))
    for axis, place in enumerate(np.argsort(-values, kind="stable")[:2]):
        column = vectors[:, place] * np.sqrt(max(float(values[place]), 0.0))
        positions[:, axis] = column * (1 if column[np.abs(column).argmax()] >= 0 else -1)
    width = np.ptp(positions, axis=0)
    spread = np.divide(positions - positions.min(axis=0), width, out=np.full((k, 2), 0.5), where=width > 1e-9)
    order = np.argsort(np.argsort(spread, axis=0, kind="stable"), axis=0) / max(k - 1, 1)
    return np.asarray(np.where(width > 1e-9, (spread + order) / 2, spread))  # half by order: no clumps


def _pushed_apart(centres: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move discs apart until hardly any two overlap."""
    k = len(centres)
    angle = _GOLDEN * np.arange(k)  # two in the very same place part in a direction of their own
    centres = centres + 1e-6 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    wanted = 1.15 * (radii[:, None] + radii)
    for _ in range(max(1, min(_ROUNDS, _MOST_PAIRS // k**2))):
        gap = centres[:, None] - centres
        distance = np.sqrt((gap**2).sum(axis=2)) + np.eye(k)
        overlap = np.maximum(wanted - distance, 0) * (1 - np.eye(k))
        if overlap.max(initial=0) < 1e-4:
            break
        centres = centres + 0.5 * ((overlap / distance)[:, :, None] * gap).sum(axis=1)
    return np.asarray(centres)


def _by_topics(run: Run, rank: NDArray[Any]) -> Positions:
    shares = run.topics["share"].to_numpy()
    centres, radii = topic_discs(np.maximum(run.H, 0), shares)
    labels = run.labels
    nearest = np.where(labels < 0, run.documents["runner_up"].to_numpy(), labels)
    sizes = np.bincount(labels[labels >= 0], minlength=len(centres))
    apart, own = _towards_others(run, centres), np.maximum(nearest, 0)
    seed = _seeds(run, rank, radii, own, sizes)
    inside = labels >= 0
    mean = [np.bincount(own[inside], way[inside], len(centres)) / np.maximum(sizes, 1) for way in apart.T]
    positions = centres[own] + seed + _PULL * (apart - np.transpose(mean)[own])  # a topic stays where it is as a whole
    unsure, silent = np.flatnonzero((labels < 0) & (nearest >= 0)), np.flatnonzero(nearest < 0)
    positions[unsure] = centres[own[unsure]] + apart[unsure] + 0.02 * (_hashed(unsure) - 0.5)
    positions[silent] = _at_the_border(silent)
    return Positions(centres, np.clip(positions, 0, 1))


def _seeds(
    run: Run, rank: NDArray[Any], radii: NDArray[np.float64], own: NDArray[Any], sizes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the way from the centre of its topic to each document, or, where topics have parts, of its part of it."""
    # The rank turns by the golden angle and goes outwards: a sunflower, where no two seeds meet.
    place, whole, radius, start = rank + 0.5, np.maximum(sizes, 1)[own], radii[own], np.zeros((len(own), 2))
    part, n = _part_of_each(run)
    there = np.flatnonzero(part >= 0)
    if len(there):
        discs = _discs_within(part[there], own[there], radii, n)
        order = there[np.lexsort((rank[there], part[there]))]
        counts = np.bincount(part[there], minlength=n)
        firsts = np.cumsum(counts) - counts
        place[order] = np.arange(len(order)) - firsts[part[order]] + 0.5
        whole[there], radius[there] = counts[part[there]], discs[part[there], 2]
        start[there] = discs[part[there], :2]
    angle = _GOLDEN * place
    return np.asarray(
        start + np.stack([np.cos(angle), np.sin(angle)], axis=1) * (radius * np.sqrt(place / whole))[:, None]
    )


def _part_of_each(run: Run) -> tuple[NDArray[np.int64], int]:
    """Return the part of its topic that each document is in, of the tree or of a finer cut, and how many there are."""
    none = np.full(len(run.labels), -1)
    if run.hierarchy is not None:
        parts, deepest = leaves_below_topics(run.hierarchy), run.hierarchy.deepest
        return np.where((run.labels >= 0) & (deepest >= 0), parts[deepest], none), len(run.hierarchy.nodes)
    parted = parts_of(run)
    if parted is None:
        return none, 0
    n, topics = len(parted.named), [part["topic"] for part in parted.named]
    rest = np.isin(run.labels, topics) & (parted.codes < 0)  # what is in none of its parts is a part, too
    return np.where(rest, n + run.labels, parted.codes), n + len(run.H)


def leaves_below_topics(tree: Tree) -> NDArray[np.int64]:
    """Return for every node itself, where it lies below a topic of the run and has documents of its own; else −1."""
    nodes, below = tree.nodes, np.zeros(len(tree.nodes), bool)
    for number, node in enumerate(nodes):
        below[number] = node.parent is not None and (below[node.parent] or nodes[node.parent].topic is not None)
    split = {node.parent for node in nodes if node.parent is not None}
    topics = [number for number, node in enumerate(nodes) if node.topic is not None and number in split]
    found = np.where(below, np.arange(len(nodes)), -1)
    found[topics] = topics  # what is in none of its parts is a part, too
    return np.asarray(found)


def _discs_within(
    part: NDArray[Any], topic: NDArray[Any], radii: NDArray[np.float64], n_parts: int
) -> NDArray[np.float64]:
    """Return centre and radius of each part within the disc of its topic: side by side, in the order of the tree."""
    discs = np.zeros((n_parts, 3))
    counts = np.bincount(part, minlength=n_parts)
    of = np.zeros(n_parts, np.int64)
    of[part] = topic
    for one in np.unique(topic):
        own = np.flatnonzero((of == one) & (counts > 0))
        share = counts[own] / counts[own].sum()
        radius = radii[one] * np.sqrt(share)
        angle = 2 * np.pi * (np.cumsum(share) - share / 2)
        around = 0.6 * radii[one] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        centres = _pushed_apart(around, radius) if len(own) > 1 else np.zeros((1, 2))
        centres = centres - (share[:, None] * centres).sum(axis=0)
        shrunk = radii[one] / float((np.linalg.norm(centres, axis=1) + radius).max())
        discs[own] = np.column_stack([centres * shrunk, radius * shrunk])
    return discs


def _towards_others(run: Run, centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the way from the topic of each document to the mean of all topics, by its memberships."""
    labels = run.labels
    topic = np.maximum(np.where(labels < 0, run.documents["runner_up"].to_numpy(), labels), 0)

    def towards(part: slice) -> NDArray[np.float64]:
        return np.asarray(run.memberships_of(part) @ centres - centres[topic[part]])

    jobs = ((slice(start, start + _BLOCK),) for start in range(0, len(topic), _BLOCK))
    return np.concatenate([np.empty((0, 2)), *in_order(towards, jobs, allowed_threads())])


def _by_tsne(run: Run, rank: NDArray[Any]) -> Positions:
    from sklearn.manifold import TSNE

    n, (perplexity, fewest) = len(rank), _TSNE
    if n < fewest:
        return _by_topics(run, rank)
    shares = run.memberships.astype(np.float64)
    start = "pca" if shares.shape[1] > 1 else "random"
    model = TSNE(perplexity=min(perplexity, (n - 1) / 3), init=start, random_state=int(run.info["seed"]) % 2**31)
    positions = giving_arrays(model).fit_transform(shares).astype(np.float64)
    positions -= (positions.min(axis=0) + positions.max(axis=0)) / 2
    positions = 0.5 + positions * ((0.5 - _MARGIN) / max(float(np.abs(positions).max()), 1e-9))
    labels, centres = run.labels, np.full((len(run.H), 2), 0.5)
    for topic in np.unique(labels[labels >= 0]):
        centres[topic] = np.median(positions[labels == topic], axis=0)
    return Positions(centres, positions + 1e-3 * (_hashed(np.arange(n)) - 0.5))  # equal ones lie side by side


def _at_the_border(rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return places along the edges of the square, for documents of which nothing is known."""
    along, inwards = _hashed(rows).T
    turn = 4 * along
    side, place = turn.astype(np.int64) % 4, turn % 1
    depth = (_MARGIN / 2) * inwards
    x = np.choose(side, [place, 1 - depth, 1 - place, depth])
    y = np.choose(side, [depth, place, 1 - depth, 1 - place])
    return np.stack([x, y], axis=1)


def _hashed(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return two numbers from 0 to 1 for each row number, always the same ones (splitmix64)."""
    z = np.asarray(rows).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    parts = np.stack([z >> np.uint64(32), z & np.uint64(0xFFFFFFFF)], axis=1)
    return parts.astype(np.float64) / 2**32


LAYOUTS: dict[str, Callable[[Run, NDArray[Any]], Positions]] = {"topics": _by_topics, "tsne": _by_tsne}
