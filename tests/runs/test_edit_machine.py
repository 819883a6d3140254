"""Random edits, undos, saves, loads and kills: never a broken run, and what was before comes back bit for bit."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from crash import Killer
from edited import assert_same, texts
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import quire
from quire.places.leftovers import is_leftover
from quire.runs.edits.entry import new_edit
from quire.runs.edits.log import LOG
from quire.runs.folder import EDITED
from quire.runs.sound import check_sound

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")
KEPT = {}
WORDS = ("moon", "goal", "tax", "chip", "star", "violin")
TOPICS = st.integers(0, 5)
TWO = st.permutations(["1", "2", "3", "4", "5"]).map(lambda some: some[:2])


def _an(*whats, **given):
    return st.tuples(st.sampled_from(whats), st.fixed_dictionaries(given))


EDITS = st.one_of(
    _an("merge", topics=st.permutations(range(5)).map(lambda some: some[:2])),
    _an("split", topic=TOPICS, into=st.integers(2, 3)),
    _an("remove", topic=TOPICS),
    _an("pin", word=st.sampled_from(WORDS), topic=TOPICS),
    _an("ban", word=st.sampled_from(WORDS)),
    _an("move", document=st.sampled_from(["1", "2", "3", "4", "5", "99"]), topic=TOPICS),
    _an("together", "apart", documents=TWO),
    _an("rename", topic=TOPICS, name=st.sampled_from(["", "A", "B"])),
    _an("note", topic=TOPICS, note=st.sampled_from(["", "why?"])),
)


@pytest.fixture(scope="module", autouse=True)
def first(tmp_path_factory):
    run = quire.cluster(texts(32)[0], 4, recipe="nmf", random_state=0)
    KEPT["first"] = run.save(tmp_path_factory.mktemp("first") / "run")
    with Killer("quire.runs.editing", "quire.runs.edits.fold", "crash") as KEPT["killer"]:
        yield


class Edited(RuleBasedStateMachine):
    """A folder, the run that it should hold, and all runs that an undo should bring back."""

    @initialize()
    def begin(self):
        self.work = Path(tempfile.mkdtemp())
        self.folder = shutil.copytree(KEPT["first"], self.work / "run")
        self.run = quire.load(self.folder)
        self.before, self.after = [], []  # what undo and redo should bring

    def teardown(self):
        if hasattr(self, "work"):
            shutil.rmtree(self.work)

    @rule(edit=EDITS, kill_at=st.one_of(st.none(), st.integers(0, 60)))
    def edit(self, edit, kill_at):
        """Edit the run here, and its folder in a process that may be killed meanwhile."""
        what, given = edit
        edit = new_edit(what, **given)
        wanted, refused = None, ""
        try:
            wanted = self._applied(edit)
        except ValueError as error:
            refused = str(error)
        if wanted is None:
            assert refused.endswith(".")
            assert "\n" not in refused
            return
        if self._written(edit, kill_at):
            self.before, self.after = [*self.before, self.run], []
            self.run = wanted

    @rule(what=st.sampled_from(["undo", "redo"]), kill_at=st.one_of(st.none(), st.integers(0, 60)))
    def step(self, what, kill_at):
        known, others = (self.before, self.after) if what == "undo" else (self.after, self.before)
        edit = new_edit(what)
        if not known:
            with pytest.raises(ValueError, match=f"nothing to {what}"):
                self._applied(edit)
            return
        if self._written(edit, kill_at):
            others.append(self.run)
            self.run = known.pop()

    @rule()
    def save_elsewhere_and_go_on_there(self):
        self.folder = quire.load(self.folder).save(self.work / f"run{len(list(self.work.iterdir()))}")

    @rule()
    def lose_the_state(self):
        for state in self.folder.glob("edited-*"):
            shutil.rmtree(state)

    @invariant()
    def the_folder_holds_the_run(self):
        if not hasattr(self, "folder"):
            return
        loaded = quire.load(self.folder)
        check_sound(loaded)
        assert_same(loaded, self.run)
        assert loaded.labels.max() < len(loaded.H)
        for path in KEPT["first"].iterdir():
            assert (self.folder / path.name).read_bytes() == path.read_bytes()
        names = {path.name for path in self.folder.iterdir() if not is_leftover(path.name)}  # of who was killed
        assert {name for name in names if not EDITED.fullmatch(name)} - {LOG} == {
            p.name for p in KEPT["first"].iterdir()
        }

    def _applied(self, edit):
        return quire.load(self.folder)._edited(edit.what, **edit.given)

    def _written(self, edit, kill_at):
        """Make an edit in the folder; say whether it is there now, which is not known where its writer was killed."""
        length = len(quire.load(self.folder).history)
        KEPT["killer"].run("crash:edit_folder", self.folder, json.dumps(edit.as_dict()), kill_at=kill_at)
        return len(quire.load(self.folder).history) > length


Edited.TestCase.settings = settings(
    max_examples=8, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck)
)
TestEdited = Edited.TestCase
