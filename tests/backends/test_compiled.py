"""Kernels compile once per machine, also for a read-only install, and a first call says so."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from quire.backends.kernels import compiled, compiling

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
    again = _python(
        f"import sys; {FIT}; print([m for m in ('numba', 'llvmlite') if m in sys.modules])",
        QUIRE_CACHE_DIR=str(tmp_path),
    )
    assert "compiles its kernels" in first.stderr
    assert again.stderr == ""
    assert again.stdout == "['llvmlite']\n"  # numba takes longer to import than a small run
    assert list(tmp_path.rglob("descend-float32-int32.o"))


@pytest.mark.parametrize("damage", [lambda whole: whole[: len(whole) // 2], lambda whole: b"", lambda whole: b"{}\n"])
def test_a_kernel_that_is_not_whole_is_compiled_again(damage, tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    rebuilt = compiled.compiled.__wrapped__
    rebuilt("extrapolate")
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    F, old = np.ones((1, 8), np.float32), np.zeros((1, 8), np.float32)
    rebuilt("extrapolate")(F, old, 0.5, 0, 1)
    assert (old == 1.5).all()
    assert compiled._kept(path)
    assert list(tmp_path.iterdir()) == [path]


def _allocates(F):
    F[0, 0] = np.zeros(len(F))[0]


def _calls(F):
    F[0, 0] = math.erf(F[0, 0])


@pytest.mark.parametrize("function", [_allocates, _calls])
def test_a_kernel_that_would_need_numba_when_it_runs_is_refused(function, monkeypatch):
    monkeypatch.setitem(compiling.KERNELS, "toy", function)
    with pytest.raises((TypeError, numba.core.errors.NumbaError), match=r"function zeros|toy needs erf"):
        compiling.object_code("toy", np.dtype(np.float64), np.dtype(np.int32))


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


WRONG = {
    "order": np.zeros((8, 4), np.float32).T,
    "dtype": np.zeros((4, 8), np.float64),
    "byte order": np.zeros((4, 8), ">f4"),
    "dimensions": np.zeros(32, np.float32),
    "to read only": np.frombuffer(bytes(4 * 8 * 4), np.float32).reshape(4, 8),
    "a list": [[0.0] * 8] * 4,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_kernel_takes_no_other_arrays(wrong):
    kernel = compiled.compiled("extrapolate")
    with pytest.raises(TypeError):
        kernel(WRONG[wrong], WRONG[wrong], 0.5, 0, 4)


def test_an_array_need_not_be_aligned():
    """What comes over a network may begin at any byte."""
    F, old = (np.frombuffer(bytearray(4 * 8 * 4 + 1), np.uint8)[1:].view(np.float32).reshape(4, 8) for _ in range(2))
    assert not F.flags.aligned
    F[:], old[:] = 1, 0
    compiled.compiled("extrapolate")(F, old, 0.5, 0, 4)
    assert (old == 1.5).all()


@pytest.mark.parametrize("numbers", [(0.5, 0), (0.5, 0, 4, 5), (0.5, 0, 4.5), ("x", 0, 4), (None, 0, 4)])
def test_a_kernel_takes_no_other_numbers(numbers):
    F = np.zeros((4, 8), np.float32)
    with pytest.raises((TypeError, ValueError)):
        compiled.compiled("extrapolate")(F, F, *numbers)


def test_warming_up_leaves_what_few_need_for_when_they_need_it(monkeypatch):
    asked = set()
    monkeypatch.setattr(compiled, "compiled", lambda name, *types: asked.add((name, *types)))
    compiled.warm()
    later = {"solve_rows", "rescale"}
    assert later < set(compiling.KERNELS)
    assert {name for name, *_ in asked} == set(compiling.KERNELS) - later
    assert {("descend", np.dtype(real)) for real in (np.float32, np.float64)} <= asked
    assert np.dtype(np.int64) not in {kind for _, *types in asked for kind in types}


@pytest.mark.parametrize("settings", ["disable_jit: 1", "[1]", ": : :"])
def test_settings_in_the_working_folder_are_not_read(settings, tmp_path):
    (tmp_path / ".numba_config.yaml").write_text(settings)
    code = (
        "import quire.backends.kernels.compiling, numba, yaml; "
        "numba.core.config.reload_config(); print(numba.config.DISABLE_JIT)"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("0\n", "")
