"""Parts of topics on the map where no tree was grown: they come from the run's finest cut."""

import numpy as np
import pytest

import quire
from quire.pages.layout import positions_of
from quire.pages.parts import parts_of
from quire.pages.payload import payload_of
from quire.runs.ranks import typicality_ranks

SUBJECTS = ("moon orbit rocket launch", "goal team match league")
SIDES = (
    ("crater dust rock soil", "probe camera lens tape", "flag boots suit glove"),
    ("coach bench whistle shout", "stadium crowd song choir", "boot mitten net post"),
)


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    themes = [f"{subject} {side}".split() for subject, sides in zip(SUBJECTS, SIDES) for side in sides]
    texts = [" ".join(rng.choice(theme, 6)) for theme in themes for _ in range(40)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [2, 6])
        run = quire.cluster(texts, random_state=0)
    assert run.cuts[0] == 2 < run.cuts[-1]
    return run


def test_topics_part_into_those_of_the_finest_cut(run):
    parts = parts_of(run)
    finer = run.at(run.cuts[-1])
    assert len(parts.named) >= 2
    for code, part in enumerate(parts.named):
        rows = np.flatnonzero(parts.codes == code)
        assert set(run.labels[rows]) == {part["topic"]}
        assert len(set(finer.labels[rows])) == 1
        assert len(rows) >= 0.1 * (run.labels == part["topic"]).sum()
        assert not set(part["keywords"]) & set(run.topics["keywords"][part["topic"]][:3])


def test_documents_of_a_part_lie_together(run):
    places, parts = positions_of(run, typicality_ranks(run)).documents, parts_of(run)
    for topic in range(2):
        own = np.flatnonzero((run.labels == topic) & (parts.codes >= 0))
        distance = np.linalg.norm(places[own][:, None] - places[own], axis=2)
        same = parts.codes[own][:, None] == parts.codes[own]
        if not same.all():
            assert distance[same].mean() < 0.6 * distance[~same].mean()
    assert len(np.unique(np.rint(places * 65535), axis=0)) == len(places)


def test_the_page_has_the_part_of_each_document(run):
    payload, parts = payload_of(run), parts_of(run)
    assert payload.head["parts"] == parts.named
    place = next(column for column in payload.head["columns"] if column["name"] == "part")
    sent = np.frombuffer(payload.points, "<u2", len(run.labels), place["offset"])
    np.testing.assert_array_equal(np.where(sent == 65535, -1, sent.astype(int)), parts.codes)


def test_there_are_none_without_a_finer_cut_and_beside_a_tree(run):
    assert parts_of(run.at(run.cuts[-1])) is None
    assert payload_of(run.at(run.cuts[-1])).head["parts"] is None
    grown = quire.cluster(list(run.documents["text"]), 2, random_state=0, tree=True)
    assert parts_of(grown) is None
