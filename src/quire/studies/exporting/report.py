"""The topics of a run as a document to read, to send and to print."""

from __future__ import annotations

from pathlib import Path, PurePath

from quire.runs.folder import write_file
from quire.runs.html import heading, line, run_html, text_of
from quire.runs.run import Run

_STYLE = """
:root { color-scheme: light dark }
body { font: 11pt/1.45 Georgia, serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem }
section { break-inside: avoid; margin-top: 1.6rem }
table { font-size: .92em }
@media print { body { margin: 0; max-width: none } }
"""


def write_report(run: Run, path: Path) -> None:
    """Write one HTML file: the table of topics, then a card of each; it runs no script and fetches nothing."""
    source = str(run.info["corpus"].get("source") or "")
    title = f"Topics of {PurePath(source).name or source or 'a collection'}"
    cards = "".join(f"<section>{run.topic(t)._repr_html_()}</section>" for t in range(len(run.topics)))
    made = line(f"Made by Quire {run.info.get('quire', '')} on {str(run.info.get('created', ''))[:10]}.")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    write_file(
        path,
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{text_of(title)}</title>'
        f"<style>{_STYLE}</style></head>"
        f"<body><h1>{text_of(title)}</h1>{made}{run_html(run)}{heading('Topic by topic')}{cards}</body></html>\n",
    )
