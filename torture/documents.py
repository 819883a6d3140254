"""Small sound files of the kinds that hold documents or tables in other programs' formats."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import sqlite3
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_TEX = rb"\title{The \emph{moon}}\begin{document}\section{Orbit} A rocket \cite{x} and $x^2$.\end{document}"
_SRT = b"1\n00:00:01,000 --> 00:00:02,500\n<i>Hello</i> moon\n\n2\n00:00:03,000 --> 00:00:04,000\nand goal\n"
_MD = b"---\ntitle: x\n---\n# Moon\nA [link](https://example.org) and **bold** <!-- no -->\n"
_RST = b"Moon\n====\n\n.. image:: a.png\n\nSee :ref:`the moon <m>` and ``code``.\n"


def make_documents(inputs: Path, frame: pl.DataFrame) -> None:
    """Write a folder a kind: tables, archives, and one of documents of all kinds."""
    import small_files as files
    import spreadsheets as sheets

    arrow, archive, tar = io.BytesIO(), io.BytesIO(), io.BytesIO()
    frame.write_ipc(arrow, compression="zstd")
    frame = frame.with_columns(frame["met"].cast(str))
    rows = [frame.columns, *(list(map(str, row)) for row in frame.rows())]
    csv = frame.write_csv().encode()
    documents = {
        "a.eml": files.message(), "b.mbox": files.mailbox(), "c.msg": files.msg(), "d.odt": files.odt(),
        "e.pptx": files.pptx(), "f.epub": files.epub(), "g.rtf": files.rtf(), "h.xml": files.tei(), "i.tex": _TEX,
        "j.srt": _SRT, "k.md": _MD, "l.rst": _RST, "m.vtt": b"WEBVTT\n\n" + _SRT.replace(b",", b"."),
    }  # fmt: skip
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, raw in documents.items():
            packed.writestr(f"x/{name}", raw)
    with tarfile.open(fileobj=tar, mode="w:gz") as packed:
        member = tarfile.TarInfo("d.csv")  # a table, as other members are documents
        member.size = len(csv)
        packed.addfile(member, io.BytesIO(csv))
    kinds = {
        "xlsx": sheets.xlsx({"S": rows}), "ods": sheets.ods({"S": rows}), "xls": sheets.xls({"S": rows[:9]}),
        "xml": files.records(), "mbox": files.mailbox(), "arrow": arrow.getvalue(), "zip": archive.getvalue(),
        "tar.gz": tar.getvalue(), "csv.bz2": bz2.compress(csv), "csv.xz": lzma.compress(csv),
    }  # fmt: skip
    for kind, raw in kinds.items():
        _put(inputs / kind / f"d.{kind}", raw)
    for name, raw in documents.items():
        _put(inputs / "documents" / "docs" / name, raw)
    _make_database(inputs / "sqlite" / "d.sqlite", frame)


def make_objects(inputs: Path, frame: pl.DataFrame) -> None:
    """Write what standard input, several paths and objects of Python are made of."""
    import numpy as np

    plain = frame.with_columns(frame["met"].cast(str))
    _put(inputs / "stream" / "d.jsonl", plain.write_ndjson().encode())
    for name in ("a.md", "b.txt", "c.csv"):
        _put(inputs / "several" / "docs" / name, plain.write_csv().encode() if name == "c.csv" else _MD)
    _put(inputs / "columns" / "d.json", json.dumps(plain.to_dict(as_series=False)).encode())
    _put(inputs / "records" / "d.json", json.dumps(plain.to_dicts()).encode())
    _put(inputs / "texts" / "d.json", json.dumps(plain["text"].to_list()).encode())
    (inputs / "frame").mkdir()
    frame.with_columns(frame["met"].dt.date().alias("day")).write_parquet(inputs / "frame" / "d.parquet")
    _put(inputs / "vectors" / "d.txt", "\n".join(frame["text"]).encode())
    np.save(inputs / "vectors" / "v.npy", np.random.default_rng(0).random((frame.height, 5), np.float32))
    (inputs / "numbers").mkdir()
    np.save(inputs / "numbers" / "d.npy", np.random.default_rng(0).poisson(0.4, (20, 12)).astype(np.float64))


def _put(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)


def _make_database(path: Path, frame: pl.DataFrame) -> None:
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"create table news ({', '.join(frame.columns)})")
        connection.executemany(f"insert into news values ({', '.join('?' * frame.width)})", frame.rows())
    connection.close()
