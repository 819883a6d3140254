"""What is measured, cell by cell: a tool, a corpus, who chooses the number of topics, a seed, and all texts or half."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
from benchmarks.compare.corpora import HALVES, Visit
from benchmarks.compare.process import UnfinishedError, call
from benchmarks.compare.task import TOP, Tool
from benchmarks.compare.tools.registry import TOOLS
from benchmarks.quality import readable
from benchmarks.quality.results import Row
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from quire.scores.metrics import ari, coherence, diversity
from quire.scores.registry import class_scores

CHOICES = ("classes", "own")  # as many topics as there are classes; as many as the tool chooses


def cells(corpus: str, seeds: int, names: list[str]) -> list[Row]:
    """Return the cells of a corpus: all tools with one seed before the next seed, all texts before the half."""
    return [
        {"corpus": corpus, "tool": name, "choice": choice, "seed": seed, "part": part}
        for seed in range(seeds)
        for part in HALVES
        for choice in CHOICES
        for name in names
        if (TOOLS[name].takes_k if choice == "classes" else TOOLS[name].chooses_k)
    ]


def measure(visit: Visit, cell: Row, limit: int) -> Row:
    """Return the scores of a cell and what they took, or why there are none."""
    tool = TOOLS[cell["tool"]]
    row: Row = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "limit": limit}
    try:
        vectors = _vectors(visit, cell["part"], limit) if tool.needs_vectors else None
        told = call(tool.name, task_of(visit, cell, limit, vectors), _place(visit, cell))
    except UnfinishedError as why:
        return {**row, "failed": str(why)}
    labels = np.asarray(told["labels"])
    row |= {"version": told["version"], "topics": len(np.unique(labels[labels >= 0])), **_spent(told, vectors)}
    if cell["part"] == "half":
        return row | _held_out(visit, told["keywords"])
    np.save(_place(visit, cell).with_suffix(".npy"), labels)
    return row | _whole(visit, labels, told["keywords"]) | _other_seeds(visit, cell, labels)


def task_of(visit: Visit, cell: Row, limit: int, vectors: Row | None = None) -> Row:
    """Return the task of a cell, as its tool's process reads it."""
    return {
        "texts": str(visit.file(cell["part"])), "vectors": vectors and vectors["path"], "seed": cell["seed"],
        "k": visit.k if cell["choice"] == "classes" else None, "limit": limit, "stop_words": sorted(ENGLISH_STOP_WORDS),
    }  # fmt: skip


def _place(visit: Visit, cell: Row) -> Any:
    """Return where a cell's files lie; they can go when all seeds are measured."""
    name = "-".join(str(cell[part]) for part in ("tool", "choice", "seed", "part"))
    return visit.folder / visit.name / (name.replace(" ", "_") + ".cell")


def _vectors(visit: Visit, part: str, limit: int) -> Row:
    """Return where the sentence embeddings are and what they took; they are made once, and a half is rows of them."""
    place = visit.folder / f"{visit.name}.vectors"
    kept = place.with_suffix(".seconds")
    if not kept.exists():
        task = {"texts": str(visit.file("whole")), "vectors": None, "limit": limit}
        try:
            told = call("sentences", task, place)
        except UnfinishedError as why:
            raise UnfinishedError(f"the sentence embeddings: {why}") from None
        for name, rows in HALVES.items():
            np.save(place.with_suffix(f".{name}.npy"), np.load(place.with_suffix(".npy"))[rows])
        kept.write_text(json.dumps(told), "utf-8")
    found: Row = json.loads(kept.read_text("utf-8"))
    return {**found, "path": str(place.with_suffix(f".{part}.npy"))}


def _spent(told: Row, vectors: Row | None) -> Row:
    """Return seconds and megabytes of a cell, the sentence embeddings with it."""
    cpu, wall, memory = told["cpu"], told["wall"], told["memory"]
    if vectors:
        cpu, wall = cpu + vectors["encoding_cpu"], wall + vectors["encoding_wall"]
        memory = max(memory, vectors["memory"])
    return {"cpu": round(cpu, 1), "wall": round(wall, 1), "memory": round(memory)}


def _whole(visit: Visit, labels: np.ndarray, keywords: list[list[str]]) -> Row:
    """Return the scores of topics of all texts; documents without a topic are a cluster, and never right."""
    row: Row = {"unassigned": float(np.mean(labels < 0)), "diversity": diversity(keywords)}
    row["covered"], _ = readable.covered(keywords, labels, *visit.counts, visit.texts)
    row["n_keywords"] = float(np.mean([len(own[:TOP]) for own in keywords])) if keywords else 0.0
    if visit.labels is not None:
        found = class_scores(visit.labels, labels)
        row |= {"ari": found["ari"], "nmi": found["nmi"], "ac": found["accuracy"]}
    return row


def _held_out(visit: Visit, keywords: list[list[str]]) -> Row:
    """Return the coherence of keywords on the half that their tool has not seen."""
    counts, words = visit.counts
    counts, words = readable.with_phrases(keywords, counts[1::2], words, visit.texts[1::2])
    return {measure: coherence(keywords, counts, words, measure, TOP).mean for measure in ("npmi", "c_v")}


def _other_seeds(visit: Visit, cell: Row, labels: np.ndarray) -> Row:
    """Return how far the answer is that of the seeds before."""
    before = [_place(visit, {**cell, "seed": seed}).with_suffix(".npy") for seed in range(cell["seed"])]
    found = [float(ari(np.load(path), labels)) for path in before if path.exists()]
    return {"same": float(np.mean(found))} if found else {}


def may_be_tried(row: Row, limit: int) -> bool:
    """Say whether a cell that ran out of time has more of it now."""
    return "minutes" in row.get("failed", "") and row["limit"] < limit


def is_quires(tool: Tool) -> bool:
    """Say whether a tool is Quire, whose cells hang on its default recipe."""
    return tool.family == "Quire"
