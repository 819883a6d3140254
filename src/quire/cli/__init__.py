"""The ``quire`` command: one file a command.

In: what was typed. Out: calls of the packages below, and what is printed of their answers.
Nothing is above it.
"""
