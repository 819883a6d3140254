"""``quire warm``: the kernels, compiled ahead."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter


def warm(
    *,
    device: Annotated[
        Literal["cpu", "cuda", "auto"], Parameter(help="whose: with cuda (an NVIDIA GPU) or auto, its own as well")
    ] = "cpu",
) -> None:
    """Compile the kernels for this machine, so that the first fit does not wait."""
    from quire.backends.backend import device_there
    from quire.backends.gpu.device import why_no_gpu
    from quire.backends.kernels.compiled import cache_folder
    from quire.backends.kernels.compiled import warm as compile_all

    if device == "cuda" and (reason := why_no_gpu()):
        raise ValueError(reason)
    seconds = compile_all()
    print(f"Kernels ready after {seconds:.1f} s in {cache_folder()}")
    if device_there(device) == "cuda":
        _warm_gpu()


def _warm_gpu() -> None:
    """Compile for the GPU: our kernels by themselves, CuPy's own by small fits that call them."""
    import time

    import numpy as np

    from quire.backends.gpu.kernels import MOST_WARM, warm
    from quire.cli.output import live_stages
    from quire.methods.ensemble.estimator import Ensemble
    from quire.methods.nmf import NMF

    began = time.perf_counter()
    with live_stages() as stages, stages.stage("compile") as update:
        warm(update)
        X = np.kron(np.eye(3), np.ones((20, 8))).astype(np.float32) + np.eye(60, 24, dtype=np.float32)
        for method in (NMF, Ensemble):
            method(3, device="cuda", random_state=0).fit(X)
    print(f"The GPU's kernels, for up to {MOST_WARM} topics, ready after {time.perf_counter() - began:.1f} s")
