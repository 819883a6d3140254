"""The tree of topics: on documents whose tree is known, it is found, cut, kept and told."""

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import quire
from quire.methods.ensemble.branches import grown
from quire.methods.ensemble.groups import joins
from quire.methods.ensemble.splits import split_of
from quire.runs.tree_file import write_tree
from quire.runs.write import TREE

EACH = 45  # documents of a leaf


def planted(each=EACH, seed=0, subs=2):
    """Texts of two areas, each of two topics, each of some parts: words of all three, and the numbers of all three."""
    rng = np.random.default_rng(seed)
    texts, truth = [], []
    for area in range(2):
        for topic in range(2):
            for sub in range(subs):
                names = (f"area{area}", f"topic{area}{topic}", f"part{area}{topic}{sub}")
                words = [[f"{name}{'abcdefghijkl'[i]}" for i in range(12)] for name in names]
                for _ in range(each):
                    own = [rng.choice(words[level], 8) for level in range(3)]
                    texts.append(" ".join([*np.concatenate(own), *rng.choice([f"any{c}" for c in "pqrstuvw"], 6)]))
                    truth.append((area, 2 * area + topic, subs * (2 * area + topic) + sub))
    order = rng.permutation(len(texts))
    return [texts[i] for i in order], np.array(truth)[order]


@pytest.fixture(scope="module")
def known():
    texts, truth = planted()
    return quire.cluster(texts, 4, random_state=0, tree=True, tokens="word"), truth


def test_the_tree_that_was_planted_is_found(known):
    run, truth = known
    tree = run.tree()
    assert adjusted_rand_score(truth[:, 1], run.labels) == 1.0
    for k, level in ((2, 0), (4, 1), (8, 2)):
        assert adjusted_rand_score(truth[:, level], tree.cut(k).labels) > 0.99, k
    assert len(tree.leaves) == 8, "what has no structure was parted"
    assert all(leaf.whole for leaf in tree.leaves)


def test_words_tell_siblings_apart_at_every_node(known):
    run, _truth = known
    tree = run.tree()
    for node in tree.nodes[1:]:
        siblings = [tree.nodes[child] for child in tree.nodes[node.parent].children if child != node.number]
        depth = tree.depths[node.number]
        assert node.keywords[0].startswith(("area", "topic", "part")[depth - 1]), node
        assert not set(node.keywords) & {word for other in siblings for word in other.keywords}
    assert tree.root.keywords == ()


def test_nodes_are_a_tree_whose_cuts_are_nested_and_hold_every_document(known):
    run, _ = known
    tree = run.tree()
    before = tree.cut(1)
    assert before.nodes == [tree.root]
    for k in range(2, len(tree.leaves) + 1):
        cut = tree.cut(k)
        assert len(cut.nodes) == k
        assert sum(node.size for node in cut.nodes) == tree.root.size == len(run.labels)
        for number, node in enumerate(cut.nodes):
            assert (np.flatnonzero(cut.labels == number) == tree.documents(node.number)).all()
            assert len(np.unique(before.labels[cut.labels == number])) == 1
        before = cut
    of_run = {node.topic: node for node in tree.nodes if node.topic is not None}
    assert sorted(of_run) == [0, 1, 2, 3]
    for topic, node in of_run.items():
        assert (tree.documents(node.number) == np.flatnonzero(run.labels == topic)).all()
    with pytest.raises(ValueError, match="8 leaves"):
        tree.cut(9)
    for k in (0, 2.5, "2", True):
        with pytest.raises(ValueError, match="ask for 1 to 8 topics"):
            tree.cut(k)
    assert len(tree.cut(np.int64(2)).nodes) == 2
    with pytest.raises(ValueError, match="at least 1"):
        run.tree(leaves=0)
    with pytest.raises(ValueError, match="no node 99"):
        tree.documents(99)


@pytest.mark.parametrize(("k", "level"), [(2, 0), (8, 2)])
def test_a_cut_is_a_run_like_any_other(known, k, level, tmp_path):
    run, truth = known
    cut = run.cut(k)
    assert len(cut.topics) == k
    assert adjusted_rand_score(truth[:, level], cut.labels) > 0.99
    assert cut.topics["size"].to_list() == sorted(cut.topics["size"], reverse=True)
    assert len(run.topics) == 4, "the run itself was changed"
    again = quire.load(cut.save(tmp_path / "cut"))
    texts = run.documents["text"].to_list()
    assert (again.assign(texts).labels == cut.labels).all()
    assert again.hierarchy is None


def test_a_cut_of_an_edited_run_is_no_edited_run_but_holds_what_was_said(known, tmp_path):
    run = known[0]
    word, document = run.topics["keywords"][0][0], run.documents["id"][0]
    edited = run.rename(1, "Mine").note(0, "ask again").merge(2, 3).ban(word).move(document, 1)
    cut = edited.cut(5)
    assert len(cut.topics) == 5
    assert cut.notes == cut.given_names == {}
    assert [edit["what"] for edit in cut.history] == ["ban", "move"]
    assert not any(word in keywords for keywords in cut.topics["keywords"].to_list())
    assert len(cut.undo().undo().topics) == 5
    again = quire.load(cut.save(tmp_path / "cut"))
    assert again.topics.equals(cut.topics)
    assert again.history == cut.history
    assert run.rename(1, "Mine").cut(5).edits is None


def test_a_tree_is_kept_and_grown_anew_to_the_same(known, tmp_path):
    run, _ = known
    folder = run.save(tmp_path / "run")
    loaded = quire.load(folder)
    assert loaded.hierarchy.as_dict() == run.tree().as_dict()
    assert (loaded.hierarchy.deepest == run.tree().deepest).all()
    assert loaded.tree(leaves=64).as_dict() == run.tree().as_dict()
    assert len(loaded.tree(leaves=6).leaves) == 6
    assert loaded.tree(leaves=6).cut(4).nodes[0].size == loaded.tree().cut(4).nodes[0].size
    (folder / TREE).unlink()
    assert quire.load(folder).hierarchy is None, "a run without a tree is a run"


def damage(folder, change):
    """Change what the tree's file holds, with a checksum that fits."""
    tree = quire.load(folder).hierarchy
    data = json.loads(json.dumps(tree.as_dict()))
    deepest = change(data["nodes"], tree.deepest.copy())
    write_tree(folder / TREE, SimpleNamespace(as_dict=lambda: data, deepest=deepest))


def _other_size(nodes, deepest):
    nodes[3]["size"] += 1
    return deepest


def _circle(nodes, deepest):
    nodes[1]["parent"] = 5
    return deepest


def _text_for_number(nodes, deepest):
    nodes[2]["size"] = "many"
    return deepest


def _other_topic(nodes, deepest):
    nodes[[node["topic"] for node in nodes].index(0)]["topic"] = 99
    return deepest


def _no_cut(nodes, deepest):
    nodes[0]["parts_at"] = 7
    return deepest


def _too_few(nodes, deepest):
    return deepest[:-1]


def _elsewhere(nodes, deepest):
    deepest[0] = 10_000
    return deepest


@pytest.mark.parametrize(
    "change", [_other_size, _circle, _text_for_number, _other_topic, _no_cut, _too_few, _elsewhere]
)
def test_a_tree_that_is_none_is_refused_in_a_sentence(known, change, tmp_path):
    folder = known[0].save(tmp_path / "run")
    damage(folder, change)
    with pytest.raises(ValueError, match=r"tree\.safetensors is damaged .*delete it; `quire tree` then makes another"):
        quire.load(folder)


def test_a_tree_that_was_cut_short_or_changed_is_refused(known, tmp_path):
    folder = known[0].save(tmp_path / "run")
    content = (folder / TREE).read_bytes()
    flipped = bytearray(content)
    flipped[-5] ^= 1
    for other in (content[: len(content) // 2], bytes(flipped), b"", b"nothing of ours"):
        (folder / TREE).write_bytes(other)
        with pytest.raises(ValueError, match="damaged"):
            quire.load(folder)


def test_newick_and_tables_say_the_same(known):
    tree = known[0].tree()
    text = tree.newick()
    assert text.endswith(";")
    assert text.count("(") == text.count(")") == len(tree.nodes) - len(tree.leaves)
    assert text.count("'") == 2 * len(tree.nodes)
    assert json.loads(json.dumps(tree.as_dict()))["leaves"] == 8
    table = tree.table()
    assert isinstance(table, pl.DataFrame)
    assert len(table) == len(tree.nodes)
    assert table["depth"].to_list() == tree.depths


def counts_of(texts):
    X = quire.Counts(min_df=1).fit_transform(texts)
    return sp.csr_array(np.log1p(X.astype(np.float32)))


def test_documents_of_one_kind_are_not_parted():
    rng = np.random.default_rng(1)
    for n, length in ((60, 40), (300, 20)):
        words = np.array([f"w{i}" for i in range(300)])
        share = 1 / (np.arange(300) + 3.0)
        texts = [" ".join(rng.choice(words, length, p=share / share.sum())) for _ in range(n)]
        split = split_of(counts_of(texts), 0)
        assert split is None or not split.has_structure
        tree = grown(counts_of(texts), np.zeros(n, np.int32), 1, 64, 0)
        assert not tree.parted
        assert tree.whole == {0}


def test_a_tiny_group_is_set_aside_and_is_no_topic():
    texts, truth = planted(each=60)
    one = [text for text, (_, topic, _) in zip(texts, truth) if topic == 0]
    odd = [" ".join(f"odd{c}" for c in "abcdefghijklmnopqrstuvwxyz"[: 20 + i]) for i in range(3)]
    labels = np.zeros(len(one) + 3, np.int32)
    tree = grown(counts_of(one + odd), labels, 1, 64, 0)
    assert tree.aside == {0: 3}
    assert (tree.node[-3:] == 0).all()
    assert len(tree.parted) == 1
    own = np.array([truth[i][2] for i in np.flatnonzero(truth[:, 1] == 0)])
    assert adjusted_rand_score(own, tree.node[:-3]) > 0.95


def test_topics_that_lose_least_are_joined_first():
    centres = np.sqrt(np.array([[0.5, 0.5, 0, 0], [0.45, 0.55, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.6, 0.4]]))
    made = joins(centres, np.array([10, 10, 10, 10]))
    assert {frozenset((join.one, join.other)) for join in made[:2]} == {frozenset((0, 1)), frozenset((2, 3))}
    losses = [join.loss for join in made]
    assert losses == sorted(losses), "a joint topic loses more than what it was joined from"
    assert joins(centres[:1], np.array([3])) == []


def test_a_run_from_a_matrix_needs_its_counts_again():
    texts, truth = planted(each=20)
    counts = quire.Counts(min_df=1).fit_transform(texts)
    run = quire.cluster(counts, 4, random_state=0)
    with pytest.raises(ValueError, match="give it again as counts"):
        run.tree()
    assert adjusted_rand_score(truth[:, 0], run.cut(2, counts=counts).labels) > 0.99
    with pytest.raises(ValueError, match="not those of the run"):
        run.tree(counts=counts[:5])


def test_other_recipes_have_a_tree_but_no_cuts(known):
    texts, truth = planted()
    run = quire.cluster(texts, 4, recipe="nmf", random_state=0)
    assert adjusted_rand_score(truth[:, 2], run.tree().cut(8).labels) > 0.95
    with pytest.raises(ValueError, match="recipe nmf cannot be cut"):
        run.cut(8)


def test_one_topic_and_few_documents():
    tree = quire.cluster(["a cat", "a dog", "cat and dog"], 1, random_state=0).tree()
    assert len(tree.nodes) == 1
    assert tree.newick() == "'0 all';"
