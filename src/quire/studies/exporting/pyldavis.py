"""What ``pyLDAvis.prepare`` takes: ``pyLDAvis.prepare(**json.load(open(file)))``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from quire.runs.folder import write_file
from quire.runs.run import Run


def write_pyldavis(run: Run, path: Path) -> None:
    """Write topics as shares of terms, documents as shares of topics, lengths and frequencies; none that is empty."""
    lengths = np.asarray(run.recount().sum(axis=1)).ravel()
    H, totals = np.maximum(np.asarray(run.H, np.float64), 0), np.asarray(run.totals, np.float64)
    shares = run.memberships.astype(np.float64)
    terms, rows, topics = totals > 0, (lengths > 0) & (shares.sum(axis=1) > 0), H.sum(axis=1) > 0
    H, shares = H[topics][:, terms], shares[rows][:, topics]
    shares += 1e-12  # a document of a topic that was left out still sums to 1
    data = {
        "topic_term_dists": (H / H.sum(axis=1, keepdims=True)).tolist(),
        "doc_topic_dists": (shares / shares.sum(axis=1, keepdims=True)).tolist(),
        "doc_lengths": lengths[rows].tolist(),
        "vocab": [word for word, kept in zip(run.words, terms) if kept],
        "term_frequency": totals[terms].tolist(),
    }
    write_file(path, json.dumps(data, ensure_ascii=False) + "\n")
