"""The figures of tsikhanovich2011, on small generated data."""

import datetime

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from quire.papers.corpora import Labelled
from quire.papers.experiment import Setting
from quire.papers.tsikhanovich2011 import runs as tsikhanovich2011_runs
from quire.papers.tsikhanovich2011 import streams as tsikhanovich2011_streams
from quire.papers.tsikhanovich2011 import tables as tsikhanovich2011
from quire.papers.tsikhanovich2011.streams import heights, streamgraph
from quire.studies.choosing import lambda_runs

pytest.importorskip("matplotlib")


@pytest.fixture
def setting(tmp_path):
    return Setting(tmp_path, threads=1)


def _counts():
    """Four classes of twenty documents with words of their own and shared ones."""
    rng = np.random.default_rng(0)
    own = np.kron(np.eye(4), np.ones((20, 15)))
    counts = rng.poisson(0.1 + 1.5 * np.hstack([own, np.zeros((80, 20))]))
    counts[:, 0] = 0  # a term that nobody uses
    return sp.csr_array(counts.astype(np.int32)), np.repeat([1, 2, 3, 4], 20)


@pytest.fixture
def tdt2(monkeypatch, setting):
    """Put generated data in the place of TDT2."""
    monkeypatch.setattr(lambda_runs, "_MOST_ITERATIONS", 8)
    small = tsikhanovich2011_runs.weighted(Labelled(*_counts()))
    for module in (tsikhanovich2011, tsikhanovich2011_streams):
        monkeypatch.setattr(module, "read_tdt2", lambda setting: small)
        search = module.search_lambda
        monkeypatch.setattr(
            module, "search_lambda", lambda X, y, ks, search=search, **how: search(X, y, ks, **how | {"cap": 0})
        )
    days = [str(datetime.date(1998, 1, 1) + datetime.timedelta(days=int(i))) for i in range(80)]
    np.save(setting.data / "tdt2_dates.npy", np.array(days))
    return small


@pytest.mark.parametrize("name", ["figure4", "figure6", "figure7"])
def test_figures_over_lambda_and_k(name, tdt2, setting):
    _check(getattr(tsikhanovich2011, name)(setting))


def _check(result):
    assert result.cells
    assert result.findings
    assert len(result.differs) > 2
    assert all(svg.lstrip().startswith("<?xml") and "</svg>" in svg for svg in result.figures.values())
    assert all(cell.ours is not None and np.isfinite(cell.ours) for cell in result.cells)


def test_figure8_shows_the_published_numbers_and_the_default(tdt2, setting):
    result = tsikhanovich2011.figure8(setting)
    _check(result)
    published = {(c.row, c.column): c.paper for c in result.cells}
    assert published["NMI", "best found"] == 0.62
    assert published["purity", "λ = 0, k = 27"] == 0.42
    assert published["NMI", "Quire"] is None
    assert "k = 31" in result.text


def test_figure9_draws_two_pictures(tdt2, setting):
    result = tsikhanovich2011.figure9(setting)
    assert len(result.rows) == 2
    assert "alike" in result.findings[0]
    assert result.figures["streams"].count("NMI = ") == 2


def test_figures_are_the_same_text_each_time():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    streams = {"": (days, np.array([[1.0, 2.0]]), ["moon"])}
    assert streamgraph(streams) == streamgraph(streams)


def test_figure12_says_what_classes_are_about(setting):
    words = {"crude": "oil barrel opec", "earn": "profit share dividend", "grain": "wheat corn crop"}
    rng = np.random.default_rng(0)
    rows = [
        {"text": " ".join(rng.choice(said.split(), 6)), "label": label, "date": f"1987-03-{day:02}T10:00:00"}
        for label, said in words.items()
        for day in range(1, 21)
    ]
    pl.DataFrame(rows).write_parquet(setting.data / tsikhanovich2011_streams.REUTERS)
    result = tsikhanovich2011.figure12(setting)
    ours = {(c.row, c.column): c.ours for c in result.cells}
    assert ours["NMI", "W at the classes"] == pytest.approx(1)
    assert ours["documents nearest to their own class", "W at the classes"] == 1
    line = next(line for line in result.text.splitlines() if line.startswith("grain"))
    assert "wheat" in line or "corn" in line
    assert "published" in result.differs[0]


def test_a_band_is_as_high_as_its_documents():
    dates = pl.Series([datetime.date(2020, 1, 1), datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)])
    days, bands = heights(np.array([0, 1, -1]), dates, 2)
    assert bands.tolist() == [[1.0], [1.0]]
    days, bands = heights(np.array([0, 1, 1]), dates, 2)
    assert len(days) == 3
    assert bands.sum() == 3


def test_a_name_is_left_out_where_its_band_is_thin():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    drawn = streamgraph({"two": (days, np.array([[100.0, 100.0], [1.0, 1.0]]), ["wide", "thin"])})
    assert "wide" in drawn
    assert "thin" not in drawn.split("<defs>")[-1]


def test_every_figure_has_its_place():
    names = [e.name for e in (*tsikhanovich2011.EXPERIMENTS, *tsikhanovich2011.UNAVAILABLE)]
    assert len(names) == len(set(names))
    assert [f"tsikhanovich2011/figure{i}" for i in (4, 6, 7, 8, 9, 12)] == names[:6]
    assert all("Newegg" in e.why for e in tsikhanovich2011.UNAVAILABLE)
