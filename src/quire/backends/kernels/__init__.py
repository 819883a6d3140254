"""Compiled loops over rows and over text, and where the compiled code is kept.

In: plain arrays and a range of rows. Out: the same arrays, changed; no objects, no threads of their own.
Above it: ``backends.cpu``, and ``text``, which counts words.
"""
