"""One document explained, and two topics held against each other."""

import numpy as np
import pytest
import scipy.sparse as sp
from problems import themed

import quire
from quire.pages.payload import payload_of
from quire.runs.diff import term_shares

RECIPES = ("default", "nmf", "tfidf", "lsi")


@pytest.fixture(scope="module", params=RECIPES)
def run(request):
    return quire.cluster(themed(3, 40), 3, recipe=request.param, random_state=0)


def as_on_the_page(why):
    """Return an explanation in the form that the page has it."""
    terms = [[*term.values()] for term in why.terms.to_dicts()]
    heads = {name: getattr(why, name) for name in ("topic", "other", "score", "other_score", "rest")}
    return {**heads, "terms": terms}


def test_the_numbers_are_those_of_the_page(run, tmp_path):
    payload, loaded = payload_of(run), quire.load(run.save(tmp_path / "run"))
    for row in range(0, len(run.documents), 7):
        id = run.documents["id"][row]
        why = run.explain(id)
        assert as_on_the_page(why) == payload.whole(row)["why"]
        assert loaded.explain(id).as_dict() == why.as_dict()


def test_words_and_rest_sum_to_the_scores_against_any_topic(run):
    for id in run.documents["id"][::11]:
        mine = run.explain(id).topic
        for against in {0, 1, 2} - {mine}:
            why = run.explain(id, against)
            assert (why.topic, why.other) == (mine, against)
            assert why.terms["mine"].sum() + why.rest["mine"] == pytest.approx(why.score)
            assert why.terms["others"].sum() + why.rest["others"] == pytest.approx(why.other_score)


def test_typical_documents_hold_the_words_that_they_are_said_to_share(run):
    texts = dict(run.documents.select("id", "text").iter_rows())
    why = run.explain(run.documents.sort("membership")["id"][0])
    assert why.alike.height
    for topic, id, words in why.alike.iter_rows():
        assert topic in (why.topic, why.other)
        assert id in run.topics["typical"][topic]
        assert set(words) <= set(texts[id].split())


def test_a_typical_document_is_not_said_to_share_words_with_itself(run):
    for topic, typical in run.topics.select("topic", "typical").iter_rows():
        assert len(typical) > 3  # as many as are told: another takes its place
        alike = run.explain(typical[0]).alike.filter(topic=topic)["id"].to_list()
        assert len(alike) == 3
        assert typical[0] not in alike


def test_words_that_tip_a_document_do_so_when_they_are_taken_out_or_put_in(run):
    tried = set()
    for row in range(0, len(run.documents), 5):
        id, text = run.documents["id"][row], run.documents["text"][row]
        for tip in run.explain(id).tips:
            words = text.split()
            if tip.change == "without":
                changed = [word for word in words if word not in tip.words]
            else:
                assert not set(words) & set(tip.words)
                changed = words + tip.words
            assert run.assign([" ".join(changed)]).labels[0] == tip.topic != run.labels[row]
            if tip.change == "with":  # and not with fewer
                assert run.assign([" ".join(changed[:-1])]).labels[0] != tip.topic
            tried.add(tip.change)
    assert tried == {"without", "with"}


def test_what_cannot_be_explained_is_told():
    texts = [*themed(2, 30), "!!!"]
    run = quire.cluster(texts, 2, random_state=0)
    with pytest.raises(ValueError, match="The run has no document 'nope': its ids, of which '1' is the first"):
        run.explain("nope")
    with pytest.raises(ValueError, match="has no topic, as none of its terms is in one"):
        run.explain(str(len(texts)))
    with pytest.raises(ValueError, match="There is no topic 7: the run's topics have numbers from 0 to 1"):
        run.explain("1", 7)
    with pytest.raises(ValueError, match="There is no topic -1"):
        run.explain("1", -1)
    with pytest.raises(ValueError, match="itself: name another one"):
        run.explain("1", int(run.labels[0]))


def test_a_passage_is_explained_and_not_its_whole_document():
    run = quire.cluster(["the moon orbits\n\ngoal and team and match"] * 3, 2, random_state=0, split="words:3")
    with pytest.raises(ValueError, match=r"was cut into \d passages: name one of these, such as '1"):
        run.explain("1")
    assert run.explain(run.documents["id"][0]).terms.height


def test_a_matrix_is_explained_while_it_is_in_memory(tmp_path):
    run = quire.cluster(sp.csr_array(np.kron(np.eye(2), np.ones((6, 4)))), 2, random_state=0)
    why = run.explain("1")
    assert why.terms["term"].to_list() == ["#0", "#1", "#2", "#3"]
    assert [tip.change for tip in why.tips] in (["with"], [])
    with pytest.raises(ValueError, match="made from a matrix and has no texts"):
        quire.load(run.save(tmp_path / "run")).explain("1")


def test_an_unsure_document_is_explained_by_its_nearest_topic():
    run = quire.cluster(themed(2, 30), 2, recipe="nmf", random_state=0, abstain=1.0)
    row = int(np.flatnonzero((run.labels < 0) & (run.documents["runner_up"].to_numpy() >= 0))[0])
    assert run.explain(run.documents["id"][row]).topic == run.documents["runner_up"][row]


def test_words_that_tell_topics_apart(run):
    diff = run.diff(0, 2)
    shares = term_shares(run)
    mean = (shares[0] + shares[2]) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.nansum(np.where(one > 0, one * np.log2(one / mean), 0)) / 2 for one in shares[[0, 2]]]
    assert diff.distance == pytest.approx(sum(parts), rel=1e-3)
    assert 0 < diff.distance <= 1
    for word, topic, first, second, bits in diff.words.iter_rows():
        column = run.words.index(word)
        assert (first, second) == pytest.approx(tuple(shares[[0, 2], column]), rel=1e-3)
        assert (first > second) == (topic == 0)
        assert bits > 0
    assert diff.topics.rows() == [run.topics.select("topic", "name", "size", "share").row(t) for t in (0, 2)]


def test_the_other_way_round_it_is_the_same_difference(run):
    one, other = run.diff(1, 2), run.diff(2, 1)
    assert one.distance == other.distance
    assert set(one.words["word"]) == set(other.words["word"])
    assert one.border.rows() == other.border.rows()


def test_documents_on_the_border_are_between_the_two(run):
    diff = run.diff(0, 1)
    pairs = run.documents.filter((run.documents["topic"].is_in([0, 1])) & (run.documents["runner_up"].is_in([0, 1])))
    assert diff.n_border == pairs.height
    assert set(diff.border["id"]) <= set(pairs["id"])
    gaps = (diff.border["membership"] - diff.border["runner_up_membership"]).to_list()
    assert gaps == sorted(gaps)


def test_topics_that_are_not_there_do_not_differ(run):
    with pytest.raises(ValueError, match="There is no topic 3: the run's topics have numbers from 0 to 2"):
        run.diff(0, 3)
    with pytest.raises(ValueError, match="does not differ from itself: name two"):
        run.diff(1, 1)
