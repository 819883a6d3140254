"""Topics of texts without spaces: found, named, kept, searched, and assigned to, with and without a segmenter."""

import json

import numpy as np
import polars as pl
import pytest
from without_spaces import CLAUSES, two_subjects

import quire
from quire.corpus import cut
from quire.pages.explain import Explainer
from quire.pages.full_text import SEARCH, FullText
from quire.places.disk import DiskPlace
from quire.places.memory import MemoryPlace
from quire.runs.options import Options
from quire.runs.pipeline import gather
from quire.text import segmentation

installed = pytest.mark.skipif(len(segmentation.segmenters_here()) < 2, reason="the extra cjk is not installed")


def run_of(language, **options):
    texts, labels = two_subjects(language)
    return quire.cluster(texts, 2, labels=labels.astype(str).tolist(), recipe="nmf", random_state=0, **options)


@pytest.fixture
def bare(monkeypatch):
    monkeypatch.setattr(segmentation, "_MODULES", {"jieba": "no_such_module", "icu": "no_such_module"})


@installed
@pytest.mark.parametrize("language", CLAUSES)
def test_subjects_are_found_by_words(language):
    run = run_of(language)
    assert run.scores["accuracy"] == 1
    assert not any("cjk" in sentence for sentence in run.info["corpus"]["sentences"])
    assert {"icu", "jieba"} <= set(run.info["versions"])
    longest = max(len(clause) for clauses in CLAUSES[language] for clause in clauses)
    assert all(len(word) < longest / 2 for word in run.vocabulary)


@pytest.mark.parametrize("language", CLAUSES)
def test_subjects_are_found_by_pairs_and_a_sentence_says_so(language, bare):
    run = run_of(language)
    assert run.scores["accuracy"] >= 0.95
    [sentence] = [one for one in run.info["corpus"]["sentences"] if "cjk" in one]
    assert "pairs of characters" in sentence


@installed
def test_a_run_is_kept_explained_and_searched(tmp_path):
    run = run_of("zh")
    again = quire.load(run.save(tmp_path / "run"))
    new = ["火箭把宇航员送入太空", "守门员扑出了球员的点球", "plain"]
    np.testing.assert_array_equal(again.assign(new).memberships, run.assign(new).memberships)
    assert again.assign(new).labels[0] != again.assign(new).labels[1]
    assert again.assign(new).labels[2] == -1
    assert run.info["terms"]["language"] == "zh"
    words = {word for terms in Explainer(again).explain(np.arange(5)) for word, *_ in terms["terms"]}
    assert {"火箭", "卫星"} & words
    search = FullText(tmp_path / "run" / SEARCH, again.documents)
    assert search.wait(30)
    found = search.search("卫星")
    assert found["total"] == sum("卫星" in text for text in again.documents["text"]) > 0
    assert "\u0002卫星\u0003" in found["documents"][0]["passage"]
    search.close()


@installed
def test_a_run_with_pairs_stays_one_with_pairs(tmp_path, monkeypatch):
    with monkeypatch.context() as bare:
        bare.setattr(segmentation, "_MODULES", {"jieba": "no_such_module", "icu": "no_such_module"})
        run = run_of("zh")
    again = quire.load(run.save(tmp_path / "run"))
    assert "火箭" in again.vocabulary
    assert again.counts.spelling_.segmenters == ()
    np.testing.assert_array_equal(again.assign(["火箭进入太空"]).memberships, run.assign(["火箭进入太空"]).memberships)


@installed
def test_phrases_and_sentences_know_the_words():
    texts = [f"{text}机器学习和深度神经网络正在改变天文观测的方法。" for text in two_subjects("zh")[0][::2]]
    texts += two_subjects("zh", seed=1)[0][1::2]
    run = quire.cluster(texts, 2, recipe="nmf", random_state=0)
    topic = int(run.labels[0])
    row = run.topics.row(topic, named=True)
    assert any(" " in word for word in row["keywords"]), "no phrase was found"
    assert " " not in row["name"].replace(", ", "")
    assert row["passage"] is not None
    assert row["passage"].endswith("。")


@installed
def test_where_it_is_computed_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(cut, "ROWS", 8)
    texts = [text for language in ("zh", "ja", "th") for text in two_subjects(language, 8)[0]]
    pl.DataFrame({"text": [*texts, "İzmir 𝐈𝐭", "plain text on the moon"]}).write_parquet(tmp_path / "t.parquet")
    options = Options(topics=2, recipe="nmf", ngrams="1:2")
    with MemoryPlace() as memory, DiskPlace(tmp_path / "blocks") as disk:
        folders = [gather(tmp_path / "t.parquet", options, place).write(tmp_path / name)
                   for name, place in (("memory", memory), ("disk", disk))]  # fmt: skip
    for name in ("vocabulary.json", "topics.json", "documents.parquet", "factors.safetensors"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


@installed
def test_workers_find_the_same_words(tmp_path):
    pytest.importorskip("distributed")
    texts = two_subjects("zh", 8)[0]
    here = quire.cluster(texts, 2, recipe="nmf", random_state=0)
    there = quire.cluster(texts, 2, recipe="nmf", random_state=0, dask="local:1", out=tmp_path / "run")
    assert there.vocabulary == here.vocabulary
    np.testing.assert_array_equal(there.W, here.W)


def test_a_run_from_before_reads_texts_as_it_did(tmp_path):
    """Its recipe says nothing of normalizing, nor does its vocabulary."""
    texts = ["İzmir moon 𝐈𝐭", "İzmir sun 人工智能", "moon sun"] * 4
    recipe = {"counts": {"normalize": False}, "weight": {"scheme": "log-counts"}, "factorization": {"method": "NMF"}}
    run = quire.cluster(texts, 2, recipe=recipe, random_state=0)
    assert {"zmir", "人工智能"} <= set(run.vocabulary)
    folder = run.save(tmp_path / "run")
    assert json.loads((folder / "vocabulary.json").read_text())["spelling"] is None
    np.testing.assert_array_equal(quire.load(folder).assign(texts).memberships, run.assign(texts).memberships)
    assert quire.load(folder).counts.transform(["İzmir"]).sum() == 1
