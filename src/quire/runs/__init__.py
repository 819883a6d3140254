"""From documents to a run and back: options, recipes, the stages, the folder on disk.

In: documents, options, a recipe. Out: a run, in memory or as a folder that repeats it.
Above it: ``studies``, ``papers``, ``pages`` and ``cli``.
"""
