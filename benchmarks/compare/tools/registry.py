"""All tools by name, and those that could not be tried, with the reason."""

from __future__ import annotations

from benchmarks.compare.task import Tool
from benchmarks.compare.tools import (
    of_bertopic,
    of_corex,
    of_ctm,
    of_enstop,
    of_gensim,
    of_quire,
    of_sklearn,
    of_tomotopy,
    of_top2vec,
    of_turftopic,
)

FILES = (
    of_quire,
    of_bertopic,
    of_turftopic,
    of_ctm,
    of_top2vec,
    of_sklearn,
    of_gensim,
    of_tomotopy,
    of_enstop,
    of_corex,
)
TOOLS: dict[str, Tool] = {tool.name: tool for file in FILES for tool in file.TOOLS}
ABSENT = {"GSDMM": "the package index has no release of it, under this name or one like it, only a repository"}
