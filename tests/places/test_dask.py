"""Blocks on the workers of a Dask cluster: the same results as in memory, whoever the workers are."""

import itertools

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from polars.testing import assert_frame_equal
from problems import run_at

import quire
from quire.methods.nmf import NMF
from quire.methods.posterior import PPC
from quire.methods.simplex import SimplexNMF
from quire.methods.sparse import SparseNMF
from quire.places.dask.tasks import Group, Join, Sweep, group_size, shared_out
from quire.places.disk import DiskPlace
from quire.places.parts import Blocks
from quire.runs.load import load
from quire.runs.options import Options
from quire.studies.choosing.measure import measured, rounds
from quire.studies.choosing.runs import Runs
from quire.studies.choosing.verdict import consistent_topics

distributed = pytest.importorskip("distributed")
METHODS = {
    "hals": lambda **o: NMF(4, coarse=False, **o),
    "mu": lambda **o: NMF(4, solver="mu", **o),
    "anls": lambda **o: NMF(4, solver="anls", **o),
    "sparse": lambda **o: SparseNMF(4, **o),
    "simplex": lambda **o: SimplexNMF(4, **o),
    "ppc": lambda **o: PPC(4, **o),
}


def _counted(block, by):
    """A row more than it had, and how many there were."""
    return None if block.shape[0] == 2 else block * by, (block.shape[0], [block.shape[0]])


def _refused(block):
    raise ValueError("This block is not wanted: take another.")


def _joined_in_place(first, second):
    first += second
    return first


def _listed(number):
    return number, [number]


def _fitted(method, X, start, **options):
    model = METHODS[method](init="custom", tol=0, max_iter=12, **options)
    W = model.fit_transform(X, W=start[0].copy(), H=start[1].copy())
    return model, np.asarray(W)


@pytest.mark.parametrize("method", METHODS)
def test_methods_find_what_they_find_in_memory(method, place, X, start):
    here, W = _fitted(method, X, start)
    there, W_there = _fitted(method, Blocks.split(X, place, 70), start)
    assert there.objective_ == pytest.approx(here.objective_, rel=1e-5)
    np.testing.assert_allclose(W_there, W, rtol=1e-2, atol=1e-3 * W.max())
    assert there.labels_.tolist() == here.labels_.tolist()


def test_kept_and_told(place):
    blocks = [sp.csr_array(np.ones((n, 3))) for n in (3, 2, 1, 0, 5)]
    handles = [place.put(block) for block in blocks]
    kept, told = place.sweep(_counted, handles, args=(2.0,))
    assert told == (11, [3, 2, 1, 0, 5])
    assert [handle is None for handle in kept] == [False, True, False, False, False]
    assert place.fetch(kept[4]).toarray().tolist() == (2 * np.ones((5, 3))).tolist()
    assert place.fetch(kept[3]).shape == (0, 3)
    assert place.fetch(None) is None
    assert place.sweep(_counted, []) == ([], None)


def test_a_block_of_no_row_and_one_of_one_row(place, X, start):
    cuts = [0, 0, 1, 100, 100, 329, 330]
    handles = [place.put(sp.csr_array(X[a:b])) for a, b in itertools.pairwise(cuts)]
    there, _ = _fitted("hals", Blocks.of(place, handles), start)
    assert there.objective_ == pytest.approx(_fitted("hals", X, start)[0].objective_, rel=1e-5)


def test_what_a_task_raises_is_raised_here(place, X):
    with pytest.raises(ValueError, match=r"^This block is not wanted: take another\.$"):
        place.sweep(_refused, [place.put(sp.csr_array(X[:5]))])
    assert place.fetch(place.sweep(_listed, [place.put(3)])[0][0]) == 3  # and the workers go on


def test_a_merge_may_change_its_first_argument(place):
    seen = []
    handles = [place.put(number) for number in range(13)]
    told = place.sweep(_listed, handles, merge=_joined_in_place, update=lambda done, of: seen.append((done, of)))[1]
    assert told == list(range(13))
    assert seen[-1] == (13, 13)
    assert seen == sorted(seen)
    told = [1], (True,)
    Join(_joined_in_place)(told, ([2], (True,)))
    assert told == ([1], (True,))  # it may be asked for again


@pytest.mark.parametrize("n", [1, 2, 5, 31, 64, 100])
def test_groups_do_not_change_the_sums(n):
    values = np.random.default_rng(n).random((n, 50)).astype(np.float32) ** 8
    sweep, join = Sweep(lambda value: (None, (value.copy(), 1))), Join()

    def summed(size):
        groups = [Group(values[start : start + size]) for start in range(0, n, size)]
        told = [sweep((tuple((0, at) for at in range(len(group.parts))),), group)[1] for group in groups]
        while len(told) > 1:
            pairs = [join(a, b) for a, b in zip(told[::2], told[1::2])]
            told = pairs + told[2 * len(pairs) :]
        return told[0][0]

    sums = [summed(size) for size in (1, 2, 8, 128)]
    for whole, count in sums:
        np.testing.assert_array_equal(whole, sums[0][0])
        assert count == n


@pytest.mark.parametrize("slots", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("n", [1, 4, 31, 1000])
def test_workers_have_about_as_much_to_do(n, slots):
    size = group_size(n, slots)
    n_groups = -(-n // size)
    workers = {f"w{number}": 1 for number in range(slots)}
    homes = shared_out([None] * n_groups, workers)
    assert homes == sorted(homes, key=list(workers).index)  # neighbours together
    assert size * max(homes.count(worker) for worker in workers) <= max(size, 1.2 * n / slots) + 1
    fewer = dict.fromkeys(list(workers)[1:], 1) or {"new": 1}
    moved = shared_out(homes, fewer)
    assert all(new == old for new, old in zip(moved, homes) if old in fewer and n_groups <= slots)
    assert set(moved) <= set(fewer)


def test_bytes_are_those_of_the_method(place, X, start):
    blocks = Blocks.split(X, place, 42)
    _fitted("hals", blocks, start)

    def sent(iterations):
        before = place.bytes_sent
        NMF(4, init="custom", tol=0, max_iter=iterations, coarse=False).fit_transform(blocks, W=start[0], H=start[1])
        return place.bytes_sent - before

    each = (sent(12) - sent(2)) / 10
    k, d = start[1].shape
    needed = 4 * (2 * k * d + k * d + k * d) + 8 * 2 * (k * k + k)  # H to two workers, a sum up, a sum here
    assert needed / 2 < each < needed + 20_000  # beside it there are functions and addresses


def test_writing_down_ends_the_chain(place, X, start):
    blocks = Blocks.split(X, place, 70)
    handles = [place.put(np.ones(3)) for _ in blocks.handles]
    for _ in range(59):
        handles, _ = place.sweep(_grown, blocks.handles, handles)
        assert max(handle.depth for handle in handles) <= 24
    assert place.fetch(handles[-1]).tolist() == [60.0] * 3
    remembered = place._client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
    assert remembered < 40 * 2 * 4
    assert len(list(place._folder.iterdir())) <= 2 * len(handles)
    del handles
    assert not list(place._folder.iterdir())


def _grown(block, number):
    return number + 1, None


# -- whole runs -------------------------------------------------------------------------------------------


def _one_start(k, seed):
    return NMF(k, init="random", random_state=seed, n_jobs=1, tol=1e-2)


def test_a_choice_made_there_is_the_same(place, X):
    ks, n = [2, 3], 3
    pairs = rounds(ks, n, 0)
    here, there = Runs(X, _one_start, threads=1), Runs(X, _one_start, crew=place.crew())
    seen = []
    assert here.gather(pairs)
    assert there.gather(pairs, lambda done, of: seen.append((done, of)))
    assert there.made == len(pairs)
    assert seen[-1] == (len(pairs), len(pairs))
    for pair in pairs:
        one, other = here.get(*pair), there.get(*pair)
        np.testing.assert_array_equal(one.labels, other.labels)
        assert one.objective == other.objective
    tables = [measured(X, ks, runs, pairs, {}).table.drop("seconds", strict=False) for runs in (here, there)]
    assert tables[0].equals(tables[1])
    assert consistent_topics(tables[0]) == consistent_topics(tables[1])


def test_quire_choose_makes_its_runs_there(place, X):
    here = quire.choose(X, [2, 3], by="consensus", runs=3, threads=1)
    there = quire.choose(X, [2, 3], by="consensus", runs=3, dask=place._client)
    assert here.k == there.k
    assert_frame_equal(here.table.drop("seconds"), there.table.drop("seconds"))


def test_a_run_that_fails_there_says_so_here(place, X):
    runs = Runs(X, lambda k, seed: NMF(k, init="nothing", n_jobs=1), crew=place.crew())
    with pytest.raises(ValueError, match="init='nothing'"):
        runs.gather([(2, 0)])


def test_from_a_file_to_a_run(place, tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(60)])
    topic = rng.integers(0, 3, 240)
    texts = [" ".join(words[20 * one + rng.integers(0, 20, 12)]) for one in topic]
    table = pl.DataFrame({"id": [str(n) for n in range(240)], "text": texts, "label": topic.astype(str)})
    table.write_parquet(tmp_path / "texts.parquet", row_group_size=50)
    options = Options(topics=3, recipe="nmf", text="text", id="id", label="label")
    with DiskPlace(tmp_path / "blocks") as disk:
        runs = [
            load(run_at(where, tmp_path / "texts.parquet", options, tmp_path / name))
            for name, where in (("disk", disk), ("dask", place))
        ]
    here, there = runs
    assert here.topics["keywords"].to_list() == there.topics["keywords"].to_list()
    assert here.documents["topic"].to_list() == there.documents["topic"].to_list()
    assert there.documents["id"].to_list() == table["id"].to_list()
