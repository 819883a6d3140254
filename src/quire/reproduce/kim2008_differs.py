"""What is not as in kim2008 in several of its tables and figures."""

from __future__ import annotations

from quire.reproduce.kim2008_runs import DEFAULT

CLOCK = (
    "Times are processor seconds of one thread of today's machine; the paper's are of a 3.2 GHz Pentium 4."
)
GENERATED_ANEW = (
    "The data is generated anew from the description; the paper's own random numbers are not known."
)
MEANS = (
    "k-means is the batch algorithm from k rows drawn at random; MATLAB's kmeans can follow it with a phase "
    "that moves single rows, and the paper does not say whether it did."
)
GENERATED = [
    GENERATED_ANEW,
    MEANS,
    "A start of SNMF in which a topic dies is drawn again, at most 9 times, as the authors' program does; "
    "one of NMF is not.",
    "NMF and SNMF solve each half step exactly and extrapolate between iterations; the paper does not say "
    "when it stopped, here it is at tol = 0.0001 or after 200 iterations.",
]
CORPUS = [
    "Another cut of TDT2, with its 30 largest topics and without articles of several: the 24 topics that "
    "have 30 to 300 articles (52 to 272), where the paper had 36 (30 to 278) of the articles labelled YES.",
    "Terms are the cut's own: nothing is known of the paper's stop list or stemming, and here are more terms "
    "for as many articles.",
]
DEFAULT_ON_TEXT = (
    f"{DEFAULT} is the nmf recipe's trimming, weighting and factorization (best of 3 starts) of the same "
    "articles; its SSE is measured in the paper's tf-idf."
)
