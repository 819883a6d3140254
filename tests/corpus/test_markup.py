"""Subtitles, LaTeX, Markdown and reStructuredText: their words, and soon, whatever they hold."""

import pytest

from quire import read_corpus

SRT = "\ufeff1\n00:00:01,000 --> 00:00:02,500\n<i>Hello</i> moon\n\n"
SRT += "2\n00:00:03,000 --> 00:00:04,000\nHello moon\nand goal\n"
VTT = """WEBVTT - a title

NOTE not this

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.000 align:start
<v Ann>Hello <00:01.500><c>moon</c>

00:02.000 --> 00:03.000
Hello moon
"""
TEX = r"""\documentclass{article}\usepackage[utf8]{inputenc}
\title{The \emph{Moon}}
\begin{document}\maketitle
\section{One goal} % a remark
Some \textbf{bold} text~\cite[p.~3]{key} with $x^2 + y$ and 50\% of it \ref{fig}.
\begin{equation} E = mc^2 \end{equation}
\begin{itemize}\item first \item second\end{itemize}
\end{document} not this"""
MARKDOWN = """---
title: "Named so"
tags: [no]
---
# Heading #

A [link](https://example.org/x "t") and ![picture](a.png), **bold** and _slanted_ words, snake_case too.

> quoted

```python
code = 1
```
[ref]: https://example.org
<!-- not this -->
"""
REST = """Heading
=======

.. image:: a.png
   :alt: no

See :ref:`the moon <moon>` and ``code`` or `a link <https://example.org>`_, **bold**.

.. _target: https://example.org
"""
WORDS = {
    "a.srt": (SRT, "Hello moon\nand goal", "a.srt"),
    "a.vtt": (VTT, "Hello moon", "a.vtt"),
    "a.tex": (TEX, "One goal", "The Moon"),
    "a.md": (MARKDOWN, "Heading", "Named so"),
    "a.rst": (REST, "Heading", "Heading"),
}


def read_one(tmp_path, name, raw):
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / "docs" / name).write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    (row,) = read_corpus(tmp_path / "docs").documents.rows(named=True)
    return row


@pytest.mark.parametrize("name", WORDS)
def test_words_without_signs(tmp_path, name):
    raw, begins, title = WORDS[name]
    row = read_one(tmp_path, name, raw)
    assert row["text"].startswith(begins)
    assert row["title"] == title
    assert not any(sign in row["text"] for sign in ("\\", "**", "http", "-->", "`", "not this", "{", "::", "mc^2"))
    assert row["text"] == read_one(tmp_path, name, raw.replace("\n", "\r\n"))["text"]


def test_the_words_are_all_there(tmp_path):
    text = read_one(tmp_path, "a.tex", TEX)["text"]
    assert " ".join(text.split()) == "One goal Some bold text with and 50 of it . first second"


def test_markdown_keeps_its_words(tmp_path):
    text = " ".join(read_one(tmp_path, "a.md", MARKDOWN)["text"].split())
    assert text == "Heading A link and picture, bold and slanted words, snake_case too. quoted code = 1"


def test_rest_keeps_its_words(tmp_path):
    text = " ".join(read_one(tmp_path, "a.rst", REST)["text"].split())
    assert text == "Heading See the moon and code or a link , bold."


TRAPS = ["[" * 200_000, "<!--" * 50_000, "\n" * 200_000, "`" * 200_000, "$" * 199_999, "\\[" * 100_000, "{" * 200_000,
         " " * 200_000 + "x", "\\begin{equation}" * 20_000, "*" * 200_000, ".. " * 70_000, "#" * 200_000, "%" * 200_000,
         "\\cite[" * 40_000, "00:00:00,000 --> " * 10_000, "=" * 200_000, "<a" * 100_000, "![](" * 50_000]  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_signs_without_end_are_read_soon(tmp_path, name):
    for trap in TRAPS:
        read_one(tmp_path, name, trap)


@pytest.mark.parametrize("name", WORDS)
def test_truncated_and_wrong(tmp_path, name):
    raw = WORDS[name][0]
    read_one(tmp_path, name, raw[: len(raw) // 2])
    with pytest.raises(ValueError, match="binary"):
        read_one(tmp_path, name, b"\0\1\2" * 100)


def test_tables_and_targets_of_latex_are_no_words(tmp_path):
    (tmp_path / "a.tex").write_text(
        r"\hypertarget{intro}{\section{Moon}\label{intro}} text"
        "\n" + r"\begin{longtable}[]{@{}ll@{}} a & b \\ \end{longtable}"
    )
    assert read_corpus(tmp_path).documents["text"].to_list() == ["Moon text"]


def test_accents_of_latex_and_tags_in_markdown(tmp_path):
    (tmp_path / "a.tex").write_text(
        r"Caf\'e, \`{a} la carte, M{\"u}ller and M\"uller, gar\c{c}on, \v{S}koda, Stra{\ss}e, \ae ra, na\"{\i}ve \c no"
    )
    (tmp_path / "b.md").write_text("One<br>two <div class='x'>three</div>, <https://example.org/a> a < b and b > a")
    texts = dict(read_corpus(tmp_path).documents.select("id", "text").rows())
    assert texts["a.tex"].startswith("Café, à la carte, Müller and Müller, garçon, Škoda, Straße, æra, naïve")
    assert texts["b.md"].split() == ["One", "two", "three", ",", *["a", "<", "b", "and", "b", ">", "a"]]
