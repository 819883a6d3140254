"""The estimators: one method a file, each with the paper it comes from.

In: X, as scikit-learn passes it or in row blocks. Out: fitted estimators with topics and memberships.
Above it: ``scores``, ``runs`` and all that is above them.
"""
