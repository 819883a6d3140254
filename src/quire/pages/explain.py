"""Why documents are in their topics, as the page holds it: JSON that is put together of strings."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.messages import short
from quire.pages.encoding import json_lists, json_numbers, json_string
from quire.runs.contributions import MOST_TERMS, Contributions
from quire.runs.run import Run

_WHY = (
    '{"topic":%d,"other":%d,"score":%s,"other_score":%s,"terms":%s,'
    '"rest":{"terms":%d,"mine":%s,"others":%s,"evidence":%s}}'
)


class Explainer:
    """Explains documents of a run (:class:`quire.runs.contributions.Contributions` has the numbers)."""

    def __init__(self, run: Run) -> None:
        self._run, self._contributions = run, Contributions(run)
        self._written: dict[int, str] = {}  # terms as JSON, and their words where these are always the same

    def explain(self, rows: NDArray[Any], most: int = MOST_TERMS) -> list[dict[str, Any] | None]:
        """Return what each of some documents is in its topic for; None where it has none."""
        return [json.loads(why) for why in self.as_json(rows, most)]

    def as_json(self, rows: NDArray[Any], most: int = MOST_TERMS) -> list[str]:
        """Return the same as JSON: to make it of data would take several times as long."""
        why = self._contributions.reasons(rows, most)
        words = self._words_and_forms(rows, why.row, why.column)
        numbers = [*map(json_numbers, why.told[:3]), _known(why.told[3], why.weighed[why.row])]
        terms = json_lists([f"[{','.join(term)}]" for term in zip(words, *numbers)], why.sizes)
        scores = map(json_numbers, why.sums[:2])
        rest = [*map(json_numbers, why.left[:2]), _known(why.left[2], why.weighed)]
        return [
            "null" if values[0] < 0 else _WHY % values
            for values in zip(why.topic.tolist(), why.other.tolist(), *scores, terms, why.unlisted.tolist(), *rest)
        ]

    def _words_and_forms(self, rows: NDArray[Any], row: NDArray[Any], column: NDArray[Any]) -> list[str]:
        """Return terms, and the words of document ``rows[row]`` that are the term ``column``, for each pair of them."""
        plain, columns = self._contributions.plain, column.tolist()
        new = np.array(sorted(set(columns) - self._written.keys()), np.intp)
        forms = self._contributions.forms(rows, np.zeros(len(new), np.intp), new) if plain else [[]] * len(new)
        for j, some in zip(new.tolist(), forms):
            self._written[j] = json_string(short(self._run.words[j])) + (f",{_list_of(some)}" if plain else "")
        words = [self._written[j] for j in columns]
        if plain:
            return words
        forms = self._contributions.forms(rows, row, column)
        return [f"{word},{_list_of(some)}" for word, some in zip(words, forms)]


def _known(values: NDArray[np.float64], known: NDArray[np.bool_]) -> list[str]:
    return [value if is_known else "null" for value, is_known in zip(json_numbers(values), known.tolist())]


def _list_of(words: list[str]) -> str:
    return f"[{','.join(map(json_string, words))}]"
