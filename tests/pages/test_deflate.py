"""Compression in pieces: any gzip reader gets back what went in."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pages import deflate
from quire.pages.deflate import Deflated


@given(st.lists(st.binary(max_size=300), max_size=4), st.integers(1, 64))
def test_what_goes_in_comes_out(parts, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deflate, "_PIECE", piece)
        stream = Deflated()
        for part in parts:
            stream = stream.then(part)
    assert gzip.decompress(stream.ended()) == b"".join(parts)


def test_pieces_cost_hardly_anything_and_threads_change_no_byte(monkeypatch):
    data = np.random.RandomState(0).randint(0, 9, 5 << 20, dtype=np.uint8).tobytes()
    monkeypatch.setattr(deflate, "allowed_threads", lambda: 1)
    alone = Deflated().then(data).ended()
    monkeypatch.setattr(deflate, "allowed_threads", lambda: 3)
    assert Deflated().then(data).ended() == alone
    assert len(alone) < 1.01 * len(gzip.compress(data, 6))


def test_texts_and_columns_of_numbers_are_nearly_as_small_as_level_6_makes_them():
    random = np.random.RandomState(0)
    words = ["".join(random.choice(list("abcdefghij"), 6)) for _ in range(2000)]
    text = " ".join(words[j] for j in random.randint(0, 2000, 60_000)).encode()
    noise = random.randint(0, 60, 200_000).astype("<i2").tobytes()
    runs = np.sort(random.randint(0, 9000, 100_000)).astype("<i4").tobytes()  # as of documents that are in order
    for data in (text, noise, runs):
        assert len(Deflated().then(data).ended()) < 1.05 * len(gzip.compress(data, 6))
