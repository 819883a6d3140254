"""A corpus in row blocks: on disk where it is larger than memory, or on the workers of a cluster."""
