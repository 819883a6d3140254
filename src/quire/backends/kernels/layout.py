"""The numbers that kernels and their callers agree on: here, so that a caller need not import what compiles."""

from __future__ import annotations

# Of factors.
WIDTH = 8  # factors are padded to a multiple of this many topics
LANE_BYTES = 64  # one lane vector: 16 float32 or 8 float64
TILE = 4  # coordinates whose gradients are gathered together before they are updated in turn

# Of points.
CHAINS = 4  # vectors of a point that are summed apart: it is padded to as many
LEAP = 256  # points after which a sum is kept, so that few are added up again

# Of text.
LOOK = 64  # bytes seen at once, a bit each in one number
PAD = 64  # bytes to spare at the end of every buffer of text: loads reach past what they are asked for
HASHED = 32  # bytes hashed or compared at once: nearly every word, so that its length is no branch
NEWLINE = 10  # between two words
DIGIT = 11  # bits that one pass of the radix sort looks at
# Places in ``state``. ENTRIES counts over all calls, so that ``last`` tells a document from the one before.
TERMS, USED, ENTRIES, BASE, FIRST, DOCUMENT, AT, FOLDED, SHIFT, NORMAL = range(10)
ASCII, UNITS, READY = range(3)  # forms of a document: ASCII, UTF-16, words found by Python in UTF-8, a line each
TURKISH = 100  # a text in which one of so many characters, or more, is ı is in Turkish: there I is a capital ı
