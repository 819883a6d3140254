"""Imports point one way: a module may import only from layers below its own."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "quire"
LAYERS = [  # top to bottom; modules in one line do not know each other
    {"cli"},
    {"report", "demo"},
    {"topics"},
    {"nmf"},
    {"estimator"},
    {"start"},
    {"factorization", "check"},
    {"rules.hals"},
    {"rules.rule", "rules"},
    {"ops.cpu", "ops.reference"},
    {"ops.csr"},
    {"ops.compiled", "ops.threads", "ops.memory", "ops.matrix"},
    {"ops.kernels"},
    {"ops.simd"},
    {"ops"},
    {"_version"},
]


def _modules():
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(p for p in parts if p != "__init__")
        if name:  # the package itself imports everything, lazily
            yield name, path


def _imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("quire"):
            module = node.module.removeprefix("quire").removeprefix(".")
            names = [f"{module}.{a.name}".removeprefix(".") for a in node.names]
            known = {name for name, _ in _modules()}
            yield from (name if name in known else module for name in names)


def test_every_module_has_a_layer():
    assert {name for name, _ in _modules()} == set().union(*LAYERS)


@pytest.mark.parametrize(("name", "path"), list(_modules()))
def test_imports_point_down(name, path):
    depth = {module: i for i, layer in enumerate(LAYERS) for module in layer}
    for imported in _imports(path):
        assert depth[imported] > depth[name], f"{name} imports {imported}, which is not below it"
