"""Sections of the page that a run may have: one a file, all of them by name in ``registry``."""
