"""Small files of the kinds that are documents, made byte by byte."""

import datetime
import email.message
import struct

from spreadsheets import OASIS, ole, zipped

CORE = '<cp:p xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Moon</dc:title></cp:p>'


def odt(before="", text="One &amp; <text:span>two</text:span>"):
    spaces = f'xmlns:office="{OASIS}office:1.0" xmlns:text="{OASIS}text:1.0"'
    note = "<office:annotation><text:p>not this</text:p></office:annotation>"
    body = f"<text:h>Head</text:h><text:p>{text}{note}<text:s/>three<text:tab/>four</text:p>"
    content = f"{before}<office:document-content {spaces}><office:body>{body}</office:body></office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, "meta.xml": CORE})


def pptx(before="", text="slide"):
    spaces = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="p"'

    def slide(words):
        return f"{before}<p:sld {spaces}><a:p><a:r><a:t>{words}</a:t></a:r><a:r><a:t> more</a:t></a:r></a:p></p:sld>"

    slides = {f"ppt/slides/slide{n}.xml": slide(f"{text} {n}") for n in (10, 2, 1)}
    return zipped({**slides, "docProps/core.xml": CORE})


def epub(before="", text="Chapter &nbsp;two", href="a%201.xhtml"):
    container = f'{before}<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>'
    kind = 'media-type="application/xhtml+xml"'
    items = f'<item id="a" href="{href}" {kind}/><item id="b" href="text/b.xhtml" {kind}/>'
    items += '<item id="c" href="c.png" media-type="image/png"/>'
    order = '<itemref idref="b"/><itemref idref="a"/><itemref idref="c"/>'
    metadata = '<metadata xmlns:dc="d"><dc:title>The Moon</dc:title></metadata>'
    return zipped(
        {
            "META-INF/container.xml": container,
            "OEBPS/b.opf": f"<package>{metadata}<manifest>{items}</manifest><spine>{order}</spine></package>",
            "OEBPS/a 1.xhtml": f"<html><head><title>no</title></head><body><p>{text}</p></body></html>",
            "OEBPS/text/b.xhtml": "<html><body><h1>Chapter one</h1></body></html>",
        }
    )


def rtf(before="", text="One\\par two"):
    return rf"{{\rtf1\ansi{{\fonttbl\f0 Arial;}}{{\info{{\title The Moon}}}}\f0 {before}{text} caf\'e9\par}}".encode()


TEI = """{before}<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>
<titleStmt><title>The Moon</title></titleStmt>
<sourceDesc><bibl><date when="1869-05">1869</date></bibl></sourceDesc></fileDesc></teiHeader>
<text><body><div><head>One</head><p>{text} <hi>more</hi></p></div></body></text></TEI>"""


def tei(before="", text="Some words"):
    return TEI.format(before=before, text=text).encode()


RECORDS = """<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE posts SYSTEM "posts.dtd">
<posts site="x"><about>caf\xe9</about>{rows}</posts>"""


def records(n=20):
    rows = "".join(
        f'<post id="p{i}"><title>Nr. {i}</title><body lang="en">text <b>{i}</b>&nbsp;caf\xe9</body></post>'
        for i in range(n)
    )
    return RECORDS.format(rows=rows).encode("latin-1")


REPLY = f"""I think the moon is fine.

On Mon, 5 Feb 2024 at 10:00, Bob Builder
<bob@example.org> wrote:
> Is the moon fine?
>> Old.

Regards
--{" "}
Ann
Phone 123
"""


def message(subject="Moon", body=REPLY, html=None, **headers):
    made = email.message.EmailMessage()
    made["From"], made["Subject"], made["Date"] = "Ann Ä <ann@example.org>", subject, "Tue, 6 Feb 2024 12:00:00 +0200"
    for name, value in headers.items():
        made[name] = value
    made.set_content(body)
    if html is not None:
        made.add_alternative(html, subtype="html")
    made.add_attachment(b"secret words", maintype="text", subtype="plain", filename="a.txt")
    return made.as_bytes()


def mailbox(n=3):
    letters = (message(f"Nr. {i}", f"text {i}\n\nFrom here on\n>From there\n") for i in range(n))
    return b"".join(b"From ann@example.org Tue Feb  6 10:00:00 2024\n" + one + b"\n" for one in letters)


def msg(subject="Moon"):
    text = {"0037001F": subject, "1000001F": REPLY.replace("\n", "\r\n"), "0C1A001F": "Ann"}
    streams = {f"__substg1.0_{name}": value.encode("utf-16-le") for name, value in text.items()}
    sent = (datetime.datetime(2024, 2, 6, 10) - datetime.datetime(1601, 1, 1)) // datetime.timedelta(microseconds=1)
    streams["__properties_version1.0"] = bytes(32) + struct.pack("<IIQ", 0x00390040, 6, 10 * sent)
    return ole(streams)
