"""The README as a package index shows it: there is no folder beside it for links to lead to.

Where ``[project.urls]`` of pyproject.toml has a ``Source``, links and pictures are made absolute with it; as long as it
has none, links become their text and pictures are left out, rather than being broken.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?://)[^)]+\)")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#|mailto:)([^)]+)\)")


def for_an_index(readme: str, source: str | None) -> str:
    """Return the text with links that work anywhere."""
    if source is not None:
        raw = f"{source.rstrip('/')}/raw/main/"
        readme = _PICTURE.sub(lambda found: found[0].replace("](", f"]({raw}"), readme)
        return _LINK.sub(lambda found: _absolute(found, f"{source.rstrip('/')}/blob/main/"), readme)
    return _LINK.sub(r"\1", _without_pictures(readme))


def _absolute(found: re.Match[str], base: str) -> str:
    return f"[{found[1]}]({base}{found[2]})"


def _without_pictures(readme: str) -> str:
    """Leave out pictures, and tables of nothing else with what stands above them."""
    blocks = re.split(r"\n{2,}", readme)
    kept = []
    for block in blocks:
        bare = _PICTURE.sub("", block)
        if bare != block and (block.startswith("|") or not bare.strip()):
            continue
        kept.append(bare)
    return "\n\n".join(kept)


class CustomMetadataHook(MetadataHookInterface):
    """What hatchling calls when it builds a distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description that an index shows."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        source = metadata.get("urls", {}).get("Source")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_an_index(text, source)}
