"""Photograph pages with a headless browser: ``python docs/pictures.py [NAME …]`` runs tutorials and takes pictures.

The views of the page itself (docs/page/) are taken by ``npm run screenshots`` in web/.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from blocks import apart, run_page

HERE = Path(__file__).parent
TUTORIALS = HERE / "tutorials"
# Picture: the tutorial that makes the run, the run, the view of its page.
PICTURES = {
    "survey": ("survey", "quire-survey-2023", "#/topics"),
    "news": ("news", "quire-news", "#/time"),
    "pdfs": ("pdfs", "quire-folder", "#/map"),
    "classes": ("classes", "quire-tickets", "#/classes"),
    "grows": ("grows", "library-2", "#/section-history"),
    "million": ("million", "quire-many", "#/map"),
    "wrong": ("wrong", "few", "#/topics"),
    "page": ("page", "page-to-read", "#/topics"),
    "from-gensim": ("from-gensim", "quire-news", "#/map"),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def photograph(page: Path, view: str, picture: Path, width: int = 1280, height: int = 900) -> None:
    """Open a view of a page and save what is seen."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"No browser to take pictures with: install one of {', '.join(BROWSERS)}.")
    settings = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=6000")
    size = f"--window-size={width},{height}"
    picture.parent.mkdir(exist_ok=True)
    subprocess.run(
        [browser, *settings, size, f"--screenshot={picture}", f"{page.resolve().as_uri()}{view}"],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip


def main(names: list[str]) -> None:
    """Run the tutorials and take their pictures."""
    for name, (tutorial, run, view) in PICTURES.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder) / "here"
            shutil.copytree(TUTORIALS / "data", here)
            run_page(TUTORIALS / f"{tutorial}.md", here, {}, apart)
            photograph(here / run / "page.html", view, TUTORIALS / "pictures" / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
