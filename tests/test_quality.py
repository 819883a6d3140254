"""The quality page: what was measured is kept, resumed and shown as it is."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.quality import __main__ as command
from benchmarks.quality import ablation, baselines, clusters, corpora, recipes, results, sure
from benchmarks.quality.page import page, write_page

from quire.runs.recipe import recipe
from quire.scores import metrics

DOCS = Path(__file__).parents[1] / "docs"


def planted(n=90, k=3, d=60, seed=0):
    """Counts with k groups of words, a group of documents each, and a last document without words."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % k
    own = (np.arange(d) % k)[None, :] == classes[:, None]
    counts = rng.poisson(np.where(own, 2.0, 0.2))
    counts[-1] = 0
    return sp.csr_array(counts.astype(np.float32)), classes


def put_scores(folder, corpus, name, values):
    kept = results.Results(folder, "clusters")
    for seed, value in enumerate(values):
        row = {"ari": value, "nmi": value, "ac": value, "seconds": 1.0}
        kept.put({"corpus": corpus, "recipe": name, "seed": seed}, [row])


def line_of(text, begin):
    return next(line for line in text.splitlines() if line.startswith(begin))


# -- what is kept ----------------------------------------------------------------------------------------


def fake_part(stop_at=None):
    """A part of four cells, the last of which may fail; ``done`` says what was measured."""
    done = []

    def measure(visit, cell):
        if len(done) == stop_at:
            raise KeyboardInterrupt
        done.append(cell["seed"])
        return [{"ari": 0.5}]

    def cells(name, seeds):
        return [{"corpus": name, "seed": seed} for seed in range(seeds)]

    return SimpleNamespace(cells=cells, measure=measure, done=done)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    first, second, third = fake_part(stop_at=3), fake_part(), fake_part()
    with pytest.raises(KeyboardInterrupt):
        command.measure_corpus("bbc", {"auto": first}, 4, tmp_path, again=False)
    command.measure_corpus("bbc", {"auto": second}, 4, tmp_path, again=False)
    assert (first.done, second.done) == ([0, 1, 2], [3])
    command.measure_corpus("bbc", {"auto": third}, 4, tmp_path, again=True)
    assert third.done == [0, 1, 2, 3]
    assert len(results.read(tmp_path, "auto")["rows"]) == 4


def test_what_hangs_on_another_default_recipe_is_measured_anew(tmp_path):
    for name in ("default", "plain-nmf", "consensus + EM"):
        put_scores(tmp_path, "bbc", name, [0.5])
    path = tmp_path / "clusters.json"
    data = json.loads(path.read_text("utf-8"))
    data["default"]["weight"]["tau"] = 0.99
    path.write_text(json.dumps(data), "utf-8")
    kept = results.Results(tmp_path, "clusters").rows
    assert [row["recipe"] for row in kept] == ["plain-nmf"]


def test_every_cell_of_a_part_has_a_name_of_its_own():
    for part in (clusters, ablation, sure):
        cells = [json.dumps(cell) for cell in part.cells("bbc", 3)]
        assert len(set(cells)) == len(cells) > 0


# -- the page --------------------------------------------------------------------------------------------


def test_the_page_in_the_documentation_is_what_the_results_give():
    if not list((DOCS / "quality").glob("*.json")):
        pytest.skip("nothing has been measured yet: run `make quality`")
    assert page(DOCS / "quality") == (DOCS / "quality.md").read_text("utf-8"), (
        "run `python -m benchmarks.quality --page`"
    )


def test_the_page_shows_means_spreads_and_who_is_ahead(tmp_path):
    put_scores(tmp_path, "bbc", "default", [0.88, 0.90])
    put_scores(tmp_path, "bbc", "consensus + EM", [0.70, 0.80])
    put_scores(tmp_path, "bbc", "best of 4 + EM", [0.95, 0.97])
    text = page(tmp_path)
    told = line_of(text, "| bbc |").split("|")[2:5]
    assert [cell.strip() for cell in told] == [
        "0.890 ± 0.014 / 0.903 ✗",
        "0.890 ± 0.014 / 0.874 ✓",
        "0.890 ± 0.014 / 0.959 ✗",
    ]
    assert line_of(text, "| ARI |") == "| ARI | 0.890 ± 0.014 | 0.960 ± 0.014 (best of 4 + EM) | ✗ |"
    assert "--only clusters --seeds 2" in text


def test_a_mean_over_corpora_takes_only_those_that_all_were_measured_on(tmp_path):
    for name, value in (("default", 0.5), ("consensus + EM", 0.4), ("best of 4 + EM", 0.3)):
        put_scores(tmp_path, "cstr", name, [value])
    put_scores(tmp_path, "re0", "default", [0.9])
    text = page(tmp_path)
    assert "mean over 1 corpora" in text
    assert line_of(text, "| ARI |") == "| ARI | 0.500 | 0.400 (consensus + EM) | ✓ |"


def test_changes_that_are_no_longer_listed_are_not_shown(tmp_path):
    kept = results.Results(tmp_path, "ablation")
    listed = ablation.CHANGES[0]
    for name, changes, value in (
        ("default", {}, 0.5),
        (listed["name"], listed["changes"], 0.4),
        (listed["name"], {"weight": {"tau": 9.0}}, 0.1),
        ("gone", {}, 0.2),
    ):
        row = {"ari": value, "nmi": value, "ac": value, "seconds": 1.0}
        kept.put({"corpus": "bbc", "change": name, "changes": changes, "seed": 0}, [row])
    text = page(tmp_path)
    assert "0.400 (-0.100)" in line_of(text, f"| {listed['name']} |")
    assert "gone" not in text


def test_the_page_and_its_figure_lie_where_one_finds_the_other(tmp_path):
    kept = results.Results(tmp_path / "quality", "sure")
    curve = {"thresholds": [0.0, 0.9], "coverage": [1.0, 0.0], "ac": [0.8, None]}
    kept.put({"corpus": "bbc", "measure": "memberships", "seed": 0}, [{"before": 0.2, "after": 0.1, **curve}])
    path = write_page(tmp_path / "quality")
    text = path.read_text("utf-8")
    assert path == tmp_path / "quality.md"
    assert "(quality/coverage.svg)" in text
    assert (tmp_path / "quality" / "coverage.svg").exists()
    assert line_of(text, "| bbc | 1.00") == "| bbc | 1.00 / 0.80 | 0.00 / – |"
    assert page(tmp_path / "nowhere").endswith("Nothing has been measured yet.\n")


# -- what is measured ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", recipes.BASELINES)
def test_the_baselines_find_planted_classes(name):
    counts, classes = planted()
    found = baselines.labels_of(name, counts, 3, seed=0)
    assert found[-1] == -1
    assert metrics.ari(classes[:-1], found[:-1]) > 0.95
    assert np.array_equal(found, baselines.labels_of(name, counts, 3, seed=0))


def test_em_mends_clusters_that_are_partly_wrong():
    counts, classes = planted()
    counts, classes = counts[:-1], classes[:-1]
    start = np.where(np.arange(len(classes)) % 5 == 0, 0, classes)
    found = baselines.tempered_em(np.log1p(counts), start, 3)
    assert metrics.accuracy(classes, found) > metrics.accuracy(classes, start)


def test_a_class_that_dies_leaves_numbers():
    counts, _ = planted()
    found = baselines.tempered_em(np.log1p(counts[:-1]), np.zeros(89, np.intp), 3)
    assert set(found) == {0}


@pytest.mark.parametrize("change", ablation.CHANGES, ids=lambda change: change["name"])
def test_every_change_gives_a_recipe_other_than_the_default(change):
    made = recipe(ablation.changed(change["changes"]))
    assert made.as_dict() != recipe("default").as_dict()
    assert ablation.changed({}) == recipe("default").as_dict()


def test_evenness_tells_balanced_classes():
    assert sure.evenness(np.array(["a", "b"] * 5)) == pytest.approx(1)
    assert sure.evenness(np.array(["a"] * 99 + ["b"])) < 0.1


# -- the corpora -----------------------------------------------------------------------------------------


def test_posts_are_stripped_of_what_is_not_theirs():
    post = "From: a@b\nSubject: Re: RE: the moon\n\nA wrote:\n> old words\n\nnew words here\n\n--\nA. Name"
    assert corpora.bare(post).split() == ["new", "words", "here"]
    assert corpora.subject(post) == "the moon"
    assert corpora.snippet("w " * 99).split() == ["w"] * 25


def test_corpora_are_named_once_and_wrong_names_are_told():
    assert corpora.names_of(["bbc", "small"]) == ["bbc", "cstr", "re0", "webkb"]
    assert len(corpora.LABELLED) == len(set(corpora.LABELLED)) == 19
    with pytest.raises(ValueError, match="'bcc' is not known: use 20ng"):
        corpora.names_of(["bcc"])


@pytest.mark.parametrize(("name", "n", "k"), [("cstr", 475, 4), ("bbc-title", 2225, 5), ("webkb", 4199, 4)])
def test_real_corpora_have_all_their_labels(data, name, n, k):
    visit = recipes.Visit(name)
    assert (len(visit.corpus), len(visit.labels), visit.k) == (n, n, k)


@pytest.mark.slow
def test_a_real_corpus_is_measured_in_every_part(data, tmp_path):
    given = ["--only", "clusters", "sure", "auto", "--corpora", "cstr", "--seeds", "2", "--into"]
    command.main([*given, str(tmp_path / "quality")])
    rows = results.read(tmp_path / "quality", "clusters")["rows"]
    assert {row["recipe"] for row in rows} == {*recipes.RECIPES, *recipes.BASELINES}
    assert all(-1 <= row["ari"] <= 1 and 0 <= row["ac"] <= 1 for row in rows)
    shown = (tmp_path / "quality.md").read_text("utf-8")
    assert shown.count("| cstr |") == 7  # a table a score; topics, seeds, calibration, abstaining
