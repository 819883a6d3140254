"""Kinds of input, one a file: which paths or objects each takes, and how it reads them.

In: a source and what was asked for. Out: documents in parts at a place, and notes of what was done.
Above it: ``corpus.sources``, whose table lists them.
"""
