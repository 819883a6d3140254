"""What the pages of the documentation take for granted: a folder of files and runs, and a few names in Python."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp
from problems import MAIN, THEMES, said

import quire
from quire.cli import docstrings

SUBJECTS, N = 30, 450
SOUGHT = ("politics", "sport", "science", "datetime", "csr")  # what seeds on the pages ask for
DATA = Path(__file__).parents[1] / "docs" / "tutorials" / "data"
EVERY = 6  # of the demo's documents one in so many is enough here


def texts_of(n, seed=0):
    """Texts of many plain subjects, each with words of its own, and the subjects."""
    rng = np.random.default_rng(seed)
    labels = [f"{list(THEMES)[i % 3]}{i % SUBJECTS}" for i in range(n)]
    words = {label: [f"{word}{label[-2:]}" for word in THEMES[label.rstrip("0123456789")].split()] for label in labels}
    chosen = (" ".join(rng.choice(words[label], 14)) for label in labels)
    return [f"{text} {SOUGHT[i % len(SOUGHT)]} as told here" for i, text in enumerate(chosen)], labels


def table_of(n, seed=0):
    """A table with a column of every role that the pages name."""
    texts, labels = texts_of(n, seed)
    months = itertools.cycle(range(1, 13))
    columns = {
        "id": [f"d{i}" for i in range(n)], "title": [" ".join(text.split()[:3]) for text in texts], "text": texts,
        "label": labels, "class": labels, "product": labels,
        "published": [f"2024-{next(months):02d}-15" for _ in texts],
        "age_group": [("young", "old")[i % 2] for i in range(n)],
        "region": [("north", "south")[i // 2 % 2] for i in range(n)],
        "age": [20 + i % 50 for i in range(n)],
    }  # fmt: skip
    return pl.DataFrame(columns)


def furnish(folder):
    """Make the files and runs that the pages speak of, beside the data of the tutorials."""
    shutil.copytree(DATA, folder, dirs_exist_ok=True)
    table = table_of(N)
    plain = table.select("id", "title", "text", "label", pl.col("published").alias("date"))
    plain.drop("date").write_csv(folder / "x.csv")
    table.drop("label").with_columns(review="text", posted="published").write_csv(folder / "reviews.csv")
    table.rename({"published": "date"}).write_csv(folder / "survey.csv")
    for name in ("bbc_news.parquet", "big.parquet"):
        plain.write_parquet(folder / name)
    for seed, name in enumerate(("new.csv", "later.csv", "more.csv", "a.csv", "b.csv"), 1):
        texts, _ = texts_of(60, seed)
        pl.DataFrame({"id": [f"{name[0]}{seed}-{i}" for i in range(60)], "text": texts}).write_csv(folder / name)
    plain.select("id", "label").write_csv(folder / "classes.csv")
    (folder / "notes").mkdir()
    for i, text in enumerate(plain["text"][:40]):
        (folder / "notes" / f"{i}.txt").write_text(text)
    (folder / "seeds.toml").write_text('[topics]\ngovernment = ["politics"]\nresearch = ["science"]\n')
    named = plain.with_columns(id=pl.when(pl.col("id") == "d17").then(pl.lit("DOC")).otherwise("id"))
    quire.cluster(named, 12, random_state=0).save(folder / "RUN")
    quire.cluster(table, 20, random_state=0, title="title").save(folder / "quire-bbc_news")
    for name in ("quire-reviews-30", "OTHER"):
        shutil.copytree(folder / "RUN", folder / name)
    lines = [json.dumps({"id": f"library.{i}", "text": text}) for i, text in enumerate(texts_of(60, 9)[0])]
    (folder / "library.jsonl").write_text("\n".join(lines))


def names_of(folder):
    """Return what Python blocks may use without having made it."""
    texts, labels = texts_of(N)
    X = quire.Counts().fit_transform(texts)
    return {
        "quire": quire, "np": np, "Path": Path, "texts": texts, "labels": labels, "X": X,
        "batches": [X[: N // 2], X[N // 2 :]],
        "csr_blocks": [sp.csr_array(X[: N // 2]), sp.csr_array(X[N // 2 :])],
        "run": quire.load(folder / "quire-bbc_news"), "__name__": "a page",
    }  # fmt: skip


def fewer_docstrings():
    """Return some of the demo's documents: all of them take long."""
    return docstrings.docstrings()[::EVERY]


def command(words):
    """Run ``quire …`` in this process; return what went wrong. What serves is stopped as soon as it does."""
    if words[0] == "serve":
        return _served(words)
    found = said(*words)
    return found.stderr or found.stdout or "it failed" if found.returncode else None


def _served(words):
    quietly = [*MAIN, *words, "--no-open", "--port", "0"]
    with subprocess.Popen(quietly, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        told = []
        for line in process.stdout:
            told.append(line)
            if "http://" in line:
                process.terminate()
                return None
    return "".join(told)
