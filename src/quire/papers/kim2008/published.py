"""What is not as in kim2008 in several of its tables and figures."""

from __future__ import annotations

from quire.papers.kim2008.runs import DEFAULT

CLOCK = "Times are processor seconds of one thread of today's machine; the paper's are of a 3.2 GHz Pentium 4."
GENERATED_ANEW = "The data is generated anew from the description; the paper's own random numbers are not known."
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
DEFAULT_ON_ROWS = (
    f"{DEFAULT} is no method of the paper: what a user gets from these rows without choosing a recipe, a fifth of "
    "the others' runs, each of which is a consensus of 15."
)
DEFAULT_ON_TEXT = f"{DEFAULT_ON_ROWS} Its SSE is measured in the paper's tf-idf."


SYNTHETIC_K = tuple(range(3, 31))
TEXT_K = (3, 6, 9, 12, 15, 18)

TABLE1 = {  # k = 3 … 30: optimal assignments out of 100 trials
    "K-means": (53, 37, 13, 3, 4, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    "SNMF": (
        100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 99, 95, 97, 94,
        88, 77, 71, 72, 52, 51, 31, 41, 27, 24, 17, 14, 7, 10,
    ),
    "NMF": (
        69, 62, 66, 65, 72, 66, 74, 63, 67, 68, 64, 43, 44, 32,
        38, 32, 24, 39, 26, 21, 17, 23, 13, 14, 11, 16, 10, 8,
    ),
}  # fmt: skip

TABLE2_DATA = {  # k: dimension, articles
    3: (4686.5, 306), 6: (6844, 519.1), 9: (9136.5, 874.4),
    12: (10194, 1088.9), 15: (11822, 1432.6), 18: (13307, 1694.2),
}  # fmt: skip
TABLE2_TIME = {  # seconds, k = 3 … 18
    "NMF": (8.39, 34.86, 94.93, 163.76, 350.82, 604.32),
    "SNMF": (16.17, 56.12, 123.9, 228.85, 404.82, 635.17),
    "K-means": (14.18, 150.97, 463.82, 1125.08, 2238.27, 3363.71),
}
TABLE2_SSE = {
    "NMF": (273.74, 444.77, 742.52, 907.32, 1191.68, 1395.03),
    "SNMF": (273.91, 445, 742.52, 907.51, 1192.05, 1397.04),
    "K-means": (274.37, 445.21, 743.23, 908.92, 1193.31, 1397.71),
}

TABLE3 = {  # purity: k = 3 … 18, each avg, max, min
    "NMF": (
        (0.99, 0.99, 0.99), (0.96, 0.99, 0.9), (0.95, 0.97, 0.92),
        (0.94, 0.97, 0.92), (0.94, 0.96, 0.91), (0.94, 0.96, 0.91),
    ),
    "SNMF": (
        (0.98, 0.99, 0.93), (0.95, 0.98, 0.9), (0.95, 0.98, 0.92),
        (0.94, 0.98, 0.91), (0.93, 0.96, 0.9), (0.93, 0.96, 0.9),
    ),
    "K-means": (
        (0.95, 0.98, 0.83), (0.89, 0.96, 0.82), (0.88, 0.93, 0.81),
        (0.86, 0.9, 0.8), (0.83, 0.88, 0.79), (0.83, 0.86, 0.78),
    ),
}  # fmt: skip
TABLE4 = {  # entropy: k = 3 … 18, each avg, max, min
    "NMF": (
        (0.04, 0.04, 0.04), (0.06, 0.13, 0.03), (0.07, 0.1, 0.04),
        (0.07, 0.09, 0.05), (0.07, 0.1, 0.05), (0.07, 0.09, 0.05),
    ),
    "SNMF": (
        (0.05, 0.13, 0.04), (0.07, 0.14, 0.04), (0.07, 0.1, 0.03),
        (0.07, 0.1, 0.04), (0.07, 0.1, 0.04), (0.08, 0.1, 0.05),
    ),
    "K-means": (
        (0.14, 0.32, 0.1), (0.15, 0.24, 0.09), (0.15, 0.2, 0.1),
        (0.16, 0.2, 0.13), (0.17, 0.2, 0.13), (0.16, 0.2, 0.14),
    ),
}  # fmt: skip

TABLE5 = (151, 70, 126, 125, 79)  # articles of each topic
TABLE6 = (126, 83, 119, 125, 50)

TABLE7_COLUMNS = ("preference", "SSE", "purity", "entropy", "time, all runs", "time a run", "runs")
TABLE7 = {
    3: (-13.81, 274.4, 0.96, 0.12, 19.58, 5.02, 3.2),
    6: (-12.47, 445.02, 0.96, 0.09, 52.68, 12.24, 3.7),
    9: (-15.21, 741.96, 0.95, 0.09, 177.98, 34.44, 4.5),
    12: (-14.65, 906.76, 0.96, 0.08, 256.99, 58.34, 3.9),
    15: (-16.61, 1191.36, 0.94, 0.09, 512.35, 84.89, 5.2),
    18: (-16.53, 1394.02, 0.95, 0.08, 611.54, 113.09, 4.6),
}

BETA_COLUMNS = ("time", "SSE", "purity", "zeros in W, %", "‖X − WH‖")
TABLE8 = {  # β: time, SSE, purity, sparsity in %, and what is headed ‖A − WHᵀ‖²
    0.001: (70.42, 13975, 0.97, 93.11, 112.23),
    0.01: (30.26, 14633, 0.97, 93.13, 114.67),
    0.05: (16.56, 13415, 0.98, 93.27, 110.24),
    0.1: (14, 11354, 0.99, 93.32, 103.19),
    0.2: (9.27, 10722, 0.99, 93.19, 102.05),
    0.3: (7.99, 10282, 1, 93.25, 100.39),
    0.4: (7.19, 9925.7, 1, 93.31, 98.86),
    0.5: (6.78, 10303, 1, 93.19, 101.52),
    0.6: (6.2, 11015, 0.99, 93.12, 104.31),
    0.7: (5.82, 10759, 0.99, 93.20, 103.29),
    0.8: (5.64, 11016, 0.99, 93.20, 103.69),
    0.9: (5.8, 11504, 0.99, 93.14, 105.74),
    1.0: (5.65, 11829, 0.99, 92.98, 107.63),
    2.0: (5.16, 15557, 0.97, 92.43, 129.56),
    3.0: (4.23, 21405, 0.93, 91.63, 155.55),
    4.0: (3.53, 28260, 0.89, 90.81, 189.31),
    5.0: (3.34, 31744, 0.87, 90.48, 205.03),
}
TABLE9 = {
    0.001: (363.9, 742.26, 0.95, 53.25, 26.84),
    0.01: (203.27, 742.47, 0.95, 63.79, 26.85),
    0.05: (142.72, 742.21, 0.95, 74.25, 26.86),
    0.1: (132.77, 742.42, 0.95, 78.32, 26.87),
    0.2: (133.89, 742.93, 0.95, 81.66, 26.9),
    0.3: (126.02, 743.15, 0.94, 83.14, 26.92),
    0.4: (130.58, 743.52, 0.94, 84.20, 26.95),
    0.5: (141.78, 744.13, 0.94, 84.82, 26.97),
    0.6: (142.75, 743.52, 0.94, 85.45, 26.98),
    0.7: (130.15, 745.64, 0.93, 85.75, 27.03),
    0.8: (129.23, 746.2, 0.93, 86.08, 27.06),
    0.9: (116.12, 747.15, 0.93, 86.18, 27.09),
    1.0: (138.5, 746.21, 0.93, 86.42, 27.09),
    2.0: (52.89, 769.73, 0.78, 86.13, 27.83),
    3.0: (30.11, 784.87, 0.68, 86.54, 28.45),
    4.0: (26.35, 791.13, 0.63, 87.28, 28.8),
    5.0: (25.61, 795.87, 0.61, 87.83, 29.01),
}
