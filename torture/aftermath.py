"""What is written, what was there before, and what must hold after a crash: the old or the new, and no obstacle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import crash

from torture.case import WrongError

RUNS = ("save_run", "save_run_without_exchange", "update_run")
EDITS = ("edit_topics", "undo_edit")
WITHIN = ("write_page", "write_index", "give_name", "grow_tree", *EDITS)
OTHERS = ("save_checkpoint", "save_choice")
ACTIONS = (*RUNS, *WITHIN, *OTHERS)


def make_runs(folder: Path) -> None:
    """Save two runs of the same documents, of other seeds."""
    import quire
    from torture.seeds import texts

    recipe = {"name": "plain", "factorization": {"method": "NMF"}}
    for seed, name in enumerate(("old", "new")):
        quire.cluster([row[0] for row in texts(40)], 2, recipe=recipe, random_state=seed).save(folder / name)


def arguments(action: str, folder: Path, seeds: Path) -> list[str]:
    """Return what an action gets that writes into a folder."""
    if action in RUNS:
        return [str(seeds / "new"), str(folder / "run")]
    if action in WITHIN:
        return [str(seeds / "old"), str(folder / "run")]
    return [str(folder / "kept"), "new"]


def prepare(action: str, folder: Path, seeds: Path, replacing: bool) -> None:
    """Put there what was there before: with ``replacing``, an older one of what is written."""
    folder.mkdir(parents=True, exist_ok=True)
    if action in WITHIN or (action in RUNS and replacing):
        shutil.copytree(seeds / "old", folder / "run")
    given = arguments(action, folder, seeds)
    if action in EDITS:
        for before in [*["give_name"] * replacing, *["edit_topics"] * (action == "undo_edit")]:
            done(before, given)
    elif replacing and action in (*WITHIN, *OTHERS):
        done(action, [*given[:1], "old"] if action in OTHERS else given)


def done(action: str, given: list[str]) -> int:
    """Run an action to its end, in a fork; return the number of its file operations."""
    module = "" if ":" in action else "crash:"
    answer = crash.run_job({"action": module + action, "arguments": given})
    if answer["operations"] is None:
        raise WrongError(f"{action}: {answer['error']}")
    return int(answer["operations"])


def check(action: str, folder: str, seeds: str, replacing: str, ended: str) -> None:
    """Look at what a crash left, then do the same again: nothing may be in the way, nor be left behind."""
    if action in RUNS:
        _check_run(Path(folder), Path(seeds), bool(replacing), bool(ended))
    elif action in EDITS:
        _check_edit(action, Path(folder) / "run", bool(replacing), bool(ended))
        _check_next(Path(folder), Path(seeds))
    elif action in WITHIN:
        _check_within(action, Path(folder), Path(seeds), bool(ended))
    elif action == "save_checkpoint":
        _check_checkpoint(Path(folder) / "kept", bool(replacing), bool(ended))
    else:
        _check_choice(Path(folder) / "kept", bool(replacing), bool(ended))


def _check_run(folder: Path, seeds: Path, replacing: bool, ended: bool) -> None:
    import quire
    from quire.places.atomic import restore

    target = folder / "run"
    restore(target)  # as every reader does
    if target.exists() or replacing or ended:
        seed = quire.load(target).info["seed"]
        _expect(seed == 1 or (seed == 0 and replacing and not ended), f"the run has seed {seed}")
    crash.save_run(seeds / "new", target)
    _expect(quire.load(target).info["seed"] == 1, "the next run did not take its place")
    _expect_names(folder, ["run"])


def _check_within(action: str, folder: Path, seeds: Path, ended: bool) -> None:
    import quire

    target = folder / "run"
    run = quire.load(target)
    names = {} if not run.history else {0: run.topics["name"][0]}
    _expect(names in ({}, {0: "Moon"}), f"names are {names}")
    page = target / "page.html"
    _expect(not page.exists() or page.read_text().rstrip().endswith("</html>"), "half a page")
    if action == "write_index":
        _search(target, run)
    elif ended:
        written = {"write_page": page.exists(), "give_name": bool(names), "grow_tree": run.hierarchy is not None}
        _expect(written[action], "what was written is lost")
    _check_next(folder, seeds)


def _check_edit(action: str, target: Path, replacing: bool, ended: bool) -> None:
    """See that an edit was made or not, and that another one can be made."""
    import quire

    before = [*["rename"] * replacing, *["merge"] * (action == "undo_edit")]
    after = [*before, "undo" if action == "undo_edit" else "merge"]
    run = quire.load(target)
    made = [edit["what"] for edit in run.history]
    _expect(made == after or (made == before and not ended), f"edits are {made}")
    _expect(len(run.topics) == 2 - (made[-1:] == ["merge"]), f"{len(run.topics)} topics after {made}")
    crash.edit_folder(target, '{"what": "rename", "topic": 0, "name": "Again"}')
    again = quire.load(target)
    _expect(again.topics["name"][0] == "Again" and len(again.topics) == len(run.topics), "the next edit is lost")
    states = [path.name for path in target.iterdir() if path.name.startswith(("edited-", ".quire-"))]
    _expect(len(states) == (made[-1:] == ["merge"]), f"there is {', '.join(states)}")


def _check_next(folder: Path, seeds: Path) -> None:
    """See that a run can be made where an edited one was, once the log is gone, and that it is all that is left."""
    import quire

    target = folder / "run"
    (target / "edits.jsonl").unlink(missing_ok=True)  # a person's work, which no run replaces
    crash.save_run(seeds / "new", target)
    _expect(quire.load(target).info["seed"] == 1, "the next run did not take its place")
    _expect_names(target, sorted(path.name for path in (seeds / "new").iterdir()))
    _expect_names(folder, ["run"])


def _search(target: Path, run: object) -> None:
    from quire.pages.full_text import SEARCH, FullText

    index = FullText(target / SEARCH, run.documents)  # type: ignore[attr-defined]
    for _ in range(2):  # the first look may find the damage
        _expect(index.wait(20), "the index is not made anew")
        total = index.search("moon")["total"]
    index.close()
    _expect(total > 0, "the index finds nothing")


def _check_checkpoint(folder: Path, replacing: bool, ended: bool) -> None:
    from quire.places.checkpoint import Checkpoint
    from quire.places.disk import DiskPlace

    place = DiskPlace(folder)
    state = Checkpoint(place).load("state")
    _expect(state is not None or not (replacing or ended), "the checkpoint is lost")
    if state is not None:
        rows, text = state
        _expect(place.fetch(rows).tolist() == [0, 1, 2], "the block is another")
        _expect(text == "new" or (text == "old" and not ended), f"the state is {text}")
    del state
    place.leave()
    crash.save_checkpoint(folder, "again")
    _expect(len(list((folder / "checkpoints").iterdir())) == 2, "something is left behind")


def _check_choice(folder: Path, replacing: bool, ended: bool) -> None:
    path = folder / "choice.json"
    if path.exists() or replacing or ended:
        kept = json.loads(path.read_text())["k"]
        _expect(kept == "new" or (kept == "old" and not ended), f"the choice is {kept}")
    crash.save_choice(folder, "again")
    _expect_names(folder, ["choice.csv", "choice.json"])


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise WrongError(otherwise)


def _expect_names(folder: Path, names: list[str]) -> None:
    left = sorted(path.name for path in folder.iterdir())
    _expect(left == names, f"there is {', '.join(left)} instead of {', '.join(names)}")
