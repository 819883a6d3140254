"""The design page describes the house as it is."""

import re
from pathlib import Path

import pytest
from test_layers import PACKAGES, SOURCE

PAGE = (Path(__file__).parents[1] / "docs" / "design.md").read_text()
WALKS = re.findall(r"^- (.+?)(?=\n- |\n\n)", PAGE.split("## Three walks")[1].split("## Laws")[0], re.S | re.M)


def test_the_table_is_the_list_of_packages():
    table = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", PAGE, re.M)
    assert table == PACKAGES


def test_every_file_that_is_named_is_there():
    named = re.findall(r"`([a-z_]+(?:/\w+)*/[\w*]+\.(?:py|cu))`", PAGE)
    assert len(named) > 20
    for name in named:
        root = SOURCE if name.split("/")[0] in PACKAGES else SOURCE.parents[1]
        assert list(root.glob(name)), name


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk[:25])
def test_a_walk_goes_down_and_through_a_package_once(walk):
    hops = re.findall(r"`([a-z_]+)/[\w/]+\.py`", walk.split("Then back up")[0])
    assert len(hops) > 8
    order = [PACKAGES.index(hop) for hop in hops]
    assert order == sorted(order)
