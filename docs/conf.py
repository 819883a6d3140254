"""Sphinx settings."""

import sys
from pathlib import Path

from quire import __version__

sys.path.insert(0, str(Path(__file__).parent))  # mathml.py

project = "Quire"
author = "the Quire authors"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml", "numpydoc", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
exclude_patterns = ["_build", "reproduction/reproduction.md"]
html_theme = "furo"
html_title = "Quire"
