"""Small sound files of every kind that Quire reads, and a run: what mutations begin with."""

from __future__ import annotations

import gzip
import json
import random
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torture.documents import make_documents, make_objects

if TYPE_CHECKING:
    import polars as pl

THEMES = (
    "orbit moon rocket nasa launch shuttle",
    "goal team season player league coach",
    "bread oven flour butter recipe",
)
CHOICE = {
    "k": 3, "lam": None, "by": "all", "says": {"elbow": 3}, "verdict": ["Three."],
    "heat": [{"k": 2, "rows": [[9, 1], [1, 9]]}],
    "table": [{"k": k, "runs": 4, "rho": 0.9, "error": None} for k in (2, 3)],
    "elbow": {"k": 3, "first": 3, "second": 2, "sharp": True, "singular_values": [3.0, 1.0], "likelihood": [0.5, 0.1]},
    "search": [
        {"k": 3, "lam": 0.5, "kind": "best", "runs": 2, "mean": 0.4, "max": 0.5, "low": 0.1, "high": None}
    ],
    "curves": [{"k": 3, "lam": [0.0, 1.0], "nmi": [0.4, 0.5]}],
}  # fmt: skip

_SEEDS = b"""strength = 1.0
[topics]
flight = ["moon", "rocket"]
league = {words = ["goal"], documents = ["d1"]}
bread = []
"""
EDITS: tuple[dict[str, Any], ...] = (
    {"what": "rename", "topic": 0, "name": "Space flight", "words": ["moon", "orbit"], "who": "a", "when": "2026"},
    {"what": "split", "topic": 1, "into": 2}, {"what": "note", "topic": 0, "note": "Look again.\nTwice."},
    {"what": "pin", "word": "moon", "topic": 0}, {"what": "ban", "word": "story"}, {"what": "undo"},
    {"what": "redo"}, {"what": "move", "document": "d3", "topic": 1}, {"what": "merge", "topics": [0, 2]},
    {"what": "together", "documents": ["d1", "d4"]}, {"what": "apart", "documents": ["d1", "d2"]},
    {"what": "remove", "topic": 1}, {"what": "undo"},
)  # fmt: skip


def texts(n: int = 24) -> list[tuple[str, str, str]]:
    """Return text, label and date of some documents."""
    draw = random.Random(5)
    rows = []
    for i in range(n):
        words = draw.choices(THEMES[i % 3].split(), k=14)
        rows.append((" ".join(words) + f" story {i}", THEMES[i % 3].split()[0], f"2021-{1 + i % 12:02d}-03"))
    return rows


def make_seeds(folder: Path) -> None:
    """Write all of them below a folder: ``inputs`` with a folder a kind, and ``run``."""
    frame = make_inputs(folder / "inputs")
    _make_run(folder, frame)
    make_edited(folder / "edited" / "run", frame)
    _make_unfinished(folder)


def make_inputs(inputs: Path) -> pl.DataFrame:
    """Write a folder a kind of input; ``torture.inputs.without_seeds`` names those that are missing."""
    import polars as pl

    rows, n = texts(), range(len(texts()))
    frame = pl.DataFrame(
        {"id": [f"d{i}" for i in n], "title": [f"Note {i}" for i in n],
         "text": [row[0] for row in rows], "label": [row[1] for row in rows], "date": [row[2] for row in rows],
         "age": [20 + i % 7 for i in n], "met": [datetime(2020, 1, 1 + i % 20, i % 24) for i in n]}
    )  # fmt: skip
    tables = {
        "csv": frame.write_csv().encode(), "tsv": frame.write_csv(separator="\t").encode(),
        "jsonl": frame.write_ndjson().encode(), "ndjson": frame.write_ndjson().encode(),
        "json": json.dumps({"of": {"notes": frame.to_dicts()}}, default=str).encode(),
        "txt": "\n".join(frame["text"]).encode(),
    }  # fmt: skip
    for kind, data in tables.items():
        _put(inputs / kind / f"d.{kind}", data)
    _put(inputs / "csv.gz" / "d.csv.gz", gzip.compress(tables["csv"]))
    _put(inputs / "jsonl.gz" / "d.jsonl.gz", gzip.compress(tables["jsonl"]))
    (inputs / "parquet").mkdir()
    frame.write_parquet(inputs / "parquet" / "d.parquet")
    _make_zst(inputs, tables["csv"])
    _make_matrix(inputs / "npz")
    _make_folder(inputs / "folder" / "docs", rows)
    make_documents(inputs, frame)
    make_objects(inputs, frame)
    _put(inputs / "recipe" / "r.toml", b'name = "r"\n[counts]\nmin_df = 1\n[factorization]\nmethod = "NMF"\n')
    _put(inputs / "config" / "c.toml", b'topics = 2\nmin-count = 1\nseed = 3\nlanguage = "en"\n')
    _put(inputs / "labels" / "l.csv", frame.select("id", "label").write_csv().encode())
    _put(inputs / "words" / "w.txt", b"moon,\ngoal\nand the")
    _put(inputs / "seeds" / "s.toml", _SEEDS)
    _put(inputs / "edits" / "e.jsonl", "\n".join(json.dumps(edit) for edit in EDITS).encode())
    _put(inputs / "choice" / "choice.json", json.dumps(CHOICE).encode())
    return frame


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _make_zst(inputs: Path, data: bytes) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        return
    _put(inputs / "csv.zst" / "d.csv.zst", pa.compress(data, "zstd", asbytes=True))


def _make_matrix(folder: Path) -> None:
    import numpy as np
    import scipy.sparse as sp

    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    sp.save_npz(folder / "d.npz", sp.csr_array(rng.poisson(0.4, (20, 12)).astype(np.float64)))
    np.save(folder / "d_labels.npy", np.array(["a", "b"] * 10))
    np.save(folder / "d_dates.npy", np.array(["2021-01-01"] * 20))
    (folder / "terms.txt").write_text("\n".join(f"word{i}" for i in range(12)))


def _make_folder(folder: Path, rows: list[tuple[str, str, str]]) -> None:
    for i, (text, label, _) in enumerate(rows[:9]):
        page = f"<html><head><title>{label}</title></head><body><p>{text}</p><table><tr><td>x</td></tr></table></body>"
        _put(folder / label / f"{i}.txt", text.encode())
        _put(folder / label / f"{i}.html", page.encode())
    _put(folder / "bread" / "p.pdf", _pdf(rows[2][0]))
    try:
        import docx
    except ImportError:
        return
    document = docx.Document()
    document.add_paragraph(rows[1][0])
    document.add_table(2, 2).cell(0, 0).text = rows[4][0]
    document.save(str(folder / "goal" / "w.docx"))


def _pdf(text: str) -> bytes:
    """Return a PDF of one page with one line."""
    stream = f"BT /F1 12 Tf 72 712 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream),
    ]  # fmt: skip
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


def _make_run(folder: Path, frame: pl.DataFrame) -> None:
    import quire
    from quire.pages.full_text import SEARCH, FullText
    from torture.runs import digest

    recipe = {"name": "plain", "factorization": {"method": "NMF"}}
    run = quire.cluster(frame, 3, recipe=recipe, random_state=0)
    run.save(folder / "run")
    run.rename(0, "Space flight").save(folder / "run")
    search = FullText(folder / "run" / SEARCH, run.documents)
    search.wait()
    search.close()
    (folder / "digest").write_text(digest(quire.load(folder / "run")))


def make_edited(folder: Path, frame: pl.DataFrame) -> None:
    """Save a run that began with seeds, was updated, has a tree, and was edited in all ways."""
    import quire
    from quire.runs.editing import edit_run
    from quire.runs.edits.entry import edit_from
    from quire.runs.tree_file import keep_tree
    from torture.runs import digest

    recipe = {"name": "plain", "factorization": {"method": "NMF"}}
    seeds = {"flight": ["moon"], "league": ["goal", "team"]}
    run = quire.cluster(frame[:20], 3, recipe=recipe, random_state=0, seeds=seeds).update(frame[20:], 0)
    run.save(folder)
    keep_tree(folder, run.tree(leaves=6))
    for edit in EDITS:
        edit_run(folder, edit_from(edit))
    (folder.parent / "digest").write_text(digest(quire.load(folder)))


def work_in_blocks(rows: int) -> None:
    """Let this process make all runs in blocks of so many documents, as if these were larger than memory."""
    from quire.corpus import cut
    from quire.runs import where
    from quire.runs.need import Need

    cut.ROWS = rows
    where.need_of = lambda *given: Need(60, 4000, memory=10**18, disk=0)  # type: ignore[attr-defined]


def _make_unfinished(folder: Path) -> None:
    """Make a run in blocks, and leave what it would go on from had it been killed before its last step."""
    from functools import partial

    import quire
    from quire.places.checkpoint import LoopKeeper
    from quire.runs import pipeline, where
    from quire.runs.options import merged
    from quire.runs.recipe import Recipe
    from torture.runs import TIMES, digest

    work_in_blocks(10)
    pipeline.LoopKeeper = partial(LoopKeeper, every=0)  # type: ignore[attr-defined, assignment]
    source, out = folder / "documents.txt", folder / "unfinished" / "whole"
    _put(source, "\n".join(row[0] for row in texts()).encode())
    recipe = Recipe.from_dict({"name": "plain", "factorization": {"method": "NMF"}})
    work = where.work_on(source, merged({"topics": 3, "threads": 1}), out, recipe)
    run = quire.load(pipeline.gather(source, work.options, work.place, recipe=recipe).write(out))
    (folder / "unfinished" / "digest").write_text(digest(run, but=TIMES))
    work.place.leave()  # type: ignore[attr-defined]
