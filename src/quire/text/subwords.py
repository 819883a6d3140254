"""Sub-word tokens by SentencePiece's unigram model (conroy2023 §2.2); the extra ``subword``."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_MOST = 1_000_000  # sentences that a model is trained on
_LONGEST = 4192  # bytes of a sentence; SentencePiece leaves out longer ones, so documents are cut


def train(texts: Iterable[str], size: int = 8000) -> bytes:
    """Train a unigram model on a corpus, on one thread so that the same texts give the same model."""
    sentencepiece, model = _library(), io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_sentences(texts), model_writer=model, vocab_size=size, model_type="unigram",
            hard_vocab_limit=False, num_threads=1, input_sentence_size=_MOST, shuffle_input_sentence=False,
            max_sentence_length=_LONGEST, minloglevel=3, normalization_rule_name="nmt_nfkc_cf",
        )  # fmt: skip
    except (RuntimeError, OSError):
        raise ValueError("No sub-word model can be trained on these texts: they hold too few characters.") from None
    return model.getvalue()


def read_model(path: str | Path) -> bytes:
    """Read a model file."""
    try:
        model = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"The sub-word model {path} cannot be read: {error.strerror}.") from None
    splitter(model)
    return model


def splitter(model: bytes) -> Callable[[str], list[str]]:
    """Return what cuts a text into the pieces of a model."""
    processor = _library().SentencePieceProcessor()
    try:
        processor.LoadFromSerializedProto(model)
    except (RuntimeError, OSError):
        raise ValueError("The sub-word model is no SentencePiece model: name another file.") from None

    def split(text: str) -> list[str]:
        pieces: list[str] = processor.encode(text.encode("utf-8", "replace").decode(), out_type=str)
        return [piece for piece in pieces if "\n" not in piece]

    return split


def _sentences(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        for line in text.encode("utf-8", "replace").decode().replace("\0", " ").splitlines():
            for start in range(0, len(line), 1000):
                yield line[start : start + 1000]


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError:
        raise ValueError("Sub-word tokens need SentencePiece: pip install 'quire-topics[subword]'.") from None
    return sentencepiece
