"""kim2008 done again: every table and figure on tiny data, and the printed numbers as the paper has them."""

import numpy as np
import pytest
import scipy.sparse as sp

from quire.papers.corpora import mixture
from quire.papers.experiment import Cell, Setting
from quire.papers.kim2008 import affinity as kim2008_affinity
from quire.papers.kim2008 import beta as kim2008_beta
from quire.papers.kim2008 import catalogue as kim2008
from quire.papers.kim2008 import consensus as kim2008_consensus
from quire.papers.kim2008 import mixtures as kim2008_generated
from quire.papers.kim2008 import published as published
from quire.papers.kim2008 import text as kim2008_text
from quire.papers.kim2008.runs import DEFAULT, draws_of, topics_of

BY_NAME = {experiment.name.removeprefix("kim2008/"): experiment for experiment in kim2008.EXPERIMENTS}
K = (3, 6)
BETAS = (0.001, 0.1, 5.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """20 topics, of 30 articles each but for one that is too small, with words of their own and common."""
    rng = np.random.default_rng(0)
    sizes = [30] * 19 + [10]
    topics = np.repeat(np.arange(20), sizes)
    own = np.kron(np.eye(20), np.ones(6))[topics]
    path = tmp_path_factory.mktemp("data")
    sp.save_npz(path / "tdt2.npz", sp.csr_array(rng.poisson(np.hstack([2 * own, np.ones((len(topics), 20))]))))
    np.save(path / "tdt2_labels.npy", topics)
    return path


@pytest.fixture
def tiny(folder, monkeypatch):
    """A setting with few and small runs."""
    for module in (kim2008_text, kim2008_affinity):
        monkeypatch.setattr(module, "TEXT_K", K)
        monkeypatch.setitem(module.DRAWS, "quick", 2)
    monkeypatch.setattr(kim2008_affinity, "_AT_THE_MEDIAN", {6: 72})
    monkeypatch.setattr(kim2008_affinity, "QUICK_GENERATED_K", (3,))
    monkeypatch.setattr(kim2008_generated, "QUICK_K", K)
    monkeypatch.setattr(kim2008_generated, "SIZE", (60, 40))
    monkeypatch.setattr(kim2008_consensus, "TRIED", range(3, 7))
    for module in (kim2008_text, kim2008_generated, kim2008_consensus):
        monkeypatch.setitem(module.RUNS, "quick", 2)
    for module, table in ((kim2008_text, "TABLE9"), (kim2008_generated, "TABLE8")):
        monkeypatch.setitem(module.BETA_RUNS, "quick", 1)
        monkeypatch.setattr(module, table, {beta: getattr(published, table)[beta] for beta in BETAS})
    told = []
    return Setting(folder, threads=1, update=lambda done, total, what: told.append((done, total))), told


@pytest.mark.parametrize("name", BY_NAME)
def test_every_experiment_runs(name, tiny):
    setting, told = tiny
    result = BY_NAME[name].run(setting)
    assert result.cells
    assert all(isinstance(cell.ours, float) and np.isfinite(cell.ours) for cell in result.cells)
    assert any(DEFAULT in cell.column + cell.row for cell in result.cells)
    assert result.differs
    assert result.findings
    assert bool(result.figures) == name.startswith("figure")
    assert any(cell.paper is not None for cell in result.cells) == name.startswith("table")
    assert all(done <= total for done, total in told)
    for svg in result.figures.values():
        assert svg.rstrip().endswith("</svg>")


def test_names_and_data():
    assert list(BY_NAME) == [*(f"table{i}" for i in (1, 2, 3, 4, 7, 8, 9)), *(f"figure{i}" for i in range(1, 5))]
    assert [missing.name for missing in kim2008.UNAVAILABLE] == ["kim2008/table5", "kim2008/table6"]
    assert {name for name, of in BY_NAME.items() if not of.data} == {"table1", "table8", "figure1", "figure2"}


def test_printed_tables_have_the_papers_shape():
    assert list(published.SYNTHETIC_K) == list(range(3, 31))
    assert {name: len(row) for name, row in published.TABLE1.items()} == {"K-means": 28, "SNMF": 28, "NMF": 28}
    for table in (published.TABLE2_TIME, published.TABLE2_SSE, published.TABLE3, published.TABLE4):
        assert set(table) == {"NMF", "SNMF", "K-means"}
        assert all(len(row) == 6 for row in table.values())
    for table in (published.TABLE3, published.TABLE4):
        assert all(low <= mean <= high for rows in table.values() for mean, high, low in rows)
    assert list(published.TABLE2_DATA) == list(published.TABLE7) == list(published.TEXT_K)
    assert all(len(row) == 7 for row in published.TABLE7.values())
    assert list(published.TABLE8) == list(published.TABLE9)
    assert len(published.TABLE8) == 17
    for table in (published.TABLE8, published.TABLE9):
        assert all(len(row) == 5 and row[4] ** 2 < row[1] for beta, row in table.items() if beta == 0.1)


def test_tables_2_to_4_share_their_runs(tiny):
    setting, told = tiny
    again = Setting(setting.data, seed=7, threads=1, update=lambda done, total, what: told.append((done, total)))
    first = BY_NAME["table2"].run(again)
    told.clear()
    assert len(BY_NAME["table3"].run(again).cells) == len(K) * 4 * 3
    assert BY_NAME["table4"].run(again).cells
    assert BY_NAME["table2"].run(again).cells == first.cells
    assert not told


def test_threads_change_nothing(tiny):
    setting, _ = tiny
    one, two = (BY_NAME["figure3"].run(Setting(setting.data, threads=threads)) for threads in (1, 2))
    assert one.cells == two.cells
    assert one.figures == two.figures


def test_topics_that_are_too_small_are_left_out(folder):
    topics = topics_of(Setting(folder))
    assert len(np.unique(topics.labels)) == 19
    with pytest.raises(ValueError, match="19 topics of 30 to 300 articles and 25 are needed"):
        draws_of(topics, 25, 1, 0)
    first, second = draws_of(topics, 3, 2, 0)
    assert set(first.classes) != set(second.classes)
    np.testing.assert_allclose(np.asarray(first.X.power(2).sum(axis=1)), 1, rtol=1e-5)


def test_mixture_is_as_described():
    X, classes = mixture(4, seed=0)
    assert X.shape == (1000, 500)
    assert X.min() == 0
    assert np.bincount(classes).tolist() == [250] * 4
    alive = np.array([X[classes == c].any(axis=0) for c in range(4)])
    assert (alive.sum(axis=0) == 1).all()  # a dimension belongs to one class
    means = X.sum(axis=0) / 250
    assert set(np.round(means).astype(int)) == {1, 2, 3}
    high = X[classes == 0][:, (np.round(means) == 3) & alive[0]]
    assert high.var() == pytest.approx(0.3, rel=0.05)


def test_ranking_is_said_plainly():
    rows = [("K-means", 53, 90), ("SNMF", 100, 40), ("NMF", 69, 60), (DEFAULT, None, 50)]
    lines = kim2008_generated._ranking([Cell("k = 3", name, paper, ours) for name, paper, ours in rows])
    assert "does not hold" in lines[0]
    assert lines[1] == "SNMF found the optimum less often than NMF at k = 3."


def test_heat_maps_are_sorted_by_class_and_sampled():
    classes = np.array([1, 0, 1, 0])
    blocks = kim2008_consensus.consensus([classes, 1 - classes], classes)
    assert blocks.tolist() == np.kron(np.eye(2), np.ones((2, 2))).tolist()
    assert kim2008_consensus.consensus([np.zeros(500)], np.zeros(500)).shape == (200, 200)


def test_best_betas_are_named_as_a_range():
    assert kim2008_beta._best({0.1: 0.9, 0.2: 1.0, 0.3: 1.0}) == "0.2 … 0.3"
    assert kim2008_beta._best({0.1: 0.9, 0.2: 1.0}) == "0.2"
