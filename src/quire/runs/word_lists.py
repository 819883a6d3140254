"""Lists of words that a user gives: ``word,word``, or a file of them."""

from __future__ import annotations

import re
from pathlib import Path

_MOST_BYTES = 4 << 20  # of a file of words; a corpus that was named by mistake is larger
_ENDINGS = (".txt", ".csv", ".lst", ".list", ".dat")  # that say that a file is meant, also one that is not there
_BETWEEN = re.compile(r"[\s,;]+")


def read_words(given: str | list[str], option: str) -> list[str]:
    """Return the words of ``word,word``, of a list, or of a file with words on its lines."""
    if isinstance(given, str) and _is_file(given):
        given = _text_of(Path(given).expanduser(), option)
    parts = [given] if isinstance(given, str) else given
    words = dict.fromkeys(word for part in parts for word in _BETWEEN.split(part) if word)
    if not words:
        raise ValueError(f"{option} holds no word: give words with commas between them, or a file with a word a line.")
    return list(words)


def _is_file(given: str) -> bool:
    named = "/" in given or "\\" in given or given.lower().endswith(_ENDINGS)
    try:
        return named or Path(given).is_file()
    except (OSError, ValueError):  # too long a name, or a zero byte
        return False


def _text_of(path: Path, option: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError(f"{option}: {path} is larger than {_MOST_BYTES >> 20} MB, and no list of words.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise ValueError(
            f"{option}: {path} cannot be read ({error.strerror}): name a file with a word a line."
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{option}: {path} is no UTF-8 text: save it as UTF-8, with a word a line.") from None
