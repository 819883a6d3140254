"""Other good numbers of topics at the command line: told, shown, scored and compared."""

import json

import numpy as np
import polars as pl
import pytest
from problems import THEMES, one_sentence, said

import quire


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(1)
    names = [list(THEMES)[i % 3] for i in range(90)]
    texts = [" ".join(rng.choice(THEMES[name].split(), 9)) for name in names]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quire.Ensemble, "likely_cuts", lambda *_: [3, 6, 2])
        run = quire.cluster(pl.DataFrame({"text": texts, "label": names}), random_state=0)
    return run.save(tmp_path_factory.mktemp("cuts") / "run")


def test_a_run_tells_its_cuts_and_how_to_see_them(folder):
    found = said("show", folder).stdout
    assert "3 topics chosen; also good: 2, 5" in found
    assert f"See 2 or 5 topics of the same documents with: quire show {folder} --topics 2" in found


def test_another_cut_is_shown(folder):
    found = said("show", folder, "--topics", 5).stdout
    assert "5 topics; also good: 2, 3" in found
    data = json.loads(said("show", folder, "--topics", 5, "--json").stdout)
    assert data["n_topics"] == len(data["topics"]) == 5
    one = json.loads(said("show", folder, "--topics", 2, "--document", "3", "--json").stdout)
    assert one["topic"] in (0, 1)


def test_another_cut_is_scored(folder):
    scores = {k: json.loads(said("evaluate", folder, "--topics", k, "--json").stdout)["scores"] for k in (2, 3)}
    assert scores[3]["nmi"] > 0.95 > scores[2]["nmi"]


def test_cuts_of_one_run_are_compared(folder):
    found = json.loads(said("compare", folder, folder, "--other-topics", 5, "--json").stdout)
    assert 0 < found["ari"] < 1
    same = json.loads(said("compare", folder, folder, "--topics", 5, "--other-topics", 5, "--json").stdout)
    assert same["ari"] == 1


@pytest.mark.parametrize("command", ["show", "evaluate"])
def test_a_cut_that_is_not_there_is_refused_in_a_sentence(command, folder):
    one_sentence(said(command, folder, "--topics", 4), "2, 3, 5")
