"""Topics by the values of a column: counts, expectations, residuals and what is said to stand out."""

import datetime

import numpy as np
import polars as pl
import pytest
from problems import THEMES
from scipy.stats import chi2_contingency, false_discovery_control, norm
from scipy.stats.contingency import expected_freq

import quire
from quire.runs.bins import MOST_VALUES, OTHERS, binned
from quire.runs.by import by_column, column_of, columns_named, residuals
from quire.runs.independence import design_effects

N = 240


def documents_of(seed=0, **columns):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {"id": [str(i) for i in range(N)], "topic": pl.Series(rng.integers(-1, 4, N), dtype=pl.Int32), **columns}
    )


def group(seed=1, values="xyz"):
    return pl.Series(np.random.default_rng(seed).choice(list(values), N))


def test_counts_shares_and_expectations_are_those_of_the_contingency_table():
    documents = documents_of(group=group())
    found = by_column(documents, 4, "group", {})
    counts = np.array(
        [[((documents["topic"] == t) & (documents["group"] == v)).sum() for v in "xyz"] for t in range(4)]
    )
    assert found.values == ["x", "y", "z"]
    np.testing.assert_array_equal(found.matrix("documents"), counts)
    np.testing.assert_allclose(found.matrix("expected"), expected_freq(counts))
    np.testing.assert_allclose(found.matrix("share"), counts / counts.sum(0))
    np.testing.assert_allclose(found.matrix("of_topic"), counts / counts.sum(1, keepdims=True))
    unassigned = int((documents["topic"] < 0).sum())
    assert found.notes == [f"{unassigned} documents without a topic were left out."]
    assert "weighted" not in found.table.columns


def test_a_residual_squared_is_the_chi_square_of_its_cell_against_the_rest():
    counts = np.array([[30, 12, 50], [44, 9, 7], [8, 25, 61]])
    expected, residual, q = residuals(counts)
    n, p = counts.sum(), np.empty(counts.shape)
    for i, j in np.ndindex(*counts.shape):
        row, column = counts[i].sum(), counts[:, j].sum()
        both = counts[i, j]
        cell = chi2_contingency([[both, row - both], [column - both, n - row - column + both]], correction=False)
        assert residual[i, j] ** 2 == pytest.approx(cell.statistic)
        assert np.sign(residual[i, j]) == np.sign(both - expected[i, j])
        p[i, j] = 2 * norm.sf(abs(residual[i, j]))
    np.testing.assert_allclose(q, false_discovery_control(p.ravel()).reshape(p.shape))


def test_chance_seldom_stands_out_and_a_real_difference_does():
    """Over random tables with large and small cells, something stands out in about 5% of them at most."""
    rng, alarms = np.random.default_rng(0), 0
    for _ in range(300):
        shares = np.outer(rng.dirichlet(np.ones(6)), rng.dirichlet(np.full(5, 0.5)))
        counts = rng.multinomial(400, shares.ravel()).reshape(6, 5)
        alarms += bool((residuals(counts)[2] <= 0.05).any())
    assert alarms <= 0.09 * 300
    assert residuals(np.array([[40, 10], [10, 40]]))[2].max() < 1e-6


def test_the_order_of_documents_does_not_matter():
    documents = documents_of(group=group(), age=pl.Series(np.random.default_rng(3).normal(40, 9, N)))
    shuffled = documents.sample(fraction=1, shuffle=True, seed=0)
    for column in ("group", "age", "age:3"):
        assert by_column(documents, 4, column, {}).table.equals(by_column(shuffled, 4, column, {}).table)


@pytest.mark.parametrize("counts", [[[5, 0]], [[5], [7]], [[0, 0], [4, 4]], [[1e-9, 1], [1, 1e-9]]])
def test_tables_that_say_nothing_are_quiet(counts):
    expected, residual, q = residuals(np.array(counts, float))
    assert np.isfinite(expected).all()
    assert np.isfinite(residual).all()
    assert (q > 0.05).all()


def test_equal_weights_change_nothing_and_unequal_ones_lower_what_is_known():
    documents = documents_of(group=group())
    plain, equal = (
        by_column(one, 4, "group", {}).table for one in (documents, documents.with_columns(weight=pl.lit(2.5)))
    )
    np.testing.assert_allclose(equal["residual"], plain["residual"])
    np.testing.assert_allclose(equal["weighted"], plain["documents"])
    doubled = documents.with_columns(weight=pl.Series(np.where(np.arange(N) % 2, 1.0, 5.0)))
    found = by_column(doubled, 4, "group", {})
    kept = doubled.filter(pl.col("topic") >= 0)
    of_x = kept.filter(pl.col("group") == "x")
    share = of_x.filter(pl.col("topic") == 0)["weight"].sum() / of_x["weight"].sum()
    assert found.matrix("share")[0, 0] == pytest.approx(share)
    assert found.matrix("weighted").sum() == pytest.approx(kept.height)
    weight = kept["weight"].to_numpy()
    unscaled = residuals(found.matrix("weighted"))[1]
    kish = weight.sum() ** 2 / (weight**2).sum() / kept.height
    np.testing.assert_allclose(found.matrix("residual"), unscaled * np.sqrt(kish))


def test_passages_that_say_the_same_are_one_witness_and_independent_ones_are_many():
    documents = documents_of(group=group()).filter(pl.col("topic") >= 0)
    n, alone = len(documents), by_column(documents, 4, "group", {}).matrix("residual")
    copies = pl.concat([documents] * 5)
    copied = by_column(copies.with_columns(document=copies["id"]), 4, "group", {}).matrix("residual")
    np.testing.assert_allclose(copied, alone, rtol=0.02)
    mixed = documents.with_columns(document=pl.Series([str(i // 4) for i in range(n)]))
    assert design_effects(mixed["topic"].to_numpy().astype(np.int64), np.arange(n) // 4, 4).max() < 1.5
    each = by_column(mixed, 4, "group", {}).matrix("residual")
    np.testing.assert_allclose(each, alone, rtol=0.25)


def test_topics_of_speakers_seldom_stand_out_by_chance():
    """Speakers have subjects of their own; a value that is drawn for each speaker tells nothing of them."""
    rng, alarms = np.random.default_rng(0), 0
    for _ in range(100):
        speaker = np.repeat(np.arange(60), 20)
        subjects = rng.dirichlet(np.ones(6), 60)
        topic = (rng.random((len(speaker), 1)) > subjects.cumsum(1)[speaker, :-1]).sum(1)
        value = rng.integers(0, 4, 60)[speaker]
        found = pl.DataFrame({"topic": topic, "group": [f"v{v}" for v in value], "document": speaker.astype(str)})
        alarms += by_column(found, 6, "group", {}).table["stands_out"].count() > 0
    assert alarms <= 10


def test_numbers_are_cut_at_quantiles_that_are_there():
    ages = pl.Series("age", [*range(18, 78)] * 4)
    values = binned(ages)
    assert values.kind == "numbers"
    assert values.names == ["18–29", "30–41", "42–53", "54–65", "66–77"]
    assert np.bincount(values.codes).tolist() == [48] * 5
    assert binned(ages, "2").names == ["18–47", "48–77"]
    few = binned(pl.Series("stars", [1, 5, None, 3, 5]))
    assert few.names == ["1", "3", "5"]
    assert few.codes.tolist() == [0, 2, -1, 1, 2]
    assert few.kind == "values"
    same = binned(pl.Series("n", [0] * 90 + list(range(1, 21))))
    assert (same.codes[:90] == 0).all()
    assert same.names[0] == "0"


def test_time_is_cut_as_the_timeline_is():
    days = pl.Series("date", [datetime.date(2000 + i % 20, 1 + i % 12, 1) for i in range(N)])
    assert binned(days).names == [str(2000 + i) for i in range(20)]
    assert binned(days, "decade").names == ["2000s", "2010s"]
    assert binned(days, "quarter").names[:2] == ["2000-Q1", "2000-Q2"]
    assert binned(days.cast(pl.String)).names == binned(days).names, "strings that are dates"
    with pytest.raises(ValueError, match="no calendar bin"):
        binned(days, "4")


def test_values_are_in_the_order_of_their_names_and_rare_ones_together():
    assert binned(pl.Series("g", ["10–14", "5–9", "old"])).names == ["5–9", "10–14", "old"]
    assert binned(pl.Series("b", [True, False, None])).names == ["false", "true"]
    many = binned(pl.Series("g", [f"v{i % 60}" for i in range(600)]))
    assert len(many.names) == MOST_VALUES + 1
    assert many.names[-1] == OTHERS
    assert "20 rarer values" in many.note
    with pytest.raises(ValueError, match="too many to compare"):
        binned(pl.Series("who", [f"author {i % 100}" for i in range(N)]))


def test_columns_are_found_by_their_names_and_what_is_not_there_is_said():
    documents = documents_of(label=group(), **{"a,b": group(), "c:d": group()})
    assert columns_named(documents, "a,b", {}) == ["a,b"]
    assert columns_named(documents, "label, c:d", {}) == ["label", "c:d"]
    assert column_of(documents, "party", {"label": "party"}) == ("label", None)
    for wrong in ("lable", "topic", ""):
        with pytest.raises(ValueError, match="column"):
            columns_named(documents, wrong, {})


def test_a_run_says_who_speaks_of_what(tmp_path):
    rng = np.random.default_rng(0)
    names = [list(THEMES)[i % 3] for i in range(90)]
    table = pl.DataFrame({"text": [" ".join(rng.choice(THEMES[n].split(), 9)) for n in names], "who": names})
    run = quire.cluster(table, 3, recipe="nmf", random_state=0, text="text")
    found = quire.load(run.save(tmp_path / "run")).by("who")
    assert found.equals(run.by("who"))
    assert (found.filter(pl.col("documents") > 20)["stands_out"] == "more").all()
    assert found["documents"].sum() == 90
