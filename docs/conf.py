"""Sphinx settings."""

from quire import __version__

project = "Quire"
author = "the Quire authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "numpydoc", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
exclude_patterns = ["_build", "reproduction/reproduction.md"]
html_theme = "furo"
html_title = "Quire"
