"""Replies without what they quote, and mail without signatures."""

from __future__ import annotations

import re

# What programs put around quoted mail and signatures in HTML.
QUOTED = "blockquote, .gmail_quote, .gmail_attr, .gmail_signature, .moz-cite-prefix, .moz-signature, .yahoo_quoted"
_ATTRIBUTION = re.compile(
    r"(?i).{0,300}\b(wrote|writes|said|schrieb|schreibt|a écrit|escribió|ha scritto|escreveu|skrev|schreef|napisał\w*)"
    r"\b.{0,60}:\s*"
)
_BEGINS = re.compile(r"(On|Am|Le|El|Il|Em|Den|Op|W dniu)\b")  # such a line
_ORIGINAL = re.compile(
    r"(?i)\s*-{2,}\s*(original message|original-nachricht|ursprüngliche nachricht|message d'origine|mensaje original"
    r"|messaggio originale|oorspronkelijk bericht)\s*-*\s*"
)
_FROM = re.compile(r"(?i)\*?(from|von|de|da|van|från)\s?:\*? .{2,200}")
_SENT = re.compile(r"(?i)\*?(sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden|skickat)\s?:\*? .{2,200}")
_SIGNATURE = re.compile(r"--\s*")
_SENT_FROM = re.compile(r"(?i)\s*(sent from my \w|von meinem .{1,40} gesendet|envoyé de mon ).{0,60}")


def without_quotes(text: str) -> str:
    """Return what its author wrote; all of it where nothing else would be left.

    Lines that begin with ">", the line that introduces them, and all below "-- " or an original message go.
    """
    kept: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if _SIGNATURE.fullmatch(line) or _ORIGINAL.fullmatch(line) or _SENT_FROM.fullmatch(line):
            break
        if _FROM.fullmatch(line.strip()) and any(
            _SENT.fullmatch(one.strip()) for one in lines[number + 1 : number + 4]
        ):
            break
        if not line.lstrip().startswith(">"):
            kept.append(line)
            continue
        while kept and not kept[-1].strip():
            kept.pop()
        for n in (2, 1):  # it may be broken in two
            said = " ".join(kept[-n:])
            if len(kept) >= n and _ATTRIBUTION.fullmatch(said) and (n == 1 or _BEGINS.match(said)):
                del kept[-n:]
                break
    written = "\n".join(kept).strip()
    return written or text.strip()
