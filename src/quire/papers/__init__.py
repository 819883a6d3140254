"""The tables and figures of the papers, done again: one module a paper.

In: a folder of corpora. Out: results with the paper's numbers beside ours, as JSON, SVG and a page.
Above it: ``cli``, whose ``quire reproduce`` asks for it.
"""
