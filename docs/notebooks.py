"""Draw the figures of docs/notebooks.md: those of the demo's run, or of the run in a folder that is named."""

import sys
from pathlib import Path

import quire
from quire.studies.figures import svg_of

FOLDER = Path(__file__).parent / "notebook"


def main() -> None:
    """Write the figures."""
    if len(sys.argv) > 1:
        run = quire.load(sys.argv[1])
    else:
        from quire.cli.docstrings import demo_corpus

        run = quire.cluster(demo_corpus(), 24, random_state=0)
    FOLDER.mkdir(exist_ok=True)
    for name, figure in {"topics": run.topics_plot(), "stream": run.stream()}.items():
        (FOLDER / f"{name}.svg").write_text(svg_of(figure), "utf-8")
    run.map().savefig(FOLDER / "map.png", dpi=100)


if __name__ == "__main__":
    main()
