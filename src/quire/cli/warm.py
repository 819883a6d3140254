"""``quire warm``: the kernels, compiled ahead."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

_TALL, _WIDE, _HELD = 33_000, 33_000, 12  # of a matrix with topics: documents, terms, terms of a document


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
    import warnings

    import numpy as np
    import scipy.sparse as sp

    from quire.backends.gpu.kernels import MOST_WARM, warm
    from quire.cli.output import live_stages
    from quire.methods.ensemble.estimator import Ensemble
    from quire.methods.nmf import NMF

    began = time.perf_counter()
    with live_stages() as stages, stages.stage("compile") as update, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such fits are not meant to be good
        warm(update)
        rng = np.random.default_rng(0)  # as large as what takes other ways than small matrices do, and nearly empty
        topic = np.repeat(rng.integers(4, size=_TALL), _HELD)
        columns = rng.integers(_WIDE // 4, size=_TALL * _HELD) + topic * _WIDE // 4
        ends = np.arange(0, _TALL * _HELD + 1, _HELD)
        X = sp.csr_array((np.ones(len(columns), np.float32), columns, ends), (_TALL, _WIDE))
        X.sum_duplicates()
        for method in (NMF(8, max_iter=3), Ensemble(8, coarse=True, n_init=3, sketch=16)):
            method.set_params(device="cuda", random_state=0).fit_transform(X)
    print(f"The GPU's kernels, for up to {MOST_WARM} topics, ready after {time.perf_counter() - began:.1f} s")
