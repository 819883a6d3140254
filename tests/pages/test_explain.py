"""Why a document is in its topic: sums that hold, words as they stand in the text, evidence of a mixture."""

import datetime
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from problems import themed

import quire
from quire.pages.explain import Explainer
from quire.pages.payload import payload_of
from quire.pages.periods import is_word, time_of
from quire.runs.contributions import can_weigh, weighted

SPACE = ["the rocket orbited moons", "rockets orbit a moon", "orbiting rocket near the moon", "moon rocket orbit"]
SPORT = ["a goal for the team", "teams scored goals", "the team scoring a goal", "team goal score"]


@pytest.mark.parametrize("recipe", ["default", "nmf", "lsi"])
def test_terms_and_rest_sum_to_the_scores(recipe):
    run = quire.cluster(themed(3, 40), 3, recipe=recipe, random_state=0)
    rows = np.arange(len(run.documents))
    H = run.H.astype(np.float64)
    if recipe != "default":  # there topics are of unit length when documents are assigned
        H /= np.linalg.norm(H, axis=1, keepdims=True)
    scores = run.X.astype(np.float64) @ H.T
    for most in (4, 30):
        for row, why in zip(rows, Explainer(run).explain(rows, most)):
            assert why["topic"] == run.labels[row]
            for place, score, rest in ((3, "score", "mine"), (4, "other_score", "others")):
                total = sum(term[place] for term in why["terms"]) + why["rest"][rest]
                assert total == pytest.approx(why[score], rel=1e-9, abs=1e-12)
            assert why["score"] == pytest.approx(scores[row, why["topic"]], rel=1e-5)
            assert len(why["terms"]) <= most
            assert len(why["terms"]) + why["rest"]["terms"] == np.diff(run.X.indptr)[row]
            sizes = [abs(term[3]) for term in why["terms"]]
            assert sizes == sorted(sizes, reverse=True)


def test_evidence_is_told_of_a_mixture_alone():
    mixture = quire.cluster(themed(3, 40), 3, random_state=0)
    rows = np.flatnonzero(mixture.documents["runner_up"].to_numpy() >= 0)[:20]
    logs = np.log(mixture.H.astype(np.float64))
    X = mixture.X.astype(np.float64).toarray() * mixture.estimator.worth
    for row, why in zip(rows, Explainer(mixture).explain(rows, 5)):
        total = sum(term[5] for term in why["terms"]) + why["rest"]["evidence"]
        assert total == pytest.approx(X[row] @ (logs[why["topic"]] - logs[why["other"]]), rel=1e-4)
        assert total > 0
    plain = quire.cluster(themed(3, 40), 3, recipe="nmf", random_state=0)
    why = Explainer(plain).explain(np.array([0]))[0]
    assert {term[5] for term in why["terms"]} | {why["rest"]["evidence"]} == {None}


def test_a_loaded_run_explains_as_the_run_that_was_made(tmp_path):
    run = quire.cluster(SPACE + SPORT, 2, random_state=0, stem=True, language="en")
    loaded = quire.load(run.save(tmp_path / "run"))
    assert loaded.X is None
    assert (weighted(loaded) != run.X).nnz == 0
    rows = np.arange(8)
    assert Explainer(loaded).explain(rows) == Explainer(run).explain(rows)
    alone = [Explainer(loaded).explain(np.array([row]))[0] for row in rows]
    assert alone == Explainer(run).explain(rows)


def test_forms_are_the_words_of_this_text_that_were_stemmed():
    run = quire.cluster(SPACE + SPORT, 2, random_state=0, stem=True, language="en")
    why = Explainer(run).explain(np.arange(8))
    forms = [{form for term in one["terms"] for form in term[1]} for one in why]
    assert forms[0] == {"rocket", "orbited", "moons"}
    assert forms[1] == {"rockets", "orbit", "moon"}
    assert forms[6] == {"team", "scoring", "goal"}


def test_forms_of_plain_words_runs_of_words_and_characters():
    plain = Explainer(quire.cluster(SPACE + SPORT, 2, random_state=0)).explain(np.array([0]))[0]
    assert all(term[1] == [term[0]] for term in plain["terms"])
    runs = Explainer(quire.cluster(SPACE + SPORT, 2, ngrams="1:2", random_state=0)).explain(np.array([0]))[0]
    assert any(" " in term[0] and term[1] == term[0].split() for term in runs["terms"])
    letters = Explainer(quire.cluster(SPACE + SPORT, 2, tokens="char_wb", ngrams=3, random_state=0))
    assert all(term[1] == [] for term in letters.explain(np.array([0]))[0]["terms"])


def test_forms_of_tokens_from_a_function(tmp_path):
    def cut(text):
        return [word[:3] for word in text.lower().split()]

    run = quire.cluster(SPACE + SPORT, 2, tokens=cut, random_state=0)
    forms = {term[0]: term[1] for term in Explainer(run).explain(np.array([1]))[0]["terms"]}
    assert forms["roc"] == ["rockets"]
    loaded = quire.load(run.save(tmp_path / "run"))  # which does not know the function
    assert not can_weigh(loaded)
    payload = payload_of(loaded)
    assert payload.head["has"]["words"] is False
    assert payload.whole(0)["why"] is None


def test_unsure_documents_are_explained_by_their_nearest_topic_and_silent_ones_are_not():
    texts = [*themed(2, 30), "", "!!!"]
    run = quire.cluster(texts, 2, recipe="nmf", random_state=0, abstain=1.0)
    unsure = int(np.flatnonzero((run.labels < 0) & (run.documents["runner_up"].to_numpy() >= 0))[0])
    why = Explainer(run).explain(np.array([unsure, len(texts) - 1]))
    assert why[0]["topic"] == run.documents["runner_up"][unsure]
    assert why[0]["other"] == 1 - why[0]["topic"]
    assert why[1] is None


def test_a_matrix_is_explained_while_it_is_in_memory(tmp_path):
    X = sp.csr_array(np.kron(np.eye(2), np.ones((6, 4))))
    run = quire.cluster(X, 2, random_state=0)
    why = payload_of(run).whole(0)["why"]
    assert [term[1] for term in why["terms"]] == [[]] * len(why["terms"])
    loaded = payload_of(quire.load(run.save(tmp_path / "run")))
    assert loaded.whole(0)["why"] is None
    assert not loaded.head["has"]["words"]


def test_words_in_periods_are_sums_over_the_topics_documents(tmp_path):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(40 * (i % 5)) for i in range(120)]
    run = quire.cluster(themed(3, 40), 3, dates=[*days[:-1], None], random_state=0)
    time = time_of(run)
    assert time["undated"] == 1
    assert list(time["bins"]) == ["day", "week", "month", "quarter", "year", "decade"]
    for bin, part in time["bins"].items():
        assert np.sum(part["counts"]) == 119, bin
        for t, words in enumerate(part["words"]):
            assert 0 < len(words) <= 12
            word, pairs = words[0]
            own = (run.labels == t) & run.documents["date"].is_not_null().to_numpy()
            total = run.X[own][:, [run.words.index(word)]].sum()
            assert sum(weight for _, weight in pairs) == pytest.approx(total, rel=0.01)
            totals = [sum(weight for _, weight in pairs) for _, pairs in words]
            assert all(a >= 0.99 * b for a, b in pairwise(totals))
    assert time_of(quire.load(run.save(tmp_path / "run"))) == time


def test_numbers_and_dates_are_no_words_of_a_period_nor_is_what_every_topic_has():
    for term in ("22", "1st", "1987", "1980s", "3.5", "march", "Jan", "monday", "22 march"):
        assert not is_word(term), term
    for term in ("moon", "b2b", "march madness", "c++", "g7"):
        assert is_word(term), term
    themes = ("moon orbit rocket", "goal team match", "butter flour oven", "court judge trial")
    texts = [f"{theme} january 1st said said said said" for theme in themes for _ in range(20)]
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(80)]
    run = quire.cluster(texts, 4, dates=days, random_state=0, max_share=1.0)
    shown = {word for part in time_of(run)["bins"].values() for words in part["words"] for word, _ in words}
    assert all(shown & set(theme.split()) for theme in themes)
    assert not shown & {"january", "1st", "said"}


def test_time_is_not_cut_into_too_many_pieces():
    days = [datetime.date(1700 + 30 * i, 1, 1) for i in range(10)]
    run = quire.cluster(["moon orbit", "goal team"] * 5, 2, dates=days, random_state=0)
    time = time_of(run)
    assert list(time["bins"]) == ["year", "decade"]
    assert time["bin"] in time["bins"]
    ages = [datetime.date(1 + 900 * i, 1, 1) for i in range(10)]
    long = time_of(quire.cluster(["moon orbit", "goal team"] * 5, 2, dates=ages, random_state=0))
    assert long["bin"] in long["bins"]
