"""The text of an HTML page: what its reader sees."""

from __future__ import annotations

import html
import re
from collections import Counter

from quire.corpus.encodings import Decoded, decode

UNSEEN = ["script", "style", "template", "noscript", "head"]
BLOCKS = (
    "address,article,aside,blockquote,br,button,caption,center,dd,details,dialog,dir,div,dl,dt,fieldset,"
    "figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,img,input,legend,li,main,menu,nav,ol,optgroup,"
    "option,p,pre,search,section,select,summary,table,tbody,td,textarea,tfoot,th,thead,tr,ul"
)
CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# A comment, a declaration, or a tag with whatever its quotes hold; nothing that is looked at twice.
TAG = re.compile(
    r"""<!--.*?(?:-->|\Z)|<[!?][^>]*>?|<(?P<end>/?)(?P<name>[a-zA-Z][^\s/<>]*)(?:[^"'<>]+|"[^"]*"|'[^']*')*>?""",
    re.DOTALL,
)
# Elements that need no end tag, so that they do not nest.
ENDLESS = (
    "area,base,br,col,colgroup,dd,dt,embed,head,hr,img,input,li,link,meta,optgroup,option,p,param,rp,rt,source,tbody,td,"
    "tfoot,th,thead,tr,track,wbr"
)
FORMATTING = (
    "a,b,big,code,em,font,i,nobr,s,small,strike,strong,tt,u"  # what an element that ends leaves open for the next
)
_SMALL = 100_000  # characters, with which a page cannot take long
_DEEP = 1000  # elements inside each other: browsers have 512
_LONG = 20_000  # characters of a tag
_OPENED_AGAIN = 5_000_000  # formatting elements


def html_to_text(page: str, left: str = "") -> tuple[str, str | None]:
    r"""Return what a reader of an HTML page sees, and the page's title.

    Scripts, styles, templates and ``noscript`` are left out; block elements and line breaks end a line, so
    that they separate words, while inline elements do not. Elements of the selector ``left`` are left out, too, but
    from a page that is read tag by tag.
    """
    text, title = _without_tags(page) if len(page) > _SMALL and is_tangled(page) else _parsed(page, left)
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line), " ".join(title.split()) or None


def is_tangled(page: str) -> bool:
    """Say whether a parser would take minutes, or a tree all memory.

    Its time goes by the squares of the depth and of a tag's attributes, and what formats is in every block again.
    """
    endless, formats = set(ENDLESS.split(",")), set(FORMATTING.split(","))
    opened: Counter[str] = Counter()
    depth = formatting = again = 0
    for tag in TAG.finditer(page):
        name = (tag["name"] or "").lower()
        if not name:
            continue
        step = (1 if not tag["end"] else -1 if opened[name] else 0) * (name not in endless)
        opened[name] += step
        depth += step
        formatting += step * (name in formats)
        again += formatting
        if depth > _DEEP or again > _OPENED_AGAIN or tag.end() - tag.start() > _LONG:
            return True
    return False


def _parsed(page: str, left: str = "") -> tuple[str, str]:
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(page)
    title = tree.css_first("title")
    name = title.text(deep=True) if title is not None else ""
    tree.strip_tags(UNSEEN)
    for quoted in reversed(tree.css(left) if left else []):  # those inside others first
        quoted.decompose()
    for block in tree.css(BLOCKS):
        block.insert_before("\n")
        block.insert_after("\n")
    root = tree.root
    return root.text(deep=True, separator="") if root is not None else "", name


def _without_tags(page: str) -> tuple[str, str]:
    """Read a page tag by tag, without a tree."""
    blocks, apart = set(BLOCKS.split(",")), {*UNSEEN, "title"} - {"head"}
    seen, title, inside, at = list[str](), list[str](), "", 0
    for tag in TAG.finditer(page):
        name = (tag["name"] or "").lower()
        if inside in ("", "title"):
            (title if inside else seen).append(page[at : tag.start()])
        if name == inside and tag["end"]:
            inside = ""
        elif not inside and name in apart and not tag["end"]:
            inside = name
        elif not inside and name in blocks:
            seen.append("\n")
        at = tag.end()
    if not inside:
        seen.append(page[at:])
    return html.unescape("".join(seen)), html.unescape("".join(title))


def decode_html(raw: bytes, fallback: str) -> Decoded:
    """Return an HTML page as text, in the encoding that it declares where it is not UTF-8."""
    decoded = decode(raw, fallback)
    declared = CHARSET.search(raw[:4096])
    if decoded.replaced and declared:
        try:
            name = declared.group(1).decode("ascii")
            return Decoded(raw.decode(name), name, 0)
        except (LookupError, UnicodeError):  # unknown, or not what the page is in
            return decoded
    return decoded
