"""The explorer: a run as a page that a person understands."""
