"""One update rule a file: what a half step does to one factor.

In: small dense things, which are products with X, Gram matrices and a factor. Out: the factor's next rows.
Above it: the loop of ``engine``, and ``methods``, which choose among them.
"""
