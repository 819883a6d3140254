"""A run for other programs: one format a file, all of them by name in ``registry``."""
