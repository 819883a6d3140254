"""The programs that are compared: a file a family, each used as its documentation recommends."""
