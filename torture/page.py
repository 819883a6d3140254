"""docs/reliability.md: what is promised, how it is tried, how often, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torture import results
from torture.case import FAILURES
from torture.parts import PARTS, Part

_HEAD = """# Reliability

What Quire promises where files are damaged, documents hostile and requests odd, how that is tried, how often, and with
what result. Made by `make torture MINUTES=60`, which runs the campaign and writes this page; `--seed` repeats one, and
a case that fails is kept in `quire-torture` with the command that repeats it. A small part of it, the same cases every
time (`python -m torture --quick`), is in `make test`.

A case is *ok* where it did what it should, a *sentence* where it was refused with one, and failed otherwise: with a
traceback, a signal (a crash in compiled code), a hang (longer than its limit, 20 seconds for most), or wrong (a
changed run that loads, a number that is not finite, an answer that is not described).
"""


def write(into: Path) -> Path:
    """Write the page beside the folder of the results."""
    path = into.parent / f"{into.name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "\n".join([_HEAD, *_summary(into), *(line for part in PARTS.values() for line in _part(part, into))])
    )
    return path


def _summary(into: Path) -> list[str]:
    lines = ["| part | tried | ok | sentence | failed | in all campaigns |", "|---|---|---|---|---|---|"]
    for part in PARTS.values():
        records = results.read(into, part.name)
        if not records:
            lines.append(f"| {part.name} | not yet | | | | |")
            continue
        last, verdicts = records[-1], records[-1]["verdicts"]
        total = f"{sum(r['tried'] for r in records):,} in {len(records)}, {sum(map(_failed, records)):,} failed"
        numbers = f"{verdicts.get('ok', 0):,} | {verdicts.get('sentence', 0):,} | {_failed(last):,}"
        lines.append(f"| {part.name} | {last['tried']:,} {part.noun} | {numbers} | {total} |")
    return lines


def _failed(record: dict[str, Any]) -> int:
    return sum(n for verdict, n in record["verdicts"].items() if verdict in FAILURES)


def _part(part: Part, into: Path) -> list[str]:
    lines = ["", f"## {part.name.capitalize()}", "", f"**Promise.** {part.promise}", "", f"**How.** {part.how}", ""]
    records = results.read(into, part.name)
    if not records:
        return [*lines, f"Not run yet; an hour should try {part.goal:,} {part.noun}.", ""]
    last = records[-1]
    facts = "".join(f", {name} {value}" for name, value in last["facts"].items())
    lines += [
        f"**Last.** {last['date']}, Quire {last['quire']}, Python {last['python']}, {last['cores']} cores, seed "
        f"{last['seed']}, {last['seconds']:,.0f} s of {last['minutes']:g} minutes: {last['cases']:,} cases, "
        f"{last['tried']:,} {part.noun}, the slowest {last['slowest']} s{facts}.",
        "",
    ]
    if last["failures"]:
        lines += ["| failed | case | what |", "|---|---|---|"]
        lines += [f"| {f['verdict']} | {_cell(f['name'])} | {_cell(f['words'])} |" for f in last["failures"][:40]]
        more = len(last["failures"]) - 40
        lines += [f"\nAnd {more:,} more." if more > 0 else "", f"Repeat one: `{last['failures'][0]['repeat']}`.", ""]
    return lines


def _cell(text: str) -> str:
    plain = "".join(c if c.isprintable() and c not in "|<>`[]" else " " for c in text)
    return f"`{plain[:120].strip()}`" if plain.strip() else ""
