"""JSON that Polars writes: the same data as Python would have written."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from quire.pages.encoding import digits, json_lists, json_objects, json_rows, json_strings

texts = st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), max_size=8)


@given(texts)
def test_any_text_comes_back_as_it_was(values):
    written = json_strings(pl.Series(values, dtype=pl.String)).to_list()
    assert [json.loads(one) for one in written] == values


@given(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False)), max_size=8))
def test_numbers_come_back_to_the_last_digit(pairs):
    whole, real = ([pair[i] for pair in pairs] for i in (0, 1))
    columns = {'a "name"': pl.Series(whole, dtype=pl.Int64), "b": pl.Series(real, dtype=pl.Float64)}
    assert [json.loads(one) for one in json_objects(columns)] == [{'a "name"': a, "b": b} for a, b in pairs]
    assert [json.loads(one) for one in json_rows(columns.values())] == [[a, b] for a, b in pairs]
    few = digits(real, 3)
    assert [json.loads(one)[0] for one in json_rows([pl.Series(few)])] == few.tolist()


@given(st.lists(st.lists(st.integers(0, 99), max_size=3), max_size=6))
def test_lists_hold_their_entries_in_order_and_may_be_empty(lists):
    entries = pl.Series([str(n) for one in lists for n in one], dtype=pl.String)
    written = json_lists(entries, np.array([len(one) for one in lists], np.intp))
    assert [json.loads(one) for one in written] == lists


def test_what_is_missing_is_null():
    columns = {"a": pl.Series([None, 2.5]), "b": pl.Series([None], dtype=pl.String)}
    assert [json.loads(one) for one in json_objects(columns)] == [{"a": None, "b": None}, {"a": 2.5, "b": None}]
