"""Write the table of all that can be read into README.md and docs/cluster.md, from the registries of readers."""

import re
from pathlib import Path

from quire.corpus.sources import readable

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "cluster.md")
MARKS = re.compile(r"(<!-- inputs: .*? -->\n).*?(<!-- /inputs -->)", re.DOTALL)


def written(page: str) -> str:
    """Return a page with the table between its marks."""
    rows = [("give it", "a document is"), ("---", "---"), *readable()]
    table = "\n".join(f"| {source} | {document} |" for source, document in rows)
    return MARKS.sub(lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", page)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(written(path.read_text("utf-8")), "utf-8")
