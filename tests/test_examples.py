"""Every public name is explained by an example that runs, and every method a public class shows by words."""

import doctest
import inspect

import pytest

import quire

PUBLIC = {name: getattr(quire, name) for name in quire.__all__ if not name.startswith("_")}


def _members():
    for name, shown in PUBLIC.items():
        if inspect.isclass(shown):
            for member, value in inspect.getmembers(shown):
                mine = getattr(inspect.unwrap(getattr(value, "fget", value)), "__module__", "") or ""
                if not member.startswith("_") and mine.startswith("quire."):
                    yield f"{name}.{member}", value


MEMBERS = dict(_members())


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_an_example_that_runs(name):
    shown = PUBLIC[name]
    module = inspect.getmodule(shown)
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(shown), {}, name, module.__file__, 0)
    assert example.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("name", MEMBERS)
def test_public_method_says_what_it_does_and_takes(name):
    text = inspect.getdoc(MEMBERS[name]) or ""
    assert text, f"{name} has no docstring"
    if inspect.isfunction(MEMBERS[name]):
        parameters = [p for p in inspect.signature(MEMBERS[name]).parameters if p not in ("self", "cls")]
        missing = [p for p in parameters if p not in text]
        assert not missing, f"{name} does not explain {missing}"


@pytest.mark.parametrize("name", PUBLIC)
def test_no_private_parameter_shows(name):
    try:
        parameters = inspect.signature(PUBLIC[name]).parameters
    except ValueError:  # a type alias has none
        return
    assert not [p for p in parameters if p.startswith("_")]
