"""JSON that is put together of strings: the same data as Python's own would give."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pages import encoding
from quire.pages.encoding import json_lists, json_numbers, json_string
from quire.runs.digits import digits


@given(st.none() | st.text())
def test_any_text_comes_back_as_it_was(text):
    assert json.loads(json_string(text)) == text


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)), st.sampled_from([0, 1000]))
def test_numbers_come_back_to_the_last_digit(values, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_FEW", few)  # so that Polars or Python writes them
        for numbers in (np.array(values, float), digits(values, 3)):
            assert [json.loads(one) for one in json_numbers(numbers)] == numbers.tolist()


@given(st.lists(st.lists(st.integers(0, 99), max_size=3), max_size=6))
def test_lists_hold_their_entries_in_order_and_may_be_empty(lists):
    written = json_lists([str(n) for one in lists for n in one], np.array([len(one) for one in lists], np.intp))
    assert [json.loads(one) for one in written] == lists
