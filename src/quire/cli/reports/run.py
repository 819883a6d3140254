"""A run in words and tables for a terminal, and the bars that show how far a stage is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from quire.messages import DOING, Stages, also_good, counted, listed, were
from quire.runs.run import Run
from quire.scores.registry import SCORES

_CUTS = {
    "stop_words": "stop words", "min_count": "too rare", "min_df": "in too few documents",
    "max_df": "in too many documents", "cut_common": "too common", "keep_share": "rare",
    "stem": "joined with another word of the same stem", "numbers": "bare numbers", "emoji": "emoji",
}  # fmt: skip
_SOONER = DOING["factorize"]  # may end long before all steps are made
_FEW = 2  # sentences on what was left out of the keywords
_IN_WORDS, _ONE_TO_ONE = ("homogeneity", "completeness"), ("accuracy", "purity")  # purity rises with topics by itself
_EXTENTS = ((0.9, "nearly always"), (0.7, "mostly"), (0.4, "partly"), (-1.0, "hardly"))
_SHORT, _LOOK_BACK = 10, 600  # seconds that need no mention; that are looked back on to tell what is left


def _cut_of(name: str, n: int) -> str:
    what = _CUTS.get(name, name)
    return f"{n:,} {what.removesuffix('s') if n == 1 and name in ('stop_words', 'numbers') else what}"


class _TimeLeft(ProgressColumn):
    """How long a stage will take from now on, where that is known and not next to nothing."""

    max_refresh = 1.0

    def render(self, task: Task) -> Text:
        left = task.time_remaining
        return Text("" if left is None else time_left(left, at_most=task.description == _SOONER))


def time_left(seconds: float, at_most: bool = False) -> str:
    """Return a time in words; nothing where it is short."""
    if seconds <= _SHORT:
        return ""
    minutes = -(-int(seconds) // 60)
    words = f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
    return f"{'at most ' * at_most}{words if seconds > 60 else f'{seconds:.0f} s'} left"


class LiveStages(Stages):
    """Stages with a bar on the terminal while they last; nothing where the output is no terminal."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        super().__init__()
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(18),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            _TimeLeft(),
        )
        self._progress = Progress(
            *columns, console=console, transient=True, disable=quiet or not console.is_terminal,
            speed_estimate_period=_LOOK_BACK,
        )  # fmt: skip
        self._task: Any = None

    def __enter__(self) -> LiveStages:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._progress.disable:  # else rich before 14.3 prints an empty line
            self._progress.stop()

    def begin(self, name: str) -> None:
        """Show a bar without an end, until an update knows it."""
        self._task = self._progress.add_task(DOING.get(name, name), total=None)

    def update(self, done: int, total: int | None) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=done, total=total)

    def end(self) -> None:
        """Take the bar away."""
        self._progress.remove_task(self._task)


def clean(text: str, most: int | None = None) -> str:
    r"""Make a text safe and short enough for one line of a terminal.

    Control characters, which could move the cursor or recolour the screen, and line breaks become spaces.
    """
    text = text if most is None else text[: 4 * most + 200]
    safe = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in text)
    line = " ".join(safe.split())
    return line if most is None or len(line) <= most else line[: most - 1] + "…"


def keyword_line(words: list[str]) -> Text:
    """Return keywords in a line, the first one bold."""
    first, *others = words or ["–"]
    return Text.assemble((clean(first, 30), "bold"), *(f", {clean(word, 30)}" for word in others))


def called_by_people(run: Run) -> dict[int, Text]:
    """Return what stands before the keywords of topics that somebody named, or asked for by a seed."""
    seeds: dict[int, list[str]] = {}
    for row in run.info.get("seeds") or ():
        seeds.setdefault(row["topic"], []).append(row["name"])  # several, where their topics were merged
    asked = {topic: Text.assemble((clean(", ".join(names), 40), "bold"), ": ") for topic, names in seeds.items()}
    given = run.given_names.items()
    return asked | {topic: Text.assemble((clean(name, 60), "bold underline"), " – ") for topic, name in given}


def run_report(run: Run) -> RenderableType:
    """Return all that there is to say about a run: what was read, the topics, the scores."""
    lines = [Padding(Text(line, overflow="fold"), (0, 0, 0, 2 * (i > 0))) for i, line in enumerate(read_lines(run))]
    table, last = topic_table(run), [Text(line, "dim") for line in made_lines(run)]
    scores = [Text(""), Text(score_text(run))] if run.scores else []
    if scores and run.guessed_classes:  # what nobody asked for comes last
        return Group(*lines, Text(""), table, Text(""), *last, Text(score_text(run), "dim"))
    return Group(*lines, Text(""), table, *scores, Text(""), *last)


def read_lines(run: Run) -> Iterator[str]:
    """Say what was read and which terms were kept."""
    notes, terms = run.info["corpus"], run.info["terms"]
    where = "standard input" if notes["source"] == "-" else clean(notes["source"] or "")
    source = f" from {where}" if where else ""
    fine = "" if notes["n_empty"] or notes["n_duplicates"] else ", none empty, none a duplicate"
    split = "passage" in run.documents.columns and "question" not in run.documents.columns
    yield f"{counted(len(run.documents), 'passage' if split else 'document')}{source}{fine}"
    for sentence in notes.get("sentences", []):
        yield clean(sentence)
    cut = {name: n for name, n in terms["cut"].items() if n}
    dropped = "; cut: " + ", ".join(_cut_of(name, n) for name, n in cut.items()) if cut else ""
    language = f" (language: {terms['language']})" if terms.get("language") else ""
    yield clean(f"{counted(terms['kept'], 'term')}{language}{dropped}")
    left_out = terms.get("left_out", [])
    yield from map(clean, left_out[:_FEW])
    if len(left_out) > _FEW:
        more = len(left_out) - _FEW
        yield f"The same for {more} more, which {'is' if more == 1 else 'are'} named in run.json"
    silent = terms["documents_without"]
    if silent:
        yield f"{counted(silent, 'document')} {were(silent)} left unassigned: no kept term is in them"
    unsure = int(((run.labels < 0) & (run.documents["runner_up"].to_numpy() >= 0)).sum())
    if unsure:
        are, their = ("is", "its") if unsure == 1 else ("are", "their")
        sentence = f"{unsure:,} of {counted(len(run.documents), 'document')} {are} left unassigned"
        yield f"{sentence}: {their} membership is below {run.info['options']['abstain']:g}"
    lost = int((run.labels < 0).sum()) - silent - unsure
    if lost > 0:
        sentence = f"{counted(lost, 'document')} {were(lost)}"
        yield f"{sentence} left unassigned: no topic holds their terms; more topics may"
    if run.recipe.counts.get("stem") and terms["language"] is None:
        yield "No language was recognised, so nothing was stemmed; name it with --language"


def made_lines(run: Run) -> Iterator[str]:
    """Say how the topics were made and how long it took."""
    info = run.info
    fit = info["fit"]
    end = "" if fit["stopped"] != "max_iter" else "; not settled yet: raise max_iter in the recipe"
    runs = f", {counted(info['runs'], 'run')}" if info.get("runs") else ""
    steps = counted(fit["iterations"], "iteration")
    yield clean(f"recipe {run.recipe.name}, seed {info['seed']}{runs}, {steps}{end}")
    if info.get("also") is not None:
        yield why_so_many(info)
    yield clean(", ".join(f"{name} {seconds:.2f} s" for name, seconds in info["timings"].items()))


def why_so_many(info: dict[str, Any]) -> str:
    """Say why there are so many topics, where that was not asked for, and which numbers are the next best."""
    many = counted(info["n_topics"], "topic")
    if info["n_topics"] != info.get("chosen", info["n_topics"]):
        return f"{many}{also_good(info['also'])}"
    chosen, agreement = f"{many} chosen{also_good(info['also'])}", info.get("agreement")
    if agreement is None or (info["also"] and not agreement):  # of an older Quire
        return chosen
    own = agreement.get(str(info["n_topics"]))
    if own is None:
        return f"{chosen}. Singular values were counted: no number of topics came back in other documents"
    near = [f"{k} to {agreement[str(k)]:.2f}" for k in sorted(info["also"]) if str(k) in agreement]
    rest = f"; {listed(near)}" if near else "; no other number comes near"
    why = f"Learnt from halves of the documents, they agree to {own:.2f} (1: the same)"
    return f"{chosen}. {why}, the best for their number{rest}"


def topic_table(run: Run) -> Table:
    """Return the topics: number, size, share, stability where known, keywords, most typical document."""
    table = Table(box=None, pad_edge=False, expand=True, header_style="dim")
    stable = ["Stable"] if run.stability is not None else []
    for heading in ("Topic", "Docs", "Share", *stable):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Keywords", ratio=11)
    table.add_column("Most typical document", ratio=9, overflow="ellipsis", no_wrap=True, style="cyan")
    shown, called = _shown_names(run), called_by_people(run)
    for row in run.topics.iter_rows(named=True):
        words = Text.assemble(called.get(row["topic"], ""), keyword_line(row["keywords"][:7]))
        typical = clean(shown.get(row["typical"][0], "")) if row["typical"] else "–"
        numbers = [str(row["topic"]), f"{row['size']:,}", f"{row['share']:.1%}"]
        if stable:
            numbers.append("–" if row["stability"] is None else f"{row['stability']:.0%}")
        table.add_row(*numbers, words, Text(typical))
    return table


def _shown_names(run: Run) -> dict[str, str]:
    """Return what to call the typical documents: by title, else by how they begin, else by id."""
    wanted = [ids[0] for ids in run.topics["typical"].to_list() if ids]
    rows = run.documents.filter(run.documents["id"].is_in(wanted)).iter_rows(named=True)
    # Passages of one document have its title, which would tell nothing of each.
    return {
        row["id"]: ("passage" not in row and row.get("title")) or clean(row.get("text") or "", 80) or row["id"]
        for row in rows
    }


def score_text(run: Run) -> str:
    """Tell the scores; those that pair topics with classes one to one only where there are as many."""
    n_classes = run.documents["label"].drop_nulls().n_unique()
    as_many, scores = len(run.topics) == n_classes, run.scores
    left_out = _IN_WORDS if as_many else (*_IN_WORDS, *_ONE_TO_ONE)
    shown = {SCORES[name].word if name in SCORES else name: scores[name] for name in scores if name not in left_out}
    guess = run.guessed_classes
    many = counted(n_classes, "known label")
    if guess is not None:
        many = f"{counted(n_classes, 'value')} of {clean(guess)}, if these are known classes (--label says so)"
    text = f"Against the {many}: " + ", ".join(f"{name} {value:.3f}" for name, value in shown.items())
    if as_many or any(name not in scores for name in _IN_WORDS):
        return text
    pure, whole = (f"{_extent(scores[name])} %s one %s each ({name} {scores[name]:.3f})" for name in _IN_WORDS)
    return f"{text}. Topics are {pure % ('of', 'label')}, labels {whole % ('within', 'topic')}."


def _extent(share: float) -> str:
    """Return a share in words."""
    return next(word for least, word in _EXTENTS if share >= least)
