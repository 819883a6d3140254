"""Update rules: one a file, each with the paper it comes from."""
