"""Weightings: one family a file, all of them by name in ``registry``."""
