"""``--memory`` is a promise: a run in blocks stays below it, in a process that could not go above it."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from quire.corpus.cut import ROWS
from quire.runs.load import load
from quire.runs.need import need_of
from quire.runs.options import Options

sys.path.insert(0, str(Path(__file__).parents[2]))  # the benchmarks are not installed
from benchmarks.generated_texts import documents

if not Path("/proc/self/status").exists():
    pytest.skip("the memory of a process is read as Linux tells it", allow_module_level=True)
resource = pytest.importorskip("resource", reason="limits of a process are known on Unix only")

FILES = 200 * 10**6  # bytes of libraries that are mapped; some systems map more around them, and take it back
SET_ASIDE = 100 * 10**6  # bytes of address space that allocators reserve and never touch: no memory, but counted
CHILD = """
    import json, resource, sys
    from pathlib import Path

    job = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_DATA, (job["limit"], job["limit"]))

    def told(name):
        return 1024 * int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0])

    def peak():  # what getrusage tells includes the process that started this one
        return told("VmHWM")

    from quire.runs import budget
    from quire.corpus import cut as read_cut
    from quire.places.disk import DiskPlace
    from quire.runs.options import Options
    from quire.runs.pipeline import gather
    from quire.runs.recipe import Recipe, recipe
    from quire.places.memory import MemoryPlace

    options, began = Options(topics=job["topics"], recipe="nmf"), peak()
    few = recipe("nmf").as_dict()
    few["factorization"]["max_iter"] = 3
    few = Recipe.from_dict(few)
    if job["in_blocks"]:
        budget.spare_memory()
        budget.ROWS = read_cut.ROWS = job["rows"]
        room = budget.room_of(job["memory"], job["documents"], job["bytes"])
        with DiskPlace(Path(job["folder"]) / "blocks", room) as place:
            gather(job["source"], options, place, recipe=few).write(Path(job["folder"]) / "run")
    else:
        gather(job["source"], options, MemoryPlace(), recipe=few).run().save(Path(job["folder"]) / "run")
    print(json.dumps({"began": began, "files": told("RssFile"), "peak": peak()}))
"""


def _small_stacks():
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, most))


def made_apart(source, topics, memory, folder, rows=ROWS, in_blocks=True):
    """Make a run in a process that cannot have more memory; return how it went."""
    need = need_of(source, Options(topics=topics))
    assert need.memory > memory, "this would fit into memory"
    job = {"source": str(source), "topics": topics, "folder": str(folder), "memory": memory, "rows": rows,
           "limit": memory + SET_ASIDE, "in_blocks": in_blocks, "documents": need.documents,
           "bytes": need.text_bytes}  # fmt: skip
    folder.mkdir()
    sparing = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD), json.dumps(job)],
        capture_output=True, text=True, env=sparing, check=False, preexec_fn=_small_stacks,
    )  # fmt: skip


def keeps_promise(source, topics, memory, folder, rows=ROWS):
    """Check that a run stays below its budget, leaves a sound run and no blocks."""
    found = made_apart(source, topics, memory, folder, rows)
    assert found.returncode == 0, found.stderr[-2000:]
    told = json.loads(found.stdout.splitlines()[-1])
    mapped_around = max(0, told["files"] - FILES)
    assert told["began"] < told["peak"] < memory + mapped_around, told
    assert len(load(folder / "run", texts=False).topics) == topics
    assert not (folder / "blocks").exists()


@pytest.fixture
def written(tmp_path):
    def write(n, topics, length=30):
        path = tmp_path / "texts.parquet"
        documents(n, k=topics, length=length).write_parquet(path)
        return path

    return write


def test_a_small_run_keeps_its_promise(written, tmp_path):
    source = written(80_000, 20)  # a small corpus, cut finer than is usual
    keeps_promise(source, 20, 465 * 10**6, tmp_path / "made", rows=4096)


@pytest.mark.slow
def test_a_run_keeps_a_promise_that_one_in_memory_cannot_keep(written, tmp_path):
    source, memory = written(300_000, 50), 700 * 10**6
    keeps_promise(source, 50, memory, tmp_path / "made")
    assert made_apart(source, 50, memory, tmp_path / "other", in_blocks=False).returncode != 0


@pytest.mark.slow
def test_long_documents_are_held_to_it_too(written, tmp_path):
    keeps_promise(written(8_000, 10, length=3000), 10, 850 * 10**6, tmp_path / "made")
