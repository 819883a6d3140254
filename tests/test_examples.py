"""Every public name has a docstring with an example, and the example runs."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import quire

MODULES = ["quire", *(m.name for m in pkgutil.walk_packages(quire.__path__, "quire."))]
NOT_PYTHON = {
    "quire.ops.betakernels",
    "quire.ops.kernels",
    "quire.ops.simd",
    "quire.ops.textkernels",
}  # machine code: tested against quire.ops.reference
COMMANDS = {  # a command's docstring is its help; test_cli and others run them
    "quire.cli",
    "quire.cli_choose",
    "quire.cli_compare",
    "quire.cli_page",
    "quire.cli_reproduce",
    "quire.cli_serve",
}


def _public():
    for name in quire.__all__:
        if not name.startswith("_"):
            yield f"quire.{name}", getattr(quire, name)
    for module_name in MODULES:
        if module_name in NOT_PYTHON | COMMANDS:
            continue
        module = importlib.import_module(module_name)
        for name, member in vars(module).items():
            mine = getattr(member, "__module__", None) == module_name
            if mine and not name.startswith("_") and (inspect.isclass(member) or inspect.isroutine(member)):
                yield f"{module_name}.{name}", member


PUBLIC = dict(_public())


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_an_example_that_runs(name):
    member = PUBLIC[name]
    assert member.__doc__, f"{name} has no docstring"
    module = inspect.getmodule(member)
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(member), {}, name, module.__file__, 0)
    assert example.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
