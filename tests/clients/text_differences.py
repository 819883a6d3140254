"""What of scikit-learn's tests of ``CountVectorizer`` fails with ``Counts``, and why.

``python tests/clients/text_differences.py`` writes the table of ``docs/counts.md``.
"""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "counts.md"
BEGIN, END = "<!-- made by tests/clients/text_differences.py -->", "<!-- end -->"
_PRIVATE = "It calls a private method of scikit-learn's class. "
_STOPS = (
    _PRIVATE + "A stop list that its own words, once cut, are not in is warned of at each fit, in the same words; "
    "scikit-learn remembers the list and warns once."
)
DIFFERENCES = {
    "test_vectorizer_stop_words_inconsistent": _STOPS,
    "test_stop_word_validation_custom_preprocessor[Counts]": _STOPS,
    "test_stop_word_validation_custom_preprocessor[Tfidf]": _STOPS,
    "test_countvectorizer_sort_features_64bit_sparse_indices[csr_matrix]": (
        _PRIVATE + "Terms are sorted by compiled code, and the type of indices follows the number of entries."
    ),
}
DIFFERENCES["test_countvectorizer_sort_features_64bit_sparse_indices[csr_array]"] = DIFFERENCES[
    "test_countvectorizer_sort_features_64bit_sparse_indices[csr_matrix]"
]


def table() -> str:
    """Return the table of the documentation."""
    rows = [f"| `{test}` | {why} |" for test, why in DIFFERENCES.items()]
    return "\n".join(["| scikit-learn's test | why it fails |", "|---|---|", *rows])


def written(page: str) -> str:
    """Return the page with the table as it should be."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
