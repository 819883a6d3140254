"""Models that make vectors of texts without a network: their weights come with a package, or lie in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Encoder = Callable[[list[str]], NDArray[np.float32]]


def encoder_of(model: str) -> Encoder:
    """Return what makes vectors of texts: ``wordllama``, or a folder of model2vec or sentence-transformers."""
    if model == "wordllama":
        return _wordllama()
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise ValueError(f"There is no model {model!r}: use model:wordllama, or model: and the folder of one.")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is fetched
    try:
        return _sentences(folder) if (folder / "modules.json").exists() else _static(folder)
    except ImportError as error:
        raise ImportError(f"{model} needs the package {error.name}: pip install {error.name}.") from None
    except Exception as error:  # whatever these libraries say of a folder that is something else
        raise ValueError(f"{model} holds no model that could be read ({error}): name another folder.") from None


def _wordllama() -> Encoder:
    """Return the mean of the tokens' vectors, of 256 numbers each, that come with the package (16 MB)."""
    try:
        import wordllama
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError:
        raise ImportError("model:wordllama needs an extra: pip install 'quire-topics[embed]'.") from None
    # Its own code pads all texts to the longest of a batch, which takes minutes where one is long; and its loader
    # (0.4) looks for the tokenizer in another folder than it comes in, and then for a network.
    files = {path.name: path for path in Path(wordllama.__file__).parent.rglob("l2_supercat_*")}
    tokenizer = Tokenizer.from_file(str(files["l2_supercat_tokenizer_config.json"]))
    tokenizer.no_padding()
    weights = load_file(files["l2_supercat_256.safetensors"])["embedding.weight"].astype(np.float32)
    nothing = np.zeros(weights.shape[1])

    def encode(texts: list[str]) -> NDArray[np.float32]:
        tokens = [one.ids for one in tokenizer.encode_batch(texts, add_special_tokens=False)]
        return np.array([weights[ids].mean(axis=0) if ids else nothing for ids in tokens], np.float32)

    return encode


def _static(folder: Path) -> Encoder:
    from model2vec import StaticModel

    model: Any = StaticModel.from_pretrained(folder)
    return lambda texts: np.asarray(model.encode(texts), np.float32)


def _sentences(folder: Path) -> Encoder:
    from sentence_transformers import SentenceTransformer

    model: Any = SentenceTransformer(str(folder))
    return lambda texts: np.asarray(model.encode(texts, show_progress_bar=False), np.float32)
