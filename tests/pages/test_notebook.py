"""What a notebook shows of a run: in a real kernel, and with whatever names topics have."""

import html.parser
import re
import sys
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from problems import themed

import quire
from quire.pages.figures.colours import topic_colours
from quire.pages.figures.stream import _apart, _smooth
from quire.pages.layout import positions_of
from quire.pages.periods import sparks
from quire.runs.ranks import typicality_ranks

HOSTILE = [
    '<img src=x onerror="alert(1)">',
    "</td></table><script>alert(1)</script>",
    r"$\frac{1}{ $ & \x",
    "a\x1b[31m\nb",
]


@pytest.fixture(scope="module")
def run():
    return quire.cluster(themed(), 5, random_state=0)


@pytest.fixture(scope="module")
def dated():
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 12, 31), "1d", eager=True).to_list()
    texts = themed()
    return quire.cluster(texts, 5, random_state=0, dates=[days[i % len(days)] for i in range(len(texts))])


@pytest.fixture(scope="module")
def hostile(run):
    """A run whose names and words would run code, or break a figure, where they are not escaped."""
    names = [HOSTILE[t % len(HOSTILE)] for t in range(len(run.topics))]
    words = pl.Series("keywords", [[name, *HOSTILE] for name in names])
    return replace(run, topics=run.topics.with_columns(pl.Series("name", names), words))


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attributes}


def test_a_run_is_a_line_and_a_table(run):
    assert "\n" not in repr(run)
    assert f"{len(run.documents):,} documents" in repr(run)
    shown = run._repr_html_()
    for name, size in run.topics.select("name", "size").iter_rows():
        assert name in shown
        assert f"{size:,}" in shown
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", shown)]
    sizes = run.topics["size"].to_numpy()
    assert widths == pytest.approx(100 * sizes / sizes.max(), abs=0.06)
    assert "<style" not in shown  # which a notebook that is not trusted leaves out
    assert not re.search(
        r"(?<![-\w])color:|background:(white|black|#fff|#000)", shown
    )  # the notebook's own, light or dark


def test_names_do_nothing_but_stand_there(hostile):
    for shown in (hostile._repr_html_(), *(hostile.topic(t)._repr_html_() for t in range(len(hostile.topics)))):
        found = Tags(shown)
        assert not {"img", "script"} & set(found.tags)
        assert found.attributes <= {"style"}
        assert "&lt;" in shown


def test_figures_take_any_name(hostile, dated):
    dated = replace(dated, topics=dated.topics.with_columns(hostile.topics["name"], hostile.topics["keywords"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (hostile.topics_plot(), hostile.map(), dated.stream(3)):
            assert figure._repr_png_().startswith(b"\x89PNG")


def test_the_figure_of_topics_has_their_sizes(run):
    [axis] = run.topics_plot(3, words=2).axes
    assert [bar.get_width() for bar in axis.patches] == run.topics["size"].to_list()[:3]
    said = [text.get_text() for text in axis.texts]
    assert set(run.topics["name"].to_list()[:3]) <= set(said)
    assert ", ".join(run.topics["keywords"][0][:2]) in said


def test_names_on_the_map_cover_no_other(run):
    figure = run.map()
    [axis] = figure.axes
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axis.texts]
    assert boxes
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
    frame = axis.get_window_extent()
    assert all(frame.x0 - 2 <= box.x0 and box.x1 <= frame.x1 + 2 for box in boxes)
    assert len(axis.collections[0].get_offsets()) == len(run.documents)


def test_the_stream_holds_every_document_once(dated):
    for most in (2, 12):
        [axis] = dated.stream(most).axes
        assert len(axis.collections) == min(most + 1, len(dated.topics))
        named = {text.get_text() for text in axis.texts}
        beside = axis.get_legend()
        named |= {text.get_text() for text in beside.get_texts()} if beside else set()
        assert len(named) == len(axis.collections)
    with pytest.raises(ValueError, match="needs dates"):
        quire.cluster(["moon orbit", "a moon", "goal team", "a goal"], 2, random_state=0).stream()


def test_curves_of_a_stream_go_through_the_counts_and_never_below_nothing(dated):
    _, days, counts = sparks(dated)
    along, smooth = _smooth(days, np.asarray(counts, float))
    starts = np.searchsorted(
        along, [np.datetime64(day).astype(int) for day in days]
    )  # Matplotlib's days are since 1970
    assert smooth[:, starts] == pytest.approx(np.asarray(counts, float))
    assert smooth.min() >= 0
    [axis] = dated.stream().axes
    some, unit = axis.get_ylabel().split()
    assert unit.startswith("document")
    low, high = axis.lines[0].get_ydata()
    assert high - low == int(some)


def test_bands_that_touch_are_unlike_in_colour():
    for seed in range(5):
        colours = topic_colours(np.random.default_rng(seed).random((12, 2)))
        order = _apart(colours)
        assert sorted(order) == list(range(12))
        beside = np.linalg.norm(np.diff(colours[order], axis=0), axis=1)
        turned = np.linalg.norm(np.diff(colours[np.argsort(np.arctan2(*colours.T[:2]))], axis=0), axis=1)
        assert beside.min() > max(0.2, turned.min())


def test_large_topics_have_hues_of_their_own():
    centres = np.random.default_rng(0).random((40, 2))
    shares = np.full(40, 0.3 / 36)
    around = np.argsort(np.arctan2(*(centres - centres.mean(axis=0)).T[::-1]))
    shares[large := around[:8:2]] = 0.7 / 4  # which lie side by side
    far = [np.linalg.norm(np.diff(topic_colours(centres, s)[large], axis=0), axis=1).min() for s in (None, shares)]
    assert far[1] > far[0]


def test_a_name_beside_its_documents_has_a_line_to_them(run):
    near = replace(run, topics=run.topics.with_columns(pl.lit("a name that is long enough to need room").alias("name")))
    [axis] = near.map().axes
    boxes = [text.get_window_extent().padded(3) for text in axis.texts]
    middles = positions_of(run, typicality_ranks(run), "topics").documents
    for t in range(len(boxes)):
        x, y = axis.transData.transform(np.median(middles[run.labels == t], axis=0))
        led = any(np.allclose(axis.transData.transform(line.get_xydata()[-1]), (x, y)) for line in axis.lines)
        assert led or any(box.contains(x, y) for box in boxes)


def test_topics_have_colours_of_their_own():
    for k in (1, 2, 8, 40):
        colours = topic_colours(np.random.default_rng(0).random((k, 2)))
        assert colours.shape == (k, 3)
        assert ((colours >= 0) & (colours <= 1)).all()
        assert len({tuple(colour) for colour in colours.round(3)}) == k


def test_a_missing_library_is_a_sentence(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'quire-topics\[plots\]'"):
        run.topics_plot()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        run.to_pandas()


def test_a_topic_its_documents_and_a_search(run):
    topic = run.topic(1)
    row = run.topics.row(1, named=True)
    assert (topic.name, topic.size, topic.keywords) == (row["name"], row["size"], row["keywords"])
    assert topic.typical["id"].to_list() == row["typical"]
    own = run.documents_of(1)
    assert len(own) == topic.size
    assert own["topic"].unique().to_list() == [1]
    assert own["id"].to_list()[: len(row["typical"])] == row["typical"]
    assert len(run.documents_of(-1)) == int((run.labels < 0).sum())
    for wrong in (5, -2, 1.5, "1", True):
        with pytest.raises(ValueError, match="topics 0 to 4"):
            run.topic(wrong)
    word = row["keywords"][0]
    holding = run.documents.filter(pl.col("text").str.contains(rf"\b{word}\b"))["id"].to_list()
    assert sorted(run.search(f'"{word}"', 200)["id"]) == sorted(holding)
    assert run.search("nowhereinanytext").is_empty()
    with pytest.raises(ValueError, match="from 1 to 200"):
        run.search(word, 0)


def test_pandas_has_the_documents_and_their_topics_names(run):
    frame = run.to_pandas()
    assert frame["id"].tolist() == run.documents["id"].to_list()
    assert frame["name"].tolist() == [run.topics["name"][int(topic)] for topic in run.labels]
    assert "name" not in run.documents.columns  # a table of its own


def test_tab_offers_what_people_use(run):
    offered = {name for name in dir(run) if not name.startswith("_")}
    assert {"topics", "topic", "page", "map", "stream", "search", "to_pandas", "rename", "save"} <= offered
    assert not {"memberships_of", "silent", "heard", "recounted", "nearest_topics", "totals"} & offered
    assert all(hasattr(run, name) for name in offered)


CELLS = [
    "import quire, polars as pl\ntexts = ['the moon orbits', 'a moon in orbit', 'goal and team', 'team goal'] * 12\n"
    "days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 2, 17), '1d', eager=True).to_list()\n"
    "run = quire.cluster(texts, 2, random_state=0, dates=days)\nrun",
    "run.topics_plot()", "run.stream()", "run.map()", "run.topic(0)", "run.page(400)", "repr(run)",
]  # fmt: skip


def test_a_real_notebook_shows_it_all():
    nbformat, client = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    made, *figures, topic, page, line = [cell.outputs for cell in book.cells]
    bars = [out for out in made if out.output_type == "display_data"]
    assert len(bars) == 1  # one place for all stages, empty when they are done
    assert bars[0].data["text/html"] == ""
    shown = made[-1].data
    assert "Keywords" in shown["text/html"]
    assert shown["text/plain"].startswith("<Run: 48 documents, 2 topics")
    for [figure] in figures:
        assert "image/png" in figure.data
    assert "Topic 0" in topic[0].data["text/html"]
    assert page[0].data["text/html"].startswith("<iframe")
    assert "http" not in page[0].data["text/html"].split("srcdoc")[0]
    assert line[0].data["text/plain"].startswith("'<Run: 48")
