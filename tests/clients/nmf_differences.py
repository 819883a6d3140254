"""Which of scikit-learn's tests of NMF ours fail, and why.

``python tests/clients/nmf_differences.py`` writes the table of ``docs/methods.md``.
"""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "methods.md"
_MARKS = re.compile(r"(<!-- made by tests/clients/nmf_differences.py -->\n).*?(<!-- /nmf differences -->)", re.DOTALL)

# The name of a test → what is different, for somebody who would replace scikit-learn's NMF by ours.
DIFFERENCES = {
    "test_nmf_float32_float64_consistency[NMF-solver0]": 'With `solver="cd"` iterations from float32 and from '
    "float64 may end in different factors of this small X, which many factors fit exactly.",
    "test_nmf_float32_float64_consistency[MiniBatchNMF-solver2]": "As above: with one batch, ours is `quire.NMF`.",
    "test_nmf_minibatchnmf_equivalence[2]": "Where all documents are one batch, ours is `quire.NMF` with its default "
    'solver, coordinate descent, not `solver="mu"`; for the other losses they are the same.',
    "test_minibatch_nmf_partial_fit": "It goes through other rows with `partial_fit` than with `fit`, and passes in "
    "scikit-learn since both models write into the one array H that they were given. Ours leave that as it is.",
    **dict.fromkeys(
        ("test_nmf_multiplicative_update_sparse[csr_matrix]", "test_nmf_multiplicative_update_sparse[csr_array]"),
        "Losses other than Frobenius are extrapolated, and Kullback–Leibler, whose steps are quick, takes two of W at "
        "a time, and steps of Itakura–Saito go twice as far: "
        "after 20 iterations β = 1 and β = 0.99999 are not equally far. With `accelerate=False` they are.",
    ),
}

# Those that fail with the lowest versions alone: the same, of tests that newer versions pass or no longer have.
LOWEST = {
    **dict.fromkeys(
        [
            f"test_nmf_sparse_input[{alpha}-0.0-{form}-{model}]"
            for alpha in ("0.0", "same")
            for form in ("csc_matrix", "csc_array", "csr_matrix", "csr_array")
            for model in ("NMF-solver0", "MiniBatchNMF-solver2")
        ],
        "With the lowest versions alone: weights of a dense and of a sparse X are the same to 1e-6, not to 1e-7.",
    ),
    **dict.fromkeys(
        [f"test_NMF_inverse_transform_Xt_deprecation[{model}]" for model in ("NMF", "MiniBatchNMF")],
        "Of older versions alone: `Xt`, an old name of the argument of `inverse_transform`, is not taken.",
    ),
}


def written(page: str) -> str:
    """Return a page with the table between its marks."""
    rows = [("scikit-learn's test", "what is different"), ("---", "---")]
    rows += [(f"`{name}`", reason) for name, reason in DIFFERENCES.items()]
    rows += dict.fromkeys((f"`{name.split('[')[0]}`", reason) for name, reason in LOWEST.items())
    table = "\n".join(f"| {test} | {reason} |" for test, reason in rows)
    return _MARKS.sub(lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
