"""Quire beside the programs that a user would pick instead: ``make compare``."""
