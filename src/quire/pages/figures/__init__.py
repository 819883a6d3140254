"""Figures of a run for a paper or a notebook, one a file."""
