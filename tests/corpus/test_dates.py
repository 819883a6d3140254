"""Dates as people write them."""

from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.corpus.corpus import read_corpus
from quire.corpus.dates import read_dates

DAY, NOON = date(2020, 1, 31), datetime(2020, 1, 31, 12)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2020-01-31", " 2020-01-31 "], [DAY, DAY]),
        (["2020-01", "2020", "20200131"], [date(2020, 1, 1), date(2020, 1, 1), DAY]),
        (["2020/01/31", "31.01.2020", "31 January 2020", "Jan 31, 2020"], [DAY] * 4),
        (["01/31/2020", "1/2/2020"], [DAY, date(2020, 1, 2)]),
        (["31/01/2020", "1/2/2020"], [DAY, date(2020, 2, 1)]),
        (["31-01-2020"], [DAY]),
        (["2020-01-31T12:00", "2020-01-31 12:00:00", "2020-01-31T12:00:00.0"], [NOON] * 3),
        (["2020-01-31T12:00:00Z", "2020-01-31 14:00+02:00", "2020-01-31T07:00:00-0500"], [NOON] * 3),
        (["Fri, 31 Jan 2020 13:00:00 +0100", "31 Jan 2020 12:00:00 GMT"], [NOON] * 2),
        (["Fri Jan 31 12:00:00 +0000 2020", "31-JAN-2020 12:00:00.00"], [NOON] * 2),
        (["01/31/2020 12:00 PM", "01/31/2020 12:00:00"], [NOON] * 2),
        (["1580472000", "1580472000000", "1580472000.0"], [NOON] * 3),
        ([1580472000, None], [NOON, None]),
        ([1580472000000.0, float("nan")], [NOON, None]),
        ([1998, 2020], [date(1998, 1, 1), date(2020, 1, 1)]),
        ([1998.0, None], [date(1998, 1, 1), None]),
        ([DAY, None], [DAY, None]),
        ([datetime(2020, 1, 31, 13, tzinfo=timezone(timedelta(hours=1)))], [NOON]),
        ([None, ""], [None, None]),
        (["1790"], [date(1790, 1, 1)]),
    ],
)
def test_read(values, expected):
    dates = read_dates(pl.Series(values, strict=False))
    assert dates.values.to_list() == expected
    assert dates.unparsed == 0


@pytest.mark.parametrize(
    "value", ["soon", "2020-02-30", "13/13/2020", "1.2.20", "99999", "May", "0020-01-31", "2020-13", "12:30"]
)
def test_not_a_date(value):
    dates = read_dates(pl.Series([value, "2020-01-31"]))
    assert (dates.values[0], dates.unparsed) == (None, 1)


def test_month_first_is_told():
    corpus = read_corpus(["a", "b"], dates=["03/04/2020", "05/06/2020"])
    assert corpus.documents["date"].to_list() == [date(2020, 3, 4), date(2020, 5, 6)]
    assert corpus.notes.sentences() == ["Dates such as 03/04/2020 were read month first, as either order fits."]


def test_unparsed_dates_are_counted():
    rows = {"text": ["a"] * 20, "date": ["2020-01-31"] * 19 + ["?"]}
    notes = read_corpus(pl.DataFrame(rows)).notes
    assert notes.unparsed_dates == 1
    assert "1 date could not be read and was left empty." in notes.sentences()


moments = st.datetimes(datetime(1000, 1, 1), datetime(2999, 12, 31))


@given(st.lists(moments.map(lambda m: m.replace(microsecond=0)), min_size=1, max_size=9))
def test_round_trip(values):
    written = {
        "iso": [m.isoformat() for m in values],
        "zoned": [m.replace(tzinfo=UTC).isoformat() for m in values],
        "spaced": [str(m) for m in values],
        "day first": [m.strftime("%d.%m.") + f"{m.year:04} {m:%H:%M:%S}" for m in values],
    }
    for name, strings in written.items():
        assert read_dates(pl.Series(strings)).values.to_list() == values, name
    days = [m.date() for m in values]
    assert read_dates(pl.Series([str(day) for day in days])).values.to_list() == days


IMPOSSIBLE = [
    pl.Series([2**31 - 1, 18262, None], dtype=pl.Int32).cast(pl.Date),
    pl.Series([2**62, 18262 * 86_400_000, None]).cast(pl.Datetime("ms")),
    pl.Series([2**62, 18262 * 86_400_000_000, None]).cast(pl.Datetime("us")),
    pl.Series([-(2**62), 18262 * 86_400_000_000, None]).cast(pl.Datetime("us", "Asia/Tokyo")),
]  # fmt: skip


@pytest.mark.parametrize("column", IMPOSSIBLE, ids=lambda column: str(column.dtype))
@pytest.mark.parametrize("role", ["date", "met", "label", "id", "text"])
def test_a_date_that_no_calendar_has_is_none(tmp_path, column, role):
    """A file may hold any number where a date should be; Polars breaks off where it is to be shown."""
    frame = pl.DataFrame({"text": ["moon orbit", "moon", "goal"], role: column})
    frame.write_parquet(tmp_path / "d.parquet")
    read = partial(read_corpus, tmp_path / "d.parquet", **{} if role == "met" else {role: role})
    if role == "id":
        with pytest.raises(ValueError, match="holds no id in row 1"):
            read()
        return
    documents = read().documents
    none = "" if role == "text" else "None"
    assert [str(value)[:10] for value in documents[role]] == [none, "2020-01-01", none]


def test_a_column_of_dates_that_no_calendar_has_is_refused(tmp_path):
    frame = pl.DataFrame(
        {"text": ["moon orbit", "moon"], "day": pl.Series([2**31 - 1] * 2, dtype=pl.Int32).cast(pl.Date)}
    )
    frame.write_parquet(tmp_path / "d.parquet")
    with pytest.raises(ValueError, match=r"holds no date that could be read \(row 1: '2147483647'\)"):
        read_corpus(tmp_path / "d.parquet", date="day")


def test_years_of_five_digits_are_no_dates():
    assert read_dates(pl.Series(["3 March +99999", "3 March 1999"])).unparsed == 1


def test_durations_are_told_in_words(tmp_path):
    taken = pl.Series([90_000_000, None]).cast(pl.Duration("us"))
    pl.DataFrame({"text": ["moon orbit", "moon"], "taken": taken}).write_parquet(tmp_path / "d.parquet")
    assert read_corpus(tmp_path / "d.parquet").documents["taken"].to_list() == ["1m 30s", None]


def test_what_polars_breaks_off_at_is_told_in_a_sentence(tmp_path):
    records = pl.Series([2**31 - 1, 0], dtype=pl.Int32).cast(pl.Date).alias("day").to_frame().to_struct("text")
    records.to_frame().write_parquet(tmp_path / "d.parquet")
    with pytest.raises(ValueError, match=r"^A value could not be read \([^\n]*\): leave its column out"):
        read_corpus(tmp_path / "d.parquet", text="text")
