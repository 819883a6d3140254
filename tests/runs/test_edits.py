"""Edits do what they say on documents whose groups are known, and touch nothing else."""

import numpy as np
import polars as pl
import pytest
from edited import GROUPS, assert_same, texts

import quire
from quire.pages.payload import payload_of
from quire.runs.edits.entry import Edit, active, edit_from, with_words

RECIPES = ("default", "nmf", "plsi", "kim2008", "kmeans")


@pytest.fixture(scope="module", params=RECIPES)
def run(request):
    documents, own = texts()
    return quire.cluster(documents, 4, recipe=request.param, random_state=0, labels=own)


@pytest.fixture(scope="module")
def usual():
    documents, own = texts()
    dates = [f"2020-{1 + i % 9:02d}-01" for i in range(len(documents))]
    return quire.cluster(documents, 4, random_state=0, labels=own, dates=dates)


@pytest.fixture(scope="module")
def torn():
    """Documents of which every other one is of three groups at once."""
    rng, (documents, _) = np.random.default_rng(3), texts(120)
    for row in range(0, 120, 2):
        some = rng.permutation(4)[:3]
        documents[row] = " ".join(word for g in some for word in rng.choice(GROUPS[g].split(), 4))
    return quire.cluster(documents, 4, random_state=0)


def others(run, *topics):
    return [topic for topic in range(len(run.H)) if topic not in topics]


def rows_of(run, topic):
    return set(np.flatnonzero(run.labels == topic).tolist())


def test_merging_adds_memberships_and_leaves_other_topics_alone(run):
    merged = run.merge(1, 3)
    assert len(merged.H) == 3
    assert rows_of(merged, 1) == rows_of(run, 1) | rows_of(run, 3)
    both, torn = run.memberships[:, [1, 3]].sum(axis=1), run.memberships.max(axis=1)
    sum_leads = (both >= torn) & ~np.isin(run.labels, [1, 3])
    np.testing.assert_allclose(merged.memberships[~sum_leads, 1], both[~sum_leads], atol=1e-5)
    for new, old in ((0, 0), (2, 2)):
        assert rows_of(merged, new) == rows_of(run, old)
        shares = merged.memberships[~sum_leads, new], run.memberships[~sum_leads, old]
        np.testing.assert_allclose(*shares, atol=1e-5)
        assert merged.topics["keywords"][new].to_list() == run.topics["keywords"][old].to_list()
        assert merged.topics["name"][new] == run.topics["name"][old]
    assert merged.labels.tolist() == merged.memberships.argmax(axis=1).tolist()


def test_documents_between_topics_stay_where_they_are(torn):
    """Who is torn between two topics that are merged is drawn to what they make, and to no other when one is split."""
    label, shares = torn.labels, torn.memberships
    drawn = [
        (a, b)
        for a in range(4)
        for b in range(a)
        if ((shares[:, [a, b]].sum(axis=1) > shares.max(axis=1)) & ~np.isin(label, [a, b])).any()
    ]
    assert drawn  # else nothing is tried
    for a, b in drawn:
        assert rows_of(torn.merge(b, a), b) == rows_of(torn, a) | rows_of(torn, b)
    for topic in range(4):
        split = torn.split(topic, into=3)
        stays = label != topic
        assert (split.labels[stays] == label[stays]).all()
        assert np.isin(split.labels[~stays], [topic, 4, 5]).all()


def test_what_was_merged_is_found_again_by_a_split(run):
    merged = run.merge(1, 3)
    split = merged.split(1)
    assert len(split.H) == 4
    assert rows_of(split, 1) | rows_of(split, 3) == rows_of(merged, 1)  # no document goes anywhere else
    for topic in others(merged, 1):
        assert rows_of(split, topic) == rows_of(merged, topic)
        np.testing.assert_array_equal(split.W[:, topic][list(rows_of(merged, topic))],
                                      merged.W[:, topic][list(rows_of(merged, topic))])  # fmt: skip
    assert split.scores["purity"] >= run.scores["purity"] - 0.05
    assert split.topics["size"][1] >= split.topics["size"][3]


def test_documents_of_a_removed_topic_go_to_their_next(run):
    removed = run.remove(2)
    gone = sorted(rows_of(run, 2))
    next_topic = run.documents["runner_up"].to_numpy()[gone]
    new = np.where(next_topic > 2, next_topic - 1, next_topic)
    known = next_topic >= 0
    assert removed.labels[gone][known].tolist() == new[known].tolist()
    stays = [row for row in range(len(run.labels)) if row not in gone]
    kept = run.labels[stays]
    assert removed.labels[stays].tolist() == np.where(kept > 2, kept - 1, kept).tolist()


def test_a_pinned_word_speaks_for_its_topic_alone(run):
    topic, word = next((t, words[0]) for t, words in enumerate(run.topics["keywords"].to_list()) if words)
    to = (topic + 1) % 4
    pinned = run.pin(word, to)
    lists = pinned.topics["keywords"].to_list()
    assert lists[to][0] == word
    assert not any(word in words for t, words in enumerate(lists) if t != to)
    column = pinned.vocabulary.index(word)
    H = pinned.estimator.compared_topics(**pinned.recipe.assignment)
    assert H[:, column].argmax() == to
    holding = run.recounted[0][:, [column]].toarray()[:, 0] > 0
    assert (pinned.labels[~holding] == run.labels[~holding]).all()  # who does not hold it stays


def test_a_banned_word_is_no_keyword_and_tells_nothing(run):
    word = run.topics["keywords"][0][0]
    banned = run.ban(word)
    assert not any(word in each.split() for words in banned.topics["keywords"].to_list() for each in words)
    assert word not in " ".join(banned.topics["name"]).casefold()
    column = banned.vocabulary.index(word)
    assert np.ptp(banned.H[:, column]) <= 1e-9
    holding = run.recounted[0][:, [column]].toarray()[:, 0] > 0
    assert (banned.labels[~holding] == run.labels[~holding]).all()


def test_a_document_is_moved_and_stays_there(run):
    row = int(np.flatnonzero(run.labels == 0)[3])
    moved = run.move(run.documents["id"][row], 2)
    assert moved.labels[row] == 2
    assert (np.delete(moved.labels, row) == np.delete(run.labels, row)).all()
    word = run.topics["keywords"][2][0]
    later = moved.ban(word).merge(0, 1).pin("goal", 0)
    assert later.labels[row] == 1  # which was 2
    assert later.remove(1).labels[row] == 0  # there is no such topic any more


def test_documents_are_held_together_and_kept_apart(run):
    (first, second), third = np.flatnonzero(run.labels == 0)[:2], int(np.flatnonzero(run.labels == 1)[0])
    ids = run.documents["id"].to_list()
    together = run.together(ids[first], ids[third])
    assert together.labels[first] == together.labels[third]
    apart = run.apart(ids[first], ids[second])
    assert apart.labels[first] != apart.labels[second]
    assert (np.delete(apart.labels, [first, second]) == np.delete(run.labels, [first, second])).all()
    kept = together.apart(ids[first], ids[second]).split(0).ban(run.topics["keywords"][1][0])
    assert kept.labels[first] == kept.labels[third] != kept.labels[second]
    with pytest.raises(ValueError, match="together and apart"):
        together.apart(ids[first], ids[third])
    with pytest.raises(ValueError, match="apart and in the same topic"):
        apart.move(ids[first], 2).move(ids[second], 2)


def test_no_edit_changes_the_run_that_it_is_made_in(run):
    before = run.W.copy(), run.H.copy(), run.topics.clone(), run.documents.clone(), dict(run.info)
    run.merge(0, 1).split(0).remove(1).ban(run.words[0]).move(run.documents["id"][0], 1).undo()
    assert (before[0] == run.W).all()
    assert (before[1] == run.H).all()
    assert run.topics.equals(before[2])
    assert run.documents.equals(before[3])
    assert run.info == before[4]
    assert run.history == []


def test_undo_and_redo_are_exact(run):
    states = [run]
    for what, *given in (("merge", 0, 1), ("rename", 0, "Both"), ("split", 0, 3), ("note", 1, "?"), ("remove", 2)):
        states.append(getattr(states[-1], what)(*given))
    back = states[-1]
    for state in reversed(states[:-1]):
        back = back.undo()
        assert_same(back, state)
    assert (back.W is run.W, back.H is run.H, len(back.history)) == (True, True, 10)
    for state in states[1:]:
        back = back.redo()
        assert_same(back, state)
    with pytest.raises(ValueError, match="nothing to redo"):
        back.redo()
    with pytest.raises(ValueError, match="nothing to undo"):
        run.undo()


def test_what_was_undone_does_not_come_back_after_another_edit(usual):
    after = usual.merge(0, 1).undo().rename(0, "Else")
    with pytest.raises(ValueError, match="nothing to redo"):
        after.redo()
    forged = [Edit("ban", {"word": "moon"}), Edit("undo", {}), Edit("ban", {"word": "goal"}), Edit("redo", {})]
    assert [edit.given for edit in active(forged)] == [{"word": "goal"}]


def test_names_and_notes_go_with_their_topics(usual):
    run = usual.rename(3, "Three").note(3, "third").rename(1, "One").note(0, "zeroth")
    assert (run.topics["name"][3], run.topics["name"][1], run.notes) == ("Three", "One", {3: "third", 0: "zeroth"})
    removed = run.remove(2)
    assert (removed.topics["name"][2], removed.notes) == ("Three", {2: "third", 0: "zeroth"})
    merged = removed.merge(0, 2)
    assert (merged.topics["name"][0], merged.notes) == ("Three", {0: "zeroth\nthird"})
    assert merged.rename(0, "").topics["name"][0] not in ("Three", "")
    assert merged.split(0).topics["name"][0] != "Three"


def test_an_edited_run_is_a_run_like_any_other(usual, tmp_path):
    edited = usual.merge(0, 1).split(1).move(usual.documents["id"][0], 2)
    again = quire.load(edited.save(tmp_path / "run"))
    assert_same(again, edited)
    assert again.assign(["goal team", "moon"]).labels.tolist() == edited.assign(["goal team", "moon"]).labels.tolist()
    assert again.explain(usual.documents["id"][5]).as_dict() == edited.explain(usual.documents["id"][5]).as_dict()
    assert again.timeline["topic"].n_unique() == len(edited.H)
    assert payload_of(again).head["edits"]["undo"] == 3
    assert again.documents["confidence"].null_count() > 0  # runs said nothing of the new topics
    assert again.novelty.of(again.heard(["violin sonata goal"])).shape == (1,)


def test_what_runs_said_holds_in_topics_that_are_as_they_were(usual):
    merged = usual.merge(0, 1)
    known = np.isin(usual.labels, [2, 3])
    assert merged.confidence[known].tolist() == usual.confidence[known].tolist()
    assert np.isnan(merged.confidence[~known]).all()
    assert merged.stability[1:].tolist() == usual.stability[2:].tolist()


def test_what_is_no_edit_is_one_sentence(usual):
    for what, *given in (
        ("merge", 0), ("merge", 0, 0), ("merge", 0, 9), ("split", 0, 1), ("split", 9), ("remove", 4), ("ban", "xyzzy"),
        ("pin", "moon", 9), ("move", "nobody", 0), ("together", "1", "1"), ("rename", 0, "a\nb"), ("rename", -1, "a"),
        ("note", 0, "x" * 5000), ("split", 0, 40), ("note", 0, "\x1b[31m"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"\.$") as error:
            getattr(usual, what)(*given)
        assert "\n" not in str(error.value)


def test_topics_may_be_numbers_of_numpy(usual, tmp_path):
    one, other = usual.labels[0], usual.labels[1]
    assert_same(usual.merge(one, other), usual.merge(int(one), int(other)))
    named = usual.rename(one, "Named").move("1", other)
    assert quire.load(named.save(tmp_path / "run")).given_names == {int(one): "Named"}


def test_runs_that_cannot_be_changed_say_so_and_can_be_named(tmp_path):
    documents, _ = texts(40)
    matrix = quire.cluster(quire.Counts().fit_transform(documents), 3, recipe="nmf", random_state=0)
    lsi = quire.cluster(documents, 3, recipe="lsi", random_state=0)
    for one, sentence in ((matrix, "made from a matrix"), (lsi, "take another recipe")):
        with pytest.raises(ValueError, match=sentence):
            one.merge(0, 1)
        saved = one.rename(0, "Space").note(0, "well").save(tmp_path / sentence[:4])
        assert quire.load(saved).topics["name"][0] == "Space"


def test_edits_are_made_again_in_another_fit_and_on_other_documents(usual, tmp_path):
    edited = usual.merge(0, 1).rename(0, "Joined").rename(1, "Else").ban("star").move(usual.documents["id"][9], 1)
    edited.save(tmp_path / "run")
    log = tmp_path / "run" / "edits.jsonl"
    again = quire.cluster(usual.documents["text"].to_list(), 4, random_state=7, edits=str(log))
    assert set(again.topics["name"]) >= {"Joined", "Else"}
    at = again.topics["name"].to_list().index("Joined")
    words = {word for t in (0, 1) for word in usual.topics["keywords"][t]}
    assert set(again.topics["keywords"][at]) <= words
    more, _ = texts(80, seed=5)
    with pytest.warns(UserWarning, match=r"Left out: move 10 1\. There is no document"):
        other = quire.cluster(pl.DataFrame({"id": [f"n{i}" for i in range(80)], "text": more}), 4, random_state=1,
                              edits=str(log))  # fmt: skip
    assert len(other.H) == 3
    at = other.topics["name"].to_list().index("Joined")
    assert set(other.topics["keywords"][at]) <= words
    assert not any("star" in keywords for keywords in other.topics["keywords"].to_list())


def test_a_keyword_longer_than_a_log_takes_does_not_lock_the_run():
    for given in ({"what": "rename", "topic": 0, "name": "Space"}, {"what": "merge", "topics": [0, 1]}):
        edit = with_words(edit_from(given), [["a" * 5000, "moon"], ["goal", "\ud800"]])
        assert edit.given["words"] in (["moon"], [["moon"], ["goal"]])
        assert edit_from(edit.as_dict()).given == edit.given  # what is written can be read


def test_a_topic_that_is_not_there_is_not_guessed(usual, tmp_path):
    other = quire.cluster(["violin sonata piano", "sonata violin cello", "bread flour oven", "oven bread yeast"] * 6, 2,
                          random_state=0)  # fmt: skip
    other.rename(0, "Music").merge(0, 1).save(tmp_path / "run")
    edited, left = usual.replay(tmp_path / "run" / "edits.jsonl")
    assert [edited.history, len(left)] == [[], 2]
    assert all("No topic here is about" in sentence for sentence in left)


def test_edits_are_replayed_from_a_log_or_from_the_history_of_a_run(usual, tmp_path):
    edited = usual.rename(0, "First").ban(usual.topics["keywords"][3][2]).merge(1, 2)
    edited.save(tmp_path / "run")
    did = {"topics": [{"topic": 0, "change": "new"}], "sentences": ["A topic is new."]}  # as an update is listed
    runs = [usual.replay(edits)[0] for edits in (tmp_path / "run" / "edits.jsonl", [did, *edited.history])]
    assert runs[0].topics.equals(runs[1].topics)
    assert runs[1].topics.equals(edited.topics)
    with pytest.raises(ValueError, match=r"is no edit .*there are rename"):
        usual.replay([{"what": "paint"}])
    for wrong in (17, None, [17]):
        with pytest.raises(ValueError, match=r"The edits should be|An edit should look like"):
            usual.replay(wrong)


def test_names_at_another_cut_are_told_of_where_they_cannot_be_given(usual):
    of_a_cut = {"what": "rename", "topic": 2, "name": "Law", "cut": 9}
    run, left = usual.replay([{"what": "note", "topic": 0, "note": "hm"}, of_a_cut])
    assert run.notes == {0: "hm"}
    (sentence,) = left
    assert sentence.startswith("Left out: rename 2 Law. It is of a cut at 9 topics: ")
    undone = [of_a_cut, {"what": "undo", "cut": 9}]
    assert usual.replay(undone)[1] == []


def test_what_was_left_out_of_keywords_is_told_by_the_numbers_that_topics_have_now():
    documents, own = texts(400)
    signed = [row for row, group in enumerate(own) if group == 3][:40]
    for row in signed:
        documents[row] += " gordon skeptic chastity cadre surrender sphinx"
    run = quire.cluster(documents, 4, random_state=0, keep_repeated=True)
    topic = int(run.labels[signed[0]])
    merged = run.merge(*others(run, topic))
    now = int(merged.labels[signed[0]])
    assert now != topic
    told = [state.info["terms"]["left_out"] for state in (run, merged)]
    assert [[sentence.split("of topic ")[1] for sentence in one] for one in told] == [[f"{topic}."], [f"{now}."]]
