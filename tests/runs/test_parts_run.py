"""A run of documents in blocks: the same folder as from memory, or none at all."""

import datetime
import io

import numpy as np
import polars as pl
import pytest
from problems import find_phrases, run_at, run_in_memory
from rich.console import Console
from safetensors.numpy import save

import quire
from quire.cli.reports.run import LiveStages
from quire.corpus import cut as read_cut
from quire.corpus.corpus import Corpus, read_corpus
from quire.corpus.notes import Notes
from quire.messages import Stages
from quire.places.disk import DiskPlace
from quire.places.parts import Blocks, KeptRows
from quire.runs.budget import default_memory, least_memory, page_fits, parse_memory, room_of
from quire.runs.keywords import topic_keywords
from quire.runs.options import Options
from quire.runs.where import work_on
from quire.runs.words import corpus_sample
from quire.runs.write import Streamed, mapped_arrays, write_arrays, write_documents
from quire.text.phrases import MOST_DOCUMENTS, phrases_among

THEMES = {
    "space": "orbit moon rocket nasa launch shuttle satellite lunar mission prime minister",
    "sport": "goal team season player league coach match score hockey stadium",
    "food": "bread oven flour butter recipe sugar yeast dough kitchen bake",
}


def corpus_of(n=120, seed=0):
    """Texts of three themes, some twice, so that documents tie, some empty; labels and dates not of all."""
    rng = np.random.default_rng(seed)
    names = [list(THEMES)[i % 3] for i in range(n)]
    texts = [" ".join(rng.permutation(THEMES[name].split())[:7]) for name in names]
    texts = [text if i % 4 else texts[i % 9] for i, text in enumerate(texts)]
    texts = [f"prime minister {text}" if name == "space" else text for text, name in zip(texts, names)]
    texts[5] = texts[-1] = ""
    labels = [None if i % 10 == 3 else name for i, name in enumerate(names)]
    dates = [None if i % 7 == 2 else datetime.date(2020, 1 + i % 12, 1) for i in range(n)]
    return read_corpus(texts, labels=labels, dates=dates)


def sizes_of(n, rows):
    """Blocks of so many rows, and one without any."""
    cuts = [min(rows, n - at) for at in range(0, n, rows)]
    return np.array([*cuts[:1], 0, *cuts[1:]])


def test_keywords_of_counts_in_blocks_with_any_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("quire.text.phrases.MOST_DOCUMENTS", 50)
    monkeypatch.setattr("quire.runs.keywords.MOST_DOCUMENTS", 50)
    corpus = corpus_of(n=200)
    run = run_in_memory(corpus, Options(topics=3, recipe="nmf"))
    counts, H = run.recount(), run.H.astype(float)
    with DiskPlace(tmp_path) as place:
        blocks = Blocks.split(counts, place, 33)
        for phrases in (None, find_phrases(corpus.documents["text"], run.counts)):
            assert phrases is None or len(phrases.rows) == 50 < MOST_DOCUMENTS
            rest = run.labels, H, run.totals, run.words, phrases
            assert topic_keywords(blocks, *rest).words == topic_keywords(counts, *rest).words


@pytest.mark.parametrize("most", [40, 63, 200])
def test_phrases_of_texts_in_blocks_are_of_the_same_sample(most, tmp_path, monkeypatch):
    monkeypatch.setattr("quire.text.phrases.MOST_DOCUMENTS", most)
    texts = corpus_of(n=200).documents.select("text")
    counts = quire.Counts().fit(texts["text"].to_list())
    sizes = sizes_of(200, 33)
    whole = find_phrases(texts["text"], counts)
    with DiskPlace(tmp_path) as place:
        tables = [place.put(texts.slice(end - size, size)) for end, size in zip(np.cumsum(sizes), sizes)]
        parts = phrases_among(*corpus_sample(Corpus(place, tables, sizes, Notes()), counts), counts)
    assert "prime minister" in parts.words
    assert parts.words == whole.words
    np.testing.assert_array_equal(parts.rows, whole.rows)
    np.testing.assert_array_equal(parts.present.toarray(), whole.present.toarray())


def write_source(path, n=300):
    texts = corpus_of(n).documents
    texts.write_parquet(path)
    return path


@pytest.mark.parametrize("abstain", [None, 0.8])
def test_from_a_file_to_a_folder(abstain, tmp_path, monkeypatch):
    monkeypatch.setattr(read_cut, "ROWS", 64)
    source = write_source(tmp_path / "texts.parquet")
    options = Options(topics=3, recipe="nmf", abstain=abstain)
    whole = run_in_memory(quire.read_corpus(source), options)
    seen = {}

    class Following(Stages):
        def begin(self, name):
            self.name = name

        def update(self, done, total):
            seen.setdefault(self.name, []).append((done, total))

    with DiskPlace(tmp_path / "blocks") as place:
        out = run_at(place, source, options, tmp_path / "run", Following())
        assert not any((tmp_path / "blocks").glob("*.block")), "blocks that nobody needs are left"
    run = quire.load(out)
    assert run.info["fingerprint"] == whole.info["fingerprint"]
    assert run.info["corpus"] == whole.info["corpus"]
    assert run.info["terms"] == whole.info["terms"]
    assert list(run.info["timings"]) == ["read", "count", "weigh", "factorize", "describe"]
    assert run.scores["accuracy"] == pytest.approx(whole.scores["accuracy"])
    assert run.documents.columns == whole.documents.columns
    assert sorted(run.topics["size"].to_list()) == sorted(whole.topics["size"].to_list())
    again = run.assign(run.documents["text"].to_list())
    np.testing.assert_array_equal(again.labels, run.labels)
    assert {"count", "factorize", "describe", "save"} <= set(seen)
    assert seen["save"][-1] == (5, 5)  # blocks
    for name, steps in seen.items():
        assert all(done <= total for done, total in steps if total is not None), name
        assert [done for done, _ in steps] == sorted(done for done, _ in steps), name


def test_a_failed_run_leaves_the_old_one_and_nothing_else(tmp_path, monkeypatch):
    source = write_source(tmp_path / "texts.parquet")
    options = Options(topics=3, recipe="nmf")
    with DiskPlace(tmp_path / "blocks") as place:
        out = run_at(place, source, options, tmp_path / "run")
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def interrupted(*_):
        raise KeyboardInterrupt

    for broken in ("quire.runs.write.write_arrays", "quire.runs.gathered.beside"):
        with monkeypatch.context() as patch, DiskPlace(tmp_path / "blocks") as place:
            patch.setattr(broken, interrupted)
            with pytest.raises((KeyboardInterrupt, ValueError)):
                run_at(place, source, options, out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "texts.parquet"]


def test_what_cannot_be_replaced_is_refused_before_any_work(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="no run of Quire"):
        work_on("nowhere.parquet", Options(dask="local:1"), tmp_path / "mine")


def test_a_run_without_its_texts_says_the_same_of_itself(tmp_path):
    run = run_in_memory(corpus_of(), Options(topics=3))
    few = quire.load(run.save(tmp_path / "run"), texts=False)
    assert few.documents.columns == run.documents.columns
    assert few.documents.drop("text").equals(run.documents.drop("text"))
    typical = [ids[0] for ids in run.topics["typical"].to_list()]
    shown = run.documents["id"].is_in(typical)
    assert few.documents["text"].filter(shown).to_list() == run.documents["text"].filter(shown).to_list()
    assert few.documents["text"].count() == len(typical)
    np.testing.assert_array_equal(few.memberships, run.memberships)
    assert isinstance(few.W.base, np.memmap) or isinstance(few.W, np.memmap)


def test_arrays_are_laid_out_as_safetensors_does(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {
        "W": rng.random((7, 3), np.float32), "H": rng.random((3, 5)), "é": np.arange(3),
        "none": np.zeros((0, 4)), "b": np.array([True, False, True]), "i": np.arange(3, dtype=np.int32),
        "A": np.array([2.5]),
    }  # fmt: skip
    write_arrays(tmp_path / "whole", arrays)
    assert (tmp_path / "whole").read_bytes() == save(arrays)
    with DiskPlace(tmp_path / "blocks") as place:
        kept = arrays | {"W": KeptRows.split(arrays["W"], place, np.array([3, 0, 4]))}
        write_arrays(tmp_path / "parts", kept)
    assert (tmp_path / "parts").read_bytes() == save(arrays)
    for name, found in mapped_arrays(tmp_path / "whole").items():
        np.testing.assert_array_equal(found, arrays[name])


@pytest.mark.parametrize("length", [10, 40_000])
def test_documents_come_in_the_same_groups(length, tmp_path):
    table = pl.DataFrame({"id": [f"d{i}" for i in range(9000)]})
    table = table.with_columns(text=pl.lit("x" * 10)).head(9000 if length == 10 else 900)
    table = table.with_columns(text=pl.col("text").repeat_by(length // 10).list.join(""))
    write_documents(tmp_path / "whole", Streamed.of(table))
    parts = (table.slice(at, 300) for at in range(0, len(table), 300))
    write_documents(tmp_path / "parts", Streamed(parts, float(length)))
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_sizes_in_words():
    assert parse_memory("4GB") == parse_memory(" 4 gb ") == parse_memory("4000MB") == 4 * 10**9
    assert parse_memory("2GiB") == 2 << 30
    assert parse_memory("0.5GB") == parse_memory("500MB") == parse_memory(500_000_000)
    assert parse_memory("4G") == 4 * 10**9
    for wrong in ("", "much", "4XB", "-4GB", "GB", "4 GB more", "nan"):
        with pytest.raises(ValueError, match=r"is no size: write it as 4GB, 500MB or 2GiB\.$"):
            parse_memory(wrong)


def test_a_budget_is_shared_out():
    assert 0 < default_memory() < 2**62 + 1
    assert room_of(4 * 10**9, 10**6, 190 * 10**6) < 2 * 10**9
    assert room_of(2 * 10**9) < room_of(4 * 10**9)
    assert least_memory(10**6, 190 * 10**6) < least_memory(10**6, 19_000 * 10**6)
    with pytest.raises(ValueError, match="give --memory 900MB or more"):
        room_of(800 * 10**6, 10**6, 190 * 10**6)
    assert page_fits(10**5, 50, 10**9)
    assert not page_fits(10**7, 50, 4 * 10**9)


@pytest.mark.parametrize(("stage", "total", "said"), [
    ("read", 10_000_000, "34 min left"), ("factorize", 400, "at most 34 min left"), ("describe", 3, ""),
])  # fmt: skip
def test_a_bar_tells_what_is_left_and_fits_a_terminal(stage, total, said):
    console = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
    with LiveStages(console) as stages, stages.stage(stage) as update:
        seconds = 0
        stages._progress.get_time = lambda: seconds
        for done in range(1, 4):
            seconds += 5
            update(done * total // 400 if total >= 400 else done, total)
        shown = Console(file=io.StringIO(), width=80, color_system=None)
        shown.print(stages._progress.make_tasks_table(stages._progress.tasks))
    line = shown.file.getvalue().rstrip("\n")
    assert "\n" not in line
    assert line.rstrip().endswith(said)
    assert ("left" in line) == bool(said)
