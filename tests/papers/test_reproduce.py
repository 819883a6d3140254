"""The papers' tables, done again: the framework, the catalogue and the command, on made-up experiments."""

import importlib.util
import io
import json
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from problems import said
from rich.console import Console

from quire.cli import reproduce as cli_reproduce
from quire.papers import catalogue
from quire.papers.corpora import NEWSGROUPS, Labelled, data_folder, informative_terms, missing, read_texts
from quire.papers.experiment import Cell, Experiment, Result, Setting, Unavailable
from quire.papers.journal import Journal
from quire.papers.protocol import cell_of, clustered, drawn_classes, once, side_by_side, trimmed
from quire.papers.results import page, result_table, save_result
from quire.runs.recipe import recipe
from quire.studies.figures import new_figure, svg_of


def reproduce(*arguments):
    return said("reproduce", *arguments, env={"QUIRE_DATA": ""})


def printed(renderable, width=80):
    console = Console(file=io.StringIO(), width=width)
    console.print(renderable)
    return console.file.getvalue()


def wide():
    cells = [
        Cell(f"k = {k}", f"MI method {m}", None if m == 9 else 0.5, 0.4 + m / 100)
        for k in range(2, 5)
        for m in range(10)
    ]
    return Result(cells, ["fewer draws."], ["as published."], {"curve": "<svg></svg>"}, "some | keywords")


def fake(run=None, name="me2026/table1", data=()):
    return Experiment(name, "a made-up table", run or (lambda setting: wide()), data)


@pytest.fixture
def only(monkeypatch):
    """Put experiments in the place of the papers'."""

    def put(*experiments, lost=()):
        monkeypatch.setattr(catalogue, "experiments", lambda: {one.name: one for one in experiments})
        monkeypatch.setattr(catalogue, "unavailable", lambda: list(lost))

    return put


# -- results ---------------------------------------------------------------------------------------------


def test_a_wide_table_is_split_and_fits():
    text = printed(result_table(wide()))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(f"method {m}" in text for m in range(10))
    assert text.count("k = 3") > 1
    assert "0.500 0.410 -0.090" in text


def test_a_column_without_published_numbers_shows_ours_alone():
    text = printed(result_table(Result([Cell("k = 2", "NL", None, 0.25), Cell("k = 2", "RS", None, 0.5)])))
    assert "paper" not in text
    assert "0.250" in text


def test_numbers_that_are_not_there_are_dashes():
    text = printed(result_table(Result([Cell("Log", "NMF", 0.78, None), Cell("Log", "Quire", None, None)])))
    assert "0.780" in text
    assert "–" in text


def test_a_result_is_kept_and_makes_a_page(tmp_path):
    setting = Setting(tmp_path, seed=3)
    path = save_result(tmp_path, fake(), wide(), setting, 1.25)
    stored = json.loads(path.read_text("utf-8"))
    assert stored["seed"] == 3
    assert stored["seconds"] == 1.2
    assert {"python", "numpy", "scipy", "scikit-learn", "numba"} <= stored["versions"].keys()
    assert len(stored["cells"]) == 30
    assert (tmp_path / "me2026-table1-curve.svg").read_text() == "<svg></svg>"
    (tmp_path / "other.json").write_text("[1, 2]")
    (tmp_path / "broken.json").write_text("{")
    text = page(tmp_path, ["me2026/table1"], [Unavailable("me2026/table2", "another", "nobody has it")])
    assert "## me2026/table1, quick: a made-up table" in text
    assert "0.500 / **0.410** / -0.090" in text
    assert "me2026-table1-curve.svg" in text
    assert "nobody has it" in text


def test_a_page_keeps_the_order_given(tmp_path):
    for name in ("b/table1", "a/table1"):
        save_result(tmp_path, fake(name=name), wide(), Setting(tmp_path), 1.0)
    text = page(tmp_path, ["b/table1", "a/table1"])
    assert text.index("## b/table1") < text.index("## a/table1")


def test_quick_and_full_stand_apart(tmp_path):
    for full in (False, True):
        save_result(tmp_path, fake(), wide(), Setting(tmp_path, full), 1.0)
    text = page(tmp_path)
    assert text.index("## me2026/table1, full") < text.index("## me2026/table1, quick")
    assert "me2026-table1-full-curve.svg" in text


def test_runs_that_figures_share_are_made_once(tmp_path):
    """Whoever asks first has them made; another seed or count makes others."""
    made = []

    @once
    def shared(setting):
        made.append(setting.seed)
        return setting.seed

    for setting in (Setting(tmp_path), Setting(tmp_path, threads=1), Setting(tmp_path, seed=1)):
        assert shared(setting) == setting.seed
    assert made == [0, 1]


# -- protocol and corpora --------------------------------------------------------------------------------


def test_results_side_by_side_do_not_depend_on_threads():
    X = sp.csr_array(np.random.RandomState(0).poisson(0.5, (40, 30)).astype(float))
    tasks = [lambda halt, seed=seed: clustered(X, recipe("xu2003"), 3, seed, halt).tolist() for seed in range(4)]
    one, two = (side_by_side(tasks, Setting(Path(), threads=n), "fits") for n in (1, 2))
    assert one == two


def test_progress_and_errors_side_by_side():
    steps = []
    setting = Setting(Path(), update=lambda done, total, what: steps.append((done, total)))
    assert side_by_side([lambda halt: 1] * 3, setting, "tasks") == [1, 1, 1]
    assert steps[0] == (0, 3)
    assert steps[-1] == (3, 3)

    def fails(halt):
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        side_by_side([fails, lambda halt: 1], setting, "tasks")


def test_an_interrupt_tells_the_others_to_stop():
    began, seen = threading.Event(), []

    def waits(halt):
        began.set()
        while not halt(None):
            pass
        seen.append("stopped")

    def interrupts(halt):
        began.wait()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side([waits, interrupts], Setting(Path(), threads=2), "tasks")
    assert seen == ["stopped"]


def test_a_journal_knows_what_was_done_before_it_was_cut_short(tmp_path):
    done = []

    def task(number):
        def work(halt):
            if number == 3 and not (tmp_path / "repaired").exists():
                raise KeyboardInterrupt
            done.append(number)
            return number / 3, {"k": number}

        return work

    def run(times=1):
        setting = Setting(tmp_path, threads=1, journal=Journal(tmp_path / "kept", "me/table"))
        return [side_by_side([task(n) for n in range(4)], setting, "tasks") for _ in range(times)]

    with pytest.raises(KeyboardInterrupt):
        run()
    assert done == [0, 1, 2]
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_text(kept.read_text() + '\n[3, {"tuple": [{"fl')  # the last line was cut short
    (tmp_path / "repaired").touch()
    assert run() == [[(n / 3, {"k": n}) for n in range(4)]]
    assert done == [0, 1, 2, 3]
    run(2)
    assert done == [0, 1, 2, 3, 0, 1, 2, 3]  # a second call is another chapter


def test_a_journal_leaves_out_what_is_no_number_or_word(tmp_path):
    journal = Journal(tmp_path / "kept", "me/table")
    setting = Setting(tmp_path, journal=journal)
    answers = side_by_side([lambda halt: np.ones(3), lambda halt: recipe("nmf"), lambda halt: 0.1], setting, "tasks")
    assert answers[0].tolist() == [1, 1, 1]
    assert Journal(tmp_path / "kept", "me/table").chapter(3).answers() == {2: 0.1}
    journal.close()
    assert not (tmp_path / "kept").exists()


def test_draws_follow_from_the_seed():
    labels = np.repeat(np.arange(12), 3)
    draws = [drawn_classes(labels, 4, draw, 0).tolist() for draw in range(5)]
    assert draws == [drawn_classes(labels, 4, draw, 0).tolist() for draw in range(5)]
    assert len({tuple(draw) for draw in draws}) > 1
    assert all(len(set(draw)) == 4 for draw in draws)


def test_cells_hold_mean_and_spread():
    cell = cell_of("k = 2", "NMF", 0.5, [0.4, 0.8])
    assert cell.ours == pytest.approx(0.6)
    assert cell.spread == pytest.approx(np.std([0.4, 0.8], ddof=1))
    assert cell.error == pytest.approx(cell.spread / np.sqrt(2))
    assert cell_of("k = 2", "NMF", 0.5, [0.4]).spread is None


def test_trimming_never_leaves_nothing():
    assert trimmed(sp.csr_array(np.eye(500)), recipe("default")).shape == (500, 500)


def test_informative_terms_are_those_that_tell_classes_apart():
    rng = np.random.RandomState(0)
    labels = np.repeat(["a", "b"], 50)
    counts = (rng.random((100, 6)) < 0.5).astype(int)
    counts[:, 4] = labels == "a"
    assert 4 in informative_terms(sp.csr_array(counts), labels, 1)


def test_parts_of_corpora(tmp_path):
    corpus = Labelled(sp.csr_array([[1, 0, 0], [0, 2, 0], [0, 0, 3]]), np.array(["a", "b", "c"]))
    part = corpus.of_classes(["a", "c"])
    assert part.counts.toarray().tolist() == [[1, 0], [0, 3]]
    pl.DataFrame({"text": ["x", "y"], "split": ["train", "test"]}).write_parquet(tmp_path / NEWSGROUPS)
    assert read_texts(tmp_path, NEWSGROUPS, split="train")["text"].to_list() == ["x"]
    assert missing(tmp_path, ("a.npz", NEWSGROUPS)) == ["a.npz"]


def test_the_data_folder_comes_from_the_option_or_the_environment(monkeypatch):
    monkeypatch.setenv("QUIRE_DATA", "elsewhere")
    assert data_folder() == Path("elsewhere")
    assert data_folder("here") == Path("here")


def test_the_same_figure_gives_the_same_text():
    def drawn():
        figure, axes = new_figure()
        axes[0, 0].scatter([1, 2], [3, 4])
        axes[0, 0].plot([1, 2])
        return svg_of(figure)

    assert drawn() == drawn()
    assert "<dc:date>" not in drawn()


# -- catalogue -------------------------------------------------------------------------------------------


def test_names_are_unique_and_papers_are_complete():
    known = catalogue.experiments()
    names = [one.name for module in catalogue._MODULES for one in module.EXPERIMENTS]
    assert len(names) == len(set(names)) == len(known)
    assert {name.split("/")[0] for name in known} == set(catalogue._PAPERS)
    assert {"xu2003/table2", "ding2008/table1", "conroy2023/figure4"} <= known.keys()
    assert not known.keys() & {one.name for one in catalogue.unavailable()}


def test_choosing_by_name_paper_and_all():
    assert [one.name for one in catalogue.chosen(["xu2003/table2"])] == ["xu2003/table2"]
    assert len(catalogue.chosen(["xu2003", "xu2003/table2"])) == 4
    assert len(catalogue.chosen(["all"])) == len(catalogue.experiments())
    with pytest.raises(ValueError, match="did you mean 'conroy2023/figure4'"):
        catalogue.chosen(["conroy2023/figur4"])
    with pytest.raises(ValueError, match="cannot be done again"):
        catalogue.chosen(["conroy2023/figure3"])


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_runs_prints_and_keeps(only, tmp_path, capsys):
    only(fake(), fake(name="me2026/table2", data=("nowhere.npz",)))
    cli_reproduce.reproduce("all", out=tmp_path / "out", data=tmp_path, seed=7)
    told = capsys.readouterr()
    assert "me2026/table1  a made-up table" in told.out
    assert "fewer draws." in told.out
    assert "as published." in told.out
    assert "me2026/table2 needs nowhere.npz, which is not in" in told.err
    assert json.loads((tmp_path / "out" / "me2026-table1.json").read_text("utf-8"))["seed"] == 7
    assert "## me2026/table1" in (tmp_path / "out" / "reproduction.md").read_text("utf-8")


def test_quick_is_the_default_and_full_is_passed_on(only, tmp_path):
    asked = []
    only(fake(lambda setting: asked.append((setting.full, setting.threads)) or wide()))
    cli_reproduce.reproduce("all", out=tmp_path)
    cli_reproduce.reproduce("all", out=tmp_path, full=True, threads=1)
    assert asked == [(False, None), (True, 1)]


def test_json(only, tmp_path, capsys):
    only(fake(), fake(name="me2026/table2", data=("nowhere.npz",)))
    cli_reproduce.reproduce("all", out=tmp_path, data=tmp_path, json=True)
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["results"]] == ["me2026/table1"]
    assert "nowhere.npz" in found["skipped"]["me2026/table2"]


def test_an_interrupt_keeps_what_is_finished(only, tmp_path):
    def interrupted(setting):
        raise KeyboardInterrupt

    only(fake(), fake(interrupted, "me2026/table2"))
    with pytest.raises(KeyboardInterrupt):
        cli_reproduce.reproduce("all", out=tmp_path)
    assert (tmp_path / "me2026-table1.json").exists()
    assert "## me2026/table1" in (tmp_path / "reproduction.md").read_text("utf-8")


def test_a_command_that_was_cut_short_goes_on(only, tmp_path):
    done, broken = [], [True]

    def counted(setting):
        def work(halt):
            done.append(1)
            return 1.0

        side_by_side([work] * 3, setting, "tasks")
        if broken:
            broken.clear()
            raise KeyboardInterrupt
        return wide()

    only(fake(counted))
    with pytest.raises(KeyboardInterrupt):
        cli_reproduce.reproduce("all", out=tmp_path)
    cli_reproduce.reproduce("all", out=tmp_path)
    assert len(done) == 3
    cli_reproduce.reproduce("all", out=tmp_path)  # all was done: nothing is left of it
    assert len(done) == 6
    assert not list(tmp_path.glob(".unfinished*"))


def test_nothing_could_be_done(only, tmp_path, capsys):
    lacking = [fake(name=f"me2026/table{i}", data=("nowhere.npz",)) for i in (1, 2)]
    only(*lacking)
    with pytest.raises(ValueError, match="None of them"):
        cli_reproduce.reproduce("all", out=tmp_path, data=tmp_path)
    assert capsys.readouterr().err.count("needs nowhere.npz") == 2
    assert not (tmp_path / "reproduction.md").exists()


def test_the_list_says_what_is_there_and_what_is_not(only, tmp_path, capsys):
    (tmp_path / "here.npz").touch()
    only(fake(data=("here.npz",)), fake(name="me2026/table2", data=("nowhere.npz",)),
         lost=[Unavailable("me2026/table3", "lost", "nobody kept it")])  # fmt: skip
    cli_reproduce.reproduce(data=tmp_path)
    told = " ".join(capsys.readouterr().out.split())
    assert "me2026/table1" in told
    assert "not there:" in told
    assert "nobody kept it" in told
    cli_reproduce.reproduce(data=tmp_path, json=True)
    assert json.loads(capsys.readouterr().out)["experiments"][1]["missing"] == ["nowhere.npz"]


def test_the_command_line_refuses_with_one_sentence(tmp_path):
    found = reproduce("xu2003/table2", "--data", tmp_path, "--out", tmp_path / "out")
    assert found.returncode == 2
    assert found.stderr.startswith("quire: xu2003/table2 needs tdt2.npz and tdt2_labels.npy, which are not in")
    assert len(found.stderr.strip().splitlines()) == 1
    found = reproduce("xu2003/tabel2")
    assert found.returncode == 2
    assert "did you mean 'xu2003/table2'" in found.stderr
    assert reproduce("xu2003/table2", "--threads", "0").returncode == 2
    (tmp_path / "file").touch()
    assert "is a file" in reproduce("xu2003/table2", "--out", tmp_path / "file").stderr


def test_the_command_line_lists_at_80_columns():
    found = reproduce()
    assert found.returncode == 0
    assert "conroy2023/figure6" in found.stdout
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_the_page_of_results_is_up_to_date():
    folder = Path(__file__).parents[2] / "docs"
    spec = importlib.util.spec_from_file_location("reproduction", folder / "reproduction.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (folder / "reproduction.md").read_text("utf-8")
    assert module.reproduction() == written, "run `python docs/reproduction.py`"
