"""What is damaged, or cannot be read, is so at every place, and is said by the same sentence."""

import gzip
from dataclasses import replace

import pytest
from polars.testing import assert_frame_equal
from tables import N, parts_at, table_of, whole, written

import quire.corpus.formats.tables
from quire.places.disk import DiskPlace
from quire.runs.options import Options


def _damaged_tables():
    csv, lines = table_of().write_csv(), table_of().write_ndjson()
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
    corpus = whole(path, options)
    if name != "marked.csv":  # a byte order mark may be what polars does not like
        monkeypatch.setattr(quire.corpus.formats.tables, "content", None)
    parted = parts_at(path, options, place)
    assert_frame_equal(parted.documents, corpus.documents)
    assert parted.notes == corpus.notes
    assert parted.notes.malformed or parted.notes.replaced_characters or name == "blank.csv"
    monkeypatch.undo()
    if not parted.notes.malformed:
        return
    with pytest.raises(ValueError, match="strict") as expected:
        whole(path, replace(options, strict=True))
    with pytest.raises(ValueError, match="strict") as found:
        parts_at(path, replace(options, strict=True), place)
    assert str(found.value) == str(expected.value)


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
    path = written(table_of(**changed), tmp_path / f"news{ending}")
    with pytest.raises(ValueError, match=r".") as expected:
        whole(path, Options(**options))
    with pytest.raises(ValueError, match=r".") as found:
        parts_at(path, Options(**options), place)
    assert str(found.value) == str(expected.value)


def test_files_that_cannot_be_read(place, tmp_path):
    nothing, empty, damaged = (tmp_path / name for name in ("nothing.parquet", "no.parquet", "bad.parquet"))
    written(table_of()[:0], empty)
    damaged.write_bytes(written(table_of(), tmp_path / "a.parquet").read_bytes()[:-20])
    (tmp_path / "none.csv").touch()
    (tmp_path / "blank.txt").write_text("\n \n")
    for source in (nothing, empty, damaged, tmp_path / "none.csv", tmp_path / "blank.txt", tmp_path / "x.doc"):
        with pytest.raises(ValueError, match=r".") as expected:
            whole(source, Options())
        with pytest.raises(ValueError, match=r".") as found:
            parts_at(source, Options(), place)
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
    path = written(table_of(), tmp_path / "a.parquet")
    with (
        _MeddlingPlace(tmp_path / "p", lambda: written(table_of(key=None), path)) as place,
        pytest.raises(ValueError, match="changed while it was being read: run again"),
    ):
        parts_at(path, Options(), place)
    with (
        _MeddlingPlace(tmp_path / "p", path.unlink) as place,
        pytest.raises(ValueError, match=r"cannot be read \(no such file or directory\): leave it"),
    ):
        parts_at(path, Options(), place)


def test_no_room_left_is_no_reason_to_read_all_at_once(tmp_path, monkeypatch):
    def full(place, thing):
        raise OSError("The disk is full.")

    path = written(table_of(), tmp_path / "a.csv")
    monkeypatch.setattr(DiskPlace, "put", full)
    with DiskPlace(tmp_path / "p") as place, pytest.raises(OSError, match="The disk is full"):
        parts_at(path, Options(), place)


def test_parquet_files_with_different_columns(place, tmp_path):
    folder = tmp_path / "news"
    folder.mkdir()
    written(table_of(), folder / "a.parquet")
    for other in (table_of(label=None), table_of(label=[1, 2] * (N // 2)), table_of(more=["x"] * N)):
        written(other, folder / "b.parquet")
        for reads in (whole, lambda source, options: parts_at(source, options, place)):
            with pytest.raises(ValueError, match="damaged Parquet file, or files with different columns"):
                reads(folder, Options())
