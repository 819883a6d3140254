"""All commands of ``quire``, a line each."""

from __future__ import annotations

from cyclopts import App

from quire import __version__
from quire.cli.assign import assign
from quire.cli.choose import choose
from quire.cli.classes import classes
from quire.cli.cluster import cluster
from quire.cli.compare import compare
from quire.cli.completion import add_completion
from quire.cli.demo import demo
from quire.cli.doctor import doctor
from quire.cli.edit import edit
from quire.cli.evaluate import evaluate
from quire.cli.explain import explain
from quire.cli.export import export
from quire.cli.ls import ls
from quire.cli.page import page
from quire.cli.recipes import recipes
from quire.cli.reproduce import reproduce
from quire.cli.serve import serve
from quire.cli.show import show
from quire.cli.topics import topics
from quire.cli.tree import tree
from quire.cli.update import update
from quire.cli.warm import warm

app = App(
    name="quire",
    help="Gather documents into topics with non-negative matrix factorization.",
    version=__version__,
    suppress_keyboard_interrupt=False,
)
for command in (
    cluster, page, serve, edit, compare, choose, show, ls, topics, tree, explain, assign, update, export, evaluate,
    classes, recipes, reproduce, demo, doctor, warm,
):  # fmt: skip
    app.command(command)
add_completion(app)
