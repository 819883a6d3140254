"""From files, streams and data frames to documents: one kind of input a module."""
