"""Mail: what was written, by whom and when; not what was quoted."""

import datetime

import pytest
from refusals import damaged, refused, tried
from small_files import mailbox, message, msg
from tables import compared

from quire import read_corpus
from quire.corpus.formats.quotes import without_quotes
from quire.runs.options import Options


def folder_of(tmp_path, **files):
    folder = tmp_path / "mail"
    folder.mkdir(exist_ok=True)
    for name, raw in files.items():
        (folder / name.replace("_", ".")).write_bytes(raw)
    return folder


def test_a_message_is_read(tmp_path, place):
    folder = folder_of(tmp_path, a_eml=message("Où est la lune?"), b_eml=message(body=" ", html="<p>only <b>html</b>"))
    corpus = compared(folder, Options(), place)
    assert corpus.documents.rows(named=True)[0] == {
        "id": "a.eml", "text": "I think the moon is fine.\n\nRegards", "date": datetime.datetime(2024, 2, 6, 10),
        "title": "Où est la lune?", "sender": "ann@example.org",
    }  # fmt: skip
    assert corpus.documents["text"][1] == "only html"
    left = "What 1 message quoted or signed with was left out; --keep-quotes keeps it."
    assert left in corpus.notes.sentences()
    whole = read_corpus(folder, keep_quotes=True)
    assert left not in whole.notes.sentences()
    kept = whole.documents["text"][0]
    assert "> Is the moon fine?" in kept
    assert "Phone 123" in kept
    assert "secret" not in kept


QUOTED = {
    "below": ("Yes.\n\nAm 5.2.2024 schrieb Bob:\n> no\n", "Yes."),
    "between": ("Hello\n\nBob wrote:\n> a\nagreed\n> b\nno", "Hello\n\nagreed\nno"),
    "outlook": ("Yes.\n\nFrom: Bob <b@x.org>\nSent: Monday\nTo: Ann\n\nno", "Yes."),
    "original": ("Yes.\n-----Original Message-----\nno", "Yes."),
    "phone": ("Yes.\nSent from my iPhone", "Yes."),
    "only quotes": ("> all\n> of it", "> all\n> of it"),
    "no mail": ("From: here to there\nit is far: 3 > 2\n-- no", "From: here to there\nit is far: 3 > 2\n-- no"),
}


@pytest.mark.parametrize("name", QUOTED)
def test_quotes_and_signatures_are_left_out(name):
    assert without_quotes(QUOTED[name][0]) == QUOTED[name][1]


def test_a_mailbox_is_a_document_for_each_message(tmp_path, place):
    path = tmp_path / "a.mbox"
    path.write_bytes(mailbox(20))
    corpus = compared(path, Options(), place)
    assert corpus.documents["id"].to_list() == [str(i + 1) for i in range(20)]
    assert corpus.documents["title"].to_list() == [f"Nr. {i}" for i in range(20)]
    assert corpus.documents["text"][3] == "text 3\n\nFrom here on\nFrom there"
    folder = folder_of(tmp_path, b_mbox=mailbox(2), a_eml=message())
    assert read_corpus(folder).documents["id"].to_list() == ["a.eml", "b.mbox", "b.mbox#2"]


def test_a_message_of_outlook_is_read(tmp_path):
    pytest.importorskip("olefile")
    documents = read_corpus(folder_of(tmp_path, a_msg=msg())).documents
    assert documents.row(0, named=True) == {
        "id": "a.msg", "text": "I think the moon is fine.\n\nRegards", "date": datetime.datetime(2024, 2, 6, 10),
        "title": "Moon", "sender": "Ann",
    }  # fmt: skip


def test_truncated_wrong_and_hostile_mail(tmp_path):
    raw = message()
    assert tried(folder_of(tmp_path, a_eml=raw[: len(raw) // 2])) == ""
    assert "a.eml: no mail" in refused(folder_of(tmp_path, a_eml=b"just text\n\nmore"))
    path = tmp_path / "a.mbox"
    for wrong in (b"", b"just text\n", b"\n\n", b"From " + b"a" * 1_000_000):
        path.write_bytes(wrong)
        assert "cannot be read (no m" in refused(path)
    path.write_bytes(mailbox()[:-300])
    assert len(read_corpus(path)) == 3


def test_a_message_of_very_many_parts_ends(tmp_path):
    nested = b"Subject: x\n"
    for i in range(3000):
        nested += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i)
    many = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nmoon\n" * 20_000
    long = b"Subject: " + b"=?utf-8?q?" * 50_000 + b"\nFrom: " + b"(" * 50_000 + b"\nDate: " + b"9" * 9000 + b"\n\nmoon"
    for raw in (nested, many, long):
        tried(folder_of(tmp_path, a_eml=raw))


@pytest.mark.parametrize("name", ["a_eml", "a_mbox", "a_msg"])
def test_bytes_changed_at_random_are_read_or_refused(tmp_path, name):
    raw = {"a_eml": message, "a_mbox": mailbox, "a_msg": msg}[name]()
    for changed in damaged(raw, 30):
        tried(folder_of(tmp_path, **{name: changed}))


def test_mail_in_html_quotes_nothing_either(tmp_path):
    quoted = (
        '<div class="gmail_quote"><div class="gmail_attr">On Monday Bob wrote:</div><blockquote>no</blockquote></div>'
    )
    signed = '<div class="gmail_signature">Ann, phone 123</div>'
    folder = folder_of(
        tmp_path,
        a_eml=message(body=" ", html=f"<p>Yes, the moon.</p>{quoted}{signed}"),
        b_eml=message(body=" ", html="<blockquote>all is <blockquote>quoted</blockquote></blockquote>"),
    )
    assert read_corpus(folder).documents["text"].to_list() == ["Yes, the moon.", "all is\nquoted"]
    kept = read_corpus(folder, keep_quotes=True).documents["text"][0]
    assert "On Monday Bob wrote:" in kept
    assert "phone 123" in kept
