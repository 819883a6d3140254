"""Small sound files of the kinds that hold documents or tables in other programs' formats."""

from __future__ import annotations

import bz2
import io
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

    rows = [frame.columns, *map(list, frame.rows())]
    csv = frame.write_csv().encode()
    arrow, archive, tar = io.BytesIO(), io.BytesIO(), io.BytesIO()
    frame.write_ipc(arrow, compression="zstd")
    documents = {
        "a.eml": files.message(), "b.mbox": files.mailbox(), "c.msg": files.msg(), "d.odt": files.odt(),
        "e.pptx": files.pptx(), "f.epub": files.epub(), "g.rtf": files.rtf(), "h.xml": files.tei(), "i.tex": _TEX,
        "j.srt": _SRT, "k.md": _MD, "l.rst": _RST,
    }  # fmt: skip
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, raw in documents.items():
            packed.writestr(f"x/{name}", raw)
    with tarfile.open(fileobj=tar, mode="w:gz") as packed:
        member = tarfile.TarInfo("d.csv")
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
