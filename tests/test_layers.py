"""Imports point one way: a package may import only those that stand below it, down one list."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "quire"
PACKAGES = [  # top to bottom
    "cli",
    "pages",
    "papers",
    "studies",
    "runs",
    "scores",
    "methods",
    "engine",
    "text",
    "corpus",
    "backends",
    "places",
    "messages",
]
MODULES = {
    ".".join(part for part in path.relative_to(SOURCE).with_suffix("").parts if part != "__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}
MODULES.pop("")  # the package itself imports everything, lazily


def _imports(name):
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.Import):
            yield from (a.name.removeprefix("quire.") for a in node.names if a.name.startswith("quire."))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} uses a relative import, which this test does not follow"
            if (node.module or "").split(".")[0] == "quire":
                module = node.module.removeprefix("quire").removeprefix(".")
                names = [f"{module}.{a.name}".removeprefix(".") for a in node.names]
                yield from (found for one in names if (found := one if one in MODULES else module))


def test_the_root_is_this_list():
    entries = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert entries == {"__init__", *PACKAGES}
    assert len(entries) <= 14


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name):
    own = PACKAGES.index(name.split(".")[0])
    for imported in _imports(name):
        assert PACKAGES.index(imported.split(".")[0]) >= own, f"{name} imports {imported}, from above"


def test_no_module_imports_itself_by_a_detour():
    """Inside a package the order is its own, but there is one: no circle of imports anywhere."""
    below = {name: set(_imports(name)) for name in MODULES}
    done = set()

    def visit(name, path):
        assert name not in path, f"a circle: {' → '.join([*path[path.index(name) :], name])}"
        if name not in done:
            for imported in below.get(name, ()):
                visit(imported, [*path, name])
            done.add(name)

    for name in MODULES:
        visit(name, [])
