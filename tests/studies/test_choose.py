"""How many topics: runs that are kept, what they say, and what is chosen."""

import json
import os
import signal
import subprocess
import threading
import time

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import MAIN, mixture, one_sentence, random_sparse, said, stories, themed

import quire
from quire import NMF, SparseNMF
from quire.engine.elbow import find_elbows, profile_likelihood
from quire.runs.recipe import recipe
from quire.studies.choosing.cache import Cache, as_key, fingerprint
from quire.studies.choosing.consensus import consensus_matrix, consensus_of, mean_agreement, stratified
from quire.studies.choosing.heldout import held_out_error
from quire.studies.choosing.runs import Runs
from quire.studies.choosing.search import Search, numbers_to_try, one_start
from quire.studies.choosing.verdict import consistent_topics, decided, flattening_topics

SPARSE = {"name": "sparse", "factorization": {"method": "SparseNMF", "beta": 0.5}}


def blocks(k=3, rows=8, columns=5):
    return sp.csr_array(np.kron(np.eye(k), np.ones((rows, columns))) + 0.01)


def simple(k, seed):
    return NMF(k, init="random", random_state=seed, n_jobs=1, max_iter=30)


# -- runs ------------------------------------------------------------------------------------------------


def test_a_run_is_made_once_and_does_not_depend_on_the_number_of_threads():
    X, pairs = random_sparse(60, 40, 0.3), [(k, s) for k in (2, 3, 4) for s in range(3)]
    one, several = Runs(X, simple, threads=1), Runs(X, simple, threads=4)
    assert one.gather(pairs)
    assert several.gather(pairs)
    assert several.gather(pairs)
    assert one.made == several.made == 9
    for pair in pairs:
        a, b = one.get(*pair), several.get(*pair)
        np.testing.assert_array_equal(a.labels, b.labels)
        np.testing.assert_array_equal(a.keywords, b.keywords)
        assert a.objective == b.objective
        assert a.error == b.error
    model = simple(3, 1).fit(X)
    np.testing.assert_array_equal(one.get(3, 1).labels, model.labels_)
    assert one.get(3, 1).keywords.shape == (3, 10)


def test_a_search_that_was_stopped_goes_on_where_it_was(tmp_path):
    X, pairs = random_sparse(40, 30, 0.3), [(k, s) for k in (2, 3) for s in range(4)]

    class StoppedError(Exception):
        pass

    def stop_at_five(done, total):
        if done == 5:
            raise StoppedError

    first = Runs(X, simple, tmp_path, threads=1)
    with pytest.raises(StoppedError):
        first.gather(pairs, stop_at_five)
    there = len(list(tmp_path.glob("run-*.npz")))
    assert 5 <= there < 8
    assert not list(tmp_path.glob("*.part"))
    again = Runs(X, simple, tmp_path, threads=1)
    assert again.gather(pairs)
    assert again.made == 8 - there
    for other in (Runs(2 * X, simple, tmp_path), Runs(X, lambda k, s: SparseNMF(k, random_state=s), tmp_path)):
        assert not other.has(2, 0)  # of another matrix, of another method


def test_a_damaged_file_counts_as_none(tmp_path):
    X = random_sparse(20, 15, 0.4)
    Runs(X, simple, tmp_path).get(2, 0)
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(file.read_bytes()[:100])
    runs = Runs(X, simple, tmp_path)
    runs.get(2, 0)
    assert runs.made == 1


def test_two_threads_that_ask_for_one_run_make_it_once():
    X, made = random_sparse(30, 20, 0.4), []

    def slow(k, seed):
        made.append((k, seed))
        time.sleep(0.05)
        return simple(k, seed)

    runs = Runs(X, slow)
    made.clear()
    threads = [threading.Thread(target=runs.get, args=(2, 0)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [(2, 0)]


def test_the_cache_needs_a_folder_that_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="--cache"):
        Cache(tmp_path / "file", "key")
    assert fingerprint(sp.csr_array(np.eye(2))) != fingerprint(sp.csr_array(np.eye(3)))
    assert as_key(1, {"b": 1, "a": 2}) == as_key(1, {"a": 2, "b": 1})


# -- what they say ---------------------------------------------------------------------------------------


def test_consensus_equals_its_definition():
    rng = np.random.default_rng(0)
    runs = [rng.integers(-1, 4, 50) for _ in range(6)]
    C = consensus_matrix(runs)
    for i, j in ((0, 1), (3, 40), (17, 18)):
        together = np.mean([run[i] == run[j] >= 0 for run in runs])
        assert C[i, j] == C[j, i] == pytest.approx(together)
    found = consensus_of(runs, np.arange(6))
    assert found.rho == pytest.approx(np.mean(4 * (C - 0.5) ** 2))
    pairs = C[np.triu_indices(50, 1)]
    assert found.pac == pytest.approx(((pairs > 0.1) & (pairs < 0.9)).mean())
    np.testing.assert_allclose(found.matrix, C[np.ix_(found.rows, found.rows)])
    better = consensus_matrix(runs[:3])
    assert found.rho_best == pytest.approx(np.mean(4 * (better - 0.5) ** 2))
    assert found.stability == mean_agreement(runs[:3])
    assert found.rho_near == found.rho_best  # three runs at least
    assert consensus_of(runs, np.arange(6), gain=100.0).rho_near == found.rho
    same = consensus_of([runs[0] % 4] * 3, [1.0, 1.0, 1.0])
    assert (same.rho, same.pac, same.stability) == (1.0, 0.0, 1.0)
    assert same.cophenetic == pytest.approx(1.0)


def test_rho_is_exact_for_very_many_documents():
    labels = np.arange(300_000) % 7
    moved = labels.copy()
    moved[0] = 1  # one document: 2·(its old cluster + its new one − 1) pairs are in half of the runs
    sizes = np.bincount(labels)
    changed = 2 * (int(sizes[0]) - 1 + int(sizes[1]))
    found = consensus_of([labels, moved], [0.0, 1.0], sample=200)
    assert found.rho == 1 - changed / 300_000**2
    assert found.matrix.shape == (200, 200)
    shares = np.bincount(labels[stratified(labels, 700, np.random.RandomState(0))])
    assert shares.min() >= 99
    assert shares.max() <= 101


def test_held_out_error_equals_its_definition():
    X = random_sparse(40, 30, 0.4, seed=3)
    rng = np.random.RandomState(0)
    rows, columns = rng.permutation(40) % 2, rng.permutation(30) % 2
    left = 0.0
    for i in (0, 1):
        for j in (0, 1):
            A = X[rows == i][:, columns == j].toarray()
            B, C = X[rows == i][:, columns != j], X[rows != i][:, columns == j]
            model = NMF(2, init="random", tol=1e-3, random_state=0, n_jobs=1, coarse=False)
            W = model.fit_transform(X[rows != i][:, columns != j])
            swapped = NMF(2).restore({"components_": W.T.copy()})
            left += np.sum((A - model.transform(B) @ swapped.transform(C.T.tocsr()).T) ** 2)
    assert held_out_error(X, 2, n_jobs=1) == pytest.approx(left / np.sum(X.data**2), rel=1e-5)


def test_held_out_error_is_lowest_at_the_planted_rank():
    rng = np.random.default_rng(0)
    planted = rng.gamma(0.3, 1, (90, 3)) @ rng.gamma(0.3, 1, (3, 60)) + 0.2 * rng.random((90, 60))
    errors = [held_out_error(sp.csr_array(planted), k, folds=3, n_jobs=1) for k in (1, 2, 3, 4, 6)]
    assert np.argmin(errors[:3]) == 2
    assert errors[2] < 0.7 * errors[1]
    with pytest.raises(ValueError, match="folds"):
        held_out_error(blocks(), 2, folds=1)


def test_elbows_keep_their_curves():
    X = sp.csr_array(np.kron(np.eye(6), np.ones((30, 12))) + 0.3 * np.random.default_rng(0).random((180, 72)))
    found = find_elbows(X)
    assert found.k == 6
    np.testing.assert_allclose(found.first_likelihood, profile_likelihood(found.values))
    np.testing.assert_allclose(found.second_likelihood, profile_likelihood(found.values[found.start :]))
    assert find_elbows(sp.csr_array(np.ones((3, 3)))) is None


def table(**columns):
    rho = columns.get("rho_best")
    return pl.DataFrame({"stability": rho, "rho_near": rho, **columns} if rho else columns)


def test_the_largest_k_before_rho_drops():
    used = [2.0, 3.0, 4.0, 5.0]
    ks = [2, 3, 4, 5]
    assert consistent_topics(table(k=ks, rho_best=[1.0, 0.8, 1.0, 0.9], used=used)) == 4
    assert consistent_topics(table(k=ks, rho_best=[0.992, 0.996, 0.991, 0.88], used=used)) == 4
    assert consistent_topics(table(k=ks, rho_best=[1.0, 1.0, 1.0, 1.0], used=[2.0, 3.0, 3.0, 3.0])) == 3
    assert consistent_topics(table(k=ks, rho_best=[None] * 4, used=[None] * 4)) is None
    unsteady = {"rho_best": [0.8, 0.9, 0.93, 0.94], "stability": [0.7, 0.8, 0.75, 0.7]}
    assert consistent_topics(table(k=ks, used=used, **unsteady)) == 3  # ρ rises with k by itself
    assert flattening_topics(table(k=ks, held_out=[0.9, 0.8, 0.79, 0.85])) == 3
    assert flattening_topics(table(k=[2], held_out=[None])) is None


def test_the_verdict_says_who_disagrees():
    rows = table(
        k=[2, 3, 4, 5], rho_best=[0.9, 1.0, 0.8, 0.8], stability=[0.9, 1.0, 0.7, 0.7],
        used=[2.0, 3.0, 4.0, 5.0], held_out=[0.9, 0.8, 0.7, 0.7], coherence=[0.1, 0.2, 0.1, 0.1],
    )  # fmt: skip
    says = {"returning": 3, "consensus": 2, "held_out": 4, "coherence": 3}
    k, sentences = decided("all", says, rows, None, [7, 5])
    assert k == 3
    assert sentences[0] == "Chosen: 3, by the topics that come back; also good: 5, 7."
    assert any("keywords says the same" in sentence for sentence in sentences)
    assert any("Not all agree" in sentence and "says 4" in sentence and "says 2" in sentence for sentence in sentences)
    assert decided("consensus", says, rows, None)[0] == 2
    unsteady = rows.with_columns(stability=pl.lit(0.5), rho_near=pl.lit(0.9))
    assert any("though no number is one" in sentence for sentence in decided("all", says, unsteady, None)[1])
    k, sentences = decided("all", {"held_out": 5}, rows, None)
    assert any("largest number that was tried" in sentence for sentence in sentences)
    with pytest.raises(ValueError, match="budget"):
        decided("all", {}, rows, None)


# -- choosing --------------------------------------------------------------------------------------------


def right(k, seed, **options):
    X, _ = mixture(k, seed, **options)
    found = quire.choose(sp.csr_array(X), range(max(2, k - 2), k + 2), "consensus", recipe=SPARSE, runs=6)
    return found.k == k


@pytest.mark.parametrize("k", [3, 5])
def test_kim2008_finds_the_planted_number(k):
    assert right(k, 100 + k, n=120, d=60)


def test_the_default_method_finds_nine_clusters():
    X, _ = mixture(9, 0, n=300, d=200)
    assert quire.choose(sp.csr_array(X), range(2, 12), by="consensus").k == 9


@pytest.mark.parametrize("recipe", ["default", "nmf"])
def test_choosing_and_auto_give_one_verdict(recipe):
    texts = themed(4, 40)
    choice = quire.choose(texts, by="returning", recipe=recipe)
    run = quire.cluster(texts, "auto", recipe=recipe, random_state=0)
    assert choice.k == len(run.H) == 4
    assert choice.also == run.info["also"]


@pytest.mark.parametrize("k", [3, 9])
def test_topics_that_stay_empty_are_not_counted(k):
    X = sp.csr_array(mixture(k, 0, n=300, d=200)[0])
    choice = quire.choose(X, by="returning")
    assert (choice.k, choice.also) == (k, [])
    assert choice.table["k"].to_list() == sorted({*range(2, 16), k})


@pytest.mark.slow
def test_kim2008_finds_the_planted_number_in_nine_of_ten():
    assert sum(right(k, 100 + k) for k in range(3, 13)) >= 9


@pytest.mark.slow
def test_kim2008_finds_five_classes_of_tdt2(data):
    counts, classes = sp.csr_array(sp.load_npz(data / "tdt2.npz")), np.load(data / "tdt2_labels.npy")
    names, sizes = np.unique(classes, return_counts=True)
    chosen = []
    for draw in range(10):
        wanted = np.random.default_rng(draw).choice(names[(sizes >= 30) & (sizes <= 300)], 5, replace=False)
        part = counts[np.isin(classes, wanted)]
        X = quire.Weight("tfidf").fit_transform(sp.csr_array(part[:, np.flatnonzero(part.sum(axis=0) > 0)]))
        way = {"name": "text", "factorization": {"method": "SparseNMF", "beta": 0.1}}
        chosen.append(quire.choose(X, range(2, 10), "consensus", recipe=way).k)
    assert chosen.count(5) >= 7, chosen


def test_every_way_on_texts_and_files(tmp_path):
    texts, labels = stories(60)
    choice = quire.choose(texts, range(2, 5), runs=3, threads=1, labels=labels)
    assert choice.k in (2, 3, 4)
    assert set(choice.says) >= {"consensus", "held_out", "coherence"}
    assert choice.table.columns[0] == "k"
    assert choice.table["held_out"].null_count() == 0
    frame = pl.DataFrame({"text": texts, "label": labels})
    frame.write_csv(tmp_path / "d.csv")
    same = quire.choose(tmp_path / "d.csv", "2:4", runs=3, threads=2)
    assert same.table.drop("seconds").equals(choice.table.drop("seconds"))
    assert quire.choose(frame, [2, 3], "consensus", runs=2, threads=1).table["held_out"].null_count() == 2
    elbow = quire.choose(texts, range(2, 6), "elbow")
    assert 2 <= elbow.k <= 5
    assert elbow.table["runs"].null_count() == 4


def test_a_choice_is_saved_and_drawn(tmp_path):
    choice = quire.choose(blocks(), range(2, 6), runs=3, threads=1)
    assert choice.k == 3
    files = choice.save(tmp_path / "out")
    assert [file.name for file in files] == ["choice.csv", "choice.json", "choice.svg"]
    assert json.loads(files[1].read_text())["k"] == 3
    assert pl.read_csv(files[0])["k"].to_list() == [2, 3, 4, 5]
    assert len(choice.plot().axes) == 7
    assert set(choice.consensus) == {2, 3, 4, 5}


def test_without_matplotlib_the_figure_says_what_to_do(monkeypatch, tmp_path):
    choice = quire.choose(blocks(), [2, 3], "consensus", runs=2, threads=1)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"quire-topics\[plots\]"):
        choice.plot()
    assert len(choice.save(tmp_path)) == 2


def test_a_budget_ends_the_search_and_is_told():
    X = random_sparse(300, 200, 0.1)
    choice = quire.choose(X, range(2, 10), runs=200, budget=0.4 / 60, threads=1)
    assert choice.table["runs"].sum() < 1600
    assert any("budget" in sentence for sentence in choice.verdict)
    runs = choice.table["runs"].to_list()
    assert max(runs) - min(runs) <= 1


def test_wrong_arguments_are_one_sentence():
    for bad, words in (
        ({"by": "concensus"}, "did you mean 'consensus'"),
        ({"runs": 1}, "make 2 or more"),
        ({"budget": 0}, "positive number of minutes"),
        ({"k": []}, "numbers of topics"),
        ({"k": [0]}, "numbers of topics"),
        ({"k": [99]}, "ask for fewer"),
        ({"k": "x"}, "no number of topics"),
        ({"by": "nmi"}, "classes must be known"),
        ({"recipe": "lsi"}, "the same topics in every run"),
    ):
        with pytest.raises(ValueError, match=words):
            quire.choose(blocks(), **{"k": [2, 3], **bad})
    with pytest.raises(ValueError, match="put a text into a list"):
        quire.choose("a\nb")
    assert Search([3, 3, 2]).ks == [2, 3]
    assert numbers_to_try("auto") == list(range(2, 16))
    assert one_start(recipe("kmeans"))(2, 0).n_init == 1


def test_by_nmi_finds_lambda_too():
    texts, labels = stories(40)
    choice = quire.choose(texts, [2, 3], "nmi", labels=labels, runs=4, threads=1)
    assert choice.k in (2, 3)
    assert choice.lam >= 0
    assert choice.verdict


# -- the command -----------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    texts, labels = stories(60)
    pl.DataFrame({"text": texts, "label": labels}).write_csv(tmp_path / "d.csv")
    return tmp_path / "d.csv"


def test_the_command_prints_and_keeps(file):
    found = said("choose", file, "--topics", "2:4", "--runs", "3", "--out", "out", cwd=file.parent)
    assert found.returncode == 0, found.stderr
    assert "Chosen:" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80
    assert (file.parent / "out" / "choice.json").exists()
    assert len(list((file.parent / "out-choice").glob("run-*.npz"))) == 9
    again = said("choose", file, "--topics", "2:4", "--runs", "3", "--json", cwd=file.parent)
    assert json.loads(again.stdout)["table"][0]["k"] == 2
    assert (file.parent / "quire-d-choice").is_dir()
    one_sentence(said("choose", file, "--by", "magic", cwd=file.parent), "consensus")
    one_sentence(said("choose", "nowhere.csv", cwd=file.parent))


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_ends_the_command_and_keeps_the_runs(file):
    command = [*MAIN, "choose", str(file), "--runs", "500", "--threads", "1", "--cache", "kept"]
    process = subprocess.Popen(command, cwd=file.parent, stderr=subprocess.PIPE, text=True)
    kept = file.parent / "kept"
    until = time.monotonic() + 100  # kernels may have to be compiled first
    while len(list(kept.glob("run-*.npz"))) < 5 and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said_last = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted" in said_last
    assert len(list(kept.glob("run-*.npz"))) >= 5
    assert not list(kept.glob("*.part"))
