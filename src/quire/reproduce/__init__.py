"""The papers' tables and figures, done again: one module a paper."""
