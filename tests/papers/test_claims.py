"""What the papers say, held against cells: each verdict follows from the numbers, and from nothing else."""

import json
from pathlib import Path

import pytest

from quire.papers.catalogue import experiments
from quire.papers.claims import claims_of
from quire.papers.experiment import Cell
from quire.papers.results import page

STORED = Path(__file__).parents[2] / "docs" / "reproduction"


def averages(**accuracy):
    return [Cell("average", f"AC {name.replace('_', ' ').replace('NCW', 'NMF-NCW')}", None, value)
            for name, value in accuracy.items()]  # fmt: skip


@pytest.mark.parametrize(
    ("nc", "nc_once", "verdict"),
    [(0.7, 0.6, "holds"), (0.9, 0.6, "holds only with k-means begun once"), (0.9, 0.85, "does not hold")],
)
def test_a_claim_that_hangs_on_how_k_means_began(nc, nc_once, verdict):
    cells = averages(AA=0.5, NC=nc, NMF=0.6, NCW=0.8, AA_once=0.5, NC_once=nc_once)
    first = claims_of("xu2003/table2", cells)[0]
    assert first.verdict == verdict
    assert f"NC {nc:.3f}" in first.evidence


def test_a_claim_that_hangs_on_the_idf():
    """A reading is judged by numbers of that reading alone: one that was run for two methods of four says nothing."""
    plain = {"AA": 0.5, "NC": 0.9, "NMF": 0.6, "NCW": 0.8, "AA_once": 0.5, "NC_once": 0.85}
    other = {"NMF_idf_of_all": 0.7, "NCW_idf_of_all": 0.95}
    first = claims_of("xu2003/table2", averages(**plain, **other))[0]
    assert first.verdict == "does not hold"
    first = claims_of("xu2003/table2", averages(**plain, **other, AA_idf_of_all=0.5, NC_idf_of_all=0.6))[0]
    assert first.verdict == "holds only with the idf of all documents"


@pytest.mark.parametrize(
    ("everything", "frequent", "verdict"),
    [(0.5, 0.5, "holds"), (0.01, 0.5, "holds only for terms in five contexts or more"), (0.01, 0.02, "does not hold")],
)
def test_a_claim_that_hangs_on_the_cut_of_rare_terms(everything, frequent, verdict):
    parts = {"all": everything, "df ≥ 5": frequent}
    cells = [Cell(f"{part}, highest", s, None, 0.1) for part in parts for s in ("Counts", "CS", "RS", "PWMI")]
    cells += [Cell(f"{part}, highest", "NL", None, nl) for part, nl in parts.items()]
    assert [one.verdict for one in claims_of("conroy2023/figure4", cells)] == [verdict] * 2


def test_what_has_no_claims_has_none():
    assert claims_of("me2026/table1", [Cell("a", "b", None, 1.0)]) == []


def test_every_experiment_has_a_claim_that_its_stored_numbers_answer():
    for name in experiments():
        data = json.loads((STORED / f"{name.replace('/', '-')}.json").read_text("utf-8"))
        claims = claims_of(name, [Cell(**cell) for cell in data["cells"]])
        assert claims, name
        assert all("nan" not in one.evidence for one in claims), name


def test_a_full_run_speaks_before_a_quick_one(tmp_path):
    for full, nc in ((False, 0.9), (True, 0.1)):
        cells = averages(AA=0.05, NC=nc, NMF=0.6, NCW=0.8, AA_once=0.5, NC_once=0.5)
        stored = {"name": "xu2003/table2", "title": "t", "full": full, "seed": 0, "seconds": 1, "date": "d",
                  "machine": "m", "cells": [vars(cell) for cell in cells], "findings": [], "differs": [],
                  "figures": [], "text": "", "digits": 3}  # fmt: skip
        (tmp_path / f"{full}.json").write_text(json.dumps(stored))
    text = page(tmp_path, claims=claims_of)
    assert "| xu2003/table2, full | NMF-NCW is the most accurate of the four. | **holds** |" in text
    assert "xu2003/table2, quick |" not in text
