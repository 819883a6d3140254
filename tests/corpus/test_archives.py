"""Archives and compressed files: read as the folder that they hold, however they are made, and no further."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import polars as pl
import pytest
from refusals import damaged, refused, shifted, tried
from tables import compared, parts_at, table_of, written

from quire import read_corpus
from quire.runs.need import need_of
from quire.runs.options import Options

FILES = {"b/z.txt": "one moon", "a.md": "two", "b/A.html": "<title>T</title><p>three", "c/d/e.txt": "vier é"}
PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def zipped(files):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return raw.getvalue()


def tarred(files, change=lambda member: member):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(change(member), io.BytesIO(data))
    return raw.getvalue()


ARCHIVES = {"news.zip": zipped} | {
    f"news.tar{ending}": lambda files, pack=pack: pack(tarred(files)) for ending, pack in PACKERS.items()
}


def as_folder(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_is_the_folder_that_it_holds(tmp_path, name, place):
    files = FILES | {"b/picture.png": b"\x89PNG", "b/other.PNG": b"", "__MACOSX/x.txt": "no", ".hidden/x.txt": "no"}
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name](files))
    del files["__MACOSX/x.txt"], files[".hidden/x.txt"]
    corpus, folder = compared(path, Options(), place), read_corpus(as_folder(tmp_path / "folder", files))
    assert corpus.documents.equals(folder.documents)
    assert corpus.notes.kind == "archive"
    assert "2 of 6 files were not read: 2 .png." in corpus.notes.sentences()
    assert need_of(path, Options()).text_bytes


@pytest.mark.parametrize("above", ["news/", "./", "all/news/"])
@pytest.mark.parametrize("name", ARCHIVES)
def test_the_folder_that_all_files_lie_in_is_no_label(tmp_path, name, above):
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name]({f"{above}{under}": text for under, text in FILES.items() if "/" in under}))
    corpus = read_corpus(path)
    assert corpus.documents["label"].to_list() == ["b", "b", "c"]
    assert "The folders' names became labels, as every document lies in one." in corpus.notes.sentences()


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_of_one_table_is_that_table(tmp_path, name, place):
    frame, path = table_of(), tmp_path / name
    path.write_bytes(ARCHIVES[name]({"README": "about", "data/news.csv": frame.write_csv()}))
    corpus = compared(path, Options(id="key"), place)
    assert corpus.fingerprint() == read_corpus(frame, id="key").fingerprint()
    assert "1 of 2 files was not read: 1 without an ending." in corpus.notes.sentences()


def test_an_archive_of_tables_is_all_of_them(tmp_path):
    parquet = io.BytesIO()
    pl.DataFrame({"text": ["three"], "date": ["2020-01-01"]}).write_parquet(parquet)
    path = tmp_path / "news.zip"
    path.write_bytes(zipped({"a.csv": "text\none\ntwo\n", "b.parquet": parquet.getvalue()}))
    documents = read_corpus(path).documents
    assert documents["text"].to_list() == ["one", "two", "three"]
    assert documents["id"].to_list() == ["a.csv:1", "a.csv:2", "b.parquet:1"]
    assert documents["source"].to_list() == ["a.csv", "a.csv", "b.parquet"]
    assert documents["date"].null_count() == 2


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt"])
def test_a_compressed_file_that_ends_early_is_damaged_and_not_empty(tmp_path, ending, kind):
    path, plain = tmp_path / f"news.{kind}{ending}", tmp_path / "news.csv"
    written(table_of(), plain)
    raw = PACKERS[ending](plain.read_bytes())
    path.write_bytes(raw[: len(raw) // 2])
    assert "is damaged" in refused(path)


@pytest.mark.parametrize("ending", [".bz2", ".xz"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "txt", "parquet"])
def test_compressed_files(tmp_path, ending, kind, place):
    frame = table_of()
    plain = tmp_path / f"news.{kind}"
    if kind == "txt":
        plain.write_text("one\ntwo\n")
    else:
        written(frame, plain)
    path = tmp_path / f"news.{kind}{ending}"
    pack = PACKERS[ending]
    path.write_bytes(pack(plain.read_bytes()[:50]) + pack(plain.read_bytes()[50:]))
    assert compared(path, Options(), place).fingerprint() == read_corpus(plain).fingerprint()
    path.write_bytes(path.read_bytes()[:-15])
    assert "is damaged: its " in refused(path)


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("left", [0.1, 0.6, 0.95])
def test_a_truncated_archive_is_refused_or_read_as_far_as_it_goes(tmp_path, name, left):
    path, raw = tmp_path / name, ARCHIVES[name]({f"{i}.txt": f"{i} moon" * 400 for i in range(5)})
    path.write_bytes(raw[: int(left * len(raw))])
    sentence = tried(path)
    assert "damaged" in sentence or (name == "news.tar" and len(read_corpus(path)) < 6)


@pytest.mark.parametrize("raw", [b"", b"moon", b"id,text\n1,moon\n", b"PK\x03\x04", b"PK", b"\x1f\x8b"])
@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tgz"])
def test_something_else_is_refused(tmp_path, name, raw):
    path = tmp_path / name
    path.write_bytes(raw)
    refused(path)


@pytest.mark.parametrize("name", ARCHIVES)
def test_names_that_lead_out_are_not_read(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name]({"../up.txt": "no", "/root.txt": "no", "a/../../up.txt": "no", "a.txt": "yes"}))
    corpus = read_corpus(path)
    assert corpus.documents["id"].to_list() == ["a.txt"]
    assert "3 files were skipped: ../up.txt (its name leads out of the archive)" in " ".join(corpus.notes.sentences())
    assert not (tmp_path.parent / "up.txt").exists()


def test_links_and_devices_in_a_tar_file_are_not_followed(tmp_path):
    kinds = {"link.txt": tarfile.SYMTYPE, "hard.txt": tarfile.LNKTYPE, "pipe.txt": tarfile.FIFOTYPE}

    def change(member):
        member.type, member.linkname = kinds.get(member.name, tarfile.REGTYPE), "/etc/passwd"
        return member

    path = tmp_path / "a.tar"
    path.write_bytes(tarred({"a.txt": "yes", **dict.fromkeys(kinds, "")}, change))
    assert read_corpus(path).documents["id"].to_list() == ["a.txt"]


def test_members_that_begin_before_the_file_are_damaged(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(shifted(zipped(FILES)))
    assert "damaged in the archive" in refused(path)


def test_an_archive_in_an_archive_is_not_opened(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"b.zip": zipped({"x.txt": "no"}), "a.txt": "yes"}))
    corpus = read_corpus(path)
    assert list(corpus.texts()) == ["yes"]
    assert "1 of 2 files was not read: 1 .zip." in corpus.notes.sentences()
    path.write_bytes(zipped({"b.zip": zipped({"x.txt": "no"})}))
    assert "holds no file to read among 1 (1 .zip)" in refused(path)


@pytest.mark.parametrize("name", [*ARCHIVES, "a.csv.xz", "a.csv.bz2"])
def test_a_bomb_is_a_sentence(tmp_path, name, monkeypatch):
    monkeypatch.setattr("quire.corpus.expansion._FREE", 1 << 16)
    path, text = tmp_path / name, b"text\n" + b"moon\n" * 200_000
    path.write_bytes(ARCHIVES[name]({"a.txt": text}) if name in ARCHIVES else PACKERS[path.suffix](text))
    if name == "news.tar":
        assert tried(path) == ""
    else:
        assert "expands to more than" in refused(path)


def test_a_sparse_member_is_not_read(tmp_path):
    path = tmp_path / "a.tar"
    sparse = tarfile.TarInfo("a.txt")
    sparse.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(10**12)}
    sparse.size = 512
    with tarfile.open(path, "w") as archive:
        archive.addfile(sparse, io.BytesIO(b"1\n0\n0\n".ljust(512, b"\0")))
        archive.addfile(tarfile.TarInfo("b.txt"))
    assert read_corpus(path).documents["id"].to_list() == ["b.txt"]


def test_encrypted_members_are_told(tmp_path):
    path, raw = tmp_path / "a.zip", bytearray(zipped({"a.txt": "no", "b.txt": "yes"}))
    for mark in (b"PK\x01\x02", b"PK\x03\x04"):
        raw[raw.index(mark) + (8 if mark == b"PK\x01\x02" else 6)] |= 1
    path.write_bytes(raw)
    corpus = read_corpus(path)
    assert corpus.notes.skipped == (("a.txt", "encrypted"),)
    assert "cannot be read (encrypted)" in refused(path, strict=True)


@pytest.mark.parametrize("name", ARCHIVES)
def test_bytes_changed_at_random_are_read_or_refused(tmp_path, name):
    path = tmp_path / name
    for raw in damaged(ARCHIVES[name](FILES | {"t.csv": "text\nmoon\n"}), 40):
        path.write_bytes(raw)
        tried(path)


def test_it_is_the_same_at_a_place_with_tables_of_several_columns(tmp_path, place):
    path = tmp_path / "news.zip"
    path.write_bytes(zipped({"a.csv": table_of().write_csv(), "b.jsonl": table_of(label=None).write_ndjson()}))
    corpus = read_corpus(path)
    assert parts_at(path, Options(), place).documents.equals(corpus.documents)
    assert compared(path, Options(), place).documents.height == 80
