"""Documents whose groups are known, to be edited; and when two runs are the same."""

import numpy as np

GROUPS = [
    "moon orbit rocket nasa star planet", "goal team match league coach player", "tax law court judge senate vote",
    "chip software code computer data server",
]  # fmt: skip


def texts(n=120, seed=0):
    """Return texts of four groups in turn, with a few words of the others, and their groups."""
    rng, every = np.random.default_rng(seed), " ".join(GROUPS).split()
    own = [i % 4 for i in range(n)]
    return [" ".join([*rng.choice(GROUPS[g].split(), 9), *rng.choice(every, 3)]) for g in own], own


def assert_same(run, other):
    assert run.topics.equals(other.topics)
    assert run.documents.equals(other.documents)
    assert run.W.tobytes() == other.W.tobytes()
    assert run.H.tobytes() == other.H.tobytes()
    assert run.notes == other.notes
    assert run.info == other.info
