"""The estimators: one method a file, each with the paper it comes from."""
