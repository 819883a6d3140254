"""Part ``seeds``: what five words for each class do, beside a run without them."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.quality.corpora import LABELLED
from benchmarks.quality.recipes import Visit, scored
from benchmarks.quality.results import Row
from numpy.typing import NDArray

import quire
from quire.runs.terms import Terms

RECIPES = ("default", "nmf")
WORDS, SHARE = 5, 0.5  # words of a class, and the share of the labelled documents that they are taken from


def cells(corpus: str, seeds: int) -> list[Row]:
    """Return what is to be measured on a corpus."""
    guided = [f"{recipe} with seeds" for recipe in RECIPES]
    names = (*RECIPES, *guided) if corpus in LABELLED else ()
    return [{"corpus": corpus, "recipe": name, "seed": seed} for name in names for seed in range(seeds)]


def measure(visit: Visit, cell: Row) -> list[Row]:
    """Return the scores of a run with or without seeds."""
    recipe, began = cell["recipe"].split()[0], time.perf_counter()
    if recipe == cell["recipe"]:
        run = visit.run(recipe, cell["seed"])[0]
        return [scored(visit, run.labels, time.perf_counter() - began)]
    seeds = class_words(visit.terms, visit.labels.astype(str), cell["seed"])
    run = quire.cluster(visit.corpus, visit.k, recipe=recipe, random_state=cell["seed"], seeds=seeds)
    found = sum(row["topic"] is not None for row in run.info["seeds"])
    return [{**scored(visit, run.labels, time.perf_counter() - began), "found": found / len(seeds)}]


def class_words(terms: Terms, classes: NDArray[np.str_], seed: int) -> dict[str, list[str]]:
    """Return the words of each class with the largest p·log(p / q) in half of the documents, drawn at random.

    p is the share of the class's documents that hold a word, q that of all documents.
    """
    rows = np.flatnonzero(np.random.RandomState(seed).random_sample(len(classes)) < SHARE)
    held = terms.matrix[rows]
    held.data = np.ones_like(held.data)
    q = (np.asarray(held.sum(axis=0)).ravel() + 0.5) / (len(rows) + 1)
    words = {}
    for name in np.unique(classes):
        own = np.flatnonzero(classes[rows] == name)
        if len(own):
            p = np.asarray(held[own].sum(axis=0)).ravel() / len(own)
            telling = np.where(p > q, p * np.log(np.maximum(p, 1e-12) / q), 0.0)
            words[str(name)] = [terms.words[j] for j in np.argsort(-telling, kind="stable")[:WORDS]]
    return words
