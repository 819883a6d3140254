"""Write docs/reproduction.md from the results in docs/reproduction, which `quire reproduce` makes.

``quire reproduce all --out docs/reproduction && python docs/reproduction.py``
"""

import re
from pathlib import Path

from quire.papers.catalogue import experiments, unavailable
from quire.papers.claims import claims_of
from quire.papers.results import page

HERE = Path(__file__).parent


def reproduction() -> str:
    """Return the page, its figures found from where it lies."""
    text = page(HERE / "reproduction", list(experiments()), unavailable(), claims_of)
    return re.sub(r"\]\(([\w.-]+\.svg)\)", r"](reproduction/\1)", text)


if __name__ == "__main__":
    (HERE / "reproduction.md").write_text(reproduction(), "utf-8")
