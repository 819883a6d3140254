"""Texts → counts → X: tokens, languages, vocabulary, trimming, phrases, weights.

In: texts, or counts. Out: sparse counts with their vocabulary, or X with what undoes its weights.
Above it: ``runs`` and all that is above it; methods and engine see no words.
"""
