"""``quire warm``: the kernels, compiled ahead."""

from __future__ import annotations


def warm() -> None:
    """Compile the kernels for this machine, so that the first fit does not wait."""
    from quire.backends.kernels.compiled import cache_folder
    from quire.backends.kernels.compiled import warm as compile_all

    seconds = compile_all()
    print(f"Kernels ready after {seconds:.1f} s in {cache_folder()}")
