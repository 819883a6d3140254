"""Kernels compile once per machine, also for a read-only install, and a first call says so."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from quire.backends.kernels import compiled

FIT = "import numpy as np; from quire import NMF; NMF(2, init='random').fit(np.eye(6, dtype='f4'))"


def _python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )


def test_import_is_light():
    heavy = ["numba", "numpy", "scipy", "sklearn", "rich", "cyclopts"]
    code = f"import sys, quire; print([m for m in {heavy} if m in sys.modules])"
    assert _python(code).stdout == "[]\n"


def test_first_fit_compiles_and_says_so_and_the_second_does_not(tmp_path):
    first = _python(FIT, QUIRE_CACHE_DIR=str(tmp_path))
    again = _python(FIT, QUIRE_CACHE_DIR=str(tmp_path))
    assert "compiles its kernels" in first.stderr
    assert again.stderr == ""
    assert list(tmp_path.rglob("*.nbc"))


def test_a_place_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("QUIRE_CACHE_DIR", str(blocked))
    compiled.cache_folder.cache_clear()
    try:
        folder = compiled.cache_folder()
        assert folder.is_dir()
        assert not folder.is_relative_to(blocked)
        monkeypatch.setattr(compiled.platformdirs, "user_cache_path", lambda *_: blocked)
        monkeypatch.setattr(compiled.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
        compiled.cache_folder.cache_clear()
        assert compiled.cache_folder().is_relative_to(tmp_path / "temporary")
    finally:
        monkeypatch.undo()
        compiled.cache_folder.cache_clear()


def test_cache_is_outside_the_source_tree():
    import quire

    assert not compiled.cache_folder().is_relative_to(Path(quire.__file__).parent)


@pytest.mark.parametrize("wrong", ["order", "dtype"])
def test_a_kernel_takes_no_other_types(wrong):
    kernel = compiled.compiled("extrapolate", np.dtype(np.float32), np.dtype(np.int32))
    F = np.zeros((4, 8), np.float64) if wrong == "dtype" else np.zeros((8, 4), np.float32).T
    with pytest.raises(TypeError):
        kernel(F, F, np.float32(0.5), 0, 4)


def test_warming_up_leaves_what_few_need_for_when_they_need_it(monkeypatch):
    asked = set()
    monkeypatch.setattr(compiled, "compiled", lambda name, *types: asked.add((name, *types)))
    compiled.warm()
    later = {"solve_rows", "rescale", "divergence"}
    assert later < set(compiled.KERNELS)
    assert {name for name, *_ in asked} == set(compiled.KERNELS) - later
    assert {("descend", np.dtype(real)) for real in (np.float32, np.float64)} <= asked
    assert np.dtype(np.int64) not in {kind for _, *types in asked for kind in types}


@pytest.mark.parametrize("settings", ["disable_jit: 1", "[1]", ": : :"])
def test_settings_in_the_working_folder_are_not_read(settings, tmp_path):
    (tmp_path / ".numba_config.yaml").write_text(settings)
    code = (
        "import quire.backends.kernels.compiled, numba, yaml; "
        "numba.core.config.reload_config(); print(numba.config.DISABLE_JIT)"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("0\n", "")
