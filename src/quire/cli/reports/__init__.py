"""What commands print: tables and sentences for a terminal.

In: a run, a choice, scores, a comparison. Out: what rich can print; nothing is computed here.
Above it: the commands of ``cli``.
"""
