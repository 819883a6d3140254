"""How good the topics are, measured on labelled corpora: writes docs/quality.md."""
