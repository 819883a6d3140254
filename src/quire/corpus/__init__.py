"""Documents from anywhere: files, folders, tables, frames, matrices, standard input.

In: a source and the names of its columns. Out: a corpus, whole or in parts, with notes of what was done.
Above it: ``runs`` and all that is above it.
"""
