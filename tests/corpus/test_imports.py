"""Packages that readers import when they need them, from several threads."""

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from quire.corpus.imports import imported

BODY = "import gc, sys, time\nsys.quire_seen.append(gc.isenabled())\ntime.sleep(0.1)\nsys.quire_seen.append({name!r})\n"


def test_one_after_the_other_and_no_garbage_is_collected_meanwhile(tmp_path, monkeypatch):
    """A finalizer that imports in the midst of an import, and packages that need each other, make imports fail."""
    names = ["quire_moon", "quire_tide"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(BODY.format(name=name))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "quire_seen", [], raising=False)
    together = Barrier(2)

    def run(name):
        together.wait()
        return imported(name).__name__

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, names)) == names
    for name in names:
        sys.modules.pop(name)
    seen = sys.quire_seen
    assert (seen[0], seen[2]) == (False, False)
    assert sorted(seen[1::2]) == names
    assert gc.isenabled()
