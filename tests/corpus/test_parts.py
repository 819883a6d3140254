"""Documents, counts and X in blocks are those that the same source gives in memory."""

import datetime
import gzip
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from polars.testing import assert_frame_equal

import quire.corpus.cut
import quire.corpus.part_formats
import quire.corpus.parts
from quire.corpus.cut import cut_frames, cuts
from quire.corpus.notes import Notes
from quire.corpus.part_tables import Facts
from quire.corpus.parts import Parted, need_of, parts_of
from quire.corpus.roles import Roles
from quire.corpus.settle import settle
from quire.places.disk import DiskPlace
from quire.runs.block_count import counted_parts
from quire.runs.block_weigh import weighed_parts
from quire.runs.options import Options
from quire.runs.pipeline import read
from quire.runs.prepare import counted_terms, weighed
from quire.runs.recipe import recipe
from quire.text.weights.registry import SCHEMES

ROWS = 7  # of a block here, so that a small corpus has several
N = 40
WORDS = [
    "moon",
    "moons",
    "orbit",
    "orbits",
    "orbiting",
    "rocket",
    "team",
    "teams",
    "goal",
    "goals",
    "scored",
    "the",
    "and",
    "of",
    "was",
]
GERMAN = [
    "der",
    "hund",
    "und",
    "die",
    "katze",
    "sind",
    "nicht",
    "in",
    "dem",
    "haus",
    "mit",
    "einem",
    "kater",
    "auf",
    "das",
    "dach",
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    for module in (quire.corpus.cut, quire.corpus.part_formats):
        monkeypatch.setattr(module, "ROWS", ROWS)
    with DiskPlace(tmp_path / "blocks") as made:
        yield made


def _texts(words=WORDS, n=N, seed=0):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(words, rng.integers(3, 12))) for _ in range(n)]
    texts[3], texts[4], texts[20] = "", " \t", texts[1]
    texts[9:16] = [""] * 7  # whole blocks without a word
    return texts


def _table(**changed):
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=7 * i) for i in range(N)]
    columns = {
        "key": [f"k{i}" for i in range(N)],
        "text": _texts(),
        "label": [None if i == 5 else " " if i == 6 else "ab"[i % 2] for i in range(N)],
        "date": [None if i == 2 else days[i].isoformat() for i in range(N)],
        "title": [f"Nr. {i}" for i in range(N)],
    }
    return pl.DataFrame({k: v for k, v in (columns | changed).items() if v is not None})


def _write(frame, path):
    match path.suffix:
        case ".parquet":
            frame.write_parquet(path, row_group_size=9)
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            frame.write_ndjson(path)
        case ".json":
            path.write_text(json.dumps(frame.to_dicts(), default=str))
    return path


def _documents(parted):
    return pl.concat([parted.place.fetch(handle) for handle in parted.documents])


def _compared(source, options, place):
    """Read both ways; return the documents in parts."""
    corpus, parted = read(source, options), parts_of(source, options, place)
    documents = _documents(parted)
    assert_frame_equal(documents, corpus.documents)
    assert parted.notes == corpus.notes
    assert parted.fingerprint() == corpus.fingerprint()
    assert len(parted) == len(corpus)
    assert [place.fetch(one).height for one in parted.documents] == parted.sizes.tolist()
    assert parted.sizes.max() <= quire.corpus.cut.ROWS
    return parted


# -- reading ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv", ".jsonl", ".json"])
def test_a_table_gives_the_same_documents(place, tmp_path, ending):
    parted = _compared(_write(_table(), tmp_path / f"news{ending}"), Options(id="key"), place)
    assert parted.sizes.tolist() == [ROWS] * 5 + [5]
    assert parted.notes.n_empty == 9
    assert parted.notes.n_duplicates == 1


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
@pytest.mark.parametrize(
    "changed",
    [
        {"key": None},  # numbers for ids
        {"key": ["k"] * N},
        {"id": ["a", "b"] * (N // 2)},  # a guess that does not hold, and none that does
        {"id": [f"k{i % (N - 1)}" for i in range(N)]},  # the last of all ids is the first
        {"id": [f"k{i}" if i < N - 1 else " " for i in range(N)]},
        {"label": [str(i) for i in range(N)]},  # too many to be classes
        {"label": [str(i) if i < N // 2 else "0" for i in range(N)]},  # just few enough
        {"label": [None] * (N - 1) + ["a"]},
        {"date": ["03/04/2020"] * N},  # either order
        {"date": [*["03/04/2020"] * (N - 1), "31/12/2020"]},  # the last block decides
        {"date": [*["03/04/2020 10:00"] * (N - 1), "12/31/2020"]},
        {"date": [*["2020-01-01"] * (N - 1), "2020-01-01T10:30:00"]},  # a time of day in the last row
        {"date": [*["soon"] * (N // 2), *["2020-01-01"] * (N // 2)]},  # a guess that does not hold
        {"date": ["", *["2020-01-01"] * (N - 2), "soon"]},
    ],
    ids=str,
)
def test_what_whole_columns_decide(place, tmp_path, ending, changed):
    _compared(_write(_table(**changed), tmp_path / f"news{ending}"), Options(), place)


@pytest.mark.parametrize(
    "changed",
    [
        {"id": [float(i) for i in range(N)]},  # "0", "1", …
        {"id": [*map(float, range(N - 1)), 0.5]},  # "0.0", "1.0", …
        {"label": [float(i % 3) for i in range(N)], "date": [1998.0 + i for i in range(N)]},
        {"date": [*[1998.0] * (N - 1), 1998.5]},  # not years, then
        {"date": [1.5e9 + i for i in range(N)]},
        {"date": [datetime.datetime(2020, 1, 1, 5) + datetime.timedelta(days=i) for i in range(N)]},
        {"text": [["two", "words"], None] * (N // 2)},
        {"text": [b"na\xc3\xafve", None] * (N // 2)},
        {"title": [float(i) if i else None for i in range(N)]},
        {"who": [float(i // 3) if i else None for i in range(N)]},
        {"who": [float(i // 3) if i else 0.5 for i in range(N)]},
    ],
    ids=str,
)
def test_columns_of_other_types(place, tmp_path, changed):
    path = _write(_table(**changed), tmp_path / "news.parquet")
    _compared(path, Options(), place)
    if "who" in changed:
        _compared(path, Options(group="who"), place)
    if "label" in changed:
        _compared(path, Options(label="label", date="date", text="text", id="key"), place)


def test_parquet_files_of_a_folder_and_a_pattern_are_one_table(place, tmp_path):
    frame, folder = _table(), tmp_path / "news"
    folder.mkdir()
    for start in (0, 3, 20):
        stop = {0: 3, 3: 20, 20: N}[start]
        _write(frame[start:stop], folder / f"part-{start:02d}.parquet")
    (folder / "_SUCCESS").touch()
    whole = _compared(_write(frame, tmp_path / "all.parquet"), Options(id="key"), place)
    for source in (folder, folder / "part-*.parquet", str(folder / "**" / "*.parquet")):
        parted = _compared(source, Options(id="key"), place)
        assert parted.sizes.tolist() == whole.sizes.tolist()
        assert parted.fingerprint() == whole.fingerprint()


def test_a_text_file(place, tmp_path):
    path = tmp_path / "lines.txt"
    for raw in (
        "\n".join(_texts()),
        "\n".join(_texts()) + "\n",
        "\ufeffone\r\ntwo\r\n\r\nthree\r",
        "old\rMacintosh\rlines",
        "été\n" * 30,
    ):
        path.write_bytes(raw.encode())
        _compared(path, Options(), place)
    path.write_bytes("été\n".encode("cp1252") * 30)
    assert _compared(path, Options(), place).notes.encoding == "cp1252"
    path.write_bytes("ab\ncd\n".encode("utf-16"))
    _compared(path, Options(), place)
    table = tmp_path / "utf16.csv"
    table.write_bytes(_table().write_csv().encode("utf-16"))
    _compared(table, Options(), place)


@pytest.mark.parametrize("in_folders", [True, False])
def test_a_folder(place, tmp_path, in_folders):
    root = tmp_path / "mail"
    for i, text in enumerate(_texts()):
        folder = root / ("ab"[i % 2] if in_folders or i < N - 1 else "")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{i:02d}.txt").write_bytes(text.encode())
    (root / "a" / "bad.txt").write_bytes(b"\0\1\2" * 100)
    (root / "a" / "old.txt").write_bytes("déjà".encode("cp1252"))
    parted = _compared(root, Options(), place)
    assert ("label" in _documents(parted).columns) == in_folders
    assert parted.notes.n_skipped == 1


def test_what_must_be_read_whole(place, tmp_path):
    frame = _table()
    _compared(_texts(), Options(), place)
    _compared(frame, Options(id="key"), place)
    _compared(read(_texts(), Options()), Options(), place)
    _write(frame, tmp_path / "a.parquet")
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    _compared(packed, Options(id="key"), place)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(frame.write_csv().encode() + 'k99,naïve,a,,"un\n'.encode("cp1252"))
    assert _compared(latin, Options(), place).notes.encoding == "cp1252"


def _damaged_tables():
    csv, lines = _table().write_csv(), _table().write_ndjson()
    middle = csv.index("k17,")
    yield "short.csv", csv + "\n1,2\n"
    yield "unclosed.csv", csv + '99,"unclosed'
    yield "stray.csv", csv[:middle] + 'k,"stray\nk2,a\nk3,b,c,d,e,f\n' + csv[middle:]
    yield "blank.csv", csv[:middle] + "\n" + csv[middle:]
    yield "return.csv", csv + "k99,a\rb,,,\n"
    yield "marked.csv", "\ufeff" + csv + "1,2\n"
    yield "tabs.tsv", csv.replace(",", "\t") + "1\t2\n"
    yield "oops.jsonl", lines + "oops\n\n[1]\n" + lines.replace('"k', '"again')
    half = '{"text": "half a pair: \\ud83d", "title": "\\ud83d"}\n'
    yield "half.jsonl", lines + half + lines + half
    yield "late.jsonl", lines + "oops\n" + '{"text": "b", "late": 7}\n'


@pytest.mark.parametrize(("name", "raw"), list(_damaged_tables()), ids=lambda value: value[:12])
@pytest.mark.parametrize("packed", [False, True])
def test_damaged_tables_are_read_row_by_row(place, tmp_path, monkeypatch, name, raw, packed):
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(raw.encode()) if packed else raw.encode())
    options = Options(label="late") if name.startswith("late") else Options()
    corpus = read(path, options)
    if name != "marked.csv":  # a byte order mark may be what polars does not like
        monkeypatch.setattr(quire.corpus.parts, "read_corpus", None)
    parted = parts_of(path, options, place)
    assert_frame_equal(_documents(parted), corpus.documents)
    assert parted.notes == corpus.notes
    assert parted.notes.malformed or parted.notes.replaced_characters or name == "blank.csv"
    monkeypatch.undo()
    if not parted.notes.malformed:
        return
    with pytest.raises(ValueError, match="strict") as expected:
        read(path, replace(options, strict=True))
    with pytest.raises(ValueError, match="strict") as found:
        parts_of(path, replace(options, strict=True), place)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("size", [2, 9, 30])
def test_rows_are_grouped(place, tmp_path, monkeypatch, ending, size):
    rng = np.random.default_rng(size)
    who = [None if i % 13 == 5 else " " if i == 8 else f"a{rng.integers(size)}" for i in range(N)]
    dates = [f"2020-01-{rng.integers(1, 28):02d}" for _ in range(N)]
    labels = [None if i < 10 else "abc"[rng.integers(3)] for i in range(N)]
    path = _write(_table(who=who, date=dates, label=labels), tmp_path / f"a{ending}")
    corpus, options = read(path, Options(group="who")), Options(group="who")
    monkeypatch.setattr(quire.corpus.parts, "read_corpus", None)
    parted = parts_of(path, options, place)
    assert_frame_equal(_documents(parted), corpus.documents)
    assert parted.notes == corpus.notes
    assert parted.notes.n_ungrouped == 4
    assert parted.sizes.max() <= ROWS
    assert len(parted.sizes) > (size > ROWS)
    assert parted.fingerprint() == corpus.fingerprint()
    monkeypatch.setattr(quire.corpus.cut, "BYTES", 400)
    parted = parts_of(path, options, place)
    assert_frame_equal(_documents(parted), corpus.documents)
    blocks = [place.fetch(one)["text"].str.len_bytes() for one in parted.documents]
    assert all(block.sum() <= 400 or len(block) == 1 for block in blocks)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "txt"])
def test_compressed_files(place, tmp_path, ending):
    frame, path = _table(title=[*["a"] * (N - 1), None]), tmp_path / f"a.{ending}.gz"
    raw = {"csv": frame.write_csv(), "jsonl": frame.write_ndjson(), "txt": "\n".join(_texts())}[ending]
    path.write_bytes(gzip.compress(raw.encode()))
    assert len(_compared(path, Options(), place).sizes) == 6
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"is damaged") as expected:
        read(path, Options())
    with pytest.raises(ValueError, match=r"is damaged") as found:
        parts_of(path, Options(), place)
    assert str(found.value) == str(expected.value)


def test_a_lazy_frame_is_read_in_batches(place, tmp_path):
    lazy = pl.scan_parquet(_write(_table(), tmp_path / "a.parquet")).with_columns(
        pl.col("label").str.to_uppercase()
    )
    _compared(lazy, Options(id="key"), place)


def test_one_document_is_a_block_of_one_row(place, tmp_path):
    assert _compared(_write(_table()[:1], tmp_path / "a.parquet"), Options(), place).sizes.tolist() == [1]
    assert _compared(_write(_table()[: ROWS + 1], tmp_path / "b.csv"), Options(), place).sizes.tolist() == [
        ROWS,
        1,
    ]


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
@pytest.mark.parametrize(
    ("changed", "options"),
    [
        ({"key": [f"k{i % (N - 1)}" for i in range(N)]}, {"id": "key"}),
        ({"key": [f"k{min(i, N - 3)}" for i in range(N)]}, {"id": "key"}),
        ({"key": [f"k{i}" if i < N - 1 else None for i in range(N)]}, {"id": "key"}),
        ({"date": ["", *["soon"] * (N - 1)]}, {"date": "date"}),
        ({}, {"label": "nowhere"}),
        ({}, {"id": "key", "group": "label"}),
        ({"key": [" "] * N}, {"group": "key"}),
        ({}, {"encoding": "klingon"}),
    ],
    ids=str,
)
def test_the_same_sentence_says_what_is_wrong(place, tmp_path, ending, changed, options):
    path = _write(_table(**changed), tmp_path / f"news{ending}")
    with pytest.raises(ValueError, match=r".") as expected:
        read(path, Options(**options))
    with pytest.raises(ValueError, match=r".") as found:
        parts_of(path, Options(**options), place)
    assert str(found.value) == str(expected.value)


def test_files_that_cannot_be_read(place, tmp_path):
    nothing, empty, damaged = (tmp_path / name for name in ("nothing.parquet", "no.parquet", "bad.parquet"))
    _write(_table()[:0], empty)
    damaged.write_bytes(_write(_table(), tmp_path / "a.parquet").read_bytes()[:-20])
    (tmp_path / "none.csv").touch()
    (tmp_path / "blank.txt").write_text("\n \n")
    for source in (
        nothing,
        empty,
        damaged,
        tmp_path / "none.csv",
        tmp_path / "blank.txt",
        tmp_path / "x.doc",
    ):
        with pytest.raises(ValueError, match=r".") as expected:
            read(source, Options())
        with pytest.raises(ValueError, match=r".") as found:
            parts_of(source, Options(), place)
        assert str(found.value) == str(expected.value)


class _MeddlingPlace(DiskPlace):
    """Lets somebody write to, or remove, a file between two sweeps."""

    def __init__(self, folder, meddle):
        super().__init__(folder)
        self.meddle, self.sweeps = meddle, 0

    def sweep(self, *arguments, **options):
        self.sweeps += 1
        if self.sweeps == 2:
            self.meddle()
        return super().sweep(*arguments, **options)


def test_a_file_that_changes_meanwhile(tmp_path):
    path = _write(_table(), tmp_path / "a.parquet")
    with (
        _MeddlingPlace(tmp_path / "p", lambda: _write(_table(key=None), path)) as place,
        pytest.raises(ValueError, match="changed while it was being read: run again"),
    ):
        parts_of(path, Options(), place)
    with (
        _MeddlingPlace(tmp_path / "p", path.unlink) as place,
        pytest.raises(ValueError, match=r"cannot be read \(no such file or directory\): leave it"),
    ):
        parts_of(path, Options(), place)


def test_ids_with_one_hash_are_not_taken_for_one_id():
    ids = np.array([1, 2, 3, 2], np.uint64)
    roles, facts = Roles({"text": "t", "id": "key"}, {"id"}), [Facts(ids=ids[:2]), Facts(ids=ids[2:])]
    for values, kept in (("abcd", True), ("abcb", False)):
        settled, _ = settle(facts, 4, roles, "a.csv", Notes(), lambda row, *_, values=values: values[row])
        assert ("id" in settled.columns) == kept


def test_no_room_left_is_no_reason_to_read_all_at_once(tmp_path, monkeypatch):
    def full(place, thing):
        raise OSError("The disk is full.")

    path = _write(_table(), tmp_path / "a.csv")
    monkeypatch.setattr(DiskPlace, "put", full)
    with DiskPlace(tmp_path / "p") as place, pytest.raises(OSError, match="The disk is full"):
        parts_of(path, Options(), place)


def test_blocks_are_cut_by_rows_and_bytes(monkeypatch):
    monkeypatch.setattr(quire.corpus.cut, "BYTES", 10)
    monkeypatch.setattr(quire.corpus.cut, "ROWS", 3)
    assert cuts(np.array([5, 5, 1, 30, 1, 1, 1, 1])) == [0, 2, 3, 4, 7, 8]
    assert cuts(np.zeros(0, np.int64)) == [0]
    texts = pl.DataFrame({"text": ["x" * size for size in (5, 5, 1, 30, 1, 1, 1, 1)]})
    for size in (1, 2, 5, 8):
        frames = (texts.slice(start, size) for start in range(0, 8, size))
        assert [frame.height for frame in cut_frames(frames, "text")] == [2, 1, 1, 3, 1]


def test_long_texts_make_smaller_blocks(place, tmp_path, monkeypatch):
    monkeypatch.setattr(quire.corpus.cut, "BYTES", 100)
    sizes = [
        _compared(_write(_table(), tmp_path / f"a{ending}"), Options(), place).sizes.tolist()
        for ending in (".parquet", ".csv", ".jsonl")
    ]
    assert sizes[0] == sizes[1] == sizes[2]
    assert len(sizes[0]) > 7


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_progress_is_told(place, tmp_path, ending):
    told = []
    path = _write(_table(), tmp_path / f"a{ending}")
    parted = parts_of(path, Options(), place, lambda what, done, total: told.append((done, total)))
    assert told[-1] == (12, 12)
    assert len(told) >= len(parted.sizes)
    told.clear()
    counted_parts(parted, _recipe(), Options(), update=lambda done, total: told.append((done, total)))
    assert told == [(done, 12) for done in range(1, 13)]


# -- counting and weighing -------------------------------------------------------------------------------


def _recipe(counts=None, weight=None):
    return recipe({"name": "own", "counts": counts or {}, "weight": weight or {"scheme": "log-tfidf"}})


def _stacked(blocks):
    return sp.vstack([blocks.place.fetch(handle) for handle in blocks.handles], "csr")


def _assert_same_matrix(found, expected):
    assert found.shape == expected.shape
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def _assert_same_counts(texts, chosen, options, place, tokens=None):
    expected = counted_terms(read(texts, options), chosen, options, tokens)
    found = counted_parts(parts_of(texts, options, place), chosen, options, tokens)
    assert len(found.counts.handles) > 1
    assert found.words == expected.words
    np.testing.assert_array_equal(found.totals, expected.totals)
    _assert_same_matrix(_stacked(found.counts), expected.matrix)
    assert found.transformer.state() == expected.counts.state()
    assert found.transformer.cut_ == expected.counts.cut_
    new = ["moons and goals in the Haus", ""]
    _assert_same_matrix(found.transformer.transform(new), expected.counts.transform(new))
    return found


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"stop_words": "auto"},
        {"stop_words": "english"},
        {"stop_words": ["moon"]},
        {"stop_words": "auto", "stem": "auto", "min_df": 3},
        {"stem": "en", "min_count": 12, "max_df": 0.5},
        {"ngrams": [1, 2], "stop_words": "auto"},
        {"ngrams": [2, 2], "stop_words": "auto", "stem": "auto"},
        {"ngrams": [1, 2]},
        {"tokens": "char_wb", "ngrams": [2, 3]},
        {"min_count": 14},
        {"min_df": "auto", "max_df": 0.4},
        {"min_df": "shared", "cut_common": True},
        {"keep_share": 0.6},
        {"min_df": 0.2, "keep_share": 0.9, "cut_common": True, "stem": "auto", "stop_words": "auto"},
    ],
    ids=str,
)
@pytest.mark.parametrize("words", [WORDS, GERMAN], ids=["english", "german"])
def test_the_same_counts(place, counts, words):
    _assert_same_counts(_texts(words), _recipe(counts), Options(threads=2), place)


def test_a_function_makes_tokens(place):
    odd = ["one\ud83d" if i % 2 else "two" for i in range(3)]  # half of a surrogate pair is a character too
    _assert_same_counts(_texts(), _recipe(), Options(), place, lambda text: [*text.split(), *odd])


def test_sub_words(place):
    pytest.importorskip("sentencepiece")
    chosen = _recipe({"tokens": "subword", "subword_size": 60})
    found = _assert_same_counts(_texts(), chosen, Options(), place)
    assert found.transformer.subword_model_


def test_options_change_the_recipe(place):
    options = Options(language="de", stem=True, ngrams="1:2", min_count=2, threads=1)
    _assert_same_counts(_texts(GERMAN), options.resolved_recipe(), options, place)


@pytest.mark.parametrize("scheme", [*SCHEMES, *(f"log-{scheme}" for scheme in SCHEMES)])
def test_the_same_weights(place, scheme):
    chosen, options = _recipe(weight={"scheme": scheme}), Options()
    weight, X = weighed(counted_terms(read(_texts(), options), chosen, options), chosen)
    parted = parts_of(_texts(), options, place)
    found, blocks = weighed_parts(counted_parts(parted, chosen, options), chosen)
    stacked = _stacked(blocks)
    assert blocks.nnz == X.nnz
    assert blocks.dtype == X.dtype
    for name in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(stacked, name), getattr(X, name))
    # Sums of logarithms over all documents are rounded in another order.
    rtol = 1e-13 if scheme.startswith("log-") or scheme == "ncw" else 0
    np.testing.assert_allclose(stacked.data, X.data, rtol=1e-6 if rtol else 0)
    for name, values in weight.state().items():
        np.testing.assert_allclose(found.state()[name], values, rtol=rtol, err_msg=name)
    new = counted_terms(read(["moon goal"], options), _recipe(), options).matrix
    assert new.shape[1] == 2
    assert found.n_features_in_ == X.shape[1]


@pytest.mark.parametrize(
    "scheme", ["tfidf", "log-tfidf", "tfidf-cf", "log-tfidf-cf", "counts", "rs", "nl", "pwmi"]
)
def test_weights_without_sums_of_logarithms_are_the_same_to_the_last_bit(place, scheme):
    chosen, options = _recipe(weight={"scheme": scheme}), Options()
    X = weighed(counted_terms(read(_texts(), options), chosen, options), chosen)[1]
    parted = parts_of(_texts(), options, place)
    _assert_same_matrix(_stacked(weighed_parts(counted_parts(parted, chosen, options), chosen)[1]), X)


def test_nothing_depends_on_blocks_or_threads(place, monkeypatch):
    chosen, found = _recipe({"stop_words": "auto", "stem": "auto"}), []
    for rows, threads in ((7, 1), (7, 3), (1, 1), (100, 2)):
        monkeypatch.setattr(quire.corpus.cut, "ROWS", rows)
        options = Options(threads=threads)
        terms = counted_parts(parts_of(_texts(), options, place), chosen, options)
        found.append(_stacked(weighed_parts(terms, chosen)[1]))
    for other in found[1:]:
        _assert_same_matrix(other, found[0])


@pytest.mark.parametrize("scheme", ["log-tfidf", "ncw", "nl-tau"])
@pytest.mark.parametrize("counts", [{}, {"stem": "en", "stop_words": "auto", "min_df": 2}], ids=str)
def test_blocks_without_rows_and_of_one_row(place, scheme, counts):
    chosen, options, texts = _recipe(counts, {"scheme": scheme}), Options(), _texts()
    corpus = read(texts, options)
    sizes = np.array([0, 1, 20, 0, 1, N - 22, 0])
    starts = np.cumsum(sizes) - sizes
    handles = [place.put(corpus.documents.slice(at, size)) for at, size in zip(starts, sizes, strict=True)]
    parted = Parted(place, handles, sizes, corpus.notes)
    assert parted.fingerprint() == corpus.fingerprint()
    terms = counted_parts(parted, chosen, options)
    weight, X = weighed_parts(terms, chosen)
    expected = counted_terms(corpus, chosen, options)
    _assert_same_matrix(_stacked(terms.counts), expected.matrix)
    assert X.sizes.tolist() == sizes.tolist()
    other, whole = weighed(expected, chosen)
    np.testing.assert_allclose(weight.row_scale_, other.row_scale_, rtol=1e-13)
    np.testing.assert_allclose(_stacked(X).toarray(), whole.toarray(), rtol=1e-6)


def test_a_matrix_is_taken_as_it_is(place, tmp_path):
    counts = sp.random_array((N, 6), density=0.3, rng=np.random.default_rng(0), format="csr")
    counts.data = np.ceil(10 * counts.data)
    sp.save_npz(tmp_path / "m.npz", counts)
    options = Options(vocabulary=list("abcdef"))
    parted = _compared(tmp_path / "m.npz", options, place)
    terms = counted_parts(parted, _recipe(), options)
    assert terms.words == list("abcdef")
    assert terms.transformer is None
    _assert_same_matrix(_stacked(terms.counts), read(tmp_path / "m.npz", options).counts)
    _assert_same_matrix(
        _stacked(weighed_parts(terms, _recipe())[1]),
        weighed(counted_terms(read(tmp_path / "m.npz", options), _recipe(), options), _recipe())[1],
    )
    with pytest.raises(ValueError, match="A matrix of counts is taken as it is"):
        counted_parts(parted, _recipe(), Options(stem=True))


@pytest.mark.parametrize(
    ("texts", "counts", "scheme"),
    [
        ([""] * 20, {}, "tfidf"),
        (["a b c"] * 20, {}, "tfidf"),
        (_texts(), {"min_count": 1000}, "tfidf"),
        (["the moon"] * 20, {"stop_words": ["the"]}, "tfidf"),
        (["the"] * 20, {"stop_words": "en", "stem": "en"}, "tfidf"),
        (["moon"] * 20, {"keep_share": 2.0}, "tfidf"),
        (["moon"] * 20, {}, "nonsense"),
    ],
)
def test_nothing_left_is_told_by_the_same_sentence(place, texts, counts, scheme):
    chosen, options = _recipe(counts, {"scheme": scheme}), Options()
    with pytest.raises(ValueError, match=r".") as expected:
        weighed(counted_terms(read(texts, options), chosen, options), chosen)
    with pytest.raises(ValueError, match=r".") as found:
        weighed_parts(counted_parts(parts_of(texts, options, place), chosen, options), chosen)
    assert str(found.value) == str(expected.value)


# -- what it will take -----------------------------------------------------------------------------------


def test_the_need_is_told_before_anything_is_read(tmp_path):
    texts = _texts()
    size = sum(len(text) for text in texts)
    _write(_table(), tmp_path / "a.parquet")
    _write(_table(), tmp_path / "a.csv")
    (tmp_path / "a.txt").write_text("\n".join(texts))
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, text in enumerate(texts):
        (folder / f"{i}.txt").write_text(text)
    for source in (texts, _table(), tmp_path / "a.parquet", tmp_path / "a.txt", folder):
        need = need_of(source, Options(topics=5))
        assert abs(need.documents - N) <= 1, source
        assert size - N <= need.text_bytes <= size + N, source
    need = need_of(tmp_path / "a.csv", Options(topics=5))
    assert need.documents in (N, N + 1)
    assert need.text_bytes == (tmp_path / "a.csv").stat().st_size
    assert need_of(tmp_path / "nothing.csv", Options()).documents == 0
    larger = need_of(tmp_path / "a.parquet", Options(topics=50))
    assert need_of(tmp_path / "a.parquet", Options(topics=5)).memory < larger.memory
