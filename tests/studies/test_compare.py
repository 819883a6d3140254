"""`quire compare`: two runs joined by the ids of their documents."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from problems import stories
from rich.console import Console

import quire
from quire.cli.compare import compare as command
from quire.cli.reports.comparison import comparison_report
from quire.scores import metrics
from quire.studies.compare import matched_pairs


def run_of(frame, topics=3, **options):
    return quire.cluster(frame, topics, id="key", random_state=0, **options)


@pytest.fixture(scope="module")
def frame():
    texts, _ = stories(60)
    texts[7] = ""
    return pl.DataFrame({"key": [f"d{i}" for i in range(60)], "text": texts})


@pytest.fixture(scope="module")
def runs(frame):
    """Three topics over 60 documents, and two over 50 of these, in another order, and 4 that are new."""
    new = pl.DataFrame({"key": [f"n{i}" for i in range(4)], "text": frame["text"][:4]})
    other = pl.concat([frame[:50].sample(fraction=1, shuffle=True, seed=1), new])
    return run_of(frame), run_of(other, 2)


def topics_by_id(run):
    return dict(run.documents.select("id", "topic").iter_rows())


def shown(found, width=80, names=("one", "other")):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(comparison_report(found, names, width))
    return console.file.getvalue()


def test_documents_are_joined_by_id_and_counted(runs):
    found = quire.compare(*runs)
    here, there = map(topics_by_id, runs)
    shared = here.keys() & there.keys()
    assert (found.shared, found.only_here, found.only_there) == (len(shared), 10, 4) == (50, 10, 4)
    expected = np.zeros((4, 3), int)
    for name in shared:
        expected[here[name], there[name]] += 1  # −1 is the last row and column
    assert expected[3].sum() >= 1
    np.testing.assert_array_equal(found.matrix, expected)


def test_partners_are_one_to_one_and_all_topics_are_there(runs):
    for found in (quire.compare(*runs), quire.compare(*runs[::-1])):
        pairs = [(match.here, match.there) for match in found.matches if match.both]
        assert len(pairs) == 2 == len({t for t, _ in pairs}) == len({u for _, u in pairs})
        assert {m.here for m in found.matches} - {-1} == set(range(found.here.height))
        assert {m.there for m in found.matches} - {-1} == set(range(found.there.height))
        alone = [m for m in found.matches if not m.both]
        assert [min(m.here, m.there) for m in alone] == [-1]
        for match in found.matches[:2]:
            row, column = found.matrix[match.here], found.matrix[:, match.there]
            assert match.jaccard == pytest.approx(match.both / (row.sum() + column.sum() - match.both))
            words = found.here["keywords"][match.here], found.there["keywords"][match.there]
            assert set(match.words) == set(words[0]) & set(words[1])


def test_moved_documents_have_topics_that_are_no_partners(runs):
    run, other = runs
    found = quire.compare(run, other)
    here, there = topics_by_id(run), topics_by_id(other)
    partners = {(m.here, m.there) for m in found.matches if m.both}
    both = [name for name in here if here[name] >= 0 and there.get(name, -1) >= 0]
    expected = {name for name in both if (here[name], there[name]) not in partners}
    assert expected
    assert set(found.moved["id"]) == expected
    assert found.moved["membership"].is_sorted(descending=True)
    assert run.documents["id"].gather(found.moved["row"]).to_list() == found.moved["id"].to_list()
    assert sum(n for *_, n in found.flows()) == len(expected)
    a, b = [here[name] for name in both], [there[name] for name in both]
    assert found.ari == pytest.approx(metrics.ari(a, b))
    assert found.nmi == pytest.approx(metrics.nmi(a, b))


def test_a_run_is_its_own_partner(runs):
    found = quire.compare(runs[0], runs[0])
    assert [(m.here, m.there, m.jaccard) for m in found.matches] == [(t, t, 1.0) for t in range(3)]
    assert found.moved.height == 0
    assert found.flows() == found.moved.rows() == []
    assert found.ari == 1
    assert found.notes == ()
    assert re.search(r"None of \d+ documents with a topic in both moved", shown(found))


def test_pairs_without_a_document_are_none():
    assert matched_pairs(np.array([[0, 0], [3, 0]])) == [(1, 0)]
    rng = np.random.default_rng(0)
    table = rng.integers(0, 50, (6, 9))
    pairs = matched_pairs(table)
    assert [table[pair] for pair in pairs] == sorted((table[pair] for pair in pairs), reverse=True)


def test_the_section_is_what_the_page_expects(runs, monkeypatch):
    monkeypatch.setattr("quire.studies.compare._MOVED", 3)
    found = quire.compare(*runs)
    section = json.loads(json.dumps(found.as_section("other"), allow_nan=False))
    assert set(section) == {
        "title", "topics", "shared", "only_here", "only_there", "matrix", "matches", "moved", "n_moved",
        "ari", "nmi",
    }  # fmt: skip
    assert set(section["topics"][0]) == {"topic", "name", "size", "keywords"}
    assert set(section["matches"][0]) == {"here", "there", "both", "jaccard", "words"}
    assert len(section["moved"]) == 3 < section["n_moved"] == found.moved.height
    assert section["moved"][0] == list(found.moved.select("row", "here", "there").row(0))
    assert len(found.as_dict()["moved"]) == 3


def test_other_documents_are_refused_or_told(runs, frame):
    foreign = run_of(frame.with_columns(pl.col("key").str.replace("d", "xd")))
    with pytest.raises(ValueError, match=r"no document in common.*'d0' and 'xd0'.*--id\)\.$"):
        quire.compare(runs[0], foreign)
    reversed_texts = run_of(frame.with_columns(pl.col("text").reverse()))
    said = quire.compare(runs[0], reversed_texts).notes
    assert "another text" in said[0]
    unsure = runs[0].documents.with_columns(pl.lit(-1, pl.Int32).alias("topic"))
    silent = replace(runs[0], documents=unsure)
    with pytest.raises(ValueError, match="--abstain"):
        quire.compare(runs[0], silent)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_report_fits_and_says_what_moved(runs, width):
    found = quire.compare(*runs)
    printed = shown(found, width)
    assert max(map(len, printed.splitlines())) <= width
    words = " ".join(printed.split())
    assert "50 documents are in both one and other; 10 only in one, 4 only in other." in words
    assert f"{found.moved.height} of " in words
    here, _, n = found.flows()[0]
    assert f"{n} documents went from {here} (" in words
    assert "Only in one" in words
    assert "Only in other" not in words
    assert "Only in other" in " ".join(shown(quire.compare(*runs[::-1]), width).split())


def test_hostile_names_are_harmless(runs):
    printed = shown(quire.compare(*runs), names=("\x1b[31mred", "[bold]b[/bold]"))
    assert "\x1b" not in printed
    assert "[bold]b[/bold]" in printed


def test_the_command_prints_tables_or_json(runs, tmp_path, capsys, monkeypatch):
    folders = [run.save(tmp_path / name) for run, name in zip(runs, ("one", "other"))]
    monkeypatch.setenv("COLUMNS", "80")
    command(*folders)
    printed = capsys.readouterr().out
    assert "Topic in one" in printed
    assert max(map(len, printed.splitlines())) <= 80
    command(*folders, json=True)
    data = json.loads(capsys.readouterr().out)
    assert data["documents"]["shared"] == 50
    assert data["other"] == str(folders[1])
    command(*folders, out=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    head = json.loads(page.partition('id="quire-head">')[2].partition("</script>")[0])
    assert (head["title"], head["compare"]["title"], head["compare"]["shared"]) == ("one", "other", 50)
    assert "page.html" in capsys.readouterr().out
    with pytest.raises(ValueError, match="nowhere"):
        command(folders[0], tmp_path / "nowhere")
