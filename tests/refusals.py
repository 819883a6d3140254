"""How a source is refused: in one sentence, and nothing else."""

import numpy as np
import pytest

from quire import read_corpus


def tried(source, **options):
    """Read a source; return the sentence that refused it, "" where none did."""
    sentence = ""
    try:
        read_corpus(source, **options)
    except ValueError as error:
        sentence = str(error)
    assert not sentence or (len(sentence) > 20 and "\n" not in sentence), sentence
    return sentence


def refused(source, **options):
    """Return the sentence that refuses a source."""
    sentence = tried(source, **options)
    if not sentence:
        pytest.fail(f"{source} was read")
    return sentence


def shifted(raw):
    """Return a ZIP archive that says of all its members that they begin before the file."""
    made, end = bytearray(raw), raw.rindex(b"PK\x05\x06") + 16
    made[end : end + 4] = (int.from_bytes(raw[end : end + 4], "little") + 100).to_bytes(4, "little")
    return bytes(made)


def damaged(raw, n, seed=0):
    """Yield bytes with some of them changed or cut off, the same every time."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        made = bytearray(raw)
        for at in rng.integers(0, len(made), rng.integers(1, 6)):
            made[at] = rng.integers(256)
        yield bytes(made[: rng.integers(1, len(made))] if rng.random() < 0.2 else made)
