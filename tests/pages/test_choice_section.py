"""What `quire choose` wrote, read again for the page."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from problems import stories

import quire
from quire.pages.sections.choice import choice_section
from quire.pages.sections.section import Asked
from quire.studies.choosing.consensus import averaged


@pytest.fixture(scope="module")
def choice():
    X = sp.csr_array(np.kron(np.eye(3), np.ones((30, 5))) + 0.01)
    return quire.choose(X, range(2, 10), runs=3, threads=1)


@pytest.fixture(scope="module")
def by_nmi():
    texts, labels = stories(40)
    return quire.choose(texts, [2, 3], "nmi", labels=labels, runs=4, threads=1)


def test_what_was_saved_is_read(choice, tmp_path):
    choice.save(tmp_path)
    found = choice_section(None, Asked(choice=tmp_path))
    assert found == choice_section(None, Asked(choice=tmp_path / "choice.json"))
    assert (found["k"], found["lam"], found["by"]) == (3, None, "all")
    assert found["verdict"] == choice.verdict
    assert found["says"] == choice.says
    assert [row["k"] for row in found["table"]] == list(range(2, 10))
    assert found["elbow"]["likelihood"] == pytest.approx(choice.elbow.first_likelihood, abs=1e-4)
    assert found["search"] is None
    json.dumps(found, allow_nan=False)


def test_heat_maps_are_small_and_of_the_nearest_numbers(choice, tmp_path):
    choice.save(tmp_path)
    heat = choice_section(None, Asked(choice=tmp_path))["heat"]
    assert [one["k"] for one in heat] == [2, 3, 4, 5, 6, 7] == choice.shown
    assert all(len(one["rows"]) == 60 == len(one["rows"][0]) for one in heat)
    three = np.array(heat[1]["rows"])
    assert set(np.diag(three)) == {100}
    assert three.mean() == pytest.approx(100 * choice.consensus[3].matrix.mean(), abs=2)
    assert "heat" not in choice.as_dict()


@pytest.mark.parametrize("n", [1, 59, 60, 61, 137])
def test_blocks_are_means(n):
    C = np.random.default_rng(0).random((n, n))
    small = averaged(C, 60)
    assert len(small) == min(n, 60)
    edges = np.append((np.arange(len(small)) * n) // len(small), n)
    for i, j in np.ndindex(small.shape):
        block = C[edges[i] : edges[i + 1], edges[j] : edges[j + 1]]
        assert small[i, j] == pytest.approx(block.mean())


def test_the_search_has_points_with_intervals_and_cubics(by_nmi, tmp_path):
    by_nmi.save(tmp_path)
    found = choice_section(None, Asked(choice=tmp_path))["search"]
    table = by_nmi.search.table
    assert len(found["points"]) == table.height
    for point, row in zip(found["points"], table.iter_rows(named=True), strict=True):
        assert (point["k"], point["lam"], point["nmi"]) == (row["k"], row["lam"], row["max"])
        assert point["low"] <= point["mean"] <= point["nmi"] <= point["high"]
    assert [curve["k"] for curve in found["curves"]] == [2, 3]
    for curve in found["curves"]:
        cubic = by_nmi.search.cubics[curve["k"]]
        assert len(curve["lam"]) == len(curve["nmi"]) == 61
        assert (curve["lam"][0], curve["lam"][-1]) == (0, pytest.approx(cubic.end, rel=1e-5))
        assert curve["nmi"][20] == pytest.approx(cubic(curve["lam"][20]), abs=1e-4)
        nodes = [p for p in found["points"] if p["k"] == curve["k"] and p["kind"] == "node"]
        heights = np.interp([p["lam"] for p in nodes], curve["lam"], curve["nmi"])
        assert heights == pytest.approx([p["nmi"] for p in nodes], abs=0.01)  # it goes through them
    assert by_nmi.lam in [curve["best"] for curve in found["curves"]]


def test_an_older_file_is_read(choice, by_nmi, tmp_path):
    old = choice.as_dict()
    del old["elbow"]["likelihood"]
    (tmp_path / "choice.json").write_text(json.dumps(old))
    found = choice_section(None, Asked(choice=tmp_path))
    assert found["heat"] == found["elbow"]["likelihood"] == []
    old = by_nmi.as_dict()
    del old["curves"]
    (tmp_path / "choice.json").write_text(json.dumps(old))
    found = choice_section(None, Asked(choice=tmp_path))["search"]
    assert found["curves"] == []
    assert found["points"]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"\xff\xfe", b"[]", b"null", b'"k"', b'{"k": 3}', b"[" * 100_000,
        b'{"k": "many", "lam": null, "by": "all", "says": {}, "verdict": [], "table": []}',
        b'{"k": 3, "lam": null, "by": "all", "says": [], "verdict": [], "table": []}',
        b'{"k": 3, "lam": null, "by": "all", "says": {}, "verdict": [], "table": [{"rho": "high"}]}',
        b'{"k": Infinity, "lam": null, "by": "all", "says": {}, "verdict": [], "table": []}',
        b'{"k": 3, "lam": null, "by": "a", "says": {}, "verdict": [], "table": [], '
        b'"heat": [{"k": 3, "rows": [[1, 2]]}]}',
        b'{"k": 3, "lam": null, "by": "a", "says": {}, "verdict": [], "table": [], "search": [{"k": 3}]}',
    ],
)  # fmt: skip
def test_what_is_no_choice_is_refused_in_a_sentence(content, tmp_path):
    file = tmp_path / "choice.json"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"choice\.json .*: name the folder that .*\.$") as error:
        choice_section(None, Asked(choice=file))
    assert "\n" not in str(error.value)


def test_what_is_not_there_is_refused_in_a_sentence(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ValueError, match=r"could not be read .*quire choose"):
            choice_section(None, Asked(choice=path))


def test_what_json_has_no_word_for_becomes_null(choice, tmp_path):
    data = choice.as_dict()
    data["table"][0]["rho"] = float("nan")
    (tmp_path / "choice.json").write_text(json.dumps(data))
    assert choice_section(None, Asked(choice=tmp_path))["table"][0]["rho"] is None
