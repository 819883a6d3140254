"""Tables and texts that tests of reading and counting in parts share."""

import datetime
import json
from unittest import mock

import numpy as np
import polars as pl
from polars.testing import assert_frame_equal

import quire.corpus.cut
from quire.corpus.corpus import read_parts
from quire.runs.pipeline import read

ROWS = 7  # of a part here, so that a small corpus has several
N = 40
WORDS = ["moon", "moons", "orbit", "orbits", "orbiting", "rocket", "team", "teams", "goal", "goals", "scored"]
WORDS += ["the", "and", "of", "was"]
GERMAN = ["der", "hund", "und", "die", "katze", "sind", "nicht", "in", "dem", "haus", "mit", "einem", "kater"]
GERMAN += ["auf", "das", "dach"]


def texts_of(words=WORDS, n=N, seed=0):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(words, rng.integers(3, 12))) for _ in range(n)]
    texts[3], texts[4], texts[20] = "", " \t", texts[1]
    texts[9:16] = [""] * 7  # whole parts without a word
    return texts


def table_of(**changed):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=7 * i) for i in range(N)]
    columns = {
        "key": [f"k{i}" for i in range(N)],
        "text": texts_of(),
        "label": [None if i == 5 else " " if i == 6 else "ab"[i % 2] for i in range(N)],
        "date": [None if i == 2 else days[i].isoformat() for i in range(N)],
        "title": [f"Nr. {i}" for i in range(N)],
    }
    return pl.DataFrame({k: v for k, v in (columns | changed).items() if v is not None})


def written(frame, path):
    match path.suffix:
        case ".parquet":
            frame.write_parquet(path, row_group_size=9)
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            frame.write_ndjson(path)
        case ".json":
            path.write_text(json.dumps(frame.to_dicts(), default=str))
    return path


def whole(source, options):
    """Read in memory, in one part."""
    with mock.patch.multiple(quire.corpus.cut, ROWS=1 << 20, BYTES=1 << 40):
        return read(source, options)


def parts_at(source, options, place):
    """Read at a place, in the parts that its rule makes."""
    return read_parts(source, options.request(), place)


def compared(source, options, place):
    """Read both ways; return the documents in parts."""
    corpus, parted = whole(source, options), parts_at(source, options, place)
    for other in (parted, read(source, options)):
        assert_frame_equal(other.documents, corpus.documents)
        assert other.notes == corpus.notes
        assert other.fingerprint() == corpus.fingerprint()
        assert other.sizes.tolist() == parted.sizes.tolist()
        assert [other.place.fetch(one).height for one in other.parts] == other.sizes.tolist()
    assert len(parted) == len(corpus)
    assert parted.sizes.max() <= quire.corpus.cut.ROWS
    return parted
