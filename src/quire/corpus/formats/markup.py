"""Texts in a notation: subtitles, LaTeX, Markdown and reStructuredText, without its signs."""

from __future__ import annotations

import re
import unicodedata

from quire.corpus.formats.document import Context, Document, DocumentKind, of_text

_TIME = re.compile(r"\s*(\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}\s*-->.*")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,100}>|<[\d:.]{1,20}>|\{\\[^{}]{0,100}\}")


def subtitles_to_text(text: str) -> str:
    """Return what is said: no numbers, times, tags or notes, and no line twice in a row, as rolling captions have."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")):
        cue = block.strip().split("\n")
        if re.match(r"(WEBVTT|NOTE|STYLE|REGION)\b", cue[0]):
            continue
        at = next((i for i, line in enumerate(cue) if _TIME.fullmatch(line)), -1)
        for line in cue[at + 1 :]:
            said = _TAG.sub("", line).strip()
            if said and said != (lines[-1] if lines else None):
                lines.append(said)
    return "\n".join(lines)


_COMMENT = re.compile(r"(?<!\\)%.*")
_MATH = (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)"))
_FORMULAS = "equation|align|gather|multline|eqnarray|math|displaymath|verbatim|lstlisting|tikzpicture|tabular|longtable"
_ENVIRONMENT = re.compile(rf"\\(begin|end)\s*\{{({_FORMULAS})\*?\}}")
_POINTING = "cite[a-z]*|hypertarget|[a-z]*ref|label|input|include[a-z]*|bibliography[a-z]*|usepackage|url|[vh]space"
_DROPPED = re.compile(rf"\\({_POINTING})\*?\s*(\[[^\[\]]{{0,500}}\]\s*){{0,2}}\{{[^{{}}]{{0,2000}}\}}")
_MARKS = dict(zip("`'^\"~=.cvuHkr", map(chr, (768, 769, 770, 776, 771, 772, 775, 807, 780, 774, 779, 808, 778))))
_ACCENT = re.compile(r"\{?\\(?:([`'^\"~=.])\s?\{?\\?([A-Za-z])\}?|([cvuHkr])(?:\{\\?([A-Za-z])\}|\s+([A-Za-z])\b))\}?")
_LETTERS = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "aa": "å",
    "AA": "Å",
}
_LETTER = re.compile(rf"\{{?\\({'|'.join(_LETTERS)})(?![a-zA-Z])(?:\{{\}}|\s)?\}}?")
_COMMAND = re.compile(r"\\(begin|end)\s*\{[^{}]{0,100}\}|\\[a-zA-Z]+\*?\s?(\[[^\[\]]{0,500}\])?|\\[^a-zA-Z]")
_TITLE = re.compile(r"\\title\s*(?:\[[^\[\]]{0,500}\])?\s*\{((?:[^{}]|\{[^{}]{0,300}\}){0,1000})\}")


def read_tex(raw: bytes, context: Context) -> list[Document]:
    """Read a LaTeX file: its prose and its title, no commands, formulas or references."""
    text = _COMMENT.sub("", context.text(raw).replace("\r\n", "\n"))
    title = _TITLE.search(text)
    body = text.partition("\\begin{document}")[2].partition("\\end{document}")[0] or text
    return [Document(_prose(body), " ".join(_prose(title[1]).split()) or None if title else None)]


def _without(text: str, begin: str, end: str) -> str:
    """Return a text without what stands between two marks; one that is never closed marks nothing."""
    kept, at = list[str](), 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start + len(begin))) >= 0:
        kept.append(text[at:start])
        at = stop + len(end)
    return " ".join([*kept, text[at:]])


def _prose(text: str) -> str:
    kept, inside = list[str](), ""
    at = 0
    for mark in _ENVIRONMENT.finditer(text):
        if not inside and mark[1] == "begin":
            kept.append(text[at : mark.start()])
            inside = mark[2]
        elif inside == mark[2] and mark[1] == "end":
            inside, at = "", mark.end()
    if not inside:
        kept.append(text[at:])
    text = " ".join(kept).replace("\\$", " ")
    for begin, end in _MATH:
        text = _without(text, begin, end)
    text = _LETTER.sub(lambda one: _LETTERS[one[1]], _ACCENT.sub(_accented, _DROPPED.sub("", text)))
    text = _COMMAND.sub(" ", text).replace("~", " ").translate(dict.fromkeys(map(ord, "{}&"), " "))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _accented(mark: re.Match[str]) -> str:
    r"""Return the letter that \'e or \c{c} stands for."""
    letter = mark[2] or mark[4] or mark[5]
    return unicodedata.normalize("NFC", letter + _MARKS[mark[1] or mark[3]])


_FRONT = re.compile(r"\s*---\n(.{0,10000}?)\n---\s*\n", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\](\([^()\s]{0,2000}(\s+\"[^\"]{0,200}\")?\)|\[[^\[\]]{0,200}\])")
_TARGET = re.compile(r"(?m)^\s{0,3}\[[^\[\]]{1,200}\]:\s+\S.*$|^[ \t]{0,9}(```|~~~).*$")
_SIGNS = re.compile(
    r"(?m)^\s{0,3}#{1,6}\s+|[ \t]{1,9}#{1,9}[ \t]{0,9}$|^\s{0,3}>\s?"
    r"|(?<!\w)(\*{1,3}|_{1,3})(?=\S)|(?<=\S)(\*{1,3}|_{1,3})(?!\w)|`"
)
_MARKUP = re.compile(r"</?[a-zA-Z][\w-]{0,30}(\s[^<>]{0,500})?/?>|<(https?|mailto):[^<>\s]{0,500}>")
_HEADING = re.compile(r"(?m)^\s{0,3}#\s+(.{1,300}?)\s*#*$")


def read_markdown(raw: bytes, context: Context) -> list[Document]:
    """Read Markdown: its words, no signs, addresses or front matter; the first heading is the title."""
    text = context.text(raw).replace("\r\n", "\n")
    front = _FRONT.match(text)
    named = front and re.search(r"(?m)^title:\s*['\"]?(.{1,300}?)['\"]?\s*$", front[1])
    text = text[front.end() :] if front else text
    title = named or _HEADING.search(text)
    text = _MARKUP.sub(" ", _LINK.sub(r"\1", _without(text, "<!--", "-->")))
    plain = _SIGNS.sub("", _TARGET.sub("", text))
    return [Document(plain.strip(), title[1] if title else None)]


_RULE = re.compile(r"(?m)^([=\-~^\"'`#*+.:_])\1{2,}\s*$\n?")
_DIRECTIVE = re.compile(
    r"(?m)^[ \t]{0,99}\.\.[ \t]{1,9}(_[^\n]{1,500}:.*|\|[^\n|]{1,200}\| .*|[\w-]+::.*)$|^[ \t]{1,99}:[\w-]{1,50}:.*$"
)
_ROLE = re.compile(
    r":[\w:+-]{1,50}:`([^`<]{0,500})(<[^<>`]{0,500}>)?`|`([^`<]{0,500})<[^<>`]{0,1000}>`_{1,2}|``?([^`]{0,1000})``?_{0,2}"
)
_OVERLINED = re.compile(r"(?m)^(\S.{0,300})\n([=\-~^#*])\2{2,}\s*$")


def read_rest(raw: bytes, context: Context) -> list[Document]:
    """Read reStructuredText: its words, no rules, directives or targets; the first heading is the title."""
    text = context.text(raw).replace("\r\n", "\n")
    title = _OVERLINED.search(text)
    plain = _ROLE.sub(lambda role: next((one for one in role.group(1, 3, 4) if one), ""), _DIRECTIVE.sub("", text))
    return [Document(_RULE.sub("", plain).replace("**", "").strip(), title[1].strip() if title else None)]


SUBTITLES = DocumentKind(of_text(subtitles_to_text), (".srt", ".vtt"), "what is said")
TEX = DocumentKind(read_tex, (".tex",), "its prose")
MARKDOWN = DocumentKind(read_markdown, (".md", ".markdown"), "its words, without signs and addresses")
REST = DocumentKind(read_rest, (".rst",), "its words, without signs and addresses")
