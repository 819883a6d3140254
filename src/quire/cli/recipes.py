"""``quire recipes``: the recipes that come with Quire."""

from __future__ import annotations

from quire.cli.terminal import clean_console


def recipes() -> None:
    """List the recipes, with the paper that each comes from."""
    from rich.table import Table

    from quire.runs.recipe import built_in

    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("Recipe", style="bold", no_wrap=True)
    table.add_column("What it does", ratio=3)
    table.add_column("From", ratio=2, style="dim")
    for name, recipe in built_in().items():
        table.add_row(name, recipe.about, recipe.paper)
    clean_console().print(table)
