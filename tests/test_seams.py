"""What can be added is one file and one line: each test adds a toy, and uses it as a user would.

CONTRIBUTING.md walks through each of them.
"""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from problems import run_at, stories
from rich.console import Console

import quire
from quire.cli.reports.evaluation import evaluation_report
from quire.cli.reports.run import run_report
from quire.pages.payload import payload_of
from quire.pages.sections.registry import SECTIONS
from quire.pages.sections.section import TableSection
from quire.places.disk import DiskPlace
from quire.runs.options import Options
from quire.runs.recipe import Recipe
from quire.scores.registry import FITTED, SCORES, Score
from quire.studies.exports import FORMATS
from quire.text.weights.registry import SCHEMES
from quire.text.weights.scheme import Scheme, power

TEXTS, LABELS = stories(60)


@pytest.fixture(scope="module")
def run():
    return quire.cluster(TEXTS, 3, labels=LABELS, recipe="nmf", random_state=0)


def shown(report):
    console = Console(width=120)
    with console.capture() as captured:
        console.print(report)
    return captured.get()


# -- a weighting -----------------------------------------------------------------------------------------


class Cubes(Scheme):
    """A toy: terms count by the cube root of their sums."""

    def columns(self, sums, n, tau):
        return power(sums, 0.0, 1 / 3)


def test_a_weighting(monkeypatch, tmp_path):
    monkeypatch.setitem(SCHEMES, "cubes", Cubes())
    recipe = {"name": "toy", "weight": {"scheme": "log-cubes"}, "factorization": {"method": "NMF"}}
    run = quire.cluster(TEXTS, 3, recipe=recipe, labels=LABELS, random_state=0, out=tmp_path / "run")
    sums = np.log1p(run.recount().toarray()).sum(axis=0)
    np.testing.assert_allclose(run.weight.column_scale_, sums ** (-1 / 3))
    assert run.scores["accuracy"] == 1
    again = quire.load(tmp_path / "run").assign(TEXTS)
    np.testing.assert_array_equal(again.labels, run.labels)
    frame = tmp_path / "d.parquet"
    pl.DataFrame({"text": TEXTS, "label": LABELS}).write_parquet(frame)
    options = Options(topics=3, text="text", label="label")
    with DiskPlace(tmp_path / "work") as place:
        blocks = quire.load(run_at(place, frame, options, tmp_path / "blocks", recipe=Recipe.from_dict(recipe)))
    np.testing.assert_array_equal(blocks.labels, run.labels)


# -- a score ---------------------------------------------------------------------------------------------


def test_a_score_against_classes(monkeypatch):
    toy = Score("Toy", "share of the first class", lambda classes, topics: (classes == 1).mean(), in_every_run=True)
    monkeypatch.setitem(SCORES, "toy", toy)
    run = quire.cluster(TEXTS, 3, labels=LABELS, recipe="nmf", random_state=0)
    expected = LABELS.count(min(LABELS)) / 60
    assert run.scores["toy"] == pytest.approx(expected)
    assert f"toy {expected:.3f}" in shown(run_report(run))
    found = quire.evaluate(run)
    assert found.as_dict()["scores"]["toy"] == pytest.approx(expected)
    assert "share of the first class" in shown(evaluation_report(found, 120))
    on_page = {score["key"]: score for score in payload_of(run).head["classes"]["scores"]}
    assert (on_page["toy"]["name"], on_page["toy"]["better"]) == ("Toy", "higher")


def test_a_score_that_needs_no_classes(monkeypatch, run):
    heavy = Score("Heavy", "the largest weight", lambda fitted: fitted.W.max(), FITTED)
    each = Score("Long", "words of a topic", lambda fitted: [len(w) for w in fitted.keywords], FITTED, by_topic=True)
    monkeypatch.setitem(SCORES, "heavy", heavy)
    monkeypatch.setitem(SCORES, "long", each)
    found = quire.evaluate(run)
    assert found.alone["heavy"] == pytest.approx(run.W.max())
    assert found.topics["long"].mean() == found.alone["long"]
    assert "the largest weight" in shown(evaluation_report(found, 120))


# -- a section of the page -------------------------------------------------------------------------------


def test_a_section_of_the_page(monkeypatch, run, tmp_path):
    def sizes(run, asked):
        return TableSection("Sizes", [f"Of {asked.title}."], ["topic", "documents"], [["moon", 3], [None, 0.5]])

    monkeypatch.setitem(SECTIONS, "sizes", sizes)
    written = quire.page(run, tmp_path / "toy.html").read_text("utf-8")
    head = json.loads(written.partition('id="quire-head">')[2].partition("</script>")[0])
    assert head["tables"] == [
        {"name": "sizes", "title": "Sizes", "text": ["Of toy."], "columns": ["topic", "documents"],
         "rows": [["moon", 3], [None, 0.5]]}
    ]  # fmt: skip
    assert "section-${" in written  # the view that shows any of them


# -- a format to export to -------------------------------------------------------------------------------


def test_a_format(monkeypatch, tmp_path):
    monkeypatch.setitem(FORMATS, ".md", lambda found, path: path.write_text(f"k = {found.data['k']}", "utf-8"))
    choice = quire.choose(TEXTS, range(2, 4), by="elbow", runs=2, threads=1)
    files = [path.name for path in choice.save(tmp_path)]
    assert {"choice.csv", "choice.json", "choice.md"} <= set(files)
    assert (tmp_path / "choice.md").read_text("utf-8") == f"k = {choice.k}"


# -- an option of a run ----------------------------------------------------------------------------------

TOY = """
from dataclasses import dataclass
from quire.runs import options
from quire.runs.options import TERMS, Options, option

@dataclass(frozen=True)
class More(Options):
    max_df: float | None = option(
        None, "drop terms that more documents hold", group=TERMS, counts=True,
        check=options._within("max_df", 0, 1, "a share from 0 to 1"),
    )

options.Options = More
"""


@pytest.fixture
def toy(tmp_path):
    """Run code in a process in which the toy is declared."""
    frame = pl.DataFrame({"text": [f"everywhere {text}" for text in TEXTS]})
    frame.write_csv(tmp_path / "d.csv")

    def call(code, *arguments):
        return subprocess.run(
            [sys.executable, "-c", TOY + code, *arguments], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    return call


def test_an_option_is_declared_once(toy, tmp_path):
    main = "from quire.cli.app import main; main()"
    for command in ("cluster", "choose", "classes"):
        assert "drop terms that more documents hold" in toy(main, command, "--help").stdout
    (tmp_path / "c.toml").write_text("topics = 3\nmax-df = 0.6\n")
    made = toy(main, "cluster", "d.csv", "--config", "c.toml", "--recipe", "nmf", "--max-df", "0.9", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["options"]["max_df"] == 0.9
    words = quire.load(tmp_path / "quire-d").words
    assert "everywhere" not in words
    assert "--max-df 0.9" in (tmp_path / "quire-d" / "page.html").read_text("utf-8")
    refused = toy(main, "cluster", "d.csv", "--max-df", "2")
    assert (refused.returncode, refused.stderr) == (2, "quire: max_df=2.0 must be a share from 0 to 1.\n")
    called = toy("import quire; print(*quire.cluster('d.csv', 3, recipe='nmf', max_df=0.9, random_state=0).words)")
    assert called.stdout.split() == words
